/**
 * Starts waiting tasks in free workers. Encoding goes first, to the worker that has its stream. A task whose model is
 * still loading lets others pass. Tasks of one voice that wait at the same time may run as one batch.
 */
import { engineKey } from '../../speech/voice'
import type { Logger } from '../../log'
import type { TaskOutcome, SynthesizeTask, Task, TaskResult } from '../protocol'
import { neededFor, type QueuedTask } from '../queued-task'
import type { TaskClock, TaskEnd } from '../task-clock'
import { succeeded } from '../task-failed'
import type { WorkerPool } from '../worker-pool'
import { WorkerGone, type WorkerProcess } from '../worker-process'
import type { TaskQueues } from './task-queues'
import type { WaitingTask } from './waiting-task'

export type Dispatcher = {
  readonly pool: Pick<WorkerPool, 'working' | 'take' | 'takeAny' | 'touch' | 'unloadOutdated'>
  readonly queues: TaskQueues
  readonly clock: TaskClock
  /** Most tasks that run at once. */
  readonly workers: number
  /** Usual time limit of a task. */
  readonly taskTimeoutMs: number
  readonly batchMax: number
  readonly log: Logger
  isClosed: boolean
}

/** Starts every task that can begin now. Call it when a task comes or a worker becomes free. */
export function startTasks(dispatcher: Dispatcher): void {
  if (dispatcher.isClosed) return
  while (dispatcher.pool.working < dispatcher.workers) {
    if (!startEncoding(dispatcher) && !startQueued(dispatcher)) return
  }
}

/** Returns whether it took a task, which may have failed. */
function startEncoding(dispatcher: Dispatcher): boolean {
  const { queues, pool } = dispatcher
  const waiting = queues.takeEncoding()
  if (!waiting) return false
  if (waiting.worker?.gone) {
    waiting.reject(new WorkerGone('died', false))
    return true
  }
  try {
    const worker = waiting.worker ?? pool.takeAny(waiting.job.workers)
    waiting.onStart(worker)
    void dispatch(dispatcher, worker, waiting)
  } catch (error) {
    waiting.reject(error as Error)
  }
  return true
}

/** Returns whether it took a task, which may have failed. */
function startQueued(dispatcher: Dispatcher): boolean {
  const { queues, workers, batchMax } = dispatcher
  const startedAtMs = performance.now()
  const choice = createChoice(dispatcher)
  const waiting = queues.take({ workers, nowMs: startedAtMs, fits: choice.fits })
  const { found } = choice
  if (!waiting || !found) return false
  waiting.job.begunAtMs ??= startedAtMs
  if ('failure' in found) {
    waiting.reject(found.failure)
    return true
  }
  const { worker } = found
  const batch = queues.takeBatch(waiting, batchMax)
  for (const { job } of batch ?? [waiting]) {
    job.begunAtMs ??= startedAtMs
    job.workers.add(worker)
  }
  void (batch ? dispatchBatch(dispatcher, worker, batch) : dispatch(dispatcher, worker, waiting))
  return true
}

type Choice = {
  /** For the task that fits. */
  found: { readonly worker: WorkerProcess } | { readonly failure: Error } | undefined
  /** Whether a worker for the task is free, or there will never be one. */
  readonly fits: (waiting: WaitingTask<QueuedTask>) => boolean
}

/** Asks the pool once for each engine or model, however many tasks wait for it. */
function createChoice({ pool }: Dispatcher): Choice {
  const mustWait = new Set<string>()
  const choice: Choice = {
    found: undefined,
    fits({ task }) {
      const needed = neededFor(task)
      const key = needed ? engineKey(needed) : ''
      if (mustWait.has(key)) return false
      try {
        const worker = needed ? pool.take(needed) : pool.takeAny()
        if (worker) choice.found = { worker }
        else mustWait.add(key)
      } catch (error) {
        choice.found = { failure: error as Error }
      }
      return choice.found !== undefined
    },
  }
  return choice
}

async function dispatch<T extends Task>(
  dispatcher: Dispatcher,
  worker: WorkerProcess,
  waiting: WaitingTask<T>,
): Promise<void> {
  try {
    waiting.resolve(await run(dispatcher, worker, waiting.task, [waiting], (result) => [endOf(result)]))
  } catch (error) {
    waiting.reject(error as Error)
  }
  startAgain(dispatcher)
}

async function dispatchBatch(
  dispatcher: Dispatcher,
  worker: WorkerProcess,
  batch: readonly WaitingTask<SynthesizeTask>[],
): Promise<void> {
  const task = { kind: 'batch', tasks: batch.map((waiting) => waiting.task) } as const
  try {
    const result = await run(dispatcher, worker, task, batch, (whole) => splitBatch(whole).map(endOf))
    for (const [item, part] of splitBatch(result).entries()) batch[item]!.resolve(part)
  } catch (error) {
    // One of the tasks may have crashed the worker: queue them again one by one.
    if (error instanceof WorkerGone && !dispatcher.isClosed) {
      for (const waiting of batch) if (!waiting.job.ended) dispatcher.queues.push({ ...waiting, isUnbatched: true })
    } else for (const { reject } of batch) reject(error as Error)
  }
  startAgain(dispatcher)
}

function startAgain(dispatcher: Dispatcher): void {
  dispatcher.pool.unloadOutdated()
  startTasks(dispatcher)
}

/** Runs `task`, which consists of the tasks of `parts`, and times them. */
async function run<T extends Task>(
  { pool, clock, taskTimeoutMs, log }: Dispatcher,
  worker: WorkerProcess,
  task: T,
  parts: readonly WaitingTask[],
  endsOf: (result: TaskResult<T['kind']>) => readonly TaskEnd[],
): Promise<TaskResult<T['kind']>> {
  pool.touch(worker)
  const tasks = parts.map((part) => part.task)
  const stop = clock.start(
    worker,
    parts.map((part) => ({ task: part.task, work: part.job.work })),
  )
  try {
    const result = await worker.run(task, clock.timeoutMs(tasks, taskTimeoutMs))
    stop(endsOf(result))
    return result
  } catch (error) {
    stop([])
    if (error instanceof WorkerGone) log.warn({ pid: worker.pid, reason: error.reason, task: task.kind }, 'worker lost')
    throw error
  }
}

function endOf({ outcome, chunks }: TaskResult): TaskEnd {
  return { isDone: outcome.ok, chunks: chunks[0] ?? [] }
}

/** The result of each task of a batch. Throws `TaskFailed` when the batch as a whole failed. */
function splitBatch(result: TaskResult<'batch'>): TaskResult<'synthesize'>[] {
  const outcomes: readonly TaskOutcome<'synthesize'>[] = succeeded(result)
  return outcomes.map((outcome, item) => ({ outcome, chunks: [result.chunks[item] ?? []] }))
}
