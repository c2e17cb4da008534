/**
 * A task in a worker process of its own, which ends with it: for what may well take its process down. What native
 * libraries write on the way is dropped; what counts is in the answer.
 */
import type { Answer, Task } from './protocol'
import { retryUnbegun, startWorkerProcess, type WorkerCommand } from './worker-process'

export type AloneOptions = {
  readonly command: WorkerCommand
  readonly memoryMaxBytes: number
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Aborted, the process ends. */
  readonly signal?: AbortSignal
}

/** The answer. Rejects with `WorkerGone` when the process dies, overruns its time or outgrows its memory. */
export function runAlone(task: Task, options: AloneOptions): Promise<Answer> {
  return retryUnbegun(() => runOnce(task, options))
}

async function runOnce(task: Task, { timeoutMs, signal, ...options }: AloneOptions): Promise<Answer> {
  signal?.throwIfAborted()
  const worker = startWorkerProcess({ ...options, isQuiet: true, onExit() {} })
  const end = () => worker.kill()
  signal?.addEventListener('abort', end)
  try {
    return (await worker.run(task, timeoutMs)).answer
  } finally {
    signal?.removeEventListener('abort', end)
    worker.kill()
  }
}
