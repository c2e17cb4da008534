/** Models in the pool's care: loaded, kept, put out and given up, with real processes. */
import { afterEach, describe, expect, it, spyOn } from 'bun:test'
import { join } from 'node:path'
import { startDeadline } from '../../src/deadline'
import { createLogger } from '../../src/log'
import type { ModelOptions } from '../../src/workers/worker-pool'
import type { VoiceSpec } from '../../src/speech/voice'
import { createPool, type Pool } from '../../src/workers/scheduler'
import { render } from '../../src/speak/render'
import { TaskFailed } from '../../src/workers/task-failed'
import { isRunning } from '../processes'
import { modelOptions } from './model-options'

const pools: Pool[] = []

function startPool(models: Partial<ModelOptions> = {}, workers = 2): Pool {
  const pool = createPool({
    command: [process.execPath, join(import.meta.dir, 'strange-worker.ts'), 'worker'],
    workers,
    taskTimeoutMs: 10_000,
    workerMemoryMaxBytes: 600 << 20,
    jobsMax: 100,
    horizonMs: 60_000,
    models: { ...modelOptions, ...models },
    log: createLogger('silent'),
  })
  pools.push(pool)
  return pool
}

afterEach(() => {
  for (const pool of pools.splice(0)) pool.close()
})

const builtIn: VoiceSpec = { id: 'b', engine: 'flite', language: 'en-US', sampleRate: 16_000, settings: { voice: 'v' } }
const megabyte = 1 << 20

function neural(graph: string, memoryBytes = megabyte): VoiceSpec {
  return { ...builtIn, id: graph, engine: 'piper', model: { directory: '/packs', graph, version: '1', memoryBytes } }
}

/** Frames of what was said. */
async function say(pool: Pool, voice: VoiceSpec, text = 'Hello there.', key = voice.id): Promise<number> {
  return (await speak(pool, voice, text, key)).frames
}

async function speak(pool: Pool, voice: VoiceSpec, text: string, key: string) {
  const job = pool.openJob({ key, background: false })
  try {
    const { portions, words } = await job.synthesize({
      kind: 'synthesize',
      voice,
      text,
      letters: 10,
      symbols: 0,
      sampleRate: 16_000,
      speed: 1,
      pauseMs: 0,
    })
    const frames = portions.reduce((sum, portion) => sum + portion.length, 0)
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

const names = (pool: Pool) => pool.models().map(({ name }) => name)

describe('models', () => {
  it('are loaded when first spoken with, and stay', async () => {
    const pool = startPool()
    expect(pool.models()).toEqual([])
    expect(await say(pool, neural('a'))).toBeGreaterThan(1000)
    const [pid] = pool.pids()
    await say(pool, neural('a'))
    expect(pool.pids()).toEqual([pid!])
    expect(names(pool)).toEqual(['/packs/a'])
    expect(pool.models()[0]!.memoryBytes).toBeGreaterThan(10 * megabyte)
  })

  it('are loaded once for many who wait at the same time, then once more for the second worker', async () => {
    const pool = startPool()
    await Promise.all(Array.from({ length: 12 }, (_, i) => say(pool, neural('slow'), 'slow words.', `key ${i}`)))
    expect(pool.models()).toMatchObject([{ name: '/packs/slow', processes: 2 }])
  })

  it('do not hold up other voices while they load, not even with one worker', async () => {
    const pool = startPool({}, 1)
    await say(pool, builtIn)
    const order: string[] = []
    const loading = say(pool, neural('slow')).then(() => order.push('neural'))
    for (let i = 0; i < 5; i++) await say(pool, builtIn).then(() => order.push('built in'))
    await loading
    expect(order).toEqual([...Array(5).fill('built in'), 'neural'])
  })

  it('give way to another when the memory is used up: the one not used for longest goes', async () => {
    const pool = startPool({ memoryMaxBytes: 25 * megabyte })
    await say(pool, neural('a', 10 * megabyte))
    await say(pool, neural('b', 10 * megabyte))
    await say(pool, neural('a', 10 * megabyte))
    await say(pool, neural('c', 10 * megabyte))
    expect(names(pool).sort()).toEqual(['/packs/a', '/packs/c'])
  })

  it('that need more than there may be are refused by name, and nothing else goes for them', async () => {
    const pool = startPool({ memoryMaxBytes: 25 * megabyte })
    await say(pool, neural('a', 10 * megabyte))
    const message = await failureOf(say(pool, neural('huge', 26 * megabyte)))
    expect(message).toContain('huge')
    expect(message).toContain(String(26 * megabyte))
    expect(names(pool)).toEqual(['/packs/a'])
  })

  it('are unloaded when nobody used them for a while', async () => {
    const pool = startPool({ idleMs: 300 })
    await say(pool, neural('a'))
    const [pid] = pool.pids()
    await Bun.sleep(700)
    expect(pool.models()).toEqual([])
    expect(isRunning(pid!)).toBe(false)
    expect(await say(pool, neural('a'))).toBeGreaterThan(1000)
  })

  it('are unloaded also when they were measured to take nothing', async () => {
    const pool = startPool({ idleMs: 300 })
    await say(pool, neural('a', 0))
    await Bun.sleep(700)
    expect(pool.models()).toEqual([])
  })

  it('are unloaded although their process encodes what others say', async () => {
    const pool = startPool({ idleMs: 300 })
    await say(pool, neural('a'))
    const endAtMs = performance.now() + 900
    while (performance.now() < endAtMs) {
      const job = pool.openJob({ key: 'k', background: false })
      await job.openStream(16_000).append(new Int16Array(1600), true)
      job.end()
      await Bun.sleep(20)
    }
    expect(pool.models()).toEqual([])
  })

  it('that abort their process while loading harm nobody', async () => {
    const pool = startPool()
    await say(pool, builtIn)
    const failing = failureOf(say(pool, neural('die')))
    expect(await say(pool, builtIn)).toBeGreaterThan(1000)
    expect(await failing).toContain('die')
    expect(pool.pids()).toHaveLength(1)
    expect(await say(pool, neural('a'))).toBeGreaterThan(1000)
  })

  it('that cannot be loaded say why, and are not tried again for every task', async () => {
    const pool = startPool()
    expect(await failureOf(say(pool, neural('bad')))).toContain('this is no graph')
    const startedAtMs = performance.now()
    expect(await failureOf(say(pool, neural('bad')))).toContain('this is no graph')
    expect(performance.now() - startedAtMs).toBeLessThan(20)
  })

  it('that load for ever are given up', async () => {
    const pool = startPool({ loadTimeoutMs: 300 })
    expect(await failureOf(say(pool, neural('endless')))).toContain('timeout')
    expect(pool.models()).toEqual([])
  })

  it('that load longer than a request may take end it in time, and are loaded all the same', async () => {
    const pool = startPool()
    const voice = neural('slow')
    const request = {
      text: 'Hello.',
      voice,
      companionFor: () => voice,
      speed: 1,
      format: 'wav',
      queueKey: 'k',
    } as const
    const rendering = render(
      pool,
      { ...request, mp3SampleRate: undefined, deadline: startDeadline(200) },
      { async write() {} },
    )
    await expect(rendering).rejects.toMatchObject({ code: 'synthesis_timeout' })
    expect(pool.status()).toMatchObject({ waiting: 0, jobs: 0 })
    while (names(pool).length === 0) await Bun.sleep(10)
    expect(names(pool)).toEqual(['/packs/slow'])
  })

  it('are loaded anew when their files have changed', async () => {
    const pool = startPool()
    const voice = neural('a')
    await say(pool, voice)
    await say(pool, { ...voice, model: { ...voice.model!, version: '2' } })
    expect(pool.models()).toMatchObject([{ name: '/packs/a', processes: 1 }])
  })

  it('whose pack is gone are unloaded at once, those that somebody speaks with after that, and all others stay', async () => {
    const pool = startPool()
    const [kept, gone, busy] = [neural('kept'), neural('gone'), neural('busy')]
    for (const voice of [kept, gone, busy]) await say(pool, voice)
    const job = pool.openJob({ key: 'long', background: false })
    const task = { kind: 'synthesize', voice: busy, text: 'slow words.', letters: 9, symbols: 0 } as const
    const synthesize = (by = busy) => job.synthesize({ ...task, voice: by, sampleRate: 16_000, speed: 1, pauseMs: 0 })
    const saying = synthesize()
    pool.keepOnly([kept.model!, { ...gone.model!, version: '2' }])
    expect(names(pool).sort()).toEqual(['/packs/busy', '/packs/kept'])
    await saying
    await synthesize(builtIn)
    await synthesize()
    expect(names(pool).sort()).toEqual(['/packs/busy', '/packs/kept'])
    job.end()
    await Bun.sleep(100)
    expect(names(pool)).toEqual(['/packs/kept'])
    // That of the built-in voice is there too.
    expect(pool.pids()).toHaveLength(2)
  })

  it('whose pack goes while they are loaded are not loaded to the end', async () => {
    const pool = startPool()
    const failing = failureOf(say(pool, neural('endless')))
    await Bun.sleep(200)
    pool.keepOnly([])
    await failing
    await Bun.sleep(100)
    expect(pool.pids()).toEqual([])
  })

  it('two that do not fit together take turns without one waiting for ever', async () => {
    const pool = startPool({ memoryMaxBytes: 15 * megabyte })
    const [a, b] = [neural('a', 10 * megabyte), neural('b', 10 * megabyte)]
    const said = await Promise.all([a, b, a, b].map((voice, i) => say(pool, voice, 'Hello.', `key ${i}`)))
    expect(said.every((frames) => frames > 1000)).toBe(true)
  })
})

describe('batches', () => {
  const voice = { ...neural('a'), batches: true }
  const texts = ['Hello.', 'Good morning to you.', 'Yes.', 'How are you today?']

  /** The first has the only worker to itself; the others wait together. */
  async function sayAll(pool: Pool, voices: readonly VoiceSpec[], said = texts) {
    await say(pool, voices[0]!)
    const first = speak(pool, voices[0]!, 'slow start.', 'first')
    const others = said.map((text, i) => speak(pool, voices[i % voices.length]!, text, `key ${i}`))
    return { first: await first, others: await Promise.allSettled(others) }
  }

  const together = (settled: PromiseSettledResult<{ together: string | undefined }>[]) =>
    settled.map((result) => (result.status === 'fulfilled' ? (result.value.together ?? 'alone') : 'failed'))

  it('are sentences of one voice that wait at the same time; a lone one is not held back for them', async () => {
    const { first, others } = await sayAll(startPool({ batchMax: 8 }, 1), [voice])
    expect(first.together).toBeUndefined()
    expect(together(others)).toEqual(Array(4).fill('one of 4'))
    const frames = others.map((result) => (result as PromiseFulfilledResult<{ frames: number }>).value.frames)
    expect([...frames].sort((a, b) => a - b)).toEqual([2, 0, 3, 1].map((i) => frames[i]!))
  })

  it('are no larger than allowed', async () => {
    const { others } = await sayAll(startPool({ batchMax: 3 }, 1), [voice])
    expect(together(others)).toEqual(['one of 3', 'one of 3', 'one of 3', 'alone'])
  })

  it('are not made by default, nor of voices whose graphs do not allow it, nor across voices', async () => {
    expect(together((await sayAll(startPool({}, 1), [voice])).others)).toEqual(Array(4).fill('alone'))
    const single = { ...voice, batches: false }
    expect(together((await sayAll(startPool({ batchMax: 8 }, 1), [single])).others)).toEqual(Array(4).fill('alone'))
    const other = { ...voice, id: 'other' }
    expect(together((await sayAll(startPool({ batchMax: 8 }, 1), [voice, other])).others)).toEqual(
      Array(4).fill('one of 2'),
    )
  })

  it('are not made across versions of a model, which may be another voice', async () => {
    const newer = { ...voice, model: { ...voice.model!, version: '2' } }
    const { others } = await sayAll(startPool({ batchMax: 8 }, 1), [voice, newer])
    expect(together(others)).toEqual(Array(4).fill('one of 2'))
  })

  it('let only that sentence fail which is at fault', async () => {
    const { others } = await sayAll(startPool({ batchMax: 8 }, 1), [voice], ['Hello.', 'fail here.', 'Yes.'])
    expect(together(others)).toEqual(['alone', 'failed', 'alone'])
  })

  it('that take their process with them are said again, each alone', async () => {
    const { others } = await sayAll(startPool({ batchMax: 8 }, 1), [voice], ['Hello.', 'die now.', 'Yes.'])
    expect(together(others)).toEqual(['alone', 'failed', 'alone'])
  })
})

describe('models that wait for room', () => {
  const [a, b, c] = [neural('a', 10 * megabyte), neural('b', 10 * megabyte), neural('c', 20 * megabyte)]

  /** What `waiting` says while `busy` never stop; undefined after twelve seconds. */
  async function sayBeside(pool: Pool, busy: readonly VoiceSpec[], waiting: VoiceSpec) {
    await Promise.all(busy.map((voice) => say(pool, voice)))
    let isOver = false
    const keepBusy = async (voice: VoiceSpec, key: string) => {
      while (!isOver) await say(pool, voice, 'slow words.', key)
    }
    const all = [...busy, ...busy, ...busy].map((voice, i) => keepBusy(voice, `busy ${i}`))
    await Bun.sleep(500)
    const frames = await Promise.race([say(pool, waiting), Bun.sleep(12_000)])
    isOver = true
    await Promise.all(all)
    return frames
  }

  it('get it although others are always busy, even where several have to go for them', async () => {
    expect(await sayBeside(startPool({ memoryMaxBytes: 25 * megabyte }), [a, b], c)).toBeGreaterThan(1000)
  }, 30_000)

  it('get it although another one would like to be loaded once more', async () => {
    expect(await sayBeside(startPool({ memoryMaxBytes: 15 * megabyte }), [a], b)).toBeGreaterThan(1000)
  }, 30_000)

  it('are asked for again by one timer, however many tasks wait for them', async () => {
    const pool = startPool({ memoryMaxBytes: 15 * megabyte })
    await say(pool, a)
    const timers = spyOn(globalThis, 'setTimeout')
    try {
      const waiting = Array.from({ length: 50 }, (_, i) => say(pool, b, 'Hello.', `key ${i}`))
      expect(timers.mock.calls.filter(([, delayMs]) => delayMs! > 1000 && delayMs! <= 3000)).toHaveLength(1)
      expect((await Promise.all(waiting)).every((frames) => frames > 1000)).toBe(true)
    } finally {
      timers.mockRestore()
    }
  }, 15_000)

  it('cost next to nothing while hundreds of their tasks wait', async () => {
    const pool = startPool({ memoryMaxBytes: 15 * megabyte }, 1)
    await say(pool, a)
    await say(pool, builtIn)
    const jobs = Array.from({ length: 512 }, (_, i) => {
      const job = pool.openJob({ key: `key ${i % 40}`, background: false })
      const task = { kind: 'synthesize', voice: b, text: 'Hello.', letters: 5, symbols: 0 } as const
      job.synthesize({ ...task, sampleRate: 16_000, speed: 1, pauseMs: 0 }).catch(() => {})
      return job
    })
    const durationsMs: number[] = []
    for (let i = 0; i < 5; i++) {
      const startedAtMs = performance.now()
      const said = say(pool, builtIn, 'Hello.', 'key 0')
      durationsMs.push(performance.now() - startedAtMs)
      await said
    }
    for (const job of jobs) job.end()
    expect(Math.min(...durationsMs)).toBeLessThan(2)
  })
})
