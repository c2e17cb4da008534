/** Dispatch without processes: workers that end their tasks when the test says so. */
import { describe, expect, it } from 'bun:test'
import { limits } from '../../src/config'
import { createLogger } from '../../src/log'
import { engineKey, type Loadable, type VoiceSpec } from '../../src/speech/voice'
import type { SynthesizeTask, Task, TaskResult } from '../../src/workers/protocol'
import { startTasks, type Dispatcher } from '../../src/workers/scheduler/dispatch'
import { createTaskQueues } from '../../src/workers/scheduler/task-queues'
import type { JobState, WaitingTask } from '../../src/workers/scheduler/waiting-task'
import { createSpeeds } from '../../src/workers/speeds'
import { createTaskClock } from '../../src/workers/task-clock'
import { TaskFailed } from '../../src/workers/task-failed'
import { WorkerGone, type WorkerProcess } from '../../src/workers/worker-process'
import { until } from '../until'

type Running = { readonly task: Task; readonly timeoutMs: number; end(result: unknown): void; lose(): void }

const voice: VoiceSpec = { id: 'v', engine: 'flite', language: 'en-US', sampleRate: 16_000, settings: { voice: 'v' } }
const model = (graph: string): VoiceSpec => ({
  ...voice,
  id: graph,
  engine: 'piper',
  model: { directory: '/packs', graph, version: '1', memoryBytes: 1 },
  batches: true,
})

/** `take`: the answer of the pool for a model; `worker` for built-in engines. */
function setUp({ take, workers = 1, batchMax = 1 }: SetUp = {}) {
  const running: Running[] = []
  const asked: string[] = []
  const worker = {
    ...{ pid: 1, memoryBytes: 0, gone: false, streams: new Set<number>(), kill() {} },
    get busy() {
      return running.length > 0
    },
    run(task: Task, timeoutMs: number) {
      const { promise, resolve, reject } = Promise.withResolvers<TaskResult>()
      const leave = () => running.splice(running.indexOf(one), 1)
      const one: Running = {
        ...{ task, timeoutMs },
        end: (result) => (leave(), resolve(result as TaskResult)),
        lose: () => (leave(), reject(new WorkerGone('died', true))),
      }
      running.push(one)
      return promise
    },
  } as WorkerProcess
  const dispatcher: Dispatcher = {
    pool: {
      get working() {
        return running.length
      },
      take(needed: Loadable) {
        asked.push(engineKey(needed))
        return needed.model && take ? take(needed, worker) : worker
      },
      takeAny: () => worker,
      touch() {},
      unloadOutdated() {},
    },
    queues: createTaskQueues({ places: [] }),
    clock: createTaskClock(
      createSpeeds(() => ({ fixed: 1, each: 1, typicalSize: 1 })),
      workers,
    ),
    ...{ workers, batchMax, taskTimeoutMs: 1_000, log: createLogger('silent'), isClosed: false },
  }
  return { dispatcher, running, asked, worker }
}

type SetUp = {
  take?: (needed: Loadable, worker: WorkerProcess) => WorkerProcess | undefined
  workers?: number
  batchMax?: number
}

function createJob(key = 'key'): JobState {
  return { key, background: false, begunAtMs: undefined, ended: false, pending: new Set(), workers: new Set() }
}

function utterance(by: VoiceSpec, text: string): SynthesizeTask {
  const { sampleRate } = by
  return { kind: 'synthesize', voice: by, text, letters: 1, symbols: 0, sampleRate, speed: 1, pauseMs: 0 }
}

/** Queues an utterance and returns its result. */
function queue({ queues }: Dispatcher, by: VoiceSpec, text: string, job = createJob()) {
  const { promise, resolve, reject } = Promise.withResolvers<TaskResult<'synthesize'>>()
  const waiting: WaitingTask<SynthesizeTask> = { task: utterance(by, text), job, resolve, reject }
  queues.push(waiting)
  return promise
}

const done = { ok: true, answer: { words: undefined } } as const
const textsOf = (running: readonly Running[]) =>
  running.flatMap(({ task }) => (task.kind === 'synthesize' ? task.text : task.kind))

describe('dispatch', () => {
  it('asks the pool once for a model that loads, however many tasks wait for it, and lets other voices pass', () => {
    const { dispatcher, running, asked } = setUp({ take: () => undefined })
    for (let i = 0; i < 512; i++) void queue(dispatcher, model('loading'), `${i}`, createJob(`key ${i % 40}`))
    void queue(dispatcher, voice, 'built in', createJob('last'))
    startTasks(dispatcher)
    expect(textsOf(running)).toEqual(['built in'])
    expect(asked.filter((key) => key.includes('loading'))).toHaveLength(1)
    expect(dispatcher.queues.size).toBe(512)
  })

  it('gives tasks that are expected to take long more time before they count as hung, a batch that of all its tasks', () => {
    const { dispatcher, running } = setUp({ take: (_needed, worker) => worker, workers: 4, batchMax: 8 })
    // A task takes a millisecond per character and one more.
    const texts = [10, 1_999, 100_000].map((characters) => 'a'.repeat(characters))
    for (const text of texts) void queue(dispatcher, voice, text)
    startTasks(dispatcher)
    const { taskTimeoutMs } = dispatcher
    expect(running.map(({ timeoutMs }) => timeoutMs)).toEqual([taskTimeoutMs, 8 * 2_000, limits.taskTimeoutMaxMs])
    for (let i = 0; i < 2; i++) void queue(dispatcher, model('m'), 'a'.repeat(999), createJob(`${i}`))
    startTasks(dispatcher)
    expect([running.at(-1)!.task.kind, running.at(-1)!.timeoutMs]).toEqual(['batch', 8 * 2_000])
  })

  it('starts no more tasks than there are workers, and the next one when a task ends', async () => {
    const { dispatcher, running } = setUp({ workers: 2 })
    const results = ['a', 'b', 'c'].map((text) => queue(dispatcher, voice, text))
    startTasks(dispatcher)
    expect(textsOf(running)).toEqual(['a', 'b'])
    running[0]!.end({ outcome: done, chunks: [[new Int16Array(3)]] })
    expect((await results[0]!).chunks[0]![0]!.length).toBe(3)
    expect(textsOf(running)).toEqual(['b', 'c'])
  })

  it('starts encoding before synthesis', () => {
    const { dispatcher, running, worker } = setUp({ workers: 2 })
    void queue(dispatcher, voice, 'a')
    const started: WorkerProcess[] = []
    dispatcher.queues.pushEncoding({
      task: { kind: 'encode', stream: 1, format: 'mp3', sampleRate: 16_000, samples: new Int16Array(1), last: true },
      ...{ job: createJob(), worker: undefined, onStart: (by) => started.push(by), resolve() {}, reject() {} },
    })
    startTasks(dispatcher)
    expect(textsOf(running)).toEqual(['encode', 'a'])
    expect(started).toEqual([worker])
  })

  it('fails only the tasks whose model cannot be loaded', async () => {
    const { dispatcher, running } = setUp({
      take() {
        throw new TaskFailed('synthesize', 'the model is broken')
      },
    })
    const broken = queue(dispatcher, model('broken'), 'a')
    void queue(dispatcher, voice, 'b')
    startTasks(dispatcher)
    await expect(broken).rejects.toThrow('the model is broken')
    expect(textsOf(running)).toEqual(['b'])
  })

  it('runs utterances that wait together as one batch, and gives each its own outcome and audio', async () => {
    const { dispatcher, running } = setUp({ take: (_needed, worker) => worker, batchMax: 8 })
    const results = ['a', 'b'].map((text) => queue(dispatcher, model('m'), text, createJob(text)))
    startTasks(dispatcher)
    expect(running.map(({ task }) => task)).toEqual([
      { kind: 'batch', tasks: [utterance(model('m'), 'a'), utterance(model('m'), 'b')] },
    ])
    const failed = { ok: false, stage: 'synthesize', message: 'it does not like b' } as const
    running[0]!.end({ outcome: { ok: true, answer: [done, failed] }, chunks: [[new Int16Array(5)]] })
    const [first, second] = await Promise.all(results)
    expect([first!.outcome, second!.outcome]).toEqual([done, failed])
    expect([first!.chunks, second!.chunks]).toEqual([[[new Int16Array(5)]], [[]]])
  })

  it('runs the tasks of a batch one by one after their worker was lost, without those of jobs that ended', async () => {
    const { dispatcher, running } = setUp({ take: (_needed, worker) => worker, batchMax: 8 })
    const gone = createJob('gone')
    const results = [queue(dispatcher, model('m'), 'a'), queue(dispatcher, model('m'), 'b')]
    queue(dispatcher, model('m'), 'c', gone).catch(() => {})
    startTasks(dispatcher)
    gone.ended = true
    running[0]!.lose()
    await until(() => running.length > 0)
    expect(textsOf(running)).toEqual(['a'])
    running[0]!.end({ outcome: done, chunks: [] })
    await results[0]
    expect(textsOf(running)).toEqual(['b'])
    running[0]!.end({ outcome: done, chunks: [] })
    await results[1]
    expect([running.length, dispatcher.queues.size]).toEqual([0, 0])
  })
})
