/**
 * The worker processes and who gets them next. At most `workers` tasks run at once; synthesis tasks wait in the fair
 * queue, encoding tasks go to the worker that holds their stream, ahead of new synthesis. A process serves one engine,
 * so a second engine means further processes, of which no more than `workers` are kept beyond those that work.
 * A worker that overruns its time, outgrows its memory or dies takes only its own task with it.
 */
import type { Logger } from '../log'
import type { Enrolment } from './adapt/enrol'
import type { EngineName, VoiceSpec } from './engine'
import type { Answer, EncodeTask, EnrolTask, Stage, SynthesizeTask, Task } from './protocol'
import { createFairQueue, type FairQueue } from './queue'
import {
  startWorkerProcess,
  WorkerGone,
  type TaskResult,
  type WorkerCommand,
  type WorkerProcess,
} from './worker-process'

/** A task that a worker could not do; `stage` says where in the pipeline. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed'
  constructor(
    readonly stage: Stage,
    message: string,
  ) {
    super(message)
  }
}

/** The job was ended before this task began. */
export class JobEnded extends Error {
  override readonly name = 'JobEnded'
}

export type JobOptions = {
  /** Jobs of one key share its turns; by convention the API key's id. */
  readonly key: string
  /** Background jobs run only while nobody waits. */
  readonly background: boolean
}

export type Job = {
  /** Whether any task of it has started. */
  readonly begun: boolean
  /** When its first task started, by `performance.now()`. */
  readonly begunAtMs: number | undefined
  synthesize(task: SynthesizeTask): Promise<Int16Array[]>
  /** Makes a voice from a recording, in its turn like synthesis. */
  enrol(task: EnrolTask): Promise<Enrolment>
  openStream(sampleRate: number): EncodeStream
  /** Rejects what is not done yet with `JobEnded`, whether it waits or runs, and lets go of open streams. */
  end(): void
}

export type EncodedPortion = Extract<Answer, { ok: true }>
export type EncodeStream = { append(samples: Int16Array, last: boolean): Promise<EncodedPortion> }

type PoolStatus = { workers: number; running: number; waiting: number; jobs: number }
export type Pool = ReturnType<typeof createPool>

type Waiting = { task: Task; job: JobState; resolve(result: TaskResult): void; reject(error: Error): void }
type JobState = JobOptions & {
  begunAtMs: number | undefined
  ended: boolean
  /** Tasks that wait or run. */
  readonly pending: Set<Waiting>
  lastWorker: WorkerProcess | undefined
}
/** What waits in the fair queue. */
type QueuedTask = SynthesizeTask | EnrolTask
type Pinned = Waiting & { worker: WorkerProcess | undefined; onStart(worker: WorkerProcess): void }

/** A recording is tuned with this engine's voices; for others the statistics must do. */
const enrolmentEngine: EngineName = 'flite'
/** In the fair queue an enrolment weighs as much as a text of this length, which takes a worker about as long. */
const enrolmentCharacters = 1000
/** A stream whose workers keep dying is given up. */
const streamLossesMax = 5
/** What all streams together keep of their samples, to be encoded again; a stream beyond it is lost with its worker. */
const historyBytesMax = 128 << 20

export function createPool(options: {
  command: WorkerCommand
  workers: number
  taskTimeoutMs: number
  workerMemoryMaxBytes: number
  jobsMax: number
  log: Logger
}) {
  const { log } = options
  const foreground = createFairQueue<Waiting>()
  const background = createFairQueue<Waiting>()
  const encoding: Pinned[] = []
  /** Most recently used last. */
  const processes: WorkerProcess[] = []
  let streams = 0
  let historyBytes = 0
  let jobs = 0
  let closed = false
  /** Moving average of what a worker takes for one character, for `retryAfterSeconds`. */
  let characterMs = 1

  function queueOf(job: JobState): FairQueue<Waiting> {
    return job.background ? background : foreground
  }

  function start(engine: EngineName | undefined): WorkerProcess {
    const worker = startWorkerProcess({
      command: options.command,
      memoryMaxBytes: options.workerMemoryMaxBytes,
      onExit(gone) {
        processes.splice(processes.indexOf(gone), 1)
        if (!closed) pump()
      },
    })
    worker.engine = engine
    processes.push(worker)
    return worker
  }

  const idle = () => processes.filter((worker) => !worker.busy && !worker.gone)

  /** A free process for the engine: one that has it, an unused one, a new one, or a new one in place of the idlest. */
  function workerFor(waiting: Waiting, engine: EngineName): WorkerProcess | undefined {
    const free = idle()
    const fit = free.findLast((worker) => worker.engine === engine) ?? free.find((worker) => !worker.engine)
    if (fit) {
      fit.engine = engine
      return fit
    }
    if (processes.length >= options.workers * 2) free.find((worker) => worker.streams.size === 0)?.kill()
    return startFor(waiting, engine)
  }

  /** A new process, or undefined when the system gives none: then that task fails, and nothing waits for ever. */
  function startFor(waiting: Waiting, engine: EngineName | undefined): WorkerProcess | undefined {
    try {
      return start(engine)
    } catch (error) {
      log.error({ err: error }, 'no worker process can be started')
      waiting.reject(new TaskFailed('synthesize', 'no worker process can be started'))
      return undefined
    }
  }

  function pump(): void {
    if (closed) return
    while (processes.filter((worker) => worker.busy).length < options.workers) {
      if (!startEncoding() && !startSynthesis()) return
    }
  }

  function startEncoding(): boolean {
    const index = encoding.findIndex((waiting) => !waiting.worker || waiting.worker.gone || !waiting.worker.busy)
    if (index < 0) return false
    const waiting = encoding.splice(index, 1)[0]!
    const { worker: pinned, job } = waiting
    if (pinned?.gone) {
      waiting.reject(new WorkerGone('died', false))
      return true
    }
    const free = idle()
    const worker =
      pinned ?? free.find((candidate) => candidate === job.lastWorker) ?? free.at(-1) ?? startFor(waiting, undefined)
    if (!worker) return true
    waiting.onStart(worker)
    void dispatch(worker, waiting)
    return true
  }

  function startSynthesis(): boolean {
    const entry = foreground.take() ?? background.take()
    if (!entry) return false
    const waiting = entry.task
    const task = waiting.task as QueuedTask
    const startedAtMs = performance.now()
    waiting.job.begunAtMs ??= startedAtMs
    const worker = workerFor(waiting, task.kind === 'enrol' ? enrolmentEngine : task.voice.engine)
    if (!worker) return true
    waiting.job.lastWorker = worker
    void dispatch(worker, waiting).then(() => {
      characterMs += 0.05 * ((performance.now() - startedAtMs) / Math.max(1, entry.cost) - characterMs)
    })
    return true
  }

  async function dispatch(worker: WorkerProcess, { task, resolve, reject }: Waiting): Promise<void> {
    processes.push(...processes.splice(processes.indexOf(worker), 1))
    try {
      resolve(await worker.run(task, options.taskTimeoutMs))
    } catch (error) {
      if (error instanceof WorkerGone)
        log.warn({ pid: worker.pid, reason: error.reason, task: task.kind }, 'worker lost')
      reject(error as Error)
    }
    pump()
  }

  /** Hands a task of `job` to `place`, unless the job is over; its promise is settled when the job ends, if not before. */
  function submit(job: JobState, task: Task, place: (waiting: Waiting) => void): Promise<TaskResult> {
    if (job.ended || closed) return Promise.reject(new JobEnded())
    const { promise, resolve, reject } = Promise.withResolvers<TaskResult>()
    const waiting: Waiting = { task, job, resolve, reject }
    job.pending.add(waiting)
    place(waiting)
    pump()
    return promise.finally(() => job.pending.delete(waiting))
  }

  function enqueue(job: JobState, task: QueuedTask): Promise<TaskResult> {
    const cost = task.kind === 'enrol' ? enrolmentCharacters : task.text.length + 1
    return submit(job, task, (waiting) => queueOf(job).push({ key: job.key, job, cost, task: waiting }))
  }

  /** Runs `attempt` again when the worker was gone before it had the task. */
  async function withRetry(attempt: () => Promise<TaskResult>): Promise<TaskResult> {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof WorkerGone && !error.begun && error.reason === 'died') return attempt()
      throw error
    }
  }

  /**
   * An mp3 stream lives in one worker. If that worker goes, for another request's sake, the stream is encoded again
   * from the start in another one, and what had already been handed out is cut off: the encoder is deterministic.
   */
  function openStream(job: JobState, sampleRate: number): EncodeStream & { abandon(): void } {
    const history: Int16Array[] = []
    let home: WorkerProcess | undefined
    let id = 0
    let emittedBytes = 0
    let keptBytes = 0
    let canReplay = true

    function run(samples: Int16Array, last: boolean): Promise<TaskResult> {
      const onStart = (worker: WorkerProcess) => {
        home = worker
        worker.streams.add(id)
      }
      const task: EncodeTask = { kind: 'encode', stream: id, sampleRate, samples, last }
      return submit(job, task, (waiting) => encoding.push({ ...waiting, worker: home, onStart }))
    }

    function remember(samples: Int16Array): void {
      history.push(samples)
      keptBytes += samples.byteLength
      historyBytes += samples.byteLength
      if (historyBytes > historyBytesMax && home) forget()
    }

    function forget(): void {
      historyBytes -= keptBytes
      keptBytes = 0
      history.length = 0
      canReplay = false
    }

    async function replay(last: boolean): Promise<EncodedPortion> {
      id = ++streams
      const bodies: Uint8Array[] = []
      let answer!: EncodedPortion
      for (const [i, samples] of history.entries()) {
        answer = succeeded(await run(samples, last && i === history.length - 1))
        bodies.push(answer.bytes!)
      }
      return { ...answer, bytes: Buffer.concat(bodies).subarray(emittedBytes) }
    }

    async function encodeSurely(samples: Int16Array, last: boolean): Promise<EncodedPortion> {
      for (let losses = 0; ; losses++) {
        try {
          return home ? succeeded(await run(samples, last)) : await replay(last)
        } catch (error) {
          const lost = error instanceof WorkerGone && error.reason === 'died'
          if (!lost || !canReplay || losses === streamLossesMax) throw error
          home = undefined
        }
      }
    }

    return {
      async append(samples, last) {
        remember(samples)
        const answer = await encodeSurely(samples, last)
        if (last) home!.streams.delete(id)
        emittedBytes += answer.bytes!.length
        return answer
      },
      abandon() {
        forget()
        if (!home?.streams.delete(id) || home.gone) return
        const ignore = { resolve() {}, reject() {} }
        encoding.push({ task: { kind: 'abandon', stream: id }, job, worker: home, onStart() {}, ...ignore })
        pump()
      },
    }
  }

  return {
    /** Jobs open beyond `jobsMax` are not refused here but by whoever asks `full` first. */
    get full() {
      return jobs >= options.jobsMax
    },

    get closed() {
      return closed
    },

    /** A guess at when the queue will have room again, 1 to 60. */
    get retryAfterSeconds() {
      const characters = foreground.cost
      return Math.min(60, Math.max(1, Math.ceil((characters * characterMs) / options.workers / 1000)))
    },

    openJob(jobOptions: JobOptions): Job {
      const job: JobState = {
        ...jobOptions,
        begunAtMs: undefined,
        ended: false,
        pending: new Set(),
        lastWorker: undefined,
      }
      const open: { abandon(): void }[] = []
      jobs++
      return {
        get begun() {
          return job.begunAtMs !== undefined
        },
        get begunAtMs() {
          return job.begunAtMs
        },
        async synthesize(task) {
          return succeededWithSamples(await withRetry(() => enqueue(job, task)))
        },
        async enrol(task) {
          return succeeded(await withRetry(() => enqueue(job, task))).enrolment!
        },
        openStream(sampleRate) {
          const stream = openStream(job, sampleRate)
          open.push(stream)
          return stream
        },
        end() {
          if (job.ended) return
          job.ended = true
          jobs--
          queueOf(job).drop(job.key, job)
          for (let i = encoding.length - 1; i >= 0; i--) if (encoding[i]!.job === job) encoding.splice(i, 1)
          for (const { reject } of job.pending) reject(new JobEnded())
          for (const stream of open) stream.abandon()
        },
      }
    },

    /** Starts a process and lets it load an engine and say a word, so that the first request finds it ready. */
    async warm(voice: VoiceSpec): Promise<void> {
      if (processes.some((worker) => worker.engine === voice.engine)) return
      const worker = start(voice.engine)
      const { answer } = await worker.run({ kind: 'warm', engine: voice.engine, voice }, options.taskTimeoutMs)
      pump()
      if (!answer.ok) throw new TaskFailed(answer.stage, answer.message)
    },

    status(): PoolStatus {
      return {
        workers: processes.length,
        running: processes.filter((worker) => worker.busy).length,
        waiting: foreground.size + background.size + encoding.length,
        jobs,
      }
    },

    /** Ids of the processes, for operators and tests. */
    pids: () => processes.map((worker) => worker.pid),

    close(): void {
      closed = true
      for (const worker of processes) worker.kill()
      for (const { reject } of encoding.splice(0)) reject(new JobEnded())
      for (const queue of [foreground, background])
        for (let entry = queue.take(); entry; entry = queue.take()) entry.task.reject(new JobEnded())
    },
  }
}

function succeeded({ answer }: TaskResult): EncodedPortion {
  if (!answer.ok) throw new TaskFailed(answer.stage, answer.message)
  return answer
}

function succeededWithSamples(result: TaskResult): Int16Array[] {
  succeeded(result)
  return result.portions
}
