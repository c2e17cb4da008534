/** First, second and failed starts of the executable on one data directory. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { writeOldFixture } from '../old-fixture'
import { until } from '../until'
import { isSpeaking } from './books'
import { runSonant, startIn, startSonant, stopAndRemove, type Sonant } from './sonant'

const started: Sonant[] = []
afterEach(async () => {
  for (const sonant of started.splice(0)) await stopAndRemove(sonant)
})

async function start(): Promise<Sonant> {
  const sonant = await startSonant()
  started.push(sonant)
  return sonant
}

const longText = 'This is one of many sentences that together take a while to speak. '.repeat(15)

describe('a data directory', () => {
  it('belongs to one server at a time; a second one names the holder, exits with 2 and changes nothing', async () => {
    const sonant = await start()
    const running = sonant.request('/api/v1/tts', { body: { text: longText, voice_id: 'en-kevin' } })
    const data = join(sonant.directory, 'data')
    await until(() => isSpeaking(data))
    const { exitCode, stdout, stderr } = runSonant(['serve', '--port', '0', '--data', data])
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`in use by process ${sonant.process.pid}`)
    expect((await running).status).toBe(200)
  })

  it('of an earlier version is upgraded by the first start, and used by commands only after it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sonant-start-'))
    const data = join(directory, 'data')
    await mkdir(data)
    await writeOldFixture(join(data, 'sonant.db'))
    const early = runSonant(['account', 'list', '--data', data])
    expect([early.exitCode, early.stderr]).toEqual([2, expect.stringContaining('is of an older version')])
    const sonant = await startIn(directory)
    started.push(sonant)
    expect(sonant.log()).toContain('requests of an earlier process were closed and released')
    const run = (...args: string[]) => JSON.parse(runSonant([...args, '--data', data, '--json']).stdout)
    expect(run('audit')).toMatchObject({ balanced: true })
    const accounts = run('account', 'list').items as { id: string; name: string }[]
    const { id } = accounts.find(({ name }) => name === 'Plain')!
    const { api_key: key } = run('key', 'create', '--account', id, '--name', 'new')
    const clones = run('clone', 'list', '--account', id).items as { id: string; display_name: string }[]
    expect(clones.map(({ display_name }) => display_name)).toEqual(['Mine'])
    const body = { text: 'Still my voice.', voice_id: clones[0]!.id }
    expect((await sonant.request('/api/v1/tts', { body, key })).status).toBe(200)
    const page = await (await sonant.request('/api/v1/usage?limit=200', { key })).json()
    const { records } = page as { records: { surface: string; status: string }[] }
    expect(new Set(records.map(({ surface }) => surface))).toEqual(new Set(['api']))
    expect(new Set(records.map(({ status }) => status))).toEqual(new Set(['charged', 'failed', 'uncharged']))
    expect(run('audit')).toMatchObject({ balanced: true })
  })

  it('is free again after SIGKILL', async () => {
    const sonant = await start()
    sonant.process.kill('SIGKILL')
    await sonant.process.exited
    const again = await startIn(sonant.directory, { apiKey: sonant.apiKey })
    expect((await again.request('/api/v1/tts', { body: { text: 'Hello.', voice_id: 'en-kevin' } })).status).toBe(200)
    await again.stop()
  })

  it('gets its key at the first successful start', async () => {
    const sonant = await start()
    const { port } = new URL(sonant.baseUrl)
    const other = join(sonant.directory, 'other')
    expect(runSonant(['serve', '--port', port, '--data', join(other, 'data')]).exitCode).toBe(1)
    const first = await startIn(other)
    expect(first.apiKey).toMatch(/^sk-/)
    expect((await first.request('/api/v1/tts', { body: { text: 'Hello.', voice_id: 'en-kevin' } })).status).toBe(200)
    await first.stop()
  })
})

describe('SIGTERM', () => {
  it('waits for a running request whose client has left', async () => {
    const sonant = await start()
    await sonant.speak({ text: 'Hello.' })
    const leaving = new AbortController()
    const request = fetch(`${sonant.baseUrl}/api/v1/tts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sonant.apiKey}` },
      body: JSON.stringify({ text: longText, voice_id: 'en-kevin' }),
      signal: leaving.signal,
    }).catch(() => undefined)
    await until(() => isSpeaking(join(sonant.directory, 'data')))
    leaving.abort()
    await request
    expect(await sonant.stop()).toBe(0)
    const files = (await readdir(join(sonant.directory, 'data/audio'))).filter((name) => name !== 'demos')
    expect(files.filter((name) => name.endsWith('.part'))).toEqual([])
    expect(files.length).toBe(2)
  })
})

describe('an impossible start', () => {
  let place: string
  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'sonant-start-'))
    await Bun.write(join(place, 'file'), 'text')
    const newer = new Database(join(place, 'newer.db'))
    newer.pragma('user_version = 999')
    newer.close()
    await mkdir(join(place, 'newer'))
    await rename(join(place, 'newer.db'), join(place, 'newer/sonant.db'))
    await Bun.write(join(place, 'broken/sonant.db'), 'This is not SQLite.'.repeat(100))
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = { format: 'pem', type: 'pkcs8' } as const
    await Bun.write(join(place, 'other.pem'), privateKey.export(pem))
    await Bun.write(
      join(place, 'locked.pem'),
      privateKey.export({ ...pem, cipher: 'aes-256-cbc', passphrase: 'secret' }),
    )
    await Bun.write(join(place, 'seed.json'), '{"accounts": [')
  })
  afterAll(() => rm(place, { recursive: true }))

  const fixture = (name: string) => join(import.meta.dir, '../fixtures', name)
  const [cert, key] = [fixture('tls-cert.pem'), fixture('tls-key.pem')]
  const at = (name: string) => join(place, name)
  const tls = (certPath: string, keyPath: string) => ['--tls-cert', certPath, '--tls-key', keyPath]

  const cases: [string, () => string[], RegExp][] = [
    ['a host of no name', () => ['--host', 'nothing.invalid'], /--host: "nothing\.invalid" cannot be resolved/],
    ["another machine's address", () => ['--host', '192.0.2.1'], /--host: 192\.0\.2\.1 is not an address of this/],
    ['swapped TLS files', () => tls(key, cert), /--tls-cert: .* private key .* swapped\?/],
    ['a certificate twice', () => tls(cert, cert), /--tls-key: .* certificate .* swapped\?/],
    [
      'the key of another certificate',
      () => tls(cert, at('other.pem')),
      /other\.pem is not the key of the certificate/,
    ],
    ['an encrypted key', () => tls(cert, at('locked.pem')), /locked\.pem is encrypted/],
    ['no certificate', () => tls(at('file'), key), /--tls-cert: .*file holds no certificate in PEM/],
    ['a missing key', () => tls(cert, at('none.pem')), /--tls-key: .*none\.pem does not exist/],
    ['a missing seed', () => ['--ephemeral', '--seed', at('none.json')], /--seed: .*none\.json does not exist/],
    ['a directory as seed', () => ['--ephemeral', '--seed', place], /--seed: .* is a directory/],
    ['a broken seed', () => ['--ephemeral', '--seed', at('seed.json')], /--seed: .*seed\.json is not valid JSON/],
    ['a file as data directory', () => ['--data', at('file')], /--data: .*file is a file; a directory is required/],
    [
      'a data directory in a file',
      () => ['--data', at('file/data')],
      /--data: .* has a parent that is not a directory/,
    ],
    ['a data directory that cannot be made', () => ['--data', '/proc/sonant'], /--data: \/proc\/sonant cannot be made/],
    ['a newer database', () => ['--data', at('newer')], /was written by a newer version of sonant; run that one/],
    ['no database', () => ['--data', at('broken')], /sonant\.db in .*broken is not a database/],
  ]
  it.each(cases)('exits with 2 and a one-line reason: %s', async (_, flags, message) => {
    const given = flags()
    const own = given.includes('--data') || given.includes('--ephemeral') ? [] : ['--data', at('data')]
    const { exitCode, stdout, stderr } = runSonant(['serve', '--port', '0', ...own, ...given, '--log-level', 'error'])
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)])
    expect(stderr.trim().split('\n').length).toBe(1)
    expect(stderr).not.toMatch(/\b(E[A-Z]{4,}|syscall|node:|SQLITE_)/)
  })

  it('names a missing secret file', () => {
    const env = { SONANT_ADMIN_KEY_FILE: at('none.key') }
    const { exitCode, stderr } = runSonant(['serve', '--data', at('data')], { env })
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/SONANT_ADMIN_KEY_FILE: .*none\.key does not exist\n/),
    ])
  })

  it('names a port in use, and exits with 1, because it may be free later', () => {
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const { port } = other
    const { exitCode, stderr } = runSonant(['serve', '--port', String(port), '--data', at('taken')])
    void other.stop(true)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`port ${port} of 127.0.0.1 is taken`)])
  })
})
