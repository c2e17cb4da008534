/**
 * The scheduler assigns tasks to worker processes. At most `workers` tasks run at once. Synthesis tasks wait in the
 * fair queue; encoding tasks go to the worker that holds their stream, ahead of new synthesis. A worker that overruns
 * its time, outgrows its memory or dies fails only its own task.
 */
import type { Logger } from '../log'
import type { ModelFiles, VoiceSpec } from '../speech/voice'
import { createAdmission } from './admission'
import type { Job, JobOptions } from './job'
import { loadMeasure, priorOf } from './measures'
import { startTasks, type Dispatcher } from './scheduler/dispatch'
import { openJob, rejectPending } from './scheduler/open-job'
import { readinessOf } from './scheduler/readiness'
import { createTaskQueues } from './scheduler/task-queues'
import type { JobState } from './scheduler/waiting-task'
import { createSpeeds } from './speeds'
import { createStreams } from './streams'
import { createTaskClock } from './task-clock'
import { succeeded } from './task-failed'
import type { Work } from './work'
import type { ModelOptions } from './pool/models'
import { createWorkerPool, type LoadedModel } from './worker-pool'
import type { WorkerCommand, WorkerProcess } from './worker-process'

type SchedulerStatus = { workers: number; running: number; waiting: number; jobs: number; admittedSeconds: number }
export type Scheduler = ReturnType<typeof createScheduler>

export type SchedulerOptions = {
  readonly command: WorkerCommand
  readonly workers: number
  readonly taskTimeoutMs: number
  readonly workerMemoryMaxBytes: number
  readonly jobsMax: number
  /** How far ahead admission may promise work. */
  readonly horizonMs: number
  readonly models: ModelOptions
  readonly log: Logger
}

export function createScheduler(options: SchedulerOptions) {
  const { log, workers, taskTimeoutMs } = options
  const { batchMax } = options.models
  const speeds = createSpeeds(priorOf)
  const admission = createAdmission({ workers, placesMax: options.jobsMax, horizonMs: options.horizonMs })
  const queues = createTaskQueues(admission)
  const open = new Set<JobState>()
  const pool = createWorkerPool({
    ...options,
    onChange: () => startTasks(dispatcher),
    onLoaded: (voice, durationMs) => speeds.learn(loadMeasure(voice), durationMs),
    isInUse: (worker) => isInUse(open, worker),
  })
  const clock = createTaskClock(speeds, workers)
  const dispatcher: Dispatcher = { pool, queues, clock, workers, taskTimeoutMs, batchMax, log, isClosed: false }
  const jobs = { dispatcher, openStream: createStreams(), open, quietSinceMs: performance.now() }

  return {
    /** Log for the owners of jobs. */
    log,

    get closed() {
      return dispatcher.isClosed
    },

    /** Admission. A refused request must not open a job. */
    admission,

    /** Measured speeds of tasks on this machine. */
    speeds,

    /** The load time and lane of a request with `tasks` tasks that speaks with `voices`. */
    readiness: (voices: readonly VoiceSpec[], tasks: number): Pick<Work, 'readyAtMs' | 'lane'> =>
      readinessOf({ pool, speeds, workers }, voices, tasks),

    openJob: (jobOptions: JobOptions): Job => openJob(jobs, jobOptions),

    /** Starts a process without an engine, so that the first request need not wait for its start. */
    startProcess(): void {
      if (!dispatcher.isClosed) pool.startFirst()
    },

    /** Starts a process that loads the engine and synthesizes a word, so that the first request finds it ready. */
    async warm(voice: VoiceSpec): Promise<void> {
      if (pool.isLoaded(voice)) return
      const worker = pool.take(voice)
      if (!worker) return
      const result = await worker.run({ kind: 'warm', voice }, taskTimeoutMs)
      startTasks(dispatcher)
      succeeded(result)
    },

    status: (): SchedulerStatus => ({
      workers: pool.processes.length,
      running: pool.working,
      waiting: queues.size,
      jobs: open.size,
      admittedSeconds: admission.admittedMs / 1000,
    }),

    /** Requests whose work is open: those that a worker has begun, and those that wait for their first turn. */
    requests(): { waiting: number; running: number } {
      const jobs = [...open].filter(({ background }) => !background)
      const running = jobs.filter(({ begunAtMs }) => begunAtMs !== undefined).length
      return { waiting: jobs.length - running, running }
    },

    /** How long no request has had work; 0 while one has. */
    quietForMs(): number {
      for (const { background } of open) if (!background) return 0
      return performance.now() - jobs.quietSinceMs
    },

    /** Tasks that may run at once, and those that do. */
    load: () => ({ total: workers, busy: pool.working }),

    /** The worker processes. */
    processes: () => pool.reports(),

    /** Process ids of the workers, for operators and tests. */
    pids: () => pool.processes.map((worker) => worker.pid),

    /** The loaded models. */
    models: (): LoadedModel[] => pool.models(),

    /** Unloads models of removed or replaced packs, once no open job uses them. */
    keepOnly: (installed: readonly ModelFiles[]): void => pool.keepOnly(installed),

    close(): void {
      dispatcher.isClosed = true
      // Reject before the workers exit, so that the tasks end instead of failing.
      for (const job of open) rejectPending(job)
      pool.close()
    },
  }
}

/** Whether an open job has used this worker. */
function isInUse(open: ReadonlySet<JobState>, worker: WorkerProcess): boolean {
  for (const { workers } of open) if (workers.has(worker)) return true
  return false
}
