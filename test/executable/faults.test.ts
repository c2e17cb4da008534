/** Failures around the executable: disks, dead workers, signals, leaving clients. */
import { afterEach, describe, expect, it } from 'bun:test'
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childrenOf, isRunning } from '../processes'
import { until } from '../until'
import { auditDifference, isSpeaking, query } from './books'
import { executable, runSonant, startIn, startSonant, stopAndRemove, type Sonant } from './sonant'

const started: Sonant[] = []
afterEach(async () => {
  for (const sonant of started.splice(0)) await stopAndRemove(sonant)
})

async function start(options?: Parameters<typeof startSonant>[0]): Promise<Sonant> {
  const sonant = await startSonant(options)
  started.push(sonant)
  return sonant
}

async function failureOf(response: Promise<Response>) {
  const { status, headers } = await response
  const { error } = (await (await response).json()) as { error: { code: string; type: string } }
  return { status, code: error.code, type: error.type, retryAfter: headers.get('retry-after') }
}

const filesIn = async (directory: string) =>
  (await readdir(join(directory, 'data/audio'))).filter((name) => name !== 'demos')

const say = (sonant: Sonant, text = 'Hello there.') =>
  sonant.request('/api/v1/tts', { body: { text, voice_id: 'en-kevin' } })
const storageFailed = { status: 502, code: 'storage_failed', type: 'engine_error', retryAfter: null }
const longText = 'This is one of many sentences that together take a while to speak. '.repeat(15)

const canMount = process.getuid?.() === 0 && process.platform === 'linux' && tryMount()
function tryMount(): boolean {
  const directory = `${tmpdir()}/sonant-mount-${process.pid}`
  Bun.spawnSync(['mkdir', '-p', directory])
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=1m', 'none', directory]).exitCode === 0
  if (mounted) Bun.spawnSync(['umount', directory])
  Bun.spawnSync(['rmdir', directory])
  return mounted
}
if (!canMount) console.warn('SKIPPED for want of the right to mount: a full disk')

describe('a full disk', () => {
  it.skipIf(!canMount)('is storage_failed, leaves no partial file, and works when there is space again', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sonant-full-'))
    expect(Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=3m', 'none', directory]).exitCode).toBe(0)
    try {
      const sonant = await startIn(directory, { flags: ['--min-free-bytes', '0'], demos: true })
      expect((await say(sonant)).status).toBe(200)
      const before = await filesIn(directory)
      const ballast = join(directory, 'ballast')
      Bun.spawnSync(['dd', 'if=/dev/zero', `of=${ballast}`, 'bs=4k'])
      expect(await failureOf(say(sonant, longText))).toEqual(storageFailed)
      expect(await filesIn(directory)).toEqual(before)
      await rm(ballast)
      expect((await say(sonant)).status).toBe(200)
      expect(await sonant.stop()).toBe(0)
    } finally {
      Bun.spawnSync(['umount', '-l', directory])
      await rm(directory, { recursive: true, force: true })
    }
  })

  it.skipIf(!canMount)(
    'lets a server start, serve stored audio, report the full disk, and recover when there is space',
    async () => {
      const directory = await mkdtemp(join(tmpdir(), 'sonant-full-'))
      expect(Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=4m', 'none', directory]).exitCode).toBe(0)
      try {
        const first = await startIn(directory, { flags: ['--min-free-bytes', '0'], demos: true })
        const { answer } = await first.speak({ text: 'Hello.' })
        const name = (answer.url as string).split('/').at(-1)
        // A request ended by a kill leaves a hold, which the next start releases.
        const running = say(first, longText).catch(() => undefined)
        const data = join(directory, 'data')
        await until(() => query(data, "SELECT 1 FROM holds WHERE status = 'held'").length > 0)
        first.process.kill('SIGKILL')
        await running
        await first.process.exited
        // As after an orderly stop: without SQLite's shared files.
        query(data, 'SELECT 1 FROM holds')
        const ballast = join(directory, 'ballast')
        const fill = () =>
          Bun.spawnSync(['dd', 'if=/dev/zero', `of=${ballast}`, 'bs=4k', 'conv=notrunc', 'oflag=append'])
        for (const file of await filesIn(directory)) if (file.endsWith('.part')) await rm(join(data, 'audio', file))
        fill()
        const sonant = await startIn(directory, { apiKey: first.apiKey, flags: ['--min-free-bytes', '0'], demos: true })
        const readyz = async () => (await (await sonant.request('/readyz')).json()) as { storage?: string }
        expect(await readyz()).toMatchObject({ ok: true, storage: 'full' })
        const line = sonant
          .log()
          .split('\n')
          .find((one) => one.includes('the disk is full'))
        expect(JSON.parse(line!)).toMatchObject({ level: 'error', dataDirectory: data, freeBytes: 0 })
        expect((await fetch(`${sonant.storageUrl}/${name}`)).status).toBe(200)
        expect((await sonant.request('/api/v1/voices')).status).toBe(200)
        expect((await sonant.request('/api/v1/usage')).status).toBe(200)
        expect((await sonant.request('/api/v1/balance')).status).toBe(200)
        expect(await failureOf(say(sonant))).toEqual(storageFailed)
        await rm(ballast)
        await until(() => sonant.log().includes('the disk has room again'))
        expect(await readyz()).not.toHaveProperty('storage')
        expect((await say(sonant)).status).toBe(200)
        expect(query(data, "SELECT * FROM holds WHERE status = 'held'")).toEqual([])
        expect(auditDifference(data)).toBeUndefined()
        expect(await sonant.stop()).toBe(0)
      } finally {
        Bun.spawnSync(['umount', '-l', directory])
        await rm(directory, { recursive: true, force: true })
      }
    },
  )

  it.skipIf(!canMount)('ends the start of a new directory with its name and the free bytes', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sonant-full-'))
    expect(Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', directory]).exitCode).toBe(0)
    try {
      const data = join(directory, 'data')
      const { exitCode, stderr } = runSonant(['serve', '--port', '0', '--data', data, '--min-free-bytes', '0'])
      expect(exitCode).toBe(1)
      expect(stderr.trim().split('\n').at(-1)).toMatch(
        new RegExp(`^sonant: the server cannot write to the disk of ${data}; \\d+ bytes are free$`),
      )
    } finally {
      Bun.spawnSync(['umount', '-l', directory])
      await rm(directory, { recursive: true, force: true })
    }
  })

  it('is refused before any work when less than the minimum is free', async () => {
    const sonant = await start({ flags: ['--min-free-bytes', String(2 ** 52)] })
    expect(await failureOf(say(sonant))).toEqual(storageFailed)
    expect(await filesIn(sonant.directory)).toEqual([])
  })
})

describe('an audio directory that cannot be written', () => {
  it('is storage_failed, and the next request works after its return', async () => {
    const sonant = await start()
    const audio = join(sonant.directory, 'data/audio')
    // Root may write anywhere, so a file replaces the directory instead of a read-only mode.
    Bun.spawnSync(['mv', audio, `${audio}.away`])
    await Bun.write(audio, '')
    expect(await failureOf(say(sonant))).toEqual(storageFailed)
    await rm(audio)
    Bun.spawnSync(['mv', `${audio}.away`, audio])
    expect((await say(sonant)).status).toBe(200)
  })

  it('stops the start with one clear line', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sonant-file-'))
    await Bun.write(join(directory, 'data'), 'not a directory')
    const { exitCode, stdout, stderr } = runSonant(['serve', '--port', '0', '--data', join(directory, 'data')])
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(join(directory, 'data'))])
    await rm(directory, { recursive: true })
  })
})

const workersOf = (sonant: Sonant) => childrenOf(sonant.process.pid)

describe('a worker that is killed', () => {
  it('fails at most its own request, and the next ones work', async () => {
    const sonant = await start({ flags: ['--workers', '2'] })
    await say(sonant)
    const running = Array.from({ length: 4 }, () => say(sonant, longText.slice(0, 600)))
    await until(() => isSpeaking(join(sonant.directory, 'data'), 2))
    const [victim] = workersOf(sonant)
    process.kill(victim!, 'SIGKILL')
    const statuses = (await Promise.all(running)).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 200 && status !== 502)).toEqual([])
    expect(statuses.filter((status) => status === 502).length).toBeLessThanOrEqual(1)
    expect(sonant.log()).toContain('worker lost')
    const hashes = await Promise.all(
      Array.from({ length: 4 }, async () => Bun.hash((await sonant.speak({ text: 'Hello there.' })).audio)),
    )
    expect(new Set(hashes).size).toBe(1)
    const files = await filesIn(sonant.directory)
    expect(files.filter((name) => !name.endsWith('.mp3'))).toEqual([])
    expect(files.length).toBe(1 + statuses.filter((status) => status === 200).length + 4)
  })
})

describe('SIGTERM', () => {
  it('lets running requests finish, refuses new ones, and ends with 0 and no process left', async () => {
    const sonant = await start()
    await say(sonant)
    const running = say(sonant, longText)
    await until(() => isSpeaking(join(sonant.directory, 'data')))
    const workers = workersOf(sonant)
    sonant.process.kill('SIGTERM')
    await until(() => sonant.log().includes('"msg":"stopping"'))
    expect(await failureOf(say(sonant))).toEqual({
      status: 503,
      code: 'internal_error',
      type: 'internal_error',
      retryAfter: '5',
    })
    expect((await running).status).toBe(200)
    expect(await sonant.process.exited).toBe(0)
    await until(() => !workers.some(isRunning))
  })
})

describe('SIGKILL', () => {
  it('makes workers exit, and the next start removes partial files', async () => {
    const sonant = await start()
    await say(sonant)
    const request = say(sonant, longText).catch(() => undefined)
    await until(() => isSpeaking(join(sonant.directory, 'data')))
    const workers = workersOf(sonant)
    sonant.process.kill('SIGKILL')
    await request
    await sonant.process.exited
    await until(() => !workers.some(isRunning))
    const left = await filesIn(sonant.directory)
    expect(left.some((name) => name.endsWith('.part'))).toBe(true)
    const again = await startIn(sonant.directory, { apiKey: sonant.apiKey })
    expect(await filesIn(sonant.directory)).toEqual(left.filter((name) => !name.endsWith('.part')))
    expect((await say(again)).status).toBe(200)
    await again.stop()
  })
})

describe('workers of a server that was killed', () => {
  it.skipIf(process.platform !== 'linux')('exit, whether they are busy, idle or stopped', async () => {
    const sonant = await start({ flags: ['--workers', '2'] })
    const requests = [say(sonant, longText), say(sonant, longText)].map((request) => request.catch(() => undefined))
    await until(() => workersOf(sonant).length === 2)
    const workers = workersOf(sonant)
    process.kill(workers[0]!, 'SIGSTOP')
    sonant.process.kill('SIGKILL')
    await Promise.all(requests)
    await until(() => !workers.some(isRunning))
  })

  it.skipIf(process.platform !== 'linux')('have no setting or key in their environment', async () => {
    const env = { SONANT_ADMIN_KEY: 'k'.repeat(40), SONANT_LOG_LEVEL: 'info', MY_TOKEN: 'secret' }
    const sonant = await start({ env })
    await until(() => workersOf(sonant).length > 0)
    for (const pid of workersOf(sonant)) {
      const names = (await Bun.file(`/proc/${pid}/environ`).text()).split('\0').map((entry) => entry.split('=')[0])
      expect(names).toContain('PATH')
      expect(names.filter((name) => /^SONANT_(?!WORKER_RUNTIME)|TOKEN/.test(name!))).toEqual([])
    }
  })
})

describe('a client that leaves', () => {
  it('does not disturb the service, which drops work that has not begun', async () => {
    const sonant = await start({ flags: ['--workers', '1'] })
    await say(sonant)
    const controller = new AbortController()
    const leaving = Array.from({ length: 20 }, () =>
      fetch(`${sonant.baseUrl}/api/v1/tts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sonant.apiKey}` },
        body: JSON.stringify({ text: longText, voice_id: 'en-kevin' }),
        signal: controller.signal,
      }).catch(() => undefined),
    )
    await until(() => isSpeaking(join(sonant.directory, 'data')))
    controller.abort()
    await Promise.all(leaving)
    expect((await say(sonant)).status).toBe(200)
    // Partial files count too: a request has its file from the beginning.
    expect((await filesIn(sonant.directory)).length).toBeWithin(2, 10)
  })
})

describe('a port that is taken', () => {
  it('ends the start with one clear line', async () => {
    const sonant = await start()
    const port = new URL(sonant.baseUrl).port
    const directory = await mkdtemp(join(tmpdir(), 'sonant-port-'))
    const { exitCode, stderr } = runSonant(['serve', '--port', port, '--data', join(directory, 'data')])
    expect(exitCode).toBe(1)
    expect(stderr).toContain(port)
    expect(stderr).not.toContain('    at ')
    await rm(directory, { recursive: true })
  })
})

describe('the executable', () => {
  it('needs nothing beside it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sonant-alone-'))
    await mkdir(join(directory, 'bin'))
    const copy = join(directory, 'bin/sonant')
    await Bun.write(copy, Bun.file(executable))
    await chmod(copy, 0o755)
    await Bun.write(join(directory, '.env'), 'SONANT_PORT=1\n')
    const { exitCode, stderr } = Bun.spawnSync([copy, 'say', 'Hello 世界', '-o', 'out.mp3'], {
      cwd: directory,
      env: {},
    })
    expect([exitCode, stderr.toString()]).toEqual([0, expect.stringContaining('out.mp3')])
    expect(Bun.file(join(directory, 'out.mp3')).size).toBeGreaterThan(5000)
    await rm(directory, { recursive: true })
  })
})
