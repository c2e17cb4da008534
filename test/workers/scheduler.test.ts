/** The scheduler with real processes and an engine that misbehaves on demand. */
import { afterEach, describe, expect, it } from 'bun:test'
import { join } from 'node:path'
import { startDeadline } from '../../src/deadline'
import { AppError } from '../../src/errors'
import { createLogger } from '../../src/log'
import type { VoiceSpec } from '../../src/speech/voice'
import type { ModelOptions } from '../../src/workers/pool/models'
import { createScheduler, type Scheduler } from '../../src/workers/scheduler'
import { render, type RenderRequest } from '../../src/speak/render'
import { letCloneIn } from '../../src/clone/enrolment'
import { isRunning } from '../processes'
import { until } from '../until'
import { modelOptions } from './model-options'

const voice: VoiceSpec = { id: 'v', engine: 'flite', language: 'en-US', sampleRate: 16_000, settings: { voice: 'v' } }
const schedulers: Scheduler[] = []

type SchedulerOptions = {
  workers?: number
  taskTimeoutMs?: number
  memoryMb?: number
  jobsMax?: number
  command?: string[]
  models?: Partial<ModelOptions>
}

function startScheduler(options: SchedulerOptions = {}) {
  const scheduler = createScheduler({
    models: { ...modelOptions, ...options.models },
    command: options.command ?? [process.execPath, join(import.meta.dir, 'strange-worker.ts'), 'worker'],
    workers: options.workers ?? 2,
    taskTimeoutMs: options.taskTimeoutMs ?? 10_000,
    workerMemoryMaxBytes: (options.memoryMb ?? 600) << 20,
    jobsMax: options.jobsMax ?? 100,
    horizonMs: 60_000,
    log: createLogger('silent'),
  })
  schedulers.push(scheduler)
  return scheduler
}

afterEach(() => {
  for (const scheduler of schedulers.splice(0)) scheduler.close()
})

type Overrides = Partial<Pick<RenderRequest, 'format' | 'place' | 'deadline' | 'signal' | 'queueKey' | 'speed'>>

/** Renders into memory and returns the file. */
async function say(scheduler: Scheduler, text: string, overrides: Overrides = {}): Promise<Uint8Array> {
  let file = Buffer.alloc(0)
  const sink = {
    async write(bytes: Uint8Array, position: number) {
      if (position + bytes.length > file.length)
        file = Buffer.concat([file, Buffer.alloc(position + bytes.length - file.length)])
      file.set(bytes, position)
    },
  }
  await render(
    scheduler,
    {
      text,
      voice,
      fallbackVoiceFor: () => voice,
      speed: 1,
      format: 'mp3',
      mp3SampleRate: undefined,
      queueKey: 'key',
      deadline: startDeadline(20_000),
      ...overrides,
    },
    sink,
  )
  return file
}

async function errorOf(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(AppError)
  return error as AppError
}

const long = Array.from({ length: 12 }, (_, i) => `This is sentence number ${'abcdefghijkl'[i]} of a long text.`).join(
  ' ',
)

/** A fifth of a second each. */
const slow = (utterances: number) => 'slow one.\n'.repeat(utterances)

describe('the scheduler', () => {
  it('makes the same bytes with one worker and with three', async () => {
    const alone = await say(startScheduler({ workers: 1 }), long)
    const together = await say(startScheduler({ workers: 3 }), long)
    expect(alone.length).toBeGreaterThan(10_000)
    expect(Bun.hash(together)).toBe(Bun.hash(alone))
  })

  it('is quiet since the last request ended, whatever has no request', async () => {
    const scheduler = startScheduler()
    const before = performance.now()
    const request = scheduler.openJob({ key: 'key', background: false })
    const demo = scheduler.openJob({ key: '', background: true })
    expect(scheduler.quietForMs()).toBe(0)
    await Bun.sleep(20)
    const ended = performance.now()
    request.end()
    expect(scheduler.quietForMs()).toBeWithin(0, performance.now() - ended + 1e-6)
    await Bun.sleep(20)
    demo.end()
    expect(scheduler.quietForMs()).toBeWithin(20 - 1, performance.now() - before)
  })

  it('starts only as many workers as the work needs', async () => {
    const scheduler = startScheduler({ workers: 4 })
    await say(scheduler, 'One sentence.')
    expect(scheduler.status().workers).toBe(1)
  })

  for (const [what, text] of [
    ['a spinning WASM loop', 'spin for ever'],
    ['a blocked native call', 'block for ever'],
  ] as const)
    it(`kills ${what} at its deadline and serves other requests meanwhile and afterwards`, async () => {
      const scheduler = startScheduler({ workers: 2, taskTimeoutMs: 1500 })
      await Promise.all([say(scheduler, 'slow warm up.'), say(scheduler, 'slow warm up too.')])
      const before = scheduler.pids()
      const hanging = errorOf(say(scheduler, text))
      const others = Promise.all(Array.from({ length: 10 }, () => say(scheduler, 'Hello there.')))
      expect(new Set((await others).map((bytes) => Bun.hash(bytes))).size).toBe(1)
      expect((await hanging).code).toBe('synthesis_timeout')
      await say(scheduler, 'Hello again.')
      // The request fails when its process has exited.
      const dead = before.filter((pid) => !isRunning(pid))
      expect(dead.length).toBe(1)
    })

  it('kills a worker that outgrows its memory', async () => {
    const scheduler = startScheduler({ workers: 1, memoryMb: 250 })
    expect((await errorOf(say(scheduler, 'grow and grow.'))).code).toBe('synthesis_failed')
    expect((await say(scheduler, 'Hello.')).length).toBeGreaterThan(0)
  })

  it('answers synthesis_failed when a busy worker dies, and goes on with another', async () => {
    const scheduler = startScheduler({ workers: 1 })
    expect((await errorOf(say(scheduler, 'die now.'))).code).toBe('synthesis_failed')
    expect((await say(scheduler, 'Hello.')).length).toBeGreaterThan(0)
  })

  it('gives a task to another worker when its own died before the task began', async () => {
    const scheduler = startScheduler({ workers: 1 })
    await say(scheduler, 'Hello.')
    for (const pid of scheduler.pids()) process.kill(pid, 'SIGKILL')
    expect((await say(scheduler, 'Hello.')).length).toBeGreaterThan(0)
  })

  it('gives a task to another worker when its own is stopped before the task begins', async () => {
    const scheduler = startScheduler({ workers: 1 })
    const expected = await say(scheduler, 'Hello.')
    const stopped = scheduler.pids()
    for (const pid of stopped) process.kill(pid, 'SIGSTOP')
    expect(await say(scheduler, 'Hello.')).toEqual(expected)
    expect(scheduler.pids().filter((pid) => stopped.includes(pid))).toEqual([])
  })

  it('encodes a stream again elsewhere when its worker dies for another request, byte for byte', async () => {
    const expected = await say(startScheduler({ workers: 1 }), long)
    const scheduler = startScheduler({ workers: 2 })
    const steady = say(scheduler, long, { queueKey: 'steady' })
    const deaths = Array.from({ length: 6 }, (_, i) =>
      errorOf(say(scheduler, `die ${'abcdef'[i]}.`, { queueKey: 'deadly' })),
    )
    expect((await Promise.all(deaths)).map(({ code }) => code)).toEqual(Array(6).fill('synthesis_failed'))
    expect(Bun.hash(await steady)).toBe(Bun.hash(expected))
  })

  it('reports that the engine failed without internal details', async () => {
    const error = await errorOf(say(startScheduler(), 'fail please.'))
    expect(error.code).toBe('synthesis_failed')
    expect(error.message).not.toContain('does not like')
  })

  it('refuses silent audio for a text with words', async () => {
    expect((await errorOf(say(startScheduler(), 'silent words.'))).code).toBe('synthesis_failed')
  })

  it('ends a request whose deadline passes while it waits', async () => {
    const scheduler = startScheduler({ workers: 1 })
    await say(scheduler, 'Hello.')
    // The speed of this voice is not known yet.
    const first = say(scheduler, slow(5))
    const last = { deadline: startDeadline(600), queueKey: 'other' }
    const error = await errorOf(say(scheduler, slow(4), last))
    expect(error.code).toBe('synthesis_timeout')
    expect((await first).length).toBeGreaterThan(0)
  })

  it('refuses a request that cannot finish in time behind others, and admits its retry at the stated time', async () => {
    const scheduler = startScheduler({ workers: 1 })
    for (let i = 0; i < 4; i++) await say(scheduler, slow(2))
    const held = Array.from({ length: 3 }, (_, i) => say(scheduler, slow(4), { queueKey: `held ${i}` }))
    const late = { queueKey: 'late', deadline: startDeadline(2_000) }
    const error = await errorOf(say(scheduler, slow(4), late))
    expect([error.code, scheduler.status().jobs]).toEqual(['rate_limited', 3])
    expect(error.retryAfterSeconds).toBeWithin(1, 10)
    await Promise.all(held)
    expect((await say(scheduler, slow(4), { queueKey: 'late' })).length).toBeGreaterThan(0)
  })

  it('admits a clone as a whole: it may be refused at its beginning, but not once it has its place', async () => {
    const scheduler = startScheduler({ workers: 1 })
    for (let i = 0; i < 4; i++) await say(scheduler, slow(2))
    const clone = () => letCloneIn(scheduler, { queueKey: 'clone', deadline: startDeadline(6_000) }, undefined)
    const { place } = clone()
    const held = say(scheduler, slow(30), { queueKey: 'first', deadline: startDeadline(50_000) })
    expect(clone).toThrow(expect.objectContaining({ code: 'rate_limited' }))
    // Its demo. Another request of this size would be refused here.
    const late = { queueKey: 'clone', deadline: startDeadline(3_000) }
    expect((await errorOf(say(scheduler, slow(8), late))).code).toBe('rate_limited')
    expect((await say(scheduler, slow(1), { queueKey: 'clone', place })).length).toBeGreaterThan(0)
    place.leave()
    await held
  })

  it('refuses a text that takes longer than its deadline even alone, once the speed of the voice is known', async () => {
    const scheduler = startScheduler({ workers: 1 })
    for (let i = 0; i < 4; i++) await say(scheduler, 'slow one.')
    const error = await errorOf(say(scheduler, slow(15), { deadline: startDeadline(1_000) }))
    expect([error.code, scheduler.status().running]).toEqual(['synthesis_timeout', 0])
    expect((await say(scheduler, 'slow one.', { deadline: startDeadline(20_000) })).length).toBeGreaterThan(0)
  })

  it('drops a request whose client leaves before its turn', async () => {
    const scheduler = startScheduler({ workers: 1 })
    await say(scheduler, 'Hello.')
    const first = say(scheduler, 'slow one.')
    const leaving = new AbortController()
    const dropped = errorOf(say(scheduler, 'slow two.', { signal: leaving.signal }))
    leaving.abort()
    expect((await dropped).code).toBe('client_gone')
    await first
    expect(scheduler.status()).toMatchObject({ jobs: 0, waiting: 0, running: 0 })
  })

  it('finishes a request whose client leaves after its turn came', async () => {
    const scheduler = startScheduler({ workers: 1 })
    await say(scheduler, 'Hello.')
    const leaving = new AbortController()
    const speaking = say(scheduler, 'slow one. slow two.', { signal: leaving.signal })
    await until(() => scheduler.status().running > 0)
    leaving.abort()
    expect((await speaking).length).toBeGreaterThan(0)
  })

  it('refuses requests beyond its limit, and states when to retry', async () => {
    const scheduler = startScheduler({ workers: 1, jobsMax: 3 })
    const held = Array.from({ length: 3 }, () => say(scheduler, 'slow one.'))
    const error = await errorOf(say(scheduler, 'slow one too many.'))
    expect(error.code).toBe('rate_limited')
    expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(1)
    await Promise.all(held)
    expect((await say(scheduler, 'slow again.')).length).toBeGreaterThan(0)
  })

  it('fails requests when no process can be started', async () => {
    const scheduler = startScheduler({ command: ['/nowhere/sonant', 'worker'] })
    const errors = await Promise.all([errorOf(say(scheduler, 'Hello.')), errorOf(say(scheduler, long))])
    expect(errors.map(({ code }) => code)).toEqual(['synthesis_failed', 'synthesis_failed'])
    expect(scheduler.status()).toMatchObject({ jobs: 0, waiting: 0, running: 0 })
  })

  it('fails requests when every process ends at once', async () => {
    const scheduler = startScheduler({ command: ['/bin/false'] })
    expect((await errorOf(say(scheduler, 'Hello.'))).code).toBe('synthesis_failed')
  })

  it('rejects further tasks on the stream of an ended job', async () => {
    const scheduler = startScheduler({ workers: 1 })
    const job = scheduler.openJob({ key: 'a', background: false })
    const stream = job.openStream({ format: 'mp3', sampleRate: 16_000 })
    await stream.append(new Int16Array(16_000), false)
    job.end()
    expect(await stream.append(new Int16Array(16_000), true).catch((error: Error) => error.name)).toBe('JobEnded')
    await until(() => scheduler.status().running === 0)
    expect(scheduler.status()).toMatchObject({ jobs: 0, waiting: 0, running: 0 })
  })

  it('does not kill a healthy worker when a request passes its deadline', async () => {
    const scheduler = startScheduler({ workers: 1 })
    await say(scheduler, 'Hello.')
    const before = scheduler.pids()
    const error = await errorOf(say(scheduler, 'slow one. slow two. slow three.', { deadline: startDeadline(300) }))
    expect(error.code).toBe('synthesis_timeout')
    expect((await say(scheduler, 'Hello.')).length).toBeGreaterThan(0)
    expect(scheduler.pids()).toEqual(before)
  })

  it('leaves no process behind when it is closed', async () => {
    const scheduler = startScheduler({ workers: 2 })
    await Promise.all([say(scheduler, 'slow one.'), say(scheduler, 'slow two.')])
    const pids = scheduler.pids()
    scheduler.close()
    await until(() => !pids.some(isRunning))
  })
})
