/**
 * The scheduler assigns tasks to worker processes. At most `workers` tasks run at once. Synthesis tasks wait in the
 * fair queue; encoding tasks go to the worker that holds their stream, ahead of new synthesis. A worker that overruns
 * its time, outgrows its memory or dies fails only its own task.
 */
import { joinPortions } from '../audio/pcm'
import type { Logger } from '../log'
import { createAdmission } from './admission'
import { createWorkerPool, type LoadedModel, type ModelOptions } from './worker-pool'
import { engineKey, type ModelFiles, type VoiceSpec } from '../speech/voice'
import { JobEnded, type Job, type JobOptions } from './job'
import type { SynthesizeTask, Task } from './protocol'
import { createFairQueue, type FairQueue } from './fair-queue'
import { batchKeyOf, costOf, neededFor, type QueuedTask } from './queued-task'
import { loadMeasure, priorOf } from './measures'
import { createSpeeds } from './speeds'
import { createStreams, type PlaceEncoding } from './streams'
import { createTaskClock } from './task-clock'
import { succeeded, TaskFailed } from './task-failed'
import { takeNext } from './turns'
import type { Work } from './work'
import { retryUnbegun, WorkerGone, type TaskResult, type WorkerCommand, type WorkerProcess } from './worker-process'

type SchedulerStatus = { workers: number; running: number; waiting: number; jobs: number; admittedSeconds: number }
export type Scheduler = ReturnType<typeof createScheduler>

type Waiting = {
  task: Task
  job: JobState
  /** Whether its batch was lost with the worker. */
  isUnbatched?: true
  resolve(result: TaskResult): void
  reject(error: Error): void
}
type JobState = JobOptions & {
  begunAtMs: number | undefined
  ended: boolean
  /** Tasks that wait or run. */
  readonly pending: Set<Waiting>
  /** Workers that ran any of its tasks. */
  readonly workers: Set<WorkerProcess>
}
type Pinned = Waiting & { worker: WorkerProcess | undefined; onStart(worker: WorkerProcess): void }

/** Tasks with the same key may share a batch; undefined: run unbatched. */
function batchKey({ task, isUnbatched }: Waiting): string | undefined {
  return isUnbatched ? undefined : batchKeyOf(task as QueuedTask)
}

export function createScheduler(options: {
  command: WorkerCommand
  workers: number
  taskTimeoutMs: number
  workerMemoryMaxBytes: number
  jobsMax: number
  /** How far ahead admission may promise work. */
  horizonMs: number
  models: ModelOptions
  log: Logger
}) {
  const { log, workers } = options
  const speeds = createSpeeds(priorOf)
  const clock = createTaskClock(speeds, workers)
  const admission = createAdmission({ workers, placesMax: options.jobsMax, horizonMs: options.horizonMs })
  const foreground = createFairQueue<Waiting>()
  const background = createFairQueue<Waiting>()
  const encoding: Pinned[] = []
  const workerPool = createWorkerPool({
    ...options,
    onChange: () => pump(),
    onLoaded: (voice, durationMs) => speeds.learn(loadMeasure(voice), durationMs),
    isInUse,
  })
  const openStream = createStreams()
  const jobs = new Set<JobState>()
  let closed = false

  function isInUse(worker: WorkerProcess): boolean {
    for (const { workers } of jobs) if (workers.has(worker)) return true
    return false
  }

  function queueOf(job: JobState): FairQueue<Waiting> {
    return job.background ? background : foreground
  }

  function pump(): void {
    if (closed) return
    while (workerPool.working < workers) {
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
      const worker = pinned ?? workerPool.takeAny(job.workers)
      waiting.onStart(worker)
      void dispatch(worker, waiting)
    } catch (error) {
      waiting.reject(error as Error)
    }
    return true
  }

  /** Starts the next task that a process can begin now. Tasks whose model is still loading let others pass. */
  function startQueued(): boolean {
    let worker: WorkerProcess | undefined
    let failure: Error | undefined
    const mustWait = new Set<string>()
    const fits = ({ task }: Waiting) => {
      const needed = neededFor(task as QueuedTask)
      const key = needed && engineKey(needed)
      if (key !== undefined && mustWait.has(key)) return false
      try {
        worker = needed ? workerPool.take(needed) : workerPool.takeAny()
      } catch (error) {
        failure = error as Error
      }
      if (worker || failure) return true
      mustWait.add(key!)
      return false
    }
    const startedAtMs = performance.now()
    const entry = takeNext(foreground, admission, { workers, nowMs: startedAtMs, fits }) ?? background.take(fits)
    if (!entry) return false
    const waiting = entry.task
    waiting.job.begunAtMs ??= startedAtMs
    if (!worker) {
      waiting.reject(failure!)
      return true
    }
    const batch = [waiting, ...gather(waiting, startedAtMs)]
    for (const { job } of batch) job.workers.add(worker)
    if (batch.length > 1) void dispatchBatch(worker, batch)
    else void dispatch(worker, waiting)
    return true
  }

  /** Takes further waiting tasks, in turn, that can share a batch with `first`. */
  function gather(first: Waiting, startedAtMs: number): Waiting[] {
    const key = batchKey(first)
    const more: Waiting[] = []
    while (key !== undefined && more.length < options.models.batchMax - 1) {
      const entry = queueOf(first.job).take((waiting) => batchKey(waiting) === key)
      if (!entry) break
      entry.task.job.begunAtMs ??= startedAtMs
      more.push(entry.task)
    }
    return more
  }

  /** `batch`: the tasks that `task` consists of. */
  async function dispatch(
    worker: WorkerProcess,
    { task, job, resolve, reject }: Waiting,
    batch: readonly Waiting[] = [{ task, job, resolve, reject }],
  ): Promise<void> {
    workerPool.touch(worker)
    const stop = clock.start(
      worker,
      batch.map((each) => ({ task: each.task, work: each.job.work })),
    )
    try {
      const result = await worker.run(task, options.taskTimeoutMs)
      stop(result)
      resolve(result)
    } catch (error) {
      stop(undefined)
      if (error instanceof WorkerGone)
        log.warn({ pid: worker.pid, reason: error.reason, task: task.kind }, 'worker lost')
      reject(error as Error)
    }
    workerPool.unloadOutdated()
    pump()
  }

  async function dispatchBatch(worker: WorkerProcess, batch: readonly Waiting[]): Promise<void> {
    const tasks = batch.map(({ task }) => task as SynthesizeTask)
    const whole = Promise.withResolvers<TaskResult>()
    await dispatch(worker, { ...batch[0]!, task: { kind: 'batch', tasks }, ...whole }, batch)
    try {
      const { answer, chunks } = await whole.promise
      if (!answer.ok) throw new TaskFailed(answer.stage, answer.message)
      for (const [i, { resolve }] of batch.entries()) resolve({ answer: answer.items![i]!, chunks: [chunks[i] ?? []] })
    } catch (error) {
      if (error instanceof WorkerGone && !closed) return runUnbatched(batch)
      for (const { reject } of batch) reject(error as Error)
    }
  }

  /** Queues the tasks again one by one, because one of them may have crashed the worker. */
  function runUnbatched(batch: readonly Waiting[]): void {
    for (const waiting of batch) {
      const { job } = waiting
      if (!job.ended)
        queueOf(job).push({
          key: job.key,
          job,
          cost: costOf(waiting.task as QueuedTask),
          task: { ...waiting, isUnbatched: true },
        })
    }
    pump()
  }

  /** Hands a task of `job` to `place`, unless the job is over. The promise settles at the latest when the job ends. */
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
    /** Log for the owners of jobs. */
    log,

    get closed() {
      return closed
    },

    /** Admission. A refused request must not open a job. */
    admission,

    /** Measured speeds of tasks on this machine. */
    speeds,

    /** The load time and lane of a request with `tasks` tasks that speaks with `voices`. */
    readiness(voices: readonly VoiceSpec[], tasks: number): Pick<Work, 'readyAtMs' | 'lane'> {
      const waits = voices.map((voice) => {
        const { ready, most } = workerPool.processesOf(voice)
        return speeds.expected(loadMeasure(voice)) * loadsBefore(ready, Math.min(most, tasks))
      })
      const narrow = voices.find((voice) => workerPool.processesOf(voice).most < workers)
      const lane = narrow && { name: engineKey(narrow), width: workerPool.processesOf(narrow).most }
      return { readyAtMs: performance.now() + Math.max(0, ...waits), lane }
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
          return { words: succeeded(result).words, chunks: result.chunks[0] ?? [] }
        },
        async enrol(task) {
          return succeeded(await retryUnbegun(() => enqueue(job, task))).enrolment!
        },
        async measure(task) {
          return succeeded(await retryUnbegun(() => enqueue(job, task))).statistics!
        },
        async analyze(task) {
          const result = await retryUnbegun(() => enqueue(job, task))
          const { analyzed } = succeeded(result)
          if ('refusal' in analyzed!) return analyzed
          return { recording: { ...analyzed!.recording, samples: joinPortions(result.chunks[0] ?? []) } }
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
          workerPool.unloadOutdated()
        },
      }
    },

    /** Starts a process that loads the engine and synthesizes a word, so that the first request finds it ready. */
    async warm(voice: VoiceSpec): Promise<void> {
      if (workerPool.isLoaded(voice)) return
      const worker = workerPool.take(voice)
      if (!worker) return
      const { answer } = await worker.run({ kind: 'warm', voice }, options.taskTimeoutMs)
      pump()
      if (!answer.ok) throw new TaskFailed(answer.stage, answer.message)
    },

    status(): SchedulerStatus {
      return {
        workers: workerPool.processes.length,
        running: workerPool.working,
        waiting: foreground.size + background.size + encoding.length,
        jobs: jobs.size,
        admittedSeconds: admission.admittedMs / 1000,
      }
    },

    /** Process ids of the workers, for operators and tests. */
    pids: () => workerPool.processes.map((worker) => worker.pid),

    /** The loaded models. */
    models: (): LoadedModel[] => workerPool.models(),

    /** Unloads models of removed or replaced packs, once no open job uses them. */
    keepOnly: (installed: readonly ModelFiles[]): void => workerPool.keepOnly(installed),

    close(): void {
      closed = true
      // Reject before the workers exit, so that the tasks end instead of failing.
      for (const { pending } of jobs) for (const { reject } of pending) reject(new JobEnded())
      workerPool.close()
    },
  }
}

/**
 * The delay of `wanted` processes, in model loads, when `ready` of them have the model. The others load it one after
 * the other while the ready ones work.
 */
function loadsBefore(ready: number, wanted: number): number {
  let loads = 0
  for (let working = ready; working < wanted; working++) loads += (wanted - working) / wanted
  return loads
}
