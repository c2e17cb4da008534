/** Who is signed in here. Tabs tell each other when that changes. */
import { effect, signal } from '@preact/signals'
import { api, ApiError, dataOf, whenSessionEnds, type Schema } from './client'

export type SignedIn = Schema<'SignedIn'>

type State =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed'; readonly error: ApiError }
  | { readonly kind: 'out' }
  | { readonly kind: 'in'; readonly signedIn: SignedIn }
  /** The page stays as it is behind a dialog. */
  | { readonly kind: 'ended'; readonly signedIn: SignedIn }

export const session = signal<State>({ kind: 'unknown' })

type News = 'entered' | 'left'

const channel = new BroadcastChannel('sonant-session')
channel.onmessage = ({ data }: MessageEvent<News>) => {
  if (data === 'left') forgetTexts()
  void refreshSession()
}
const tell = (news: News) => channel.postMessage(news)

/** The texts that pages kept for the person in this tab go with the session. */
const forgetTexts = () => sessionStorage.clear()

/** Asks the server who is signed in: another tab may have signed out, or in as another person. */
export async function refreshSession(): Promise<void> {
  try {
    session.value = { kind: 'in', signedIn: await dataOf(api.GET('/api/v1/session')) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // An open page stays as it is while the server cannot be reached.
    if (error.status === 401) end()
    else if (session.peek().kind === 'unknown' || session.peek().kind === 'failed')
      session.value = { kind: 'failed', error }
  }
}

/** The session has ended on the server: a page that is open stays, behind the dialog that asks to sign in again. */
function end(): void {
  const now = session.peek()
  if (now.kind === 'in') session.value = { kind: 'ended', signedIn: now.signedIn }
  else if (now.kind !== 'ended') session.value = { kind: 'out' }
}
whenSessionEnds(end)

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && session.peek().kind === 'in') void refreshSession()
})

/** A person has signed in here. */
export function enter(signedIn: SignedIn): void {
  session.value = { kind: 'in', signedIn }
  tell('entered')
}

/** Signs in. Throws {@link ApiError}. */
export async function signIn(email: string, password: string): Promise<void> {
  enter(await dataOf(api.POST('/api/v1/session', { body: { email, password } })))
}

/** Signs out here, or of all sessions of the person. Throws {@link ApiError}. */
export async function signOut(where: 'here' | 'everywhere'): Promise<void> {
  await dataOf(where === 'here' ? api.DELETE('/api/v1/session') : api.DELETE('/api/v1/sessions'))
  forgetTexts()
  session.value = { kind: 'out' }
  tell('left')
}

/** The person who is signed in, behind the pages that only such a person sees. */
export function useSignedIn(): SignedIn {
  const state = session.value
  if (state.kind !== 'in' && state.kind !== 'ended') throw new Error('This page needs a session.')
  return state.signedIn
}

export const useIsAdministrator = (): boolean => useSignedIn().account.role === 'admin'

/** Runs `action` when the person of this tab has signed out, or another one has signed in. `owner`: the person until now. */
export function whenPersonGoes(owner: () => string | undefined, action: () => void): void {
  effect(() => {
    const state = session.value
    const isOther = state.kind === 'in' && state.signedIn.person.id !== owner()
    if (owner() !== undefined && (isOther || state.kind === 'out')) action()
  })
}
