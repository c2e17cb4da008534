/** A browser of a person: keeps the cookie of the session and sends the Origin of the server. */
import type { Answer, Server } from './client'

export const password = 'correct horse battery staple'

export type Browser = {
  /** The value of the cookie; undefined after it was removed. */
  cookie(): string | undefined
  ask(path: string, call?: BrowserCall): Promise<Answer>
}

export type BrowserCall = {
  method?: string
  body?: unknown
  headers?: Record<string, string | undefined>
  key?: string | null
}

export const cookieName = 'sonant_session'

export function openBrowser(server: Server, cookie?: string): Browser {
  let held = cookie
  return {
    cookie: () => held,
    async ask(path, { method, body, headers = {}, key = null } = {}) {
      const given = {
        origin: server.baseUrl,
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(held !== undefined && { cookie: `theme=dark; ${cookieName}=${held}` }),
        ...headers,
      }
      const sent = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined)
      const answer = await server.ask(path, { method, body, key, headers: Object.fromEntries(sent) })
      const [set] = answer.headers.getSetCookie()
      if (set) held = new RegExp(`^${cookieName}=([^;]*)`).exec(set)![1] || undefined
      return answer
    },
  }
}

let made = 0

/** Invites a person to the account and lets the person join it. */
export async function join(server: Server, accountId: string, email = `person-${++made}@example.org`) {
  const browser = openBrowser(server)
  const token = tokenOf((await server.admin('POST', `/accounts/${accountId}/invitations`)).url)
  const answer = await browser.ask('/api/v1/invitations/accept', { body: { token, email, password, name: 'Ada' } })
  if (answer.status !== 200) throw new Error(answer.text)
  return { browser, email, personId: answer.body.person.id as string }
}

export const tokenOf = (url: string) => url.split('#')[1]!

export function signIn(server: Server, email: string, as = password): Promise<{ browser: Browser; answer: Answer }> {
  const browser = openBrowser(server)
  return browser.ask('/api/v1/session', { body: { email, password: as } }).then((answer) => ({ browser, answer }))
}
