/**
 * Who gets the worker processes next. At most `workers` tasks run at once; synthesis tasks wait in the fair queue,
 * encoding tasks go to the worker that holds their stream, ahead of new synthesis. A worker that overruns its time,
 * outgrows its memory or dies takes only its own task with it.
 */
import type { Logger } from '../log'
import type { Enrolment } from './adapt/enrol'
import { createCrew, type LoadedModel, type ModelOptions } from './crew'
import { engineKey, type Loadable, type ModelFiles, type TimedWord, type VoiceSpec } from './engine'
import type { Examined, Recording, EnrolTask, ExamineTask, MeasureTask, SynthesizeTask, Task } from './protocol'
import type { VoiceStatistics } from './adapt/measure'
import { createFairQueue, type FairQueue } from './queue'
import { createStreams, type EncodeStream, type PlaceEncoding } from './streams'
import { succeeded, TaskFailed } from './task-failed'
import { retryUnbegun, WorkerGone, type TaskResult, type WorkerCommand, type WorkerProcess } from './worker-process'

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

export type Sound = {
  readonly portions: readonly Int16Array[]
  /** Where the engine tells. */
  readonly words: readonly TimedWord[] | undefined
}

export type Job = {
  /** Whether any task of it has started. */
  readonly begun: boolean
  /** When its first task started, by `performance.now()`. */
  readonly begunAtMs: number | undefined
  synthesize(task: SynthesizeTask): Promise<Sound>
  /** Makes a voice from a recording, in its turn like synthesis. */
  enrol(task: EnrolTask): Promise<Enrolment>
  /** Lets a voice speak and measures it, in its turn too. */
  measure(task: MeasureTask): Promise<VoiceStatistics>
  /** Decodes a recording and looks at it, in its turn too. */
  examine(task: ExamineTask): Promise<{ recording: Recording } | Extract<Examined, { refusal: unknown }>>
  openStream(sampleRate: number): EncodeStream
  /** Rejects what is not done yet with `JobEnded`, whether it waits or runs, and lets go of open streams. */
  end(): void
}

type PoolStatus = { workers: number; running: number; waiting: number; jobs: number }
export type Pool = ReturnType<typeof createPool>

type Waiting = {
  task: Task
  job: JobState
  /** Whether it was in a batch that was lost with its process. */
  isAlone?: true
  resolve(result: TaskResult): void
  reject(error: Error): void
}
type JobState = JobOptions & {
  begunAtMs: number | undefined
  ended: boolean
  /** Tasks that wait or run. */
  readonly pending: Set<Waiting>
  /** That had its tasks. */
  readonly workers: Set<WorkerProcess>
}
/** What waits in the fair queue. */
type QueuedTask = SynthesizeTask | EnrolTask | MeasureTask | ExamineTask
type Pinned = Waiting & { worker: WorkerProcess | undefined; onStart(worker: WorkerProcess): void }

/** What a process has to have loaded for the task, if anything. */
function neededFor(task: QueuedTask): Loadable | undefined {
  if (task.kind === 'examine') return undefined
  return task.kind === 'enrol' ? task.by : task.voice
}

/** What tasks of one batch have in common; undefined for one that is run alone. */
function batchKey({ task, isAlone }: Waiting): string | undefined {
  if (isAlone || task.kind !== 'synthesize' || !task.voice.batches || task.text === '' || task.fault) return undefined
  return `${task.voice.id} ${task.speed} ${engineKey(task.voice)}`
}

/** In the fair queue they weigh as much as a text of this length, which takes a worker about as long. */
const costs = { enrol: 1000, measure: 300, examine: 100 }

function costOf(task: QueuedTask): number {
  return task.kind === 'synthesize' ? task.text.length + 1 : costs[task.kind]
}

export function createPool(options: {
  command: WorkerCommand
  workers: number
  taskTimeoutMs: number
  workerMemoryMaxBytes: number
  jobsMax: number
  models: ModelOptions
  log: Logger
}) {
  const { log } = options
  const foreground = createFairQueue<Waiting>()
  const background = createFairQueue<Waiting>()
  const encoding: Pinned[] = []
  const crew = createCrew({ ...options, onChange: () => pump(), isInUse })
  const openStream = createStreams()
  const jobs = new Set<JobState>()
  let closed = false
  /** Moving average of what a worker takes for one character, for `retryAfterSeconds`. */
  let characterMs = 1

  function isInUse(worker: WorkerProcess): boolean {
    for (const { workers } of jobs) if (workers.has(worker)) return true
    return false
  }

  function queueOf(job: JobState): FairQueue<Waiting> {
    return job.background ? background : foreground
  }

  function pump(): void {
    if (closed) return
    while (crew.working < options.workers) {
      if (!startEncoding() && !startQueued()) return
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
    try {
      const worker = pinned ?? crew.takeAny(job.workers)
      waiting.onStart(worker)
      void dispatch(worker, waiting)
    } catch (error) {
      waiting.reject(error as Error)
    }
    return true
  }

  /** The next task that some process can begin now; those whose model is still being loaded let others pass. */
  function startQueued(): boolean {
    let worker: WorkerProcess | undefined
    let failure: Error | undefined
    const mustWait = new Set<string>()
    const fits = ({ task }: Waiting) => {
      const needed = neededFor(task as QueuedTask)
      const key = needed && engineKey(needed)
      if (key !== undefined && mustWait.has(key)) return false
      try {
        worker = needed ? crew.take(needed) : crew.takeAny()
      } catch (error) {
        failure = error as Error
      }
      if (worker || failure) return true
      mustWait.add(key!)
      return false
    }
    const entry = foreground.take(fits) ?? background.take(fits)
    if (!entry) return false
    const { task: waiting, cost } = entry
    const startedAtMs = performance.now()
    waiting.job.begunAtMs ??= startedAtMs
    if (!worker) {
      waiting.reject(failure!)
      return true
    }
    const batch = [{ waiting, cost }, ...gather(waiting, startedAtMs)]
    for (const { waiting: each } of batch) each.job.workers.add(worker)
    const work =
      batch.length > 1
        ? dispatchBatch(
            worker,
            batch.map((each) => each.waiting),
          )
        : dispatch(worker, waiting)
    const characters = batch.reduce((sum, each) => sum + each.cost, 0)
    void work.then(() => {
      characterMs += 0.05 * ((performance.now() - startedAtMs) / Math.max(1, characters) - characterMs)
    })
    return true
  }

  /** Those that wait, in their turn, and can be spoken in one run with `first`. */
  function gather(first: Waiting, startedAtMs: number): { waiting: Waiting; cost: number }[] {
    const key = batchKey(first)
    const more: { waiting: Waiting; cost: number }[] = []
    while (key !== undefined && more.length < options.models.batchMax - 1) {
      const entry = queueOf(first.job).take((waiting) => batchKey(waiting) === key)
      if (!entry) break
      entry.task.job.begunAtMs ??= startedAtMs
      more.push({ waiting: entry.task, cost: entry.cost })
    }
    return more
  }

  async function dispatch(worker: WorkerProcess, { task, resolve, reject }: Waiting): Promise<void> {
    crew.touch(worker)
    try {
      resolve(await worker.run(task, options.taskTimeoutMs))
    } catch (error) {
      if (error instanceof WorkerGone)
        log.warn({ pid: worker.pid, reason: error.reason, task: task.kind }, 'worker lost')
      reject(error as Error)
    }
    crew.unloadOutdated()
    pump()
  }

  async function dispatchBatch(worker: WorkerProcess, batch: readonly Waiting[]): Promise<void> {
    const tasks = batch.map(({ task }) => task as SynthesizeTask)
    const whole = Promise.withResolvers<TaskResult>()
    await dispatch(worker, { ...batch[0]!, task: { kind: 'batch', tasks }, ...whole })
    try {
      const { answer, portions } = await whole.promise
      if (!answer.ok) throw new TaskFailed(answer.stage, answer.message)
      for (const [i, { resolve }] of batch.entries())
        resolve({ answer: answer.items![i]!, portions: [portions[i] ?? []] })
    } catch (error) {
      if (error instanceof WorkerGone && !closed) return sayAlone(batch)
      for (const { reject } of batch) reject(error as Error)
    }
  }

  /** One of them may have taken the process with it; the others are none the worse. */
  function sayAlone(batch: readonly Waiting[]): void {
    for (const waiting of batch) {
      const { job } = waiting
      if (!job.ended)
        queueOf(job).push({
          key: job.key,
          job,
          cost: costOf(waiting.task as QueuedTask),
          task: { ...waiting, isAlone: true },
        })
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
    return submit(job, task, (waiting) => queueOf(job).push({ key: job.key, job, cost: costOf(task), task: waiting }))
  }

  function placeEncoding(job: JobState): PlaceEncoding {
    return {
      encode: (task, worker, onStart) => submit(job, task, (waiting) => encoding.push({ ...waiting, worker, onStart })),
      abandon(stream, worker) {
        const ignore = { resolve() {}, reject() {} }
        encoding.push({ task: { kind: 'abandon', stream }, job, worker, onStart() {}, ...ignore })
        pump()
      },
    }
  }

  return {
    /** For what is worth a line to whoever has a job done. */
    log,

    /** Jobs open beyond `jobsMax` are not refused here but by whoever asks `full` first. */
    get full() {
      return jobs.size >= options.jobsMax
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
        workers: new Set(),
      }
      const open: { abandon(): void }[] = []
      jobs.add(job)
      return {
        get begun() {
          return job.begunAtMs !== undefined
        },
        get begunAtMs() {
          return job.begunAtMs
        },
        async synthesize(task) {
          const result = await retryUnbegun(() => enqueue(job, task))
          return { words: succeeded(result).words, portions: result.portions[0] ?? [] }
        },
        async enrol(task) {
          return succeeded(await retryUnbegun(() => enqueue(job, task))).enrolment!
        },
        async measure(task) {
          return succeeded(await retryUnbegun(() => enqueue(job, task))).statistics!
        },
        async examine(task) {
          const result = await retryUnbegun(() => enqueue(job, task))
          const { examined } = succeeded(result)
          if ('refusal' in examined!) return examined
          return { recording: { ...examined!.recording, samples: concatenate(result.portions[0] ?? []) } }
        },
        openStream(sampleRate) {
          const stream = openStream(placeEncoding(job), sampleRate)
          open.push(stream)
          return stream
        },
        end() {
          if (job.ended) return
          job.ended = true
          jobs.delete(job)
          queueOf(job).drop(job.key, job)
          for (let i = encoding.length - 1; i >= 0; i--) if (encoding[i]!.job === job) encoding.splice(i, 1)
          for (const { reject } of job.pending) reject(new JobEnded())
          for (const stream of open) stream.abandon()
          crew.unloadOutdated()
        },
      }
    },

    /** Starts a process and lets it load an engine and say a word, so that the first request finds it ready. */
    async warm(voice: VoiceSpec): Promise<void> {
      if (crew.isLoaded(voice)) return
      const worker = crew.take(voice)
      if (!worker) return
      const { answer } = await worker.run({ kind: 'warm', voice }, options.taskTimeoutMs)
      pump()
      if (!answer.ok) throw new TaskFailed(answer.stage, answer.message)
    },

    status(): PoolStatus {
      return {
        workers: crew.processes.length,
        running: crew.working,
        waiting: foreground.size + background.size + encoding.length,
        jobs: jobs.size,
      }
    },

    /** Ids of the processes, for operators and tests. */
    pids: () => crew.processes.map((worker) => worker.pid),

    /** The models that are in memory. */
    models: (): LoadedModel[] => crew.models(),

    /** Unloads the models of packs that are gone or were replaced; requests that already speak with one finish. */
    keepOnly: (installed: readonly ModelFiles[]): void => crew.keepOnly(installed),

    close(): void {
      closed = true
      // Before their workers are gone: they were ended, they did not fail.
      for (const { pending } of jobs) for (const { reject } of pending) reject(new JobEnded())
      crew.close()
    },
  }
}

function concatenate(portions: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(portions.reduce((frames, { length }) => frames + length, 0))
  let at = 0
  for (const portion of portions) {
    whole.set(portion, at)
    at += portion.length
  }
  return whole
}
