/** The link of the first start, by which the first person administrates the server. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectError, openData, startOn, uuid, type Server } from './client'
import { cookieName, openBrowser, password, tokenOf } from './people-client'
import { executable } from './sonant'

const directories: string[] = []
const newDirectory = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sonant setup-'))
  directories.push(directory)
  return directory
}
afterAll(() => Promise.all(directories.map((directory) => rm(directory, { recursive: true }))))

const person = { email: 'ada@example.org', password, name: 'Ada' }
const setUp = (server: Server, token: string, fields: object = {}, headers: Record<string, string> = {}) =>
  openBrowser(server).ask('/api/v1/setup', { body: { ...person, token, ...fields }, headers })

describe('the setup link', () => {
  let server: Server
  let directory: string
  let token: string
  let key: string
  beforeAll(async () => {
    directory = await newDirectory()
    const first = await startOn(directory, [], null)
    key = first.ready.api_key
    expect(first.ready.setup_url).toMatch(new RegExp(`^${first.baseUrl}/console/setup#[0-9A-Za-z]{43}$`))
    token = tokenOf(first.ready.setup_url)
    first.process.kill('SIGKILL')
    await first.process.exited
    server = await startOn(directory, ['--trusted-proxy', '127.0.0.0/8'], key)
  })
  afterAll(() => server.stop())

  it('is not in a later start without a terminal, which names the command for another one', async () => {
    expect(Object.keys(server.ready)).toEqual(['ready', 'base_url', 'storage_url'])
    const { items } = await server.admin('GET', '/accounts')
    const command = `sonant account invite ${items[0].account_number} --data '${join(directory, 'data')}' --base-url ${server.baseUrl}`
    expect(server.log()).toContain(command)
  })

  it('is only its token: all others get one answer, and few tries', async () => {
    const { id } = await server.makeAccount()
    const invited = tokenOf((await server.admin('POST', `/accounts/${id}/invitations`)).url)
    const answers = await Promise.all(['x', '0'.repeat(43), `${token}0`, invited].map((one) => setUp(server, one)))
    for (const answer of answers) expectError(answer, 400, 'invalid_params', 'token')
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1)
    const accepted = openBrowser(server).ask('/api/v1/invitations/accept', { body: { ...person, token } })
    expectError(await accepted, 400, 'invalid_params', 'token')
    const elsewhere = { 'x-forwarded-for': '203.0.113.7' }
    for (let i = 0; i < 10; i++) expect((await setUp(server, 'x', {}, elsewhere)).status).toBe(400)
    expectError(await setUp(server, token, {}, elsewhere), 429, 'rate_limited')
    expectError(await setUp(server, 'x', {}, elsewhere), 429, 'rate_limited')
  })

  it('works for pages of the server only, and names a wrong field', async () => {
    const foreign = { origin: 'https://evil.example' }
    expectError(await setUp(server, token, {}, foreign), 403, 'permission_denied', 'Origin')
    expectError(await setUp(server, token, {}, { 'content-type': 'text/plain' }), 400, 'invalid_params', 'Content-Type')
    expectError(await setUp(server, token, { password: 'short' }), 400, 'invalid_params', 'password')
    expectError(await setUp(server, token, { email: 'ada' }), 400, 'invalid_params', 'email')
    expectError(await setUp(server, token, { name: '' }), 400, 'invalid_params', 'name')
    expect((await server.ask('/api/v1/setup', { key: null })).status).toBe(405)
  })

  it('makes one administrator, who is signed in, and never another', async () => {
    const emails = [1, 2, 3].map((n) => `race-${n}@example.org`)
    const answers = await Promise.all(emails.map((email) => setUp(server, token, { email })))
    const [made, ...others] = answers.sort((one, other) => one.status - other.status)
    expect(made!.status).toBe(200)
    expect(made!.body).toMatchObject({
      person: { id: expect.stringMatching(uuid), name: 'Ada' },
      account: { name: 'Administrator', role: 'admin', balance: 100_000 },
    })
    for (const other of others) expectError(other, 400, 'invalid_params', 'token')
    const [cookie] = made!.headers.getSetCookie()
    const browser = openBrowser(server, new RegExp(`^${cookieName}=(\\w{43});`).exec(cookie!)![1])
    expect((await browser.ask('/api/v1/session')).body).toEqual(made!.body)
    expect((await browser.ask('/api/v1/admin/accounts')).status).toBe(200)
    expectError(await setUp(server, token), 400, 'invalid_params', 'token')
    const { items } = await server.admin('GET', '/audit-log?limit=200')
    const acts = items.map(({ act, actor }: Record<string, string>) => [act, actor])
    expect(acts).toContainEqual(['account setup-link', 'setup'])
    expect(acts).toContainEqual(['account join', expect.stringMatching(/^setup link /)])
    for (const said of [JSON.stringify(items), server.log()]) expect(said).not.toContain(token)
    await server.stop()
    server = await startOn(directory, [], key)
    expect(Object.keys(server.ready)).toEqual(['ready', 'base_url', 'storage_url'])
    expect(server.log()).not.toContain('sonant account invite')
  })
})

it('an operator who brings a key gets no link without a terminal, but the command for one', async () => {
  const server = await startOn(await newDirectory())
  expect(Object.keys(server.ready)).toEqual(['ready', 'base_url', 'storage_url'])
  expect(server.log()).toContain('sonant account invite')
  await server.stop()
})

describe('a later start on a terminal', () => {
  it('shows a new link while no administrator has a person; the one before ends', async () => {
    const directory = await newDirectory()
    const first = await startOn(directory, [], null)
    const { setup_url: url, api_key: key } = first.ready
    const old = tokenOf(url)
    await first.stop()
    const server = await startInTerminal(directory, key)
    const db = openData(directory)
    try {
      expect(server.shown()).not.toContain('"setup_url"')
      const token = /Open this link .*:\s+http\S+\/console\/setup#(\w{43})\s/.exec(server.shown())![1]!
      const isOpen = async (one: string) => {
        const answer = await server.post('/api/v1/setup', { ...person, name: '', token: one })
        return ((await answer.json()) as any).error.param === 'name'
      }
      expect([await isOpen(old), await isOpen(token)]).toEqual([false, true])
      db.exec('UPDATE invitations SET created_at_ms = created_at_ms - 86400000')
      expect(await isOpen(token)).toBe(false)
      db.exec('UPDATE invitations SET created_at_ms = created_at_ms + 86400000')
      const { id } = db.prepare<[], { id: string }>('SELECT id FROM accounts').get()!
      const invitation = await server.post(`/api/v1/admin/accounts/${id}/invitations`)
      const { url: invited } = (await invitation.json()) as { url: string }
      const accept = await server.post('/api/v1/invitations/accept', { ...person, token: tokenOf(invited) })
      expect(accept.status).toBe(200)
      expect(await isOpen(token)).toBe(false)
    } finally {
      db.close()
      await server.stop()
    }
  })
})

/** As `startOn`, but stdout and stderr are a terminal. */
async function startInTerminal(directory: string, key: string) {
  let shown = ''
  const ready = Promise.withResolvers<string>()
  const child = Bun.spawn([executable, 'serve', '--port', '0', '--data', join(directory, 'data')], {
    env: { PATH: '/usr/bin:/bin' },
    terminal: {
      data(_: unknown, data: Uint8Array) {
        shown += Buffer.from(data).toString()
        const line = /\{"ready":true.*\}/.exec(shown)
        if (line) ready.resolve(JSON.parse(line[0]).base_url)
      },
    },
  })
  const baseUrl = await ready.promise
  return {
    shown: () => shown,
    post: (path: string, body: object = {}) =>
      fetch(baseUrl + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(path.includes('/admin/') && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify(body),
      }),
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}
