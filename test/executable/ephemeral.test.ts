/** `serve --ephemeral` and operators' own keys: output, seeded data, and cleanup. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readReadyLine } from '../lines'
import { random, seeded } from '../random'
import { until } from '../until'
import { auditDifference } from './books'
import { expectError } from './expect-error'
import { executable, startEphemeral, startIn, stopAndRemove, type EphemeralSonant, type Sonant } from './sonant'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-test-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const started: Sonant[] = []
afterEach(async () => {
  for (const sonant of started.splice(0)) await sonant.stop()
})

/** All files of one temporary directory. */
async function start(options: Parameters<typeof startEphemeral>[0] = {}): Promise<EphemeralSonant> {
  const sonant = await startEphemeral({ directory, ...options })
  started.push(sonant)
  return sonant
}

const temporaries = async () => (await readdir(directory)).filter((name) => name.startsWith('sonant-ephemeral-'))

/** A start that must fail. */
function run(args: string[], env: Record<string, string> = {}) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([executable, 'serve', ...args], {
    cwd: directory,
    env: { PATH: '/usr/bin:/bin', TMPDIR: directory, ...env },
    timeout: 10_000,
  })
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
}

async function seedFile(seed: unknown): Promise<string> {
  const path = join(directory, `${crypto.randomUUID()}.json`)
  await Bun.write(path, typeof seed === 'string' ? seed : JSON.stringify(seed))
  return path
}

const answerOf = async (response: Response) => (await response.json()) as Record<string, any>
const balanceOf = async (sonant: Sonant, key?: string) =>
  (await answerOf(await sonant.request('/api/v1/balance', { key }))).balance as number

describe('serve --ephemeral', () => {
  it('prints one line with addresses, two keys and the account number, and listens on a free port', async () => {
    const [sonant, other] = await Promise.all([start(), start()])
    expect(Object.keys(sonant.ready)).toEqual([
      ...['ready', 'base_url', 'storage_url', 'api_key', 'admin_key', 'account_number'],
    ])
    expect(sonant.ready.ready).toBe(true)
    expect(sonant.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(sonant.baseUrl).not.toBe(other.baseUrl)
    expect(sonant.storageUrl).toBe(`${sonant.baseUrl}/audio`)
    for (const key of [sonant.apiKey, sonant.adminKey]) expect(key).toMatch(/^sk-[0-9A-Za-z]{43}$/)
    expect(sonant.accountNumber).toMatch(/^\d{16}$/)
    const { account_number, role, balance } = await answerOf(await sonant.request('/api/v1/account'))
    expect([account_number, role, balance]).toEqual([`************${sonant.accountNumber.slice(12)}`, 'user', 100_000])
    await expectError(sonant.request('/api/v1/admin/accounts'), 403, 'permission_denied')
    expect((await sonant.admin('/accounts')).items).toHaveLength(2)
    expect(sonant.log()).not.toContain('sk-')
  })

  it('takes keys and balance from flags, and prints these keys', async () => {
    const sonant = await start({
      flags: ['--api-key', 'sk-for-tests', '--admin-key', 'sk-for-admin', '--balance', '7'],
    })
    expect(sonant.ready).toMatchObject({ api_key: 'sk-for-tests', admin_key: 'sk-for-admin' })
    expect(await balanceOf(sonant, 'sk-for-tests')).toBe(7)
    expect((await sonant.admin('/accounts', { key: 'sk-for-admin' })).items).toHaveLength(2)
  })

  it('takes keys from the environment, and never prints them', async () => {
    const [apiKey, adminKey] = ['sk-secret-of-tests', 'sk-secret-of-admin']
    const sonant = await start({ env: { SONANT_API_KEY: apiKey, SONANT_ADMIN_KEY: adminKey } })
    expect(Object.keys(sonant.ready)).toEqual(['ready', 'base_url', 'storage_url', 'account_number'])
    expect(await balanceOf(sonant, apiKey)).toBe(100_000)
    expect((await sonant.admin('/accounts')).items).toHaveLength(2)
    await sonant.stop()
    expect(sonant.log()).not.toContain('secret')
  })

  it('leaves nothing behind when it ends', async () => {
    const sonant = await start()
    await sonant.speak({ text: 'Hello.' })
    expect(await temporaries()).toHaveLength(1)
    expect(await sonant.stop()).toBe(0)
    expect(await temporaries()).toEqual([])
  })
})

describe('a seed file', () => {
  it('creates groups, accounts with keys, codes and voices', async () => {
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    const sonant = await start({
      seed: {
        groups: [{ name: 'gold', voices: ['en-kevin', 'en-ross'] }],
        accounts: [
          {
            ...{ name: 'Ada', email: 'ada@example.org', balance: 50, group: 'gold' },
            keys: [
              { api_key: 'sk-ada', name: 'first', cap: 9, limits: { tts: 3 }, expires_at },
              { api_key: 'sk-ada-revoked', status: 'revoked' },
            ],
          },
          { name: 'Root', role: 'admin', keys: [{ api_key: 'sk-root' }] },
          { name: 'Gone', status: 'disabled', keys: [{ api_key: 'sk-gone' }] },
        ],
        codes: [
          { code: '0000-1111-2222-3333', units: 500 },
          { code: '4444-5555-6666-7777', units: 500, status: 'void' },
        ],
        voices: [{ id: 'en-kevin', featured: true, display_name: 'Kevin the First' }],
      },
    })
    const account = await answerOf(await sonant.request('/api/v1/account', { key: 'sk-ada' }))
    expect(account).toMatchObject({
      ...{ name: 'Ada', email: 'ada@example.org', balance: 50, status: 'enabled' },
      key: { name: 'first', cap: 9, limits: { tts: 3, clone: null }, expires_at },
    })
    const { voices } = await answerOf(await sonant.request('/api/v1/voices', { key: 'sk-ada' }))
    expect(voices.map(({ id, display_name }: Record<string, string>) => [id, display_name])).toEqual([
      ['en-kevin', 'Kevin the First'],
      ['en-ross', expect.any(String)],
    ])
    await expectError(sonant.request('/api/v1/balance', { key: 'sk-ada-revoked' }), 403, 'api_key_revoked')
    await expectError(sonant.request('/api/v1/balance', { key: 'sk-gone' }), 403, 'account_disabled')
    expect((await sonant.admin('/accounts', { key: 'sk-root' })).items).toHaveLength(5)
    const redeem = (code: string) => sonant.request('/api/v1/activation', { key: 'sk-ada', body: { code } })
    expect(await answerOf(await redeem('0000-1111-2222-3333'))).toEqual({ ok: true, units: 500, balance: 550 })
    await expectError(redeem('4444-5555-6666-7777'), 400, 'invalid_params')
    expect(auditDifference(sonant.dataDirectory)).toBeUndefined()
  })

  const key = { api_key: 'sk-double' }
  const code = { code: '0000-1111-2222-3333', units: 5 }
  const wrong: [what: string, seed: unknown, says: RegExp][] = [
    ['is no JSON', '{"accounts":', /--seed: .*not valid JSON/],
    ['is nested deeply', '{"accounts":'.repeat(1000), /--seed: .*is nested more than 64 levels deep/],
    ['is an array', [], /seed: found an array/],
    ['has an unknown part', { acounts: [] }, /"acounts".*accounts/],
    ['has an object for a list', { accounts: {} }, /accounts: found an object/],
    ['has a nameless account', { accounts: [{ name: 'A' }, {}] }, /accounts\[1\]: name/],
    ['has a number for an account', { accounts: [5] }, /accounts\[0\]: .*5/],
    ['has a wrong balance', { accounts: [{ name: 'A', balance: -1 }] }, /accounts\[0\]: balance: found -1/],
    ['has an unknown group', { accounts: [{ name: 'A', group: 'g' }] }, /accounts\[0\]: group: found "g"/],
    ['has a key without secret', { accounts: [{ name: 'A', keys: [{}] }] }, /accounts\[0\]: keys\[0\]: api_key/],
    ['has a wrong cap', { accounts: [{ name: 'A', keys: [{ ...key, cap: 'x' }] }] }, /keys\[0\]: cap: found "x"/],
    ['has a key twice', { accounts: [{ name: 'A', keys: [key, key] }] }, /accounts\[0\]: keys\[1\]: .*exists/],
    ['has an unknown voice', { voices: [{ id: 'nobody', active: false }] }, /voices\[0\]: .*nobody/],
    ['has a group of unknown voices', { groups: [{ name: 'g', voices: ['nobody'] }] }, /groups\[0\]: voices.*nobody/],
    ['has a group twice', { groups: [1, 2].map(() => ({ name: 'g', voices: [] })) }, /groups\[1\]: name/],
    ['has a code of another form', { codes: [{ code: 'x', units: 5 }] }, /codes\[0\]: code/],
    ['has a code twice', { codes: [code, code] }, /codes\[1\]: .*exists/],
    ['has a code worth nothing', { codes: [{ ...code, units: 0 }] }, /codes\[0\]: units: found 0/],
  ]
  it.each(wrong)(
    'that %s ends the start with one line that names the place, and leaves no file',
    async (_, seed, says) => {
      const { exitCode, stdout, stderr } = run(['--ephemeral', '--seed', await seedFile(seed)])
      expect(stderr).toMatch(says)
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
      expect([exitCode === 1 || exitCode === 2, stdout]).toEqual([true, ''])
      expect(await temporaries()).toEqual([])
    },
  )

  it('that is missing ends the start', async () => {
    const { exitCode, stderr } = run(['--ephemeral', '--seed', '/nowhere/seed.json'])
    expect(exitCode).toBeGreaterThan(0)
    expect(stderr).toContain('/nowhere/seed.json')
    expect(await temporaries()).toEqual([])
  })
})

describe('flags that do not go together', () => {
  const wrong: [flags: string[], says: string][] = [
    [['--ephemeral', '--data', 'd'], '--data does not go with --ephemeral'],
    [['--api-key', 'sk-for-tests'], '--api-key goes only with --ephemeral'],
    [['--admin-key', 'sk-for-tests-and-longer-than-that'], '--admin-key goes only with --ephemeral'],
    [['--balance', '5'], '--balance goes only with --ephemeral'],
    [['--seed', 'seed.json'], '--seed goes only with --ephemeral'],
    [['--ephemeral', '--api-key', 'short'], '--api-key: 8 to 256 characters'],
    [['--ephemeral', '--balance', '-5'], '--balance'],
    [['--ephemeral', '--balance=1.5'], '--balance: found "1.5"'],
    [['--ephemeral', '--api-key', 'sk-the-same', '--admin-key', 'sk-the-same'], 'exists already'],
  ]
  it.each(wrong)('%p end the start', async (flags, says) => {
    const { exitCode, stdout, stderr } = run([...flags, '--port', '0'])
    expect(stderr).toContain(says)
    expect([exitCode === 1 || exitCode === 2, stdout]).toEqual([true, ''])
    expect(await temporaries()).toEqual([])
  })
})

describe('the directory of a killed ephemeral server', () => {
  it('is removed by the next start, unlike that of a running server', async () => {
    const [killed, running] = [await start(), await start()]
    killed.process.kill('SIGKILL')
    await killed.process.exited
    expect(await temporaries()).toHaveLength(2)
    const next = await start()
    await until(async () => (await temporaries()).length === 2)
    const paths = (await temporaries()).map((name) => join(directory, name)).sort()
    expect(paths).toEqual([running.dataDirectory, next.dataDirectory].sort())
    for (const sonant of [running, next]) await sonant.speak({ text: 'Hello.' })
  })

  it(`is not confused with those of servers that start and stop at the same time (${seeded})`, async () => {
    for (let round = 0; round < 4; round++) {
      const ends = Array.from({ length: 10 }, async (_, i) => {
        await Bun.sleep(random.below(60))
        const sonant = await startEphemeral({ directory })
        await Bun.sleep(random.below(60))
        const { status } = await sonant.request('/api/v1/balance')
        sonant.process.kill(i % 2 === 0 ? 'SIGTERM' : 'SIGKILL')
        await sonant.process.exited
        return [status, sonant.process.signalCode ?? sonant.process.exitCode]
      })
      expect(await Promise.all(ends)).toEqual(ends.map((_, i) => [200, i % 2 === 0 ? 0 : 'SIGKILL']))
    }
    const last = await start()
    await until(async () => (await temporaries()).length === 1)
    expect((await last.speak({ text: 'Hello.' })).audio.length).toBeGreaterThan(2000)
  })
})

describe("an operator's key at the first start", () => {
  const adminKey = `sk-${'o'.repeat(43)}`

  async function expectWorking(env: Record<string, string>) {
    const own = await mkdtemp(join(tmpdir(), 'sonant-test-'))
    const sonant = await startIn(own, { env, apiKey: adminKey })
    expect(await balanceOf(sonant)).toBe(100_000)
    expect((await sonant.request('/api/v1/admin/accounts')).status).toBe(200)
    await sonant.stop()
    expect(sonant.log()).not.toContain(adminKey)
    expect(sonant.log()).not.toContain('API key')
    await stopAndRemove(sonant)
  }

  it('works from SONANT_ADMIN_KEY, and is printed nowhere', () => expectWorking({ SONANT_ADMIN_KEY: adminKey }))

  it('works from a file that SONANT_ADMIN_KEY_FILE names', async () => {
    const path = join(directory, 'admin-key')
    await Bun.write(path, `${adminKey}\n`)
    await expectWorking({ SONANT_ADMIN_KEY_FILE: path })
  })

  it('is not shown by the ready line', async () => {
    const child = Bun.spawn([executable, 'serve', '--port', '0', '--data', join(directory, 'own')], {
      ...{ env: { PATH: '/usr/bin:/bin', SONANT_ADMIN_KEY: adminKey }, stdout: 'pipe', stderr: 'ignore' },
    })
    expect(Object.keys(await readReadyLine(child.stdout))).toEqual(['ready', 'base_url', 'storage_url'])
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })

  it('is refused when it is too short, empty or missing, without being shown', async () => {
    const empty = join(directory, 'empty')
    await Bun.write(empty, '\n')
    for (const env of [
      { SONANT_ADMIN_KEY: 'sk-short-secret' },
      { SONANT_ADMIN_KEY_FILE: empty },
      { SONANT_ADMIN_KEY_FILE: '/nowhere/key' },
    ] as Record<string, string>[]) {
      const { exitCode, stdout, stderr } = run(['--port', '0', '--data', join(directory, 'refused')], env)
      expect([exitCode === 1 || exitCode === 2, stdout]).toEqual([true, ''])
      expect(stderr).not.toContain('short-secret')
    }
  })
})
