/** The administrative verbs of the compiled executable, beside a running server and without one. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { listCommands } from '../../src/cli/commands/table'
import { operationList } from '../../src/operations/table'
import { cacheFile } from '../../src/packs/registry-cache'
import { executable, runSonant, startIn, startSonant, stopAndRemove, type Sonant } from './sonant'

type Answer = Record<string, unknown>
type List = { items: Answer[]; next_cursor: string | null }

let sonant: Sonant
let data: string
beforeAll(async () => {
  sonant = await startSonant()
  data = join(sonant.directory, 'data')
})
afterAll(() => stopAndRemove(sonant))

const run = (...args: string[]) => runSonant([...args, '--data', data])

function act<T = Answer>(...args: string[]): T {
  const { exitCode, stdout, stderr } = run(...args, '--json')
  if (exitCode !== 0) throw new Error(stderr)
  expect(stdout.endsWith('\n') && stdout.trimEnd().split('\n').length === 1).toBe(true)
  return JSON.parse(stdout) as T
}

async function http<T = Answer>(path: string, key = sonant.apiKey): Promise<T> {
  const response = await sonant.request(`/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } })
  return (await response.json()) as T
}

const statusOf = async (key: string) =>
  (await sonant.request('/api/v1/balance', { headers: { authorization: `Bearer ${key}` } })).status

const newAccount = (name: string, ...flags: string[]) => act('account', 'create', '--name', name, ...flags).id as string

describe('sonant account', () => {
  it('creates, shows, lists and updates as HTTP does', async () => {
    const made = act('account', 'create', '--name', 'Ada', '--email', 'ada@example.org', '--balance', '500')
    expect(made).toEqual(await http(`/admin/accounts/${made.id}`))
    expect(act('account', 'show', made.account_number as string)).toEqual(made)
    expect(act<List>('account', 'list', '--q', 'ada@')).toEqual(await http<List>('/admin/accounts?q=ada@'))
    const page = act<List>('account', 'list', '--limit', '1')
    expect(page).toEqual(await http<List>('/admin/accounts?limit=1'))
    const next = act<List>('account', 'list', '--limit', '1', '--cursor', page.next_cursor!)
    expect(next.items[0]!.id).not.toBe(page.items[0]!.id)
    const updated = act(
      'account',
      'update',
      made.id as string,
      '--name',
      'Ada L.',
      '--email',
      'none',
      '--role',
      'admin',
    )
    expect(updated).toEqual({ ...made, name: 'Ada L.', email: null, role: 'admin' })
    expect(await http<Answer>(`/admin/accounts/${made.id}`)).toEqual(updated)
  })

  it('invites a person, changes and removes the person, and resets the password, beside the server', async () => {
    const id = newAccount('People')
    const invitation = act('account', 'invite', id, '--base-url', 'https://voice.example.org/tts')
    expect(invitation.url).toMatch(/^https:\/\/voice\.example\.org\/tts\/console\/invitation#\w{43}$/)
    const [token, email, password] = [String(invitation.url).split('#')[1], 'grace@example.org', 'correct horse']
    const post = (path: string, body: unknown) =>
      fetch(`${sonant.baseUrl}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const joined = await post('/invitations/accept', { token, email, password, name: 'Grace' })
    expect(joined.status).toBe(200)
    const headers = { cookie: joined.headers.getSetCookie()[0]!.split(';')[0]! }
    const statusOfSession = async () => (await fetch(`${sonant.baseUrl}/api/v1/session`, { headers })).status
    expect(await statusOfSession()).toBe(200)
    expect(act<List>('account', 'persons', id).items).toMatchObject([{ email, name: 'Grace', account_id: id }])
    const open = act('account', 'invite', id)
    const [{ id: invitationId, ...listed }] = act<List>('account', 'invitations', id).items as [Answer]
    expect(listed).toMatchObject({ expires_at: open.expires_at, invited_by: expect.stringMatching(/^cli /) })
    act('account', 'cancel-invitation', String(invitationId))
    expect(act<List>('account', 'invitations', id).items).toEqual([])
    expect(act('account', 'update-person', email, '--name', 'Hopper')).toMatchObject({ email, name: 'Hopper' })
    const reset = act('account', 'reset-password', 'GRACE@example.org')
    expect(await statusOfSession()).toBe(401)
    expect((await post('/session', { email, password })).status).toBe(401)
    expect((await post('/session', { email, password: reset.password })).status).toBe(200)
    const { stdout, stderr } = run('account', 'reset-password', email)
    expect(stdout).toMatch(/^password: +\w{20}$/m)
    expect(stderr).toBe('Keep the password: it is not shown again.\n')
    act('account', 'remove-person', email)
    expect(run('account', 'remove-person', email)).toMatchObject({ exitCode: 1, stdout: '' })
    expect(act<List>('account', 'persons', id).items).toEqual([])
    expect(act('audit')).toMatchObject({ balanced: true })
  })

  it('disables and enables at once', async () => {
    const id = newAccount('Bob')
    const key = act('key', 'create', '--account', id, '--name', 'k').api_key as string
    expect(await statusOf(key)).toBe(200)
    expect(act('account', 'disable', id).status).toBe('disabled')
    expect(await statusOf(key)).toBe(403)
    expect(act('account', 'enable', id).status).toBe('enabled')
    expect(await statusOf(key)).toBe(200)
  })

  it('adjusts up and down, but never below zero', async () => {
    const id = newAccount('Cy', '--balance', '100')
    expect(act('account', 'adjust', id, '--units', '50', '--reason', 'gift')).toEqual({ balance: 150 })
    expect(act('account', 'adjust', id, '--units', '-120', '--reason', 'fee')).toEqual({ balance: 30 })
    const { exitCode, stdout, stderr } = run('account', 'adjust', id, '--units', '-31', '--reason', 'fee')
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^sonant: --units: .*30/)
    expect((await http(`/admin/accounts/${id}`)).balance).toBe(30)
  })
})

describe('sonant key', () => {
  it('creates a key that works at once, with cap, limits and expiry, and shows it once', async () => {
    const id = newAccount('Dora', '--balance', '100')
    const flags = ['--cap', '40', '--limit-tts', '7', '--expires-at', '2099-01-01']
    const made = act('key', 'create', '--account', id, '--name', 'phone', ...flags)
    expect(made).toMatchObject({ cap: 40, limits: { tts: 7, clone: null }, expires_at: '2099-01-01T00:00:00.000Z' })
    expect(await statusOf(made.api_key as string)).toBe(200)
    const listed = act<List>('key', 'list', '--account', id)
    expect(listed).toEqual(await http<List>(`/admin/accounts/${id}/keys`))
    expect(JSON.stringify(listed)).not.toContain(made.api_key as string)
    const updated = act(
      'key',
      'update',
      made.id as string,
      '--cap',
      'none',
      '--limit-tts',
      'none',
      '--limit-clone',
      '3',
    )
    expect(updated).toMatchObject({ name: 'phone', cap: null, limits: { tts: null, clone: 3 } })
  })

  it('revokes for 403 and deletes for 401, at once', async () => {
    const account = newAccount('Eve')
    const [first, second] = ['a', 'b'].map((name) => act('key', 'create', '--account', account, '--name', name))
    expect(act('key', 'revoke', first!.id as string).status).toBe('revoked')
    expect(await statusOf(first!.api_key as string)).toBe(403)
    expect(act('key', 'delete', second!.id as string)).toEqual({ ok: true, deleted: second!.id })
    expect(await statusOf(second!.api_key as string)).toBe(401)
  })

  it('replaces a key by one with its settings, at once', async () => {
    const id = newAccount('Rotating')
    const old = act('key', 'create', '--account', id, '--name', 'old', '--cap', '9')
    const next = act('key', 'rotate', old.id as string)
    expect(next).toMatchObject({ name: 'old', cap: 9, spent: 0, status: 'active' })
    expect([await statusOf(old.api_key as string), await statusOf(next.api_key as string)]).toEqual([403, 200])
    expect(run('key', 'rotate', old.id as string).exitCode).toBe(1)
  })

  it('gives an administrator with a lost key a new one', async () => {
    const { items } = act<List>('account', 'list', '--q', 'Administrator')
    const { api_key: key } = act('key', 'create', '--account', items[0]!.id as string, '--name', 'found again')
    expect((await http<List>('/admin/accounts', key as string)).items.length).toBeGreaterThan(0)
  })

  it('expires and deletes the last administrator key, which HTTP refuses, and creates another one', async () => {
    const own = await startSonant()
    const here = (...args: string[]) => {
      const { stdout } = runSonant([...args, '--data', join(own.directory, 'data'), '--json'])
      return JSON.parse(stdout) as Record<string, string>
    }
    const { key } = (await (await own.request('/api/v1/account')).json()) as { key: Record<string, string> }
    expect((await own.request(`/api/v1/keys/${key.id}/revoke`, { method: 'POST' })).status).toBe(409)
    const end = '2999-01-01T00:00:00.000Z'
    expect(here('key', 'update', key.id!, '--expires-at', end).expires_at).toBe(end)
    expect(here('key', 'update', key.id!, '--expires-at', 'none').expires_at).toBeNull()
    expect(here('key', 'revoke', key.id!).status).toBe('revoked')
    expect((await own.request('/api/v1/balance')).status).toBe(403)
    const { api_key } = here('key', 'create', '--account', key.account_id!, '--name', 'again')
    expect((await own.request('/api/v1/admin/accounts', { key: api_key! })).status).toBe(200)
    await stopAndRemove(own)
  })
})

describe('sonant code', () => {
  it('creates codes that can be used at once, lists and voids them', async () => {
    const { items } = act<List>('code', 'create', '--units', '70', '--count', '2', '--note', 'spring')
    const [used, unused] = items as [Answer, Answer]
    const before = (await http('/balance')).balance as number
    const redeemed = await sonant.request('/api/v1/activation', { body: { code: used.code } })
    expect(await redeemed.json()).toEqual({ ok: true, units: 70, balance: before + 70 })
    expect(act('code', 'void', unused.id as string).status).toBe('void')
    expect((await sonant.request('/api/v1/activation', { body: { code: unused.code } })).status).toBe(400)
    const listed = act<List>('code', 'list')
    expect(listed).toEqual(await http<List>('/admin/codes'))
    expect(listed.items.map(({ status }) => status).sort()).toEqual(['used', 'void'])
    expect(run('code', 'void', used.id as string)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('used'),
    })
  })
})

describe('sonant voices and group', () => {
  const listed = async () => (await http<{ voices: { id: string }[] }>('/voices')).voices.map(({ id }) => id)

  it('take a voice out of the list of the running server and put it back', async () => {
    expect(await listed()).toContain('zh-jun')
    expect(act('voices', 'deactivate', 'zh-jun')).toMatchObject({ id: 'zh-jun', active: false })
    expect(await listed()).not.toContain('zh-jun')
    expect(run('voices').stdout).toMatch(/^zh-jun .*deactivated/m)
    expect(act('voices', 'activate', 'zh-jun').active).toBe(true)
    expect(await listed()).toContain('zh-jun')
  })

  it('change the settings of a voice, as HTTP does', async () => {
    const changed = act('voices', 'update', 'zh-jun', '--featured', 'true', '--position', '3', '--display-name', 'Jun')
    expect(changed).toMatchObject({ featured: true, position: 3, display_name: 'Jun' })
    expect((await listed())[0]).toBe('zh-jun')
    const { items, next_cursor } = act<List>('voices')
    expect({ items, next_cursor }).toEqual(await http<List>('/admin/voices'))
    expect(items).toContainEqual(changed)
    expect(run('voices', 'list').stdout).toMatch(/^zh-jun .*public, featured 3 .*Jun/m)
    act('voices', 'update', 'zh-jun', '--featured', 'false', '--display-name', 'none')
    expect((await listed())[0]).not.toBe('zh-jun')
  })

  it('make, change and delete voice plans', async () => {
    const made = act('group', 'create', '--name', 'two', '--voices', 'en-ross, en-clara')
    expect(made.voices).toEqual(['en-clara', 'en-ross'])
    expect(act<List>('group', 'list')).toEqual(await http<List>('/admin/groups'))
    const account = newAccount('Fay', '--group', 'two')
    const key = act('key', 'create', '--account', account, '--name', 'k').api_key as string
    const voices = async () => (await http<{ total: number }>('/voices', key)).total
    expect(await voices()).toBe(2)
    expect(act('group', 'update', made.id as string, '--voices', 'none').voices).toEqual([])
    expect(await voices()).toBe(0)
    expect(run('group', 'delete', made.id as string)).toMatchObject({ exitCode: 1, stdout: '' })
    act('account', 'update', account, '--group', 'none')
    expect(act('group', 'delete', made.id as string)).toEqual({ ok: true, deleted: made.id })
    expect(act<List>('group', 'list').items).toEqual([])
  })
})

describe('sonant usage and audit-log', () => {
  it('show the history of all accounts, filtered, and as CSV', async () => {
    const account = newAccount('Gus', '--balance', '100')
    const made = act('key', 'create', '--account', account, '--name', 'k')
    const headers = { authorization: `Bearer ${made.api_key}` }
    const spoken = await sonant.request('/api/v1/tts', { body: { text: 'Hello.', voice_id: 'en-kevin' }, headers })
    const { url, request_id } = (await spoken.json()) as Answer
    const addresses = ['--base-url', sonant.baseUrl]
    const all = act<List>('usage', ...addresses)
    expect(all).toEqual(await http<List>('/admin/usage'))
    expect(all.items[0]).toMatchObject({ request_id, url, account_id: account, units: 6 })
    const query = `account_id=${account}&key_id=${made.id}&from=2020-01-01&limit=5`
    const filters = ['--account', account, '--key', made.id as string, '--from', '2020-01-01', '--limit', '5']
    expect(act<List>('usage', 'list', ...filters, ...addresses)).toEqual(await http<List>(`/admin/usage?${query}`))
    expect(act<List>('usage', '--account', account, '--to', '2020-01-01').items).toEqual([])
    const [header, row, ...more] = run('usage', 'export', '--account', account, ...addresses).stdout.split('\r\n')
    expect(header).toEndWith(',account_id')
    expect(row).toStartWith(`${request_id},tts,`)
    expect(row).toEndWith(`,${account}`)
    expect(more).toEqual([''])
  })

  it('names the actor, without secrets', async () => {
    const { api_key: key } = act('key', 'create', '--account', newAccount('Hal'), '--name', 'secret')
    const log = act<List>('audit-log', '--limit', '2')
    expect(log).toEqual(await http<List>('/admin/audit-log?limit=2'))
    expect(log.items.map((item) => item.act)).toEqual(['key create', 'account create'])
    expect(log.items[0]!.actor).toMatch(/^cli ./)
    expect(JSON.stringify(log)).not.toContain(key as string)
    expect(run('audit-log', '--to', '2020-01-01').stdout).toBe('created_at  actor  act  subject\n')
  })
})

describe('every administrative verb', () => {
  it('prints columns and lines for people, and a secret once, on stdout only', () => {
    const account = newAccount('Ida')
    const made = run('key', 'create', '--account', account, '--name', 'k')
    const [key] = /sk-[0-9A-Za-z]{43}/.exec(made.stdout)!
    expect(made.stdout.split(key).length).toBe(2)
    expect(made.stderr).not.toContain(key)
    const lines = run('account', 'list').stdout.trimEnd().split('\n')
    const column = lines[0]!.indexOf('balance')
    for (const line of lines.slice(1)) expect(line.slice(column)).toMatch(/^\d+ /)
    expect(run('account', 'show', account).stdout).toMatch(/^balance: +0$/m)
  })

  it('explains itself', () => {
    for (const verb of ['account', 'key', 'code', 'voices', 'group', 'usage', 'audit-log']) {
      const { exitCode, stdout } = runSonant([verb, '--help'])
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`sonant ${verb} `)])
      expect(runSonant(['help']).stdout).toMatch(new RegExp(`^  ${verb} `, 'm'))
    }
    expect(runSonant(['account']).stdout).toMatch(/^  adjust +add units/m)
    expect(runSonant(['account', 'adjust', '--help']).stdout).toContain(
      'sonant account adjust ID --units N --reason TEXT',
    )
  })

  const mistakes: [string[], number, string][] = [
    [['account', 'sing'], 2, 'no operation "sing"'],
    [['account', 'constructor'], 2, 'no operation "constructor"'],
    [['account', 'show'], 2, 'needs an ID'],
    [['account', 'show', 'nobody'], 1, 'no account "nobody"'],
    [['account', 'show', 'a', 'b'], 2, '"b"'],
    [['account', 'create'], 2, 'needs --name TEXT'],
    [['account', 'create', '--name', ' '], 2, '--name: found " "'],
    [['account', 'create', '--name', 'x', '--role', 'boss'], 2, '--role: found "boss"; user or admin'],
    [['account', 'create', '--name', 'x', '--group', 'none such'], 2, '--group: '],
    [['account', 'create', '--name', 'x', '--balance', '1.5'], 2, '--balance: found "1.5"; a whole number'],
    [['account', 'list', '--cursor', 'x'], 2, '--cursor: '],
    [['account', 'list', '--limit', '0'], 2, '--limit: found 0'],
    [['account', 'list', '--colour', 'red'], 2, '--colour'],
    [['key', 'list'], 2, 'needs --account ID'],
    [['key', 'create', '--account', 'nobody', '--name', 'x'], 1, 'no account "nobody"'],
    [['key', 'create', '--account', 'nobody', '--name', 'x', '--limit-tts', '0'], 2, '--limit-tts: found 0'],
    [['key', 'create', '--account', 'x', '--name', 'x', '--expires-at', '2001-01-01'], 2, '--expires-at: '],
    [['key', 'revoke', 'none'], 1, 'no key "none"'],
    [['code', 'create', '--units', 'many'], 2, '--units: found "many"'],
    [['group', 'create', '--name', 'x', '--voices', 'nobody'], 2, '--voices: there is no voice "nobody"'],
    [['voices', 'activate', 'nobody'], 1, 'no voice "nobody"'],
    [['voices', 'update', 'en-ross', '--active', 'perhaps'], 2, '--active: found "perhaps"; true or false'],
    [['usage', '--key', ' '], 2, '--key: '],
    [['usage', '--from', 'yesterday'], 2, '--from: found "yesterday"'],
    [['audit', 'now'], 2, '"now"'],
    [['voices', 'activate', 'zh-jum'], 1, 'did you mean "zh-jun"'],
  ]
  it('exits with 2 for a mistake and with 1 for a refusal, with one line, and changes nothing', () => {
    const before = act('audit')
    const lastAct = act<List>('audit-log', '--limit', '1')
    for (const [args, code, message] of mistakes) {
      const { exitCode, stdout, stderr } = run(...args)
      expect([args, exitCode, stdout, stderr]).toEqual([args, code, '', expect.stringContaining(message)])
      expect(stderr).toStartWith('sonant: ')
      expect(stderr.trim().split('\n').length).toBe(1)
    }
    expect(act('audit')).toEqual(before)
    expect(act<List>('audit-log', '--limit', '1')).toEqual(lastAct)
  })

  it('ends quietly when its reader leaves', () => {
    act('code', 'create', '--units', '1', '--count', '1000')
    const shell = Bun.spawnSync(['sh', '-c', '"$0" code list --limit 200 --json --data "$1" | true', executable, data])
    expect(shell.stderr.toString()).toBe('')
  })
})

describe('an unusable data directory', () => {
  let place: string
  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'sonant-admin-'))
  })
  afterAll(() => rm(place, { recursive: true }))

  const refused = (directory: string, ...args: string[]) => runSonant([...args, '--data', directory])

  it('is named when it is missing or empty, and nothing is created', async () => {
    await mkdir(join(place, 'empty'))
    for (const name of ['missing', 'empty'])
      for (const args of [['account', 'list'], ['audit'], ['voices'], ['usage', 'export'], ['audit-log']]) {
        const { exitCode, stdout, stderr } = refused(join(place, name), ...args)
        expect([exitCode, stdout]).toEqual([2, ''])
        expect(stderr).toContain(`no Sonant database in ${join(place, name)}`)
      }
    expect(await readdir(place)).toEqual(['empty'])
    expect(await readdir(join(place, 'empty'))).toEqual([])
  })

  it('stays unchanged when its database has another version or is no database', async () => {
    const cases = { older: 0, newer: 99 }
    for (const [word, version] of Object.entries(cases)) {
      const directory = join(place, word)
      await mkdir(directory)
      const db = new Database(join(directory, 'sonant.db'))
      db.pragma(`user_version = ${version}`)
      db.exec('CREATE TABLE witness (id INTEGER)')
      db.close()
      const { exitCode, stderr } = refused(directory, 'account', 'create', '--name', 'x')
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(word)])
      const after = new Database(join(directory, 'sonant.db'), { readonly: true })
      expect(after.pragma('user_version', { simple: true })).toBe(version)
      expect(after.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE type = 'table'").get()).toEqual({ n: 1 })
      after.close()
    }
    await Bun.write(join(place, 'text/sonant.db'), 'This is a text, and long enough to be looked at. '.repeat(100))
    expect(refused(join(place, 'text'), 'audit')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('not a database'),
    })
  })

  it('needs no server, and the verbs do not lock it', async () => {
    await mkdir(join(place, 'stopped'))
    const first = await startIn(join(place, 'stopped'))
    await first.stop()
    const directory = join(place, 'stopped/data')
    await rm(join(directory, 'lock.db'))
    expect(refused(directory, 'account', 'create', '--name', 'Offline')).toMatchObject({ exitCode: 0 })
    expect(await readdir(directory)).not.toContain('lock.db')
    const again = await startIn(join(place, 'stopped'), { apiKey: first.apiKey })
    const { items } = (await (await again.request('/api/v1/admin/accounts')).json()) as List
    expect(items.map(({ name }) => name)).toContain('Offline')
    await again.stop()
  })
})

describe.skipIf(process.platform === 'win32')('the folder of packs', () => {
  let place: string
  let directory: string
  let cache: string
  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'sonant-packs-'))
    await (await startIn(place)).stop()
    directory = join(place, 'data')
    cache = join(directory, 'voices', cacheFile)
    await mkdir(join(directory, 'voices'), { recursive: true })
    await rm(cache, { force: true })
    // A reader of a FIFO waits until something is written into it.
    expect(Bun.spawnSync(['mkfifo', cache]).exitCode).toBe(0)
  })
  afterAll(() => rm(place, { recursive: true }))

  const start = (...args: string[]) =>
    Bun.spawn([executable, ...args, '--data', directory], { stdout: 'ignore', stderr: 'ignore', timeout: 60_000 })

  const withVoices: readonly string[] = operationList.flatMap(({ command, usesVoices }) =>
    command && usesVoices ? [command.words] : [],
  )
  const withoutVoices = listCommands().filter(({ words }) => {
    return operationList.some(({ command }) => command?.words === words) && !withVoices.includes(words)
  })
  it.each(withoutVoices.filter(({ words }) => words !== 'voices rescan'))(
    'is not read by $words',
    async ({ command }) => {
      const args = [...command.examples[0].matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)
      // 1: the id of the example does not exist.
      expect(await start(...args.slice(1)).exited).toBeOneOf([0, 1])
    },
  )

  it('is read by a command that needs voices', async () => {
    const reading = start('voices', 'packs')
    await writeFile(cache, '{}')
    expect(await reading.exited).toBe(0)
  })
})

describe('sonant audit', () => {
  it('passes beside a server that synthesizes while twenty command lines adjust at once, each exactly once', async () => {
    const account = newAccount('Busy', '--balance', '100000')
    const { api_key: key } = act('key', 'create', '--account', account, '--name', 'k')
    const headers = { authorization: `Bearer ${key}` }
    const adjusting = Array.from({ length: 20 }, (_, i) =>
      Bun.spawn(
        [executable, 'account', 'adjust', account, '--units', String(2 ** i), '--reason', `${i}`, '--data', data],
        {
          stdout: 'ignore',
          stderr: 'pipe',
        },
      ),
    )
    const texts = Array.from({ length: 12 }, (_, i) => `This is sentence ${i}.`)
    const speaking = texts.map(
      async (text) => (await sonant.request('/api/v1/tts', { body: { text, voice_id: 'en-kevin' }, headers })).status,
    )
    const ended = await Promise.all(
      adjusting.map(async (child) => [await child.exited, await new Response(child.stderr).text()]),
    )
    expect(ended).toEqual(Array.from({ length: 20 }, () => [0, '']))
    expect(await Promise.all(speaking)).toEqual(texts.map(() => 200))
    const spent = texts.join('').length
    expect((await http(`/admin/accounts/${account}`)).balance).toBe(100_000 + 2 ** 20 - 1 - spent)
    expect(act('audit')).toMatchObject({ balanced: true, difference: null })
    expect(run('audit')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^The ledger balances: \d+ checks/),
    })
  })

  it('ends with 1 and the first difference when the ledger does not balance', async () => {
    const place = await mkdtemp(join(tmpdir(), 'sonant-books-'))
    const first = await startIn(place)
    await first.speak({ text: 'Hello.' })
    await first.stop()
    const corruptions = {
      balance: 'UPDATE balances SET available = available + 5',
      'charged request': 'DROP TRIGGER usage_forbid_update_after_success; UPDATE usage SET units = units + 1',
      day: 'UPDATE usage_days SET requests = requests + 1',
    }
    for (const [word, sql] of Object.entries(corruptions)) {
      const copy = join(place, `copy ${word}`)
      await cp(join(place, 'data'), copy, { recursive: true })
      expect(runSonant(['audit', '--data', copy]).exitCode).toBe(0)
      const db = new Database(join(copy, 'sonant.db'))
      db.exec(sql)
      db.close()
      const { exitCode, stdout, stderr } = runSonant(['audit', '--data', copy])
      expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(word)])
      const json = runSonant(['audit', '--data', copy, '--json'])
      expect([json.exitCode, JSON.parse(json.stdout)]).toEqual([1, expect.objectContaining({ balanced: false })])
    }
    await rm(place, { recursive: true })
  })
})
