/** The tasks of the open jobs while they wait for a worker or run in one. */
import type { JobOptions } from '../job'
import type { SynthesizeTask, Task, TaskResult } from '../protocol'
import { batchKeyOf, type QueuedTask } from '../queued-task'
import type { WorkerProcess } from '../worker-process'

export type JobState = JobOptions & {
  /** Start of its first task, in `performance.now()` milliseconds. */
  begunAtMs: number | undefined
  ended: boolean
  /** Tasks that wait or run. */
  readonly pending: Set<WaitingTask>
  /** Workers that ran any of its tasks. */
  readonly workers: Set<WorkerProcess>
}

export type WaitingTask<T extends Task = Task> = {
  readonly task: T
  readonly job: JobState
  /** Set when its batch was lost with the worker: the task may have been the cause. */
  readonly isUnbatched?: true
  resolve(result: TaskResult<T['kind']>): void
  reject(error: Error): void
}

/** A task of an encoder stream. */
export type WaitingEncoding = WaitingTask<Task<'encode' | 'abandon'>> & {
  /** The worker that has the stream; undefined before the first task. */
  readonly worker: WorkerProcess | undefined
  onStart(worker: WorkerProcess): void
}

/** Whether the task may share a batch with others. */
export function isBatchable(waiting: WaitingTask<QueuedTask>): waiting is WaitingTask<SynthesizeTask> {
  return batchKey(waiting) !== undefined
}

/** Whether both tasks may share a batch. */
export function mayShareBatch(one: WaitingTask<QueuedTask>, other: WaitingTask<QueuedTask>): boolean {
  return isBatchable(one) && batchKey(one) === batchKey(other)
}

function batchKey({ task, isUnbatched }: WaitingTask<QueuedTask>): string | undefined {
  return isUnbatched ? undefined : batchKeyOf(task)
}
