/** People over HTTP, against the compiled executable: invitations, sessions, passwords, and what a session may do. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import {
  adminKey,
  expectError,
  instantPattern,
  openData,
  startOn,
  startServer,
  userKey,
  uuid,
  type Answer,
  type Server,
} from './client'
import { untilPast } from '../until'
import { cookieName, join, openBrowser, password, signIn, tokenOf, type Browser } from './people-client'

let server: Server
beforeAll(async () => {
  // Wrong passwords are counted by address, so the tests call from many.
  server = await startServer(['--trusted-proxy', '127.0.0.0/8', '--limit-tts', '2'])
})
afterAll(() => server.stop())

const instant = expect.stringMatching(instantPattern)
const invite = async (accountId: string): Promise<string> =>
  tokenOf((await server.admin('POST', `/accounts/${accountId}/invitations`)).url)
const accept = (fields: Record<string, unknown>, browser = openBrowser(server)) =>
  browser.ask('/api/v1/invitations/accept', { body: { email: 'a@example.org', password, name: 'Ada', ...fields } })
let addresses = 0
const elsewhere = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` })

function expectEnded(answer: Answer): void {
  expectError(answer, 401, 'invalid_api_key', 'Cookie')
  expect(answer.body.error.message).toBe('The session has ended; sign in again.')
}

/** A port that is free now. */
async function freePort(): Promise<number> {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = probe
  probe.stop(true)
  return port
}

const isSignedIn = async (browser: Browser) => (await browser.ask('/api/v1/session')).status === 200

describe('an invitation', () => {
  it('lets one person join the account, who is signed in by it', async () => {
    const { id } = await server.makeAccount({ name: 'Reading app', balance: 50 })
    const invitation = await server.admin('POST', `/accounts/${id}/invitations`)
    expect(invitation).toEqual({
      url: expect.stringMatching(new RegExp(`^${server.baseUrl}/console/invitation#[0-9A-Za-z]{43}$`)),
      expires_at: instant,
    })
    const browser = openBrowser(server)
    const joined = await accept({ token: tokenOf(invitation.url), email: ' Ada@Example.org ' }, browser)
    const signedIn = {
      person: { id: expect.stringMatching(uuid), email: 'Ada@Example.org', name: 'Ada', created_at: instant },
      account: {
        name: 'Reading app',
        email: null,
        role: 'user',
        status: 'enabled',
        group: null,
        group_name: null,
        balance: 50,
        unit: 'characters',
        account_number: expect.stringMatching(/^\*{12}\d{4}$/),
        created_at: instant,
      },
    }
    expect([joined.status, joined.body]).toEqual([200, signedIn])
    expect((await browser.ask('/api/v1/session')).body).toEqual(signedIn)
    const { items } = await server.admin('GET', `/accounts/${id}/persons`)
    expect(items).toEqual([{ ...joined.body.person, account_id: id }])
  })

  it('that is unknown, malformed or used gets one wording', async () => {
    const { id } = await server.makeAccount()
    const token = await invite(id)
    await accept({ token, email: 'once@example.org' })
    const answers = await Promise.all(
      [token, 'x', '0'.repeat(43), `${token}0`].map((one) => accept({ token: one, email: 'twice@example.org' })),
    )
    for (const answer of answers) expectError(answer, 400, 'invalid_params', 'token')
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1)
  })

  it('used twice at the same time makes one person', async () => {
    const { id } = await server.makeAccount()
    const token = await invite(id)
    const answers = await Promise.all([1, 2, 3].map((n) => accept({ token, email: `race-${n}@example.org` })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect((await server.admin('GET', `/accounts/${id}/persons`)).items).toHaveLength(1)
  })

  it('refuses an e-mail address that a person has, in any case, and stays open', async () => {
    const { id } = await server.makeAccount()
    await join(server, id, 'Zoë.Ωmega@example.org')
    const token = await invite(id)
    const taken = await accept({ token, email: 'ZOË.ωMEGA@EXAMPLE.ORG'.normalize('NFD') })
    expectError(taken, 409, 'conflict', 'email')
    expect((await accept({ token, email: 'zoe@example.org' })).status).toBe(200)
  })

  it('names a wrong field, and never shows the password', async () => {
    const { id } = await server.makeAccount()
    const token = await invite(id)
    const secret = 'hunter2-hunter2'
    const wrong: [field: string, value: unknown][] = [
      ...[
        null,
        7,
        '',
        'short',
        'x'.repeat(1025),
        'ü'.repeat(513),
        'x'.repeat(1 << 19),
        `${secret}\0`,
        `${secret}\n`,
      ].map((value): [string, unknown] => ['password', value]),
      ...[null, 7, '', 'a', 'a@', 'a b@c', 'a\0@b', `${'x'.repeat(250)}@b.cd`].map((value): [string, unknown] => [
        'email',
        value,
      ]),
      ...[null, 7, '', 'a\nb', 'x'.repeat(101)].map((value): [string, unknown] => ['name', value]),
    ]
    for (const [field, value] of wrong) {
      const answer = await accept({ token, [field]: value })
      expectError(answer, 400, 'invalid_params', field)
      expect(answer.text).not.toContain('hunter2')
      expect(answer.text.length).toBeLessThan(600)
    }
    expectError(await accept({ token, password: '\ud800'.repeat(9) }), 400, 'invalid_params', 'password')
    expect((await accept({ token, email: 'longest@example.org', password: 'x'.repeat(1024) })).status).toBe(200)
  })

  it('is listed without its secret until it is used, and can be cancelled', async () => {
    const { id } = await server.makeAccount()
    const path = `/accounts/${id}/invitations`
    const { browser, personId } = await join(server, (await server.makeAccount({ role: 'admin' })).id)
    const [used, cancelled] = [await invite(id), await invite(id)]
    const byPerson = (await browser.ask(`/api/v1/admin${path}`, { method: 'POST' })).body
    expect((await accept({ token: used, email: 'used@example.org' })).status).toBe(200)
    const { items } = await server.admin('GET', path)
    const shape = { id: expect.stringMatching(uuid), created_at: instant, expires_at: instant }
    expect(items).toEqual([
      { ...shape, invited_by: expect.stringMatching(/^account \S+, key \S+$/) },
      {
        ...shape,
        expires_at: byPerson.expires_at,
        invited_by: expect.stringMatching(new RegExp(`, person ${personId}$`)),
      },
    ])
    const cancel = () => server.ask(`/api/v1/admin/invitations/${items[0].id}`, { method: 'DELETE', key: adminKey })
    expect((await cancel()).body).toEqual({ ok: true, deleted: items[0].id })
    expectError(await cancel(), 404, 'not_found')
    expectError(await accept({ token: cancelled, email: 'late@example.org' }), 400, 'invalid_params', 'token')
    expect((await server.admin('GET', path)).items).toEqual([items[1]])
  })

  it('to a disabled account makes no person', async () => {
    const { id } = await server.makeAccount()
    const token = await invite(id)
    await server.admin('POST', `/accounts/${id}/disable`)
    expectError(await accept({ token, email: 'late@example.org' }), 403, 'account_disabled')
    expect((await server.admin('GET', `/accounts/${id}/persons`)).items).toEqual([])
  })
})

describe('signing in', () => {
  it('takes the e-mail address in any case, and sets a cookie that scripts cannot read', async () => {
    const { id } = await server.makeAccount()
    await join(server, id, 'Ådám@Example.org')
    const { answer } = await signIn(server, 'åDÁM@example.ORG')
    expect(answer.status).toBe(200)
    const [cookie] = answer.headers.getSetCookie()
    expect(cookie).toMatch(/^sonant_session=[0-9A-Za-z]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  it('gives one answer to a wrong password and to an unknown address', async () => {
    const { email } = await join(server, (await server.makeAccount()).id)
    const answers = [await signIn(server, email, 'wrong'), await signIn(server, 'nobody@example.org', 'wrong')]
    for (const { answer, browser } of answers) {
      expectError(answer, 401, 'invalid_api_key', 'password')
      expect(answer.body.error.message).toBe('The e-mail address or the password is wrong.')
      expect(browser.cookie()).toBeUndefined()
    }
  })

  it('is limited for one e-mail address from any client, and for one client, also in parallel', async () => {
    const { email } = await join(server, (await server.makeAccount()).id)
    const attempt = (as: string, headers: Record<string, string>) =>
      openBrowser(server).ask('/api/v1/session', { headers, body: { email: as, password: 'wrong' } })
    for (let i = 0; i < 10; i++) expect((await attempt(email, elsewhere())).status).toBe(401)
    const refused = await attempt(email.toUpperCase(), elsewhere())
    expectError(refused, 429, 'rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const client = elsewhere()
    const attempts = Array.from({ length: 12 }, () => attempt('unknown@example.org', client))
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([...Array(10).fill(401), 429, 429])
    expectError(await attempt('other@example.org', client), 429, 'rate_limited')
  })

  it('to a disabled account is refused once the password was right', async () => {
    const { id } = await server.makeAccount()
    const { email } = await join(server, id)
    await server.admin('POST', `/accounts/${id}/disable`)
    expectError((await signIn(server, email, 'wrong')).answer, 401, 'invalid_api_key', 'password')
    expectError((await signIn(server, email)).answer, 403, 'account_disabled')
  })

  it('from a page of another origin, or without JSON, is refused; a program may lack an Origin', async () => {
    const { email } = await join(server, (await server.makeAccount()).id)
    const attempt = (headers: Record<string, string | undefined>, body: unknown = { email, password }) =>
      openBrowser(server).ask('/api/v1/session', { headers, body })
    for (const origin of ['https://evil.example', 'null', `${server.baseUrl}0`, `${server.baseUrl}/`])
      expectError(await attempt({ origin }), 403, 'permission_denied', 'Origin')
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', undefined])
      expectError(
        await attempt({ 'content-type': type }, JSON.stringify({ email, password })),
        400,
        'invalid_params',
        'Content-Type',
      )
    expect((await attempt({ origin: undefined })).status).toBe(200)
    expect((await attempt({ 'content-type': 'Application/JSON; charset=utf-8' })).status).toBe(200)
    const { port } = server
    const host = { host: `localhost:${port}`, origin: `http://localhost:${port}` }
    expect((await attempt(host)).status).toBe(200)
    const rebound = { host: `evil.example:${port}`, origin: `http://evil.example:${port}` }
    expectError(await attempt(rebound), 403, 'permission_denied', 'Origin')
  })
})

describe('a session', () => {
  let accountId: string
  let person: Awaited<ReturnType<typeof join>>
  beforeAll(async () => {
    accountId = (await server.makeAccount({ balance: 1000 })).id
    person = await join(server, accountId)
  })

  it('draws on the account by one hidden key, which is never listed and cannot be changed', async () => {
    const { browser } = person
    const say = (body: Record<string, unknown>) =>
      browser.ask('/api/v1/tts', { body: { voice_id: 'en-kevin', ...body } })
    const spoken = await say({ text: 'Hi.' })
    expect([spoken.status, spoken.body.units, spoken.body.remaining]).toEqual([200, 3, 997])
    expect(spoken.headers.get('x-ratelimit-remaining')).toBe('1')
    const colleague = await join(server, accountId)
    const other = await colleague.browser.ask('/api/v1/tts', { body: { text: 'a', voice_id: 'en-kevin' } })
    expect(other.status).toBe(200)
    // Both persons share the limit of the hidden key.
    expectError(await say({ text: 'Hi.' }), 429, 'rate_limited')
    const { records } = (await browser.ask('/api/v1/usage')).body
    expect(records).toMatchObject([
      { units: 1, surface: 'console', status: 'charged' },
      { units: 3, surface: 'console', status: 'charged' },
    ])
    const keyId = records[0].key_id
    expect(records[1].key_id).toBe(keyId)
    expect((await browser.ask('/api/v1/account')).body).toMatchObject({ balance: 996, key: null })
    expect(
      (await server.admin('GET', `/accounts/${accountId}/keys`)).items.map((key: { id: string }) => key.id),
    ).not.toContain(keyId)
    for (const [method, path] of [
      ['POST', `/api/v1/admin/keys/${keyId}/revoke`],
      ['DELETE', `/api/v1/admin/keys/${keyId}`],
      ['PATCH', `/api/v1/admin/keys/${keyId}`],
    ] as const)
      expectError(await server.ask(path, { method, key: adminKey, body: {} }), 404, 'not_found')
  })

  it('makes changes only for pages of the server, and in JSON', async () => {
    const { browser } = person
    const body = JSON.stringify({ text: 'Hi.' })
    const estimate = (headers: Record<string, string | undefined>) =>
      browser.ask('/api/v1/tts/estimate', { method: 'POST', body, headers })
    for (const origin of ['https://evil.example', 'null', undefined])
      expectError(await estimate({ origin }), 403, 'permission_denied', 'Origin')
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', undefined])
      expectError(await estimate({ 'content-type': type }), 400, 'invalid_params', 'Content-Type')
    expectError(
      await browser.ask('/api/v1/session', { method: 'DELETE', headers: { origin: 'http://evil.example' } }),
      403,
      'permission_denied',
      'Origin',
    )
    expect((await estimate({})).status).toBe(200)
    expect(
      (await browser.ask('/api/v1/balance', { headers: { origin: 'https://evil.example' } })).headers.has(
        'access-control-allow-origin',
      ),
    ).toBe(false)
  })

  it('may upload a recording in a form', async () => {
    const form = new FormData()
    form.append('name', 'Mine')
    const upload = (origin: string) =>
      fetch(`${server.baseUrl}/api/v1/voices/clone`, {
        method: 'POST',
        body: form,
        headers: { origin, cookie: `${cookieName}=${person.browser.cookie()}` },
      })
    expect((await upload('https://evil.example')).status).toBe(403)
    const answer = await upload(server.baseUrl)
    expect([answer.status, ((await answer.json()) as any).error.param]).toEqual([400, 'file'])
  })

  it('counts only without an Authorization header: a key wins, and a bad header is an error', async () => {
    const { browser } = person
    const account = async (key: string) => (await browser.ask('/api/v1/account', { key })).body
    expect((await account(userKey)).name).toBe('Test')
    expectError(await browser.ask('/api/v1/balance', { key: 'sk-wrong' }), 401, 'invalid_api_key')
    for (const path of ['/api/v1/balance', '/api/v1/voices', '/api/v1/session'])
      expectError(await browser.ask(path, { headers: { authorization: 'Basic dTpw' } }), 401, 'missing_api_key')
    // The key needs no Origin.
    const body = { text: 'Hi.' }
    const headers = { origin: 'https://evil.example' }
    expect((await browser.ask('/api/v1/tts/estimate', { key: userKey, body, headers })).status).toBe(200)
    expectError(await browser.ask('/api/v1/session', { key: userKey }), 403, 'permission_denied')
    expectError(await browser.ask('/api/v1/sessions', { key: adminKey }), 403, 'permission_denied')
  })

  it('sees the voices of its account, and an ended one is an error even where anybody may ask', async () => {
    const group = await server.admin('POST', '/groups', { name: 'one', voices: ['en-kevin'] })
    await server.admin('PATCH', `/accounts/${accountId}`, { group: group.id })
    const { headers, body } = await person.browser.ask('/api/v1/voices')
    expect([body.total, headers.get('cache-control')]).toEqual([1, 'private, no-store'])
    const own = (await person.browser.ask('/api/v1/account')).body
    expect(own).toMatchObject({ group: group.id, group_name: 'one' })
    expectError(await person.browser.ask('/api/v1/voices?group=all'), 403, 'group_forbidden', 'group')
    const stale = openBrowser(server, 'x'.repeat(43))
    expectEnded(await stale.ask('/api/v1/voices'))
    expect((await openBrowser(server).ask('/api/v1/voices')).headers.get('cache-control')).toBe('public, max-age=60')
    await server.admin('PATCH', `/accounts/${accountId}`, { group: null })
  })

  it('of an administrator may administrate, and of a user may not', async () => {
    expectError(await person.browser.ask('/api/v1/admin/accounts'), 403, 'permission_denied')
    const { id } = await server.makeAccount({ role: 'admin' })
    const { browser, personId } = await join(server, id)
    const made = await browser.ask('/api/v1/admin/accounts', { body: { name: 'By a person' } })
    expect(made.status).toBe(200)
    const { items } = await server.admin('GET', '/audit-log?limit=1')
    expect(items).toMatchObject([{ act: 'account create', actor: `account ${id}, person ${personId}` }])
    await server.admin('PATCH', `/accounts/${id}`, { role: 'user' })
    expectError(await browser.ask('/api/v1/admin/accounts'), 403, 'permission_denied')
  })

  it('ends in all tabs at the first sign-out', async () => {
    const { browser } = (await signIn(server, person.email)) as { browser: Browser }
    const otherTab = openBrowser(server, browser.cookie())
    const out = await browser.ask('/api/v1/session', { method: 'DELETE' })
    expect([out.status, out.body, browser.cookie()]).toEqual([200, { ok: true }, undefined])
    expect(out.headers.getSetCookie()).toEqual([`${cookieName}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`])
    expectEnded(await otherTab.ask('/api/v1/session', { method: 'DELETE' }))
    expectEnded(await otherTab.ask('/api/v1/tts', { body: { text: 'Hi.' } }))
    expectError(await browser.ask('/api/v1/session'), 401, 'missing_api_key')
    expect(await isSignedIn(person.browser)).toBe(true)
  })

  it('is listed with its device, and ends one by one or everywhere; those of other people are not found', async () => {
    const { id } = await server.makeAccount()
    const { browser, email } = await join(server, id)
    const phone = openBrowser(server)
    await phone.ask('/api/v1/session', { body: { email, password }, headers: { 'user-agent': 'what is this' } })
    const list = async () => (await browser.ask('/api/v1/sessions')).body
    const shape = { id: expect.stringMatching(uuid), created_at: instant, last_used_at: instant, expires_at: instant }
    const { items, next_cursor } = await list()
    expect([items, next_cursor]).toEqual([
      [
        { ...shape, device: null, current: false },
        { ...shape, device: 'Firefox on Linux', current: true },
      ],
      null,
    ])
    const stranger = await join(server, id)
    const path = `/api/v1/sessions/${items[0].id}`
    for (const one of [path, '/api/v1/sessions/none'])
      expectError(await stranger.browser.ask(one, { method: 'DELETE' }), 404, 'not_found')
    expect((await browser.ask(path, { method: 'DELETE' })).body).toEqual({ ok: true, deleted: items[0].id })
    expectEnded(await phone.ask('/api/v1/session'))
    expect((await list()).items).toHaveLength(1)
    const again = await signIn(server, email)
    expect((await browser.ask('/api/v1/sessions', { method: 'DELETE' })).body).toEqual({ ok: true, ended: 2 })
    expect(browser.cookie()).toBeUndefined()
    expectEnded(await again.browser.ask('/api/v1/session'))
    expect(await isSignedIn(stranger.browser)).toBe(true)
  })

  it('is replaced when the same browser signs in again', async () => {
    const { browser, email } = await join(server, (await server.makeAccount()).id)
    const before = openBrowser(server, browser.cookie())
    expect((await browser.ask('/api/v1/session', { body: { email, password } })).status).toBe(200)
    expectEnded(await before.ask('/api/v1/session'))
    expect((await browser.ask('/api/v1/sessions')).body.items).toHaveLength(1)
  })

  it('ends when its account is disabled or its person is removed, and stays ended', async () => {
    const { id } = await server.makeAccount()
    const [one, other] = [await join(server, id), await join(server, id)]
    await server.admin('DELETE', `/persons/${one.personId}`)
    expectEnded(await one.browser.ask('/api/v1/session'))
    expectError((await signIn(server, one.email)).answer, 401, 'invalid_api_key', 'password')
    expect(await isSignedIn(other.browser)).toBe(true)
    await server.admin('POST', `/accounts/${id}/disable`)
    expectEnded(await other.browser.ask('/api/v1/session'))
    await server.admin('POST', `/accounts/${id}/enable`)
    expectEnded(await other.browser.ask('/api/v1/session'))
    expect((await signIn(server, other.email)).answer.status).toBe(200)
  })
})

describe('a password', () => {
  it('is changed by its person, whose other sessions end', async () => {
    const { browser, email } = await join(server, (await server.makeAccount()).id)
    const other = await signIn(server, email)
    const copy = openBrowser(server, browser.cookie())
    const change = (current_password: string, new_password: unknown) =>
      browser.ask('/api/v1/password', { body: { current_password, new_password } })
    expectError(await change(password, 'short'), 400, 'invalid_params', 'new_password')
    expectError(await change('wrong', 'another passphrase'), 401, 'invalid_api_key', 'current_password')
    // é as one character here, as two below.
    expect((await change(password, 'caf\u00e9 passphrase')).body).toEqual({ ok: true, ended: 1 })
    for (const each of [other.browser, copy]) expectEnded(await each.ask('/api/v1/session'))
    expect(await isSignedIn(browser)).toBe(true)
    expect((await signIn(server, email)).answer.status).toBe(401)
    expect((await signIn(server, email, 'cafe\u0301 passphrase')).answer.status).toBe(200)
  })

  it('is reset by an administrator to a random one, and all sessions end', async () => {
    const { browser, email, personId } = await join(server, (await server.makeAccount()).id)
    const reset = await server.admin('POST', `/persons/${encodeURIComponent(email)}/reset-password`)
    expect(reset).toEqual({ id: personId, email, password: expect.stringMatching(/^[0-9A-Za-z]{20}$/) })
    expectEnded(await browser.ask('/api/v1/session'))
    expect((await signIn(server, email)).answer.status).toBe(401)
    expect((await signIn(server, email, reset.password)).answer.status).toBe(200)
    const log = JSON.stringify(await server.admin('GET', '/audit-log?limit=3'))
    expect(log).toContain('"act":"account reset-password"')
    expect(log).toContain('"act":"account join"')
    for (const secret of [reset.password, email, password]) expect(log).not.toContain(secret)
  })
})

describe('name and e-mail address', () => {
  it('are changed by their person, the address with the password', async () => {
    const { browser, email, personId } = await join(server, (await server.makeAccount()).id)
    const taken = (await join(server, (await server.makeAccount()).id)).email
    const change = (body: unknown) => browser.ask('/api/v1/person', { method: 'PATCH', body })
    const renamed = await change({ name: ' Grace ', email })
    expect(renamed.body).toEqual({ id: personId, email, name: 'Grace', created_at: instant })
    const next = email.replace('person', 'Renamed')
    expectError(await change({ email: next }), 400, 'invalid_params', 'current_password')
    expectError(await change({ email: next, current_password: 'wrong' }), 401, 'invalid_api_key', 'current_password')
    expectError(await change({ email: taken, current_password: password }), 409, 'conflict', 'email')
    for (const wrong of [null, 7, '', 'ada', 'a b@c'])
      expectError(await change({ email: wrong, current_password: password }), 400, 'invalid_params', 'email')
    for (const wrong of [null, 7, ' ', 'x'.repeat(101)])
      expectError(await change({ name: wrong }), 400, 'invalid_params', 'name')
    expect((await browser.ask('/api/v1/session')).body.person).toEqual(renamed.body)
    expect((await change({ email: next, current_password: password })).body).toEqual({ ...renamed.body, email: next })
    expect((await signIn(server, email)).answer.status).toBe(401)
    expect((await signIn(server, next.toLowerCase())).answer.status).toBe(200)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('are changed by an administrator; the audit log names neither', async () => {
    const { id } = await server.makeAccount()
    const { browser, email, personId } = await join(server, id)
    const other = await join(server, id)
    const change = (body: unknown) =>
      server.ask(`/api/v1/admin/persons/${personId}`, { method: 'PATCH', key: adminKey, body })
    const changed = {
      id: personId,
      account_id: id,
      email: 'lovelace@example.org',
      name: 'Lovelace',
      created_at: instant,
    }
    expect((await change({ name: 'Lovelace', email: 'lovelace@example.org' })).body).toEqual(changed)
    expectError(await change({ email: other.email.toUpperCase() }), 409, 'conflict', 'email')
    expectError(await change({ email: null }), 400, 'invalid_params', 'email')
    expect((await browser.ask('/api/v1/session')).body.person.email).toBe('lovelace@example.org')
    const [{ subject_name, ...kept }] = (await server.admin('GET', '/audit-log?limit=1')).items
    expect(kept).toMatchObject({
      act: 'account update-person',
      subject: personId,
      after: { changed: { name: true, email: true } },
    })
    for (const secret of [email, 'ovelace']) expect(JSON.stringify(kept)).not.toContain(secret)
    // The log is read with present names, which go when the person goes.
    expect(subject_name).toBe('Lovelace')
    await server.admin('DELETE', `/persons/${personId}`)
    const { items } = await server.admin('GET', `/audit-log?subject=${personId}`)
    expect(items).toHaveLength(2)
    expect(JSON.stringify(items)).not.toContain('ovelace')
  })
})

describe('own keys', () => {
  const keysOf = async (browser: Browser) => (await browser.ask('/api/v1/keys')).body.items
  const statusOf = async (key: string) => (await server.ask('/api/v1/balance', { key })).status

  it('are made, listed, revoked and deleted by a session, within the limits of the installation', async () => {
    const { id } = await server.makeAccount()
    const { browser, personId } = await join(server, id)
    const settings = { cap: 5, expires_at: '2999-01-01T00:00:00.000Z', limits: { tts: 1, clone: null } }
    const { status, body: made } = await browser.ask('/api/v1/keys', { body: { name: 'mine', ...settings } })
    expect([status, made]).toMatchObject([200, { name: 'mine', account_id: id, status: 'active', ...settings }])
    expect(await statusOf(made.api_key)).toBe(200)
    const { api_key: _, ...listed } = made
    expect((await keysOf(browser)).map((key: { id: string }) => ({ ...key, last_used_at: null }))).toContainEqual(
      listed,
    )
    expect((await server.admin('GET', '/audit-log?limit=1')).items).toMatchObject([
      { act: 'key create', actor: `account ${id}, person ${personId}`, subject: made.id },
    ])
    const greedy = await browser.ask('/api/v1/keys', { body: { name: 'more', limits: { tts: 3 } } })
    expectError(greedy, 400, 'invalid_params', 'limits')
    expect((await browser.ask(`/api/v1/keys/${made.id}/revoke`, { method: 'POST' })).body.status).toBe('revoked')
    expect(await statusOf(made.api_key)).toBe(403)
    expect((await browser.ask(`/api/v1/keys/${made.id}`, { method: 'DELETE' })).body).toEqual({
      ok: true,
      deleted: made.id,
    })
    expect(await statusOf(made.api_key)).toBe(401)
  })

  it('of other accounts are not found, and an ordinary key makes none', async () => {
    const [one, other] = [await server.makeAccount(), await server.makeAccount()]
    const { browser } = await join(server, one.id)
    for (const [method, path] of [
      ['POST', `${other.keyId}/revoke`],
      ['POST', `${other.keyId}/rotate`],
      ['DELETE', other.keyId],
    ] as const)
      expectError(await browser.ask(`/api/v1/keys/${path}`, { method }), 404, 'not_found')
    expect(await statusOf(other.key)).toBe(200)
    expectError(await server.ask('/api/v1/keys', { key: one.key, body: { name: 'k' } }), 403, 'permission_denied')
    expectError(
      await server.ask(`/api/v1/keys/${one.keyId}/rotate`, { key: one.key, body: {} }),
      403,
      'permission_denied',
    )
  })

  it('are replaced by keys with their settings, at once or after a time of grace', async () => {
    const { id, key, keyId } = await server.makeAccount()
    const { browser } = await join(server, id)
    const rotate = (of: string, body: unknown) => browser.ask(`/api/v1/keys/${of}/rotate`, { body })
    for (const grace_seconds of [-1, 0.5, '60', null, 30 * 86_400 + 1])
      expectError(await rotate(keyId, { grace_seconds }), 400, 'invalid_params', 'grace_seconds')
    await server.admin('PATCH', `/keys/${keyId}`, { cap: 7, limits: { tts: 9 } })
    const { body: next } = await rotate(keyId, { grace_seconds: 3600 })
    expect(next).toMatchObject({ name: 'key', cap: 7, spent: 0, limits: { tts: 9, clone: null }, status: 'active' })
    expect([await statusOf(key), await statusOf(next.api_key)]).toEqual([200, 200])
    const [old] = await keysOf(browser)
    expect([old.id, old.status, Date.parse(old.revokes_at) > Date.now()]).toEqual([keyId, 'active', true])
    expectError(await rotate(keyId, {}), 409, 'conflict')
    const brief = (await rotate(next.id, { grace_seconds: 1 })).body
    // The server then has the caller of the old key in its cache.
    await statusOf(next.api_key)
    await untilPast((await keysOf(browser))[1].revokes_at)
    expectError(await server.ask('/api/v1/balance', { key: next.api_key }), 403, 'api_key_revoked')
    const last = await browser.ask(`/api/v1/keys/${brief.id}/rotate`, { method: 'POST' })
    expect(last.status).toBe(200)
    expect([await statusOf(brief.api_key), await statusOf(last.body.api_key)]).toEqual([403, 200])
    expect((await keysOf(browser)).map((each: { status: string }) => each.status)).toEqual([
      'active',
      'revoked',
      'revoked',
      'active',
    ])
  })

  it('of a user can be made while no administrator has a key', async () => {
    const own = await startServer()
    try {
      const { id } = await own.makeAccount()
      const [user, admin] = [await join(own, id), await join(own, (await own.makeAccount({ role: 'admin' })).id)]
      const accounts = (await own.admin('GET', '/accounts')).items as { id: string; role: string }[]
      const { browser } = admin
      for (const account of accounts.filter(({ role }) => role === 'admin'))
        for (const { id: keyId } of (await browser.ask(`/api/v1/admin/accounts/${account.id}/keys`)).body.items)
          expect((await browser.ask(`/api/v1/admin/keys/${keyId}`, { method: 'DELETE' })).status).toBe(200)
      // The person of an administrator can still administrate, so nothing is locked out until that person goes.
      const remove = await browser.ask(`/api/v1/admin/persons/${admin.personId}`, { method: 'DELETE' })
      expectError(remove, 409, 'conflict')
      expect((await user.browser.ask('/api/v1/keys', { body: { name: 'mine' } })).status).toBe(200)
    } finally {
      await own.stop()
    }
  })
})

describe('the cookie', () => {
  it('is renewed by any answer once its secret is a day old, and ends 30 days after the sign-in', async () => {
    const directory = await mkdtemp(joinPath(tmpdir(), 'sonant-people-'))
    const own = await startOn(directory)
    const db = openData(directory)
    try {
      const { browser } = await join(own, (await own.makeAccount()).id)
      const before = openBrowser(own, browser.cookie())
      for (const path of ['/api/v1/usage/none', '/api/v1/usage.csv', '/api/v1/session']) {
        const old = browser.cookie()
        db.exec('UPDATE sessions SET rotated_at_ms = rotated_at_ms - 86400000, previous_sha256 = NULL')
        const { headers } = await browser.ask(path)
        expect(headers.getSetCookie()).toEqual([
          expect.stringMatching(/^sonant_session=\w{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/),
        ])
        expect(browser.cookie()).not.toBe(old)
        // Another request was under way with the old secret.
        expect((await openBrowser(own, old).ask('/api/v1/session')).status).toBe(200)
      }
      expectEnded(await before.ask('/api/v1/session'))
      expect((await browser.ask('/api/v1/session')).headers.getSetCookie()).toEqual([])
      // While another process writes, the session goes on with the old secret.
      db.exec('UPDATE sessions SET rotated_at_ms = rotated_at_ms - 86400000; BEGIN IMMEDIATE')
      const meanwhile = await browser.ask('/api/v1/session')
      db.exec('ROLLBACK')
      expect([meanwhile.status, meanwhile.headers.getSetCookie()]).toEqual([200, []])
      expect((await browser.ask('/api/v1/session')).headers.getSetCookie()).toHaveLength(1)
      db.exec('UPDATE sessions SET created_at_ms = created_at_ms - 30 * 86400000')
      expectEnded(await browser.ask('/api/v1/session'))
    } finally {
      db.close()
      await own.stop()
      await rm(directory, { recursive: true })
    }
  })

  it('is for https only, and for the host only, where clients use https', async () => {
    const port = await freePort()
    const own = await startServer(['--base-url', 'https://voice.example.org/tts', '--port', String(port)])
    const ask = (path: string, headers: Record<string, string>, body?: unknown) =>
      fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
        method: path === '/session' ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
      })
    try {
      const authorization = `Bearer ${adminKey}`
      const made = (await (await ask('/admin/accounts', { authorization }, { name: 'a' })).json()) as { id: string }
      const invited = await ask(`/admin/accounts/${made.id}/invitations`, { authorization })
      const { url } = (await invited.json()) as { url: string }
      expect(url).toStartWith('https://voice.example.org/tts/console/invitation#')
      const body = { token: tokenOf(url), email: 'a@example.org', password, name: 'Ada' }
      const accepted = (origin: string) => ask('/invitations/accept', { origin }, body)
      expect((await accepted(`http://127.0.0.1:${port}`)).status).toBe(403)
      const [cookie] = (await accepted('https://voice.example.org')).headers.getSetCookie()
      expect(cookie).toMatch(
        /^__Host-sonant_session=\w{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
      )
      const secret = cookie!.split(/[=;]/)[1]!
      const statusWith = async (name: string) => (await ask('/session', { cookie: `${name}=${secret}` })).status
      expect([await statusWith('__Host-sonant_session'), await statusWith('sonant_session')]).toEqual([200, 401])
    } finally {
      await own.stop()
    }
  })
})

it('logs no password, token or cookie', async () => {
  const { browser } = await join(server, (await server.makeAccount()).id, 'logged@example.org')
  await browser.ask('/api/v1/session')
  for (const secret of [password, browser.cookie()!, 'logged@example.org']) expect(server.log()).not.toContain(secret)
  expect(server.log()).toContain('/api/v1/invitations/accept')
})
