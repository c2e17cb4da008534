/**
 * Runs one task in its own worker process, for tasks that may crash it. The process ends with the task. Output of
 * native libraries is dropped.
 */
import type { TaskOutcome, Task } from './protocol'
import { retryUnbegun, startWorkerProcess, type WorkerCommand } from './worker-process'

export type IsolatedOptions = {
  readonly command: WorkerCommand
  readonly memoryMaxBytes: number
  /** Threads of one model run on the CPU; undefined: the task may use a GPU, and the kernel sets no memory limit. */
  readonly threads?: number
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Ends the process when aborted. */
  readonly signal?: AbortSignal
}

/** Rejects with `WorkerGone` when the process dies, overruns its time or outgrows its memory. */
export function runIsolated<T extends Task>(task: T, options: IsolatedOptions): Promise<TaskOutcome<T['kind']>> {
  return retryUnbegun(() => runOnce(task, options))
}

async function runOnce<T extends Task>(
  task: T,
  { timeoutMs, signal, threads, ...options }: IsolatedOptions,
): Promise<TaskOutcome<T['kind']>> {
  signal?.throwIfAborted()
  const worker = startWorkerProcess({
    ...options,
    kernelLimit: threads === undefined ? undefined : { threads },
    isQuiet: true,
    onExit() {},
  })
  const end = () => worker.kill()
  signal?.addEventListener('abort', end)
  try {
    return (await worker.run(task, timeoutMs)).outcome
  } finally {
    signal?.removeEventListener('abort', end)
    worker.kill()
  }
}
