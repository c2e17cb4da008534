/**
 * The tasks that wait for a worker. Tasks that need an engine or a core for long wait in fair queues, one for requests
 * and one for background work. Encoding tasks wait in the order of their arrival.
 */
import type { Admission } from '../admission'
import { createFairQueue } from '../fair-queue'
import type { SynthesizeTask } from '../protocol'
import { costOf, type QueuedTask } from '../queued-task'
import { takeNext } from '../turns'
import { isBatchable, mayShareBatch, type JobState, type WaitingEncoding, type WaitingTask } from './waiting-task'

type Waiting = WaitingTask<QueuedTask>

export type TaskQueues = ReturnType<typeof createTaskQueues>

export function createTaskQueues(admission: Pick<Admission, 'places'>) {
  const foreground = createFairQueue<Waiting>()
  const background = createFairQueue<Waiting>()
  const encoding: WaitingEncoding[] = []
  const queueOf = (job: JobState) => (job.background ? background : foreground)

  return {
    /** Number of waiting tasks. */
    get size(): number {
      return foreground.size + background.size + encoding.length
    },

    push(waiting: Waiting): void {
      const { job, task } = waiting
      queueOf(job).push({ key: job.key, job, cost: costOf(task), task: waiting })
    },

    pushEncoding(waiting: WaitingEncoding): void {
      encoding.push(waiting)
    },

    /** Removes and returns the first encoding task whose worker is free or gone. */
    takeEncoding(): WaitingEncoding | undefined {
      const index = encoding.findIndex(({ worker }) => !worker || worker.gone || !worker.busy)
      return index < 0 ? undefined : encoding.splice(index, 1)[0]
    },

    /** Removes and returns the next task in turn that fits. Background tasks come last. */
    take(turn: { workers: number; nowMs: number; fits: (waiting: Waiting) => boolean }): Waiting | undefined {
      return (takeNext(foreground, admission, turn) ?? background.take(turn.fits))?.task
    },

    /** `first` and up to `most - 1` further tasks, in turn, that can share its batch; undefined if it has no batch. */
    takeBatch(first: Waiting, most: number): WaitingTask<SynthesizeTask>[] | undefined {
      if (!isBatchable(first)) return undefined
      const batch = [first]
      while (batch.length < most) {
        const waiting = queueOf(first.job).take((other) => mayShareBatch(first, other))?.task
        if (!waiting || !isBatchable(waiting)) break
        batch.push(waiting)
      }
      return batch.length > 1 ? batch : undefined
    },

    /** Removes all waiting tasks of the job. */
    drop(job: JobState): void {
      queueOf(job).drop(job.key, job)
      for (let i = encoding.length - 1; i >= 0; i--) if (encoding[i]!.job === job) encoding.splice(i, 1)
    },
  }
}
