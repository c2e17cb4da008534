/** The tasks of one job: it hands them to the queues, waits for their results, and ends with all of them. */
import { joinChunks } from '../../audio/pcm'
import { JobEnded, type Job, type JobOptions } from '../job'
import type { Task, TaskResult } from '../protocol'
import type { QueuedTask } from '../queued-task'
import type { OpenStream, PlaceEncoding } from '../streams'
import { succeeded } from '../task-failed'
import { retryUnbegun } from '../worker-process'
import { startTasks, type Dispatcher } from './dispatch'
import type { JobState, WaitingTask } from './waiting-task'

export type Jobs = {
  readonly dispatcher: Dispatcher
  readonly openStream: OpenStream
  readonly open: Set<JobState>
  /** Time at which the last job of a request ended; at first the start of the scheduler. */
  quietSinceMs: number
}

export function openJob(jobs: Jobs, options: JobOptions): Job {
  const { dispatcher, openStream, open } = jobs
  const job: JobState = {
    ...options,
    begunAtMs: undefined,
    ended: false,
    pending: new Set(),
    workers: new Set(),
  }
  const streams: { abandon(): void }[] = []
  open.add(job)
  const queue = <T extends QueuedTask>(task: T) => retryUnbegun(() => enqueue(dispatcher, job, task))
  return {
    get begun() {
      return job.begunAtMs !== undefined
    },
    get begunAtMs() {
      return job.begunAtMs
    },
    async synthesize(task) {
      const result = await queue(task)
      return { words: succeeded(result).words, chunks: result.chunks[0] ?? [] }
    },
    enrol: async (task) => succeeded(await queue(task)),
    measure: async (task) => succeeded(await queue(task)),
    async analyze(task) {
      const result = await queue(task)
      const analyzed = succeeded(result)
      if ('refusal' in analyzed) return analyzed
      return { recording: { ...analyzed.recording, samples: joinChunks(result.chunks[0] ?? []) } }
    },
    openStream(format) {
      const stream = openStream(placeEncoding(dispatcher, job), format)
      streams.push(stream)
      return stream
    },
    end() {
      if (job.ended) return
      job.ended = true
      open.delete(job)
      if (!job.background) jobs.quietSinceMs = performance.now()
      dispatcher.queues.drop(job)
      rejectPending(job)
      for (const stream of streams) stream.abandon()
      dispatcher.pool.unloadOutdated()
    },
  }
}

export function rejectPending({ pending }: JobState): void {
  for (const { reject } of pending) reject(new JobEnded())
}

function enqueue<T extends QueuedTask>(dispatcher: Dispatcher, job: JobState, task: T): Promise<TaskResult<T['kind']>> {
  return submit(dispatcher, job, task, (waiting) => dispatcher.queues.push(waiting))
}

function placeEncoding(dispatcher: Dispatcher, job: JobState): PlaceEncoding {
  const { queues } = dispatcher
  return {
    encode: (task, worker, onStart) =>
      submit(dispatcher, job, task, (waiting) => queues.pushEncoding({ ...waiting, worker, onStart })),
    abandon(stream, worker) {
      const ignored = { onStart() {}, resolve() {}, reject() {} }
      queues.pushEncoding({ task: { kind: 'abandon', stream }, job, worker, ...ignored })
      startTasks(dispatcher)
    },
  }
}

/** Hands a task of `job` to `place`, unless the job is over. The promise settles at the latest when the job ends. */
function submit<T extends Task>(
  dispatcher: Dispatcher,
  job: JobState,
  task: T,
  place: (waiting: WaitingTask<T>) => void,
): Promise<TaskResult<T['kind']>> {
  if (job.ended || dispatcher.isClosed) return Promise.reject(new JobEnded())
  const { promise, resolve, reject } = Promise.withResolvers<TaskResult<T['kind']>>()
  const waiting: WaitingTask<T> = { task, job, resolve, reject }
  job.pending.add(waiting)
  place(waiting)
  startTasks(dispatcher)
  return promise.finally(() => job.pending.delete(waiting))
}
