/** Shows the page of the address: one of those with a session, or the door. */
import { LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { useEffect, useRef } from 'preact/hooks'
import { refreshSession, session } from './client/session'
import { at, consolePath } from './installation'
import { Invitation } from './pages/door/invitation'
import { Setup } from './pages/door/setup'
import { SignIn, SignInAgain } from './pages/door/sign-in'
import { LinkButton } from './parts/button'
import { QuestionHost } from './parts/dialog'
import { ErrorNote } from './parts/errors'
import { Page } from './parts/page'
import { Shell } from './parts/shell'
import { Empty } from './parts/states'
import { toast, ToastHost } from './parts/toast'
import { administration, innerAdministration, innerPages, places } from './routes'
import { words } from './words/words'

export function App() {
  useEffect(() => void refreshSession(), [])
  return (
    <LocationProvider scope={consolePath}>
      <Doorstep />
      <QuestionHost />
      <ToastHost />
    </LocationProvider>
  )
}

/** Pages that need no session have their own addresses. */
function Doorstep() {
  const { path } = useLocation()
  if (path === at('/setup')) return <Setup />
  return path === at('/invitation') ? <Invitation /> : <Inside />
}

/** The pages with a session; without one the door, at the same address. */
function Inside() {
  const state = session.value
  useNewPersonNote(state.kind === 'in' ? state.signedIn.person.id : undefined)
  if (state.kind === 'unknown') return <div class="door" aria-busy="true" />
  if (state.kind === 'failed')
    return (
      <main class="door">
        <ErrorNote error={state.error} onRetry={() => void refreshSession()} />
      </main>
    )
  if (state.kind === 'out') return <SignIn />
  const { person, account } = state.signedIn
  return (
    <>
      {/* A page that shows one person's data never goes over to another person. */}
      <Shell key={person.id}>
        <Pages isAdministrator={account.role === 'admin'} />
      </Shell>
      {state.kind === 'ended' && <SignInAgain email={person.email} />}
    </>
  )
}

/** Another tab can sign in as another person: this one then shows their account, and says so. */
function useNewPersonNote(personId: string | undefined): void {
  const last = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (personId === undefined) return
    if (last.current !== undefined && last.current !== personId) toast(words.peek().door.otherPerson)
    last.current = personId
  }, [personId])
}

function Pages({ isAdministrator }: { readonly isAdministrator: boolean }) {
  const { path } = useLocation()
  useEffect(() => scrollTo(0, 0), [path])
  const own = [...places, ...innerPages]
  const all = isAdministrator ? [...own, ...administration, ...innerAdministration] : own
  return (
    <Router>
      {all.map((each) => (
        <Route key={each.path} path={at(each.path)} component={each.page} />
      ))}
      <Route default component={Missing} />
    </Router>
  )
}

function Missing() {
  const { errors } = words.value
  return (
    <Page title={errors.pageMissing}>
      <Empty title={errors.pageMissing}>
        <LinkButton href={at('/')}>{errors.toOverview}</LinkButton>
      </Empty>
    </Page>
  )
}
