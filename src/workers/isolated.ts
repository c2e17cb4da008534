/**
 * A task in a worker process of its own, which ends with it: for what may well take its process down. What native
 * libraries write on the way is dropped; what counts is in the answer.
 */
import type { Answer, Task } from './protocol'
import { retryUnbegun, startWorkerProcess, type WorkerCommand } from './worker-process'

export type IsolatedOptions = {
  readonly command: WorkerCommand
  readonly memoryMaxBytes: number
  /** Of a run of a model on the CPU; undefined: it may use a GPU, and the kernel sets no limit. */
  readonly threads?: number
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Aborted, the process ends. */
  readonly signal?: AbortSignal
}

/** The answer. Rejects with `WorkerGone` when the process dies, overruns its time or outgrows its memory. */
export function runIsolated(task: Task, options: IsolatedOptions): Promise<Answer> {
  return retryUnbegun(() => runOnce(task, options))
}

async function runOnce(task: Task, { timeoutMs, signal, threads, ...options }: IsolatedOptions): Promise<Answer> {
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
    return (await worker.run(task, timeoutMs)).answer
  } finally {
    signal?.removeEventListener('abort', end)
    worker.kill()
  }
}
