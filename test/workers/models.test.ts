/** Models in the scheduler: loading, keeping, unloading and failing, with real processes. */
import { afterAll, afterEach, describe, expect, it, spyOn } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDeadline } from '../../src/deadline'
import type { ModelOptions } from '../../src/workers/pool/models'
import type { VoiceSpec } from '../../src/speech/voice'
import { createScheduler, type Scheduler } from '../../src/workers/scheduler'
import { render } from '../../src/speak/render'
import { TaskFailed } from '../../src/workers/task-failed'
import { isRunning } from '../processes'
import { until } from '../until'
import { createLogEvents, type LogEvents } from './log-events'
import { modelOptions } from './model-options'

const schedulers: Scheduler[] = []

function startScheduler(models: Partial<ModelOptions> = {}, workers = 2, { log }: LogEvents = createLogEvents()) {
  const scheduler = createScheduler({
    command: [process.execPath, join(import.meta.dir, 'strange-worker.ts'), 'worker'],
    workers,
    taskTimeoutMs: 10_000,
    workerMemoryMaxBytes: 600 << 20,
    jobsMax: 100,
    horizonMs: 60_000,
    models: { ...modelOptions, ...models },
    log,
  })
  schedulers.push(scheduler)
  return scheduler
}

const directories: string[] = []
afterEach(() => {
  for (const scheduler of schedulers.splice(0)) scheduler.close()
})
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true })
})

const builtIn: VoiceSpec = { id: 'b', engine: 'flite', language: 'en-US', sampleRate: 16_000, settings: { voice: 'v' } }
const megabyte = 1 << 20

function neural(graph: string, memoryBytes = megabyte): VoiceSpec {
  return { ...builtIn, id: graph, engine: 'piper', model: { directory: '/packs', graph, version: '1', memoryBytes } }
}

/** Frames of the synthesized audio. */
async function say(scheduler: Scheduler, voice: VoiceSpec, text = 'Hello there.', key = voice.id): Promise<number> {
  return (await speak(scheduler, voice, text, key)).frames
}

async function speak(scheduler: Scheduler, voice: VoiceSpec, text: string, key: string) {
  const job = scheduler.openJob({ key, background: false })
  try {
    const { chunks, words } = await job.synthesize({
      kind: 'synthesize',
      voice,
      text,
      letters: 10,
      symbols: 0,
      sampleRate: 16_000,
      speed: 1,
      pauseMs: 0,
    })
    const frames = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    return { frames, together: words?.[0]?.text }
  } finally {
    job.end()
  }
}

async function failureOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(TaskFailed)
  return (error as TaskFailed).message
}

const names = (scheduler: Scheduler) => scheduler.models().map(({ name }) => name)

describe('models', () => {
  it('are loaded on first use, and stay loaded', async () => {
    const scheduler = startScheduler()
    expect(scheduler.models()).toEqual([])
    expect(await say(scheduler, neural('a'))).toBeGreaterThan(1000)
    const [pid] = scheduler.pids()
    await say(scheduler, neural('a'))
    expect(scheduler.pids()).toEqual([pid!])
    expect(names(scheduler)).toEqual(['/packs/a'])
    expect(scheduler.models()[0]!.memoryBytes).toBeGreaterThan(10 * megabyte)
  })

  it('are loaded once for concurrent requests, then once more for the second worker', async () => {
    const scheduler = startScheduler()
    await Promise.all(Array.from({ length: 12 }, (_, i) => say(scheduler, neural('slow'), 'slow words.', `key ${i}`)))
    expect(scheduler.models()).toMatchObject([{ name: '/packs/slow', processes: 2 }])
  })

  it('do not block other voices while they load, even with one worker', async () => {
    const scheduler = startScheduler({}, 1)
    await say(scheduler, builtIn)
    const order: string[] = []
    const loading = say(scheduler, neural('slow')).then(() => order.push('neural'))
    for (let i = 0; i < 5; i++) await say(scheduler, builtIn).then(() => order.push('built in'))
    await loading
    expect(order).toEqual([...Array(5).fill('built in'), 'neural'])
  })

  it('are unloaded to make room for another, least recently used first', async () => {
    const scheduler = startScheduler({ memoryMaxBytes: 25 * megabyte })
    await say(scheduler, neural('a', 10 * megabyte))
    await say(scheduler, neural('b', 10 * megabyte))
    await say(scheduler, neural('a', 10 * megabyte))
    await say(scheduler, neural('c', 10 * megabyte))
    expect(names(scheduler).sort()).toEqual(['/packs/a', '/packs/c'])
  })

  it('that exceed the memory budget are refused by name, and no other is unloaded for them', async () => {
    const scheduler = startScheduler({ memoryMaxBytes: 25 * megabyte })
    await say(scheduler, neural('a', 10 * megabyte))
    const message = await failureOf(say(scheduler, neural('huge', 26 * megabyte)))
    expect(message).toContain('huge')
    expect(message).toContain(String(26 * megabyte))
    expect(names(scheduler)).toEqual(['/packs/a'])
  })

  it('are unloaded when they are idle for a while', async () => {
    const events = createLogEvents()
    const scheduler = startScheduler({ idleMs: 300 }, 2, events)
    const unloaded = events.next('model unloaded')
    await say(scheduler, neural('a'))
    const [pid] = scheduler.pids()
    expect(await unloaded).toEqual({ model: '/packs/a', pid, reason: 'not used' })
    expect(scheduler.models()).toEqual([])
    await until(() => !isRunning(pid!))
    expect(await say(scheduler, neural('a'))).toBeGreaterThan(1000)
  })

  it('are unloaded even if their measured memory is zero', async () => {
    const events = createLogEvents()
    const scheduler = startScheduler({ idleMs: 300 }, 2, events)
    const unloaded = events.next('model unloaded')
    await say(scheduler, neural('a', 0))
    await unloaded
    expect(scheduler.models()).toEqual([])
  })

  it('are unloaded although their process encodes audio of other requests', async () => {
    const events = createLogEvents()
    const scheduler = startScheduler({ idleMs: 300 }, 1, events)
    await say(scheduler, neural('a'))
    const [pid] = scheduler.pids()
    for (let chunks = 0; events.of('model unloaded').length === 0; chunks++) {
      const job = scheduler.openJob({ key: 'k', background: false })
      await job.openStream({ format: 'mp3', sampleRate: 16_000 }).append(new Int16Array(1600), true)
      job.end()
      if (chunks === 0) expect(scheduler.pids()).toEqual([pid!])
      // Lets the timer of the pool run while the process is idle.
      await new Promise(setImmediate)
    }
    expect(scheduler.models()).toEqual([])
  })

  it('that abort their process while loading fail only their own request', async () => {
    const scheduler = startScheduler()
    await say(scheduler, builtIn)
    const failing = failureOf(say(scheduler, neural('die')))
    expect(await say(scheduler, builtIn)).toBeGreaterThan(1000)
    expect(await failing).toContain('die')
    expect(scheduler.pids()).toHaveLength(1)
    expect(await say(scheduler, neural('a'))).toBeGreaterThan(1000)
  })

  it('that cannot be loaded report the reason, and are not tried again for every task', async () => {
    const events = createLogEvents()
    const scheduler = startScheduler({}, 2, events)
    for (let i = 0; i < 3; i++) expect(await failureOf(say(scheduler, neural('bad')))).toContain('this is no graph')
    expect(events.of('a model could not be loaded')).toHaveLength(1)
  })

  it('that never finish loading fail at the time limit', async () => {
    const scheduler = startScheduler({ loadTimeoutMs: 300 })
    expect(await failureOf(say(scheduler, neural('endless')))).toContain('timeout')
    expect(scheduler.models()).toEqual([])
  })

  it('that load longer than a deadline end the request in time, and still finish loading', async () => {
    const events = createLogEvents()
    const scheduler = startScheduler({}, 2, events)
    const loaded = events.next('model loaded')
    const voice = neural('slow')
    const request = {
      text: 'Hello.',
      voice,
      fallbackVoiceFor: () => voice,
      speed: 1,
      format: 'wav',
      queueKey: 'k',
    } as const
    const rendering = render(
      scheduler,
      { ...request, mp3SampleRate: undefined, deadline: startDeadline(200) },
      { async write() {} },
    )
    await expect(rendering).rejects.toMatchObject({ code: 'synthesis_timeout' })
    expect(scheduler.status()).toMatchObject({ waiting: 0, jobs: 0 })
    await loaded
    expect(names(scheduler)).toEqual(['/packs/slow'])
  })

  it('are loaded again when their files have changed', async () => {
    const scheduler = startScheduler()
    const voice = neural('a')
    await say(scheduler, voice)
    await say(scheduler, { ...voice, model: { ...voice.model!, version: '2' } })
    expect(scheduler.models()).toMatchObject([{ name: '/packs/a', processes: 1 }])
  })

  it('whose pack is gone are unloaded, at once or after their open jobs, and all others stay', async () => {
    const scheduler = startScheduler()
    const [kept, gone, busy] = [neural('kept'), neural('gone'), neural('busy')]
    for (const voice of [kept, gone, busy]) await say(scheduler, voice)
    const job = scheduler.openJob({ key: 'long', background: false })
    const task = { kind: 'synthesize', voice: busy, text: 'slow words.', letters: 9, symbols: 0 } as const
    const synthesize = (by = busy) => job.synthesize({ ...task, voice: by, sampleRate: 16_000, speed: 1, pauseMs: 0 })
    const saying = synthesize()
    scheduler.keepOnly([kept.model!, { ...gone.model!, version: '2' }])
    expect(names(scheduler).sort()).toEqual(['/packs/busy', '/packs/kept'])
    await saying
    await synthesize(builtIn)
    await synthesize()
    expect(names(scheduler).sort()).toEqual(['/packs/busy', '/packs/kept'])
    job.end()
    expect(names(scheduler)).toEqual(['/packs/kept'])
    // The process of the built-in voice stays too.
    await until(() => scheduler.pids().length === 2)
  })

  it('whose pack is removed while they load are not loaded to the end', async () => {
    const scheduler = startScheduler()
    const voice = neural('endless')
    const directory = await mkdtemp(join(tmpdir(), 'sonant-models-'))
    directories.push(directory)
    const failing = failureOf(say(scheduler, { ...voice, model: { ...voice.model!, directory } }))
    await until(() => existsSync(join(directory, 'loading')))
    scheduler.keepOnly([])
    await failing
    expect(scheduler.pids()).toEqual([])
  })

  it('that do not fit in memory together take turns, and none waits for ever', async () => {
    const scheduler = startScheduler({ memoryMaxBytes: 15 * megabyte })
    const [a, b] = [neural('a', 10 * megabyte), neural('b', 10 * megabyte)]
    const said = await Promise.all([a, b, a, b].map((voice, i) => say(scheduler, voice, 'Hello.', `key ${i}`)))
    expect(said.every((frames) => frames > 1000)).toBe(true)
  })
})

describe('batches', () => {
  const voice = { ...neural('a'), batches: true }
  const texts = ['Hello.', 'Good morning to you.', 'Yes.', 'How are you today?']

  /** The first task occupies the only worker, so the others wait together. */
  async function sayAll(scheduler: Scheduler, voices: readonly VoiceSpec[], said = texts) {
    await say(scheduler, voices[0]!)
    const first = speak(scheduler, voices[0]!, 'slow start.', 'first')
    const others = said.map((text, i) => speak(scheduler, voices[i % voices.length]!, text, `key ${i}`))
    return { first: await first, others: await Promise.allSettled(others) }
  }

  const together = (settled: PromiseSettledResult<{ together: string | undefined }>[]) =>
    settled.map((result) => (result.status === 'fulfilled' ? (result.value.together ?? 'alone') : 'failed'))

  it('hold sentences of one voice that wait at the same time; a single sentence does not wait for others', async () => {
    const { first, others } = await sayAll(startScheduler({ batchMax: 8 }, 1), [voice])
    expect(first.together).toBeUndefined()
    expect(together(others)).toEqual(Array(4).fill('one of 4'))
    const frames = others.map((result) => (result as PromiseFulfilledResult<{ frames: number }>).value.frames)
    expect([...frames].sort((a, b) => a - b)).toEqual([2, 0, 3, 1].map((i) => frames[i]!))
  })

  it('are no larger than the limit', async () => {
    const { others } = await sayAll(startScheduler({ batchMax: 3 }, 1), [voice])
    expect(together(others)).toEqual(['one of 3', 'one of 3', 'one of 3', 'alone'])
  })

  it('are off by default, and never hold voices whose graphs forbid it or several voices', async () => {
    expect(together((await sayAll(startScheduler({}, 1), [voice])).others)).toEqual(Array(4).fill('alone'))
    const single = { ...voice, batches: false }
    expect(together((await sayAll(startScheduler({ batchMax: 8 }, 1), [single])).others)).toEqual(
      Array(4).fill('alone'),
    )
    const other = { ...voice, id: 'other' }
    expect(together((await sayAll(startScheduler({ batchMax: 8 }, 1), [voice, other])).others)).toEqual(
      Array(4).fill('one of 2'),
    )
  })

  it('never hold several versions of a model, which may sound different', async () => {
    const newer = { ...voice, model: { ...voice.model!, version: '2' } }
    const { others } = await sayAll(startScheduler({ batchMax: 8 }, 1), [voice, newer])
    expect(together(others)).toEqual(Array(4).fill('one of 2'))
  })

  it('fail only the faulty sentence', async () => {
    const { others } = await sayAll(startScheduler({ batchMax: 8 }, 1), [voice], ['Hello.', 'fail here.', 'Yes.'])
    expect(together(others)).toEqual(['alone', 'failed', 'alone'])
  })

  it('that crash their process are run again unbatched', async () => {
    const { others } = await sayAll(startScheduler({ batchMax: 8 }, 1), [voice], ['Hello.', 'die now.', 'Yes.'])
    expect(together(others)).toEqual(['alone', 'failed', 'alone'])
  })
})

describe('models that wait for room', () => {
  const [a, b, c] = [neural('a', 10 * megabyte), neural('b', 10 * megabyte), neural('c', 20 * megabyte)]

  /** The audio of `waiting` while `busy` voices never stop. */
  async function sayBeside(scheduler: Scheduler, busy: readonly VoiceSpec[], waiting: VoiceSpec) {
    await Promise.all(busy.map((voice) => say(scheduler, voice)))
    let isOver = false
    const keepBusy = async (voice: VoiceSpec, key: string) => {
      while (!isOver) await say(scheduler, voice, 'slow words.', key)
    }
    const all = [...busy, ...busy, ...busy].map((voice, i) => keepBusy(voice, `busy ${i}`))
    await until(() => scheduler.status().running === busy.length)
    const frames = await say(scheduler, waiting)
    isOver = true
    await Promise.all(all)
    return frames
  }

  it('get it although others are always busy, even if several must be unloaded for them', async () => {
    expect(await sayBeside(startScheduler({ memoryMaxBytes: 25 * megabyte }), [a, b], c)).toBeGreaterThan(1000)
  }, 30_000)

  it('get it although another model asks for one more process', async () => {
    expect(await sayBeside(startScheduler({ memoryMaxBytes: 15 * megabyte }), [a], b)).toBeGreaterThan(1000)
  }, 30_000)

  it('are retried by one timer, however many tasks wait for them', async () => {
    const scheduler = startScheduler({ memoryMaxBytes: 15 * megabyte })
    await say(scheduler, a)
    const timers = spyOn(globalThis, 'setTimeout')
    try {
      const waiting = Array.from({ length: 50 }, (_, i) => say(scheduler, b, 'Hello.', `key ${i}`))
      expect(timers.mock.calls.filter(([, delayMs]) => delayMs! > 1000 && delayMs! <= 3000)).toHaveLength(1)
      expect((await Promise.all(waiting)).every((frames) => frames > 1000)).toBe(true)
    } finally {
      timers.mockRestore()
    }
  }, 15_000)
})
