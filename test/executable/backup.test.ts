/** Backups as described in docs/operating.md, and data directories that lost their rows. */
import { afterEach, beforeEach, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { copyFile, cp, mkdir, mkdtemp, readdir, rename, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describeWith } from '../tools'
import { auditDifference, query } from './books'
import { examplesRunBy } from './documents'
import { executable, runSonant, startIn, type Sonant } from './sonant'

setDefaultTimeout(120_000)

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-backup-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const inPlace = (name: string) => join(directory, name)

/** The commands of the document. */
async function documented(name: string): Promise<string> {
  return (await examplesRunBy('docs/operating.md', name)).join('\n')
}

function runInShell(commands: string) {
  const env = { PATH: `${dirname(executable)}:/usr/bin:/bin`, HOME: directory }
  const { exitCode, stdout, stderr } = Bun.spawnSync(['sh', '-ec', commands], { cwd: directory, env })
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
}

const text = 'The old house on the hill was sold last month, and we are going to visit our friends tomorrow.'

type Used = { sonant: Sonant; url: string; voiceId: string; cookie: string }

const credentials = { email: 'ada@example.org', password: 'correct horse' }
const post = (sonant: Sonant, path: string, body: unknown) =>
  fetch(sonant.baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const statusOfSession = async ({ baseUrl }: Sonant, cookie: string) =>
  (await fetch(`${baseUrl}/api/v1/session`, { headers: { cookie } })).status

/** Signs a new person in to the administrator's account and returns the cookie. */
async function signIn(sonant: Sonant): Promise<string> {
  const { key } = (await (await sonant.request('/api/v1/account')).json()) as { key: { account_id: string } }
  const path = `/api/v1/admin/accounts/${key.account_id}/invitations`
  const { url } = (await (await sonant.request(path, { method: 'POST' })).json()) as { url: string }
  const accepted = { ...credentials, name: 'Ada', token: url.split('#')[1] }
  const joined = await post(sonant, '/api/v1/invitations/accept', accepted)
  return joined.headers.getSetCookie()[0]!.split(';')[0]!
}

/** A used server in `data`: with speech, charges, a clone with its recording, and a person who is signed in. */
async function startUsed(): Promise<Used> {
  const sonant = await startIn(directory)
  const { answer, audio } = await sonant.speak({ text, format: 'wav' })
  const form = new FormData()
  form.append('name', 'Mine')
  form.append('file', new Blob([Buffer.from(audio)]), 'mine.wav')
  const headers = { authorization: `Bearer ${sonant.apiKey}` }
  const made = await fetch(`${sonant.baseUrl}/api/v1/voices/clone`, { method: 'POST', headers, body: form })
  const { voice } = (await made.json()) as { voice: { id: string } }
  return { sonant, url: answer.url as string, voiceId: voice.id, cookie: await signIn(sonant) }
}

/** Starts on a restored data directory and expects all contents of `used`. */
async function expectWhole(data: string, used: Used): Promise<void> {
  const { apiKey } = used.sonant
  const again = await startIn(directory, { flags: ['--data', data], apiKey, demos: true })
  try {
    const { balance } = (await (await again.request('/api/v1/balance')).json()) as { balance: number }
    expect(balance).toBe(100_000 - text.length - 300)
    const path = new URL(used.url).pathname
    expect((await again.request(path)).status).toBe(200)
    const { voices } = (await (await again.request('/api/v1/voices')).json()) as { voices: { id: string }[] }
    expect(voices.at(-1)?.id).toBe(used.voiceId)
    await again.speak({ text: 'Hello.', voice_id: used.voiceId })
    // People are restored, their sessions are not.
    expect(await statusOfSession(again, used.cookie)).toBe(401)
    expect((await post(again, '/api/v1/session', credentials)).status).toBe(200)
    expect(query(data, 'SELECT lower(hex(sha256)) AS name FROM reference_files').map(({ name }) => name)).toEqual(
      await readdir(join(data, 'references')),
    )
  } finally {
    await again.stop()
  }
  expect(auditDifference(data)).toBeUndefined()
}

describeWith('sqlite3', 'a backup beside a running server', () => {
  it('holds keys, balance, audio, clones and recordings when made and restored as documented', async () => {
    const used = await startUsed()
    const backup = await documented('a backup beside a running server')
    const { exitCode, stdout, stderr } = runInShell(backup)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toStartWith('The ledger balances: ')
    await used.sonant.speak({ text: 'After the backup.' })
    await used.sonant.stop()
    await rm(inPlace('data'), { recursive: true })
    const [copy, audit] = (await documented('the restored backup')).split('\n')
    expect(runInShell(`${copy}\n${audit}`).exitCode).toBe(0)
    await expectWhole(inPlace('restored'), used)
  })
})

describe('a backup of a stopped server', () => {
  it('is a copy of the directory', async () => {
    const used = await startUsed()
    await used.sonant.stop()
    expect(runInShell(await documented('a backup of a stopped server')).exitCode).toBe(0)
    await rename(inPlace('data'), inPlace('lost'))
    await expectWhole(inPlace('backup'), used)
  })
})

describe('a data directory whose rows were lost', () => {
  const tryAll = (data: string) =>
    [['serve', '--port', '0'], ['audit'], ['account', 'list'], ['usage'], ['voices'], ['doctor']].map((verb) => {
      const { exitCode, stdout, stderr } = runSonant([...verb, '--data', data])
      return { verb: verb[0], exitCode, says: verb[0] === 'doctor' ? stdout : stderr }
    })

  /** Every verb reports this and leaves all files unchanged. */
  async function expectRefused(data: string, message: string): Promise<void> {
    const found = async () => {
      const names = (await readdir(data, { recursive: true })).filter(
        (name) => !/^(lock\.|sonant\.db-shm|runtime)/.test(name),
      )
      return Object.fromEntries(
        await Promise.all(
          names.sort().map(async (name) => [name, Bun.hash(await readOrNothing(join(data, name)))] as const),
        ),
      )
    }
    const before = await found()
    for (const { verb, exitCode, says } of tryAll(data)) {
      expect([verb, exitCode]).toEqual([verb, verb === 'doctor' ? 1 : 2])
      expect(says).toContain(message)
    }
    expect(await found()).toEqual(before)
  }

  const readOrNothing = (path: string) =>
    Bun.file(path)
      .bytes()
      .catch(() => new Uint8Array(0))

  it('is not taken for a new one when sonant.db was copied without its log', async () => {
    const sonant = await startIn(directory)
    await sonant.speak({ text: 'Hello.' })
    await mkdir(inPlace('copy'))
    await copyFile(inPlace('data/sonant.db'), inPlace('copy/sonant.db'))
    await cp(inPlace('data/audio'), inPlace('copy/audio'), { recursive: true })
    await sonant.stop()
    await expectRefused(inPlace('copy'), 'holds no account, but audio/ still has files')
  })

  it('is not taken for a new one when sonant.db is missing or empty', async () => {
    const sonant = await startIn(directory)
    await sonant.speak({ text: 'Hello.' })
    await sonant.stop()
    await truncate(inPlace('data/sonant.db'))
    await expectRefused(inPlace('data'), 'is empty, but audio/ still has files')
    await rm(inPlace('data/sonant.db'))
    await expectRefused(inPlace('data'), 'is missing, but audio/ still has files')
    await rename(inPlace('data/audio'), inPlace('audio-of-before'))
    const anew = await startIn(directory)
    expect(anew.apiKey).toMatch(/^sk-/)
    await anew.stop()
  })

  it('keeps a log whose sonant.db is missing, until that is back', async () => {
    const sonant = await startIn(directory)
    await sonant.speak({ text: 'Hello.' })
    sonant.process.kill('SIGKILL')
    await sonant.process.exited
    await rename(inPlace('data/sonant.db'), inPlace('sonant.db'))
    await rm(inPlace('data/audio'), { recursive: true })
    await expectRefused(inPlace('data'), 'its log sonant.db-wal is there')
    await rename(inPlace('sonant.db'), inPlace('data/sonant.db'))
    const again = await startIn(directory, { apiKey: sonant.apiKey })
    expect((await again.request('/api/v1/balance')).status).toBe(200)
    await again.stop()
  })

  it('may have voices and settings before its first start', async () => {
    await mkdir(inPlace('data/voices/pack'), { recursive: true })
    await mkdir(inPlace('data/audio/demos'), { recursive: true })
    await Bun.write(inPlace('data/audio/unfinished.mp3.part'), 'x')
    await Bun.write(inPlace('data/sonant.toml'), 'workers = 1\n')
    const sonant = await startIn(directory)
    expect(sonant.apiKey).toMatch(/^sk-/)
    await sonant.stop()
  })
})
