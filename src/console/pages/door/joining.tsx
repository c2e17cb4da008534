/** The form of a person who gets a password: at the first start, and by an invitation. */
import { useEffect, useState } from 'preact/hooks'
import { enter, type SignedIn } from '../../client/session'
import { at } from '../../installation'
import { LinkButton } from '../../parts/button'
import { Form, TextField } from '../../parts/form'
import { isShortPassword, NewPasswordField } from '../../parts/new-password'
import { words } from '../../words/words'
import { Door } from './frame'

export type Joining = {
  readonly token: string
  readonly email: string
  readonly password: string
  readonly name: string
}

type Props = {
  readonly title: string
  readonly lead: string
  readonly action: string
  /** Advice where the link does not work. */
  readonly whenUsed: string
  readonly send: (joining: Joining) => Promise<SignedIn>
  /** Runs after the person has entered. */
  readonly onEntered: () => void
}

/** The token stands behind `#`, so that no server and no log sees it in an address. */
const readToken = () => location.hash.slice(1)

export function JoinPage({ title, lead, action, whenUsed, send, onEntered }: Props) {
  const { door } = words.value
  const [token, setToken] = useState(readToken)
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [isRefused, setRefused] = useState(token === '')
  // A second link in the same tab changes only the part behind `#`: the page stays.
  useEffect(() => {
    const read = () => {
      setToken(readToken())
      setRefused(readToken() === '')
    }
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])

  async function submit(): Promise<void> {
    try {
      enter(await send({ token, email, password, name }))
      onEntered()
    } catch (error) {
      if ((error as { param?: string }).param === 'token') setRefused(true)
      throw error
    }
  }

  if (isRefused)
    return (
      <Door title={title}>
        <div class="note bad" role="alert">
          <p>{door.linkUsed}</p>
          <p>{whenUsed}</p>
        </div>
        <LinkButton href={at('/')} kind="primary">
          {door.toSignIn}
        </LinkButton>
      </Door>
    )
  return (
    <Door title={title} lead={lead}>
      <Form
        onSubmit={submit}
        action={action}
        fields={['name', 'email', 'password']}
        isDisabled={isShortPassword(password)}
      >
        <TextField label={door.name} name="name" autocomplete="name" required value={name} onValue={setName} />
        <TextField
          label={door.email}
          name="email"
          type="email"
          autocomplete="username"
          required
          value={email}
          onValue={setEmail}
        />
        <NewPasswordField label={door.newPassword} name="password" value={password} onValue={setPassword} />
      </Form>
    </Door>
  )
}
