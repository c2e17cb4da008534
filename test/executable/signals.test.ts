/** Signals from people, terminals and service managers to the server or to its whole group. */
import { afterEach, describe, expect, it } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childrenOf, isRunning } from '../processes'
import { auditDifference, isSpeaking, query } from './books'
import { executable, startEphemeral, startSonant, stopAndRemove, type EphemeralSonant, type Sonant } from './sonant'
import { readReadyLine } from '../lines'
import { until } from '../until'

const started: Sonant[] = []
afterEach(async () => {
  for (const sonant of started.splice(0)) await stopAndRemove(sonant)
})

async function start(options?: Parameters<typeof startEphemeral>[0]): Promise<EphemeralSonant> {
  const sonant = await startEphemeral(options)
  started.push(sonant)
  return sonant
}

const longText = 'This is one of many sentences that together take a while to speak. '.repeat(15)
const held = "SELECT * FROM holds WHERE status = 'held'"
const say = (sonant: Sonant, text = 'Hello there.') =>
  sonant.request('/api/v1/tts', { body: { text, voice_id: 'en-kevin' } })

const isPosix = process.platform !== 'win32'

describe.if(isPosix)('the server', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP'] as const)('drains on %s to its whole group', async (signal) => {
    const sonant = await start()
    await say(sonant)
    const running = say(sonant, longText)
    await until(() => isSpeaking(sonant.dataDirectory))
    const workers = childrenOf(sonant.process.pid)
    process.kill(-sonant.process.pid, signal)
    expect((await running).status).toBe(200)
    expect(await sonant.process.exited).toBe(0)
    expect(sonant.log()).toContain(`"signal":"${signal}","msg":"stopping"`)
    await until(() => !workers.some(isRunning))
  })

  it('ignores SIGUSR1, SIGUSR2 and SIGPIPE', async () => {
    const sonant = await start()
    for (const signal of ['SIGUSR1', 'SIGUSR2', 'SIGPIPE'] as const)
      for (let times = 0; times < 3; times++) {
        sonant.process.kill(signal)
        expect((await say(sonant)).status).toBe(200)
      }
    expect(sonant.process.exitCode).toBeNull()
  })

  it('ignores SIGHUP when started so', async () => {
    const sonant = await start({ through: ['nohup'] })
    sonant.process.kill('SIGHUP')
    expect((await say(sonant)).status).toBe(200)
    expect(sonant.process.exitCode).toBeNull()
  })

  it('cancels running work at a second SIGTERM a while later, but not at a simultaneous one', async () => {
    const sonant = await startSonant({ flags: ['--workers', '1'] })
    started.push(sonant)
    await say(sonant)
    const dataDirectory = join(sonant.directory, 'data')
    const running = Array.from({ length: 6 }, () => say(sonant, longText))
    await until(() => query(dataDirectory, held).length === 6)
    await until(() => isSpeaking(dataDirectory))
    sonant.process.kill('SIGTERM')
    sonant.process.kill('SIGTERM')
    await until(() => sonant.log().includes('"msg":"stopping"'))
    expect(sonant.log()).not.toContain('stopping at once')
    const hurrying = setInterval(() => sonant.process.kill('SIGTERM'), 300)
    const statuses = (await Promise.all(running)).map(({ status }) => status)
    expect(await sonant.process.exited).toBe(0)
    clearInterval(hurrying)
    expect(sonant.log()).toContain('stopping at once')
    expect(statuses.filter((status) => ![200, 503].includes(status))).toEqual([])
    expect(statuses).toContain(503)
    expect(auditDifference(dataDirectory)).toBeUndefined()
    expect(query(dataDirectory, held)).toEqual([])
  })
})

describe.if(isPosix)('a start', () => {
  it('that is stopped before it is ready exits with 0 and leaves no directory', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sonant-signals-'))
    // Reading the seed waits for the other end of the pipe.
    Bun.spawnSync(['mkfifo', join(directory, 'seed')])
    const starting = Bun.spawn([executable, 'serve', '--ephemeral', '--seed', join(directory, 'seed')], {
      env: { PATH: '/usr/bin:/bin', TMPDIR: directory },
      stderr: 'ignore',
    })
    await until(async () => (await readdir(directory)).some((name) => name.startsWith('sonant-ephemeral-')))
    starting.kill('SIGTERM')
    expect(await starting.exited).toBe(0)
    expect(await readdir(directory)).toEqual(['seed'])
    await rm(directory, { recursive: true })
  })
})

describe.if(isPosix)('a server with a closed output', () => {
  it.each(['stdout', 'stderr'] as const)('continues without its %s', async (name) => {
    const directory = await mkdtemp(join(tmpdir(), 'sonant-signals-'))
    const server = Bun.spawn([executable, 'serve', '--port', '0', '--data', join(directory, 'data')], {
      env: { PATH: '/usr/bin:/bin' },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const line = await readReadyLine(server.stdout)
    await server[name].cancel()
    for (let times = 0; times < 5; times++) {
      const headers = { authorization: `Bearer ${line.api_key}` }
      const answer = await fetch(`${line.base_url}/api/v1/tts`, {
        method: 'POST',
        headers,
        body: '{"text":"Hello.","voice_id":"en-kevin"}',
      })
      expect(answer.status).toBe(200)
    }
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    await rm(directory, { recursive: true })
  })
})
