/** Signing in: the page without a session, and the dialog after a session has ended. */
import { useState } from 'preact/hooks'
import { api, ApiError, dataOf } from '../../client/client'
import { useLoad } from '../../client/load'
import { signIn } from '../../client/session'
import { baseUrl } from '../../installation'
import { CopyButton } from '../../parts/copy'
import { Dialog } from '../../parts/dialog'
import { fieldError, Form, TextField } from '../../parts/form'
import { words } from '../../words/words'
import { Door } from './frame'

export function SignIn() {
  const { door } = words.value
  return (
    <Door title={door.signIn} below={<Welcome />}>
      <SignInForm email="" />
    </Door>
  )
}

/** In front of the page, which stays as it is. */
export function SignInAgain({ email }: { readonly email: string }) {
  const { door } = words.value
  return (
    <Dialog title={door.ended} onClose={undefined}>
      <p class="faint">{door.endedText}</p>
      <SignInForm email={email} />
    </Dialog>
  )
}

function SignInForm({ email: known }: { readonly email: string }) {
  const { door } = words.value
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')

  async function submit(): Promise<void> {
    try {
      await signIn(email, password)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      throw fieldError('password', door.wrongPassword, error)
    }
  }

  return (
    <Form onSubmit={submit} action={door.signIn} fields={['email', 'password']}>
      <TextField
        label={door.email}
        name="email"
        type="email"
        autocomplete="username"
        required
        value={email}
        onValue={setEmail}
      />
      <TextField
        label={door.password}
        name="password"
        type="password"
        autocomplete="current-password"
        required
        hint={door.forgotten}
        value={password}
        onValue={setPassword}
      />
    </Form>
  )
}

/** For visitors: the default voice to hear, and a first request. */
function Welcome() {
  const { door } = words.value
  const voices = useLoad(() => dataOf(api.GET('/api/v1/voices')), [])
  const voice = voices.data?.voices[0]
  const command = `curl ${baseUrl}/api/v1/tts \\
  -H 'Authorization: Bearer YOUR_API_KEY' \\
  -H 'Content-Type: application/json' \\
  -d '{"text":"Hello! This is my first sentence."}'`
  return (
    <section class="card" aria-label={door.firstRequest}>
      {voice && (
        <>
          <h2>{door.listen}</h2>
          <p class="faint small">{door.defaultVoice(voice.display_name)}</p>
          <audio controls preload="none" src={voice.demo_url} />
        </>
      )}
      <div class="row between">
        <h2>{door.firstRequest}</h2>
        <CopyButton text={command} />
      </div>
      <pre tabIndex={0}>{command}</pre>
      <p class="faint small">{door.firstRequestText}</p>
    </section>
  )
}
