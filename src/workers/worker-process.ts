/**
 * One worker process as the scheduler sees it: started from this same executable, given one task at a time, killed without
 * ceremony. Threads would not do: neither a spinning WASM loop nor a blocked native call can be stopped in one.
 */
import { setPriority } from 'node:os'
import { startChild } from '../process/child'
import type { Answer, FromWorker, Task } from './protocol'

/** How a worker process is started, e.g. `['/usr/bin/sonant', 'worker']`. */
export type WorkerCommand = readonly string[]

/** `unresponsive`: it did not begin the task that it was given, as when somebody has stopped it. */
export type GoneReason = 'died' | 'timeout' | 'memory' | 'unresponsive'

export class WorkerGone extends Error {
  override readonly name = 'WorkerGone'
  constructor(
    readonly reason: GoneReason,
    /** Whether the process had begun the task. */
    readonly begun: boolean,
  ) {
    super(`worker process ended: ${reason}`)
  }

  /** Whether the process was at fault, not its task. */
  get isFailure(): boolean {
    return this.reason === 'died' || this.reason === 'unresponsive'
  }
}

/** Workers that one task may lose before it begins: somebody may have stopped several. */
const unbegunMax = 5

/** Runs `attempt` again when the worker was gone before it had begun the task. */
export async function retryUnbegun<T>(attempt: () => Promise<T>): Promise<T> {
  for (let losses = 1; ; losses++) {
    try {
      return await attempt()
    } catch (error) {
      const isUnbegun = error instanceof WorkerGone && !error.begun && error.isFailure
      if (!isUnbegun || losses === unbegunMax) throw error
    }
  }
}

/** `chunks`: by item of a batch; of any other task there is one. */
export type TaskResult = { readonly answer: Answer; readonly chunks: readonly (readonly Int16Array[])[] }

export type WorkerProcess = {
  readonly pid: number
  /** Resident, where the system tells (Linux), else 0. */
  readonly memoryBytes: number
  /** Encoder streams that are open in it. */
  readonly streams: Set<number>
  readonly busy: boolean
  readonly gone: boolean
  /**
   * Runs one task. Rejects with `WorkerGone` when the process dies, does not begin, overruns its time or outgrows its
   * memory.
   */
  run(task: Task, timeoutMs: number): Promise<TaskResult>
  kill(reason?: GoneReason): void
}

type RunningTask = {
  readonly chunks: Int16Array[][]
  begun: boolean
  resolve(result: TaskResult): void
  reject(error: Error): void
}

const memoryCheckMs = 250
/** What a thread of a model reserves beside its work: its stack. */
const threadBytes = 16 << 20
/** From sending a task to the word that it has begun, which takes milliseconds where the process runs. */
const beginTimeoutMs = 5_000
/** The same for a process that has to start first, perhaps from a slow disk. */
const startTimeoutMs = 15_000
/**
 * Keeps a worker small: the collector is told to expect a small machine, and the largest functions, which are all of
 * eSpeak NG, are left to the middle tier of the compiler (measured: 283 MB → 113 MB at 0.9 of the speed).
 */
export const runtimeSettings = { BUN_JSC_forceRAMSize: '100000000', BUN_JSC_maximumFTLCandidateBytecodeCost: '2000' }
/** Below the main process, so that the event loop stays prompt when all cores are busy. */
const priority = 5

export function startWorkerProcess(options: {
  command: WorkerCommand
  memoryMaxBytes: number
  /**
   * Lets the kernel refuse memory beyond `memoryMaxBytes`, where it can. Only for processes that try a pack: the limit
   * also refuses the 4 GiB of address space that JavaScriptCore reserves for each WebAssembly memory, which makes
   * WebAssembly slower and its start much slower. Not for GPUs, whose drivers reserve at will. `threads`: of one run of
   * a model.
   */
  kernelLimit?: { readonly threads: number }
  /** Added to what every child process gets. */
  environment?: Readonly<Record<string, string>>
  /** Whether what it writes to standard error is dropped. */
  isQuiet?: boolean
  onExit: (worker: WorkerProcess) => void
}): WorkerProcess {
  let state: 'starting' | 'ready' | 'gone' = 'starting'
  let goneReason: GoneReason = 'died'
  let current: RunningTask | undefined
  let timers: (() => void) | undefined
  /** Settled when the process is ready or gone. */
  const started = Promise.withResolvers<void>()

  const child = startChild<FromWorker, Task>({
    command: options.command,
    environment: { ...runtimeSettings, ...options.environment },
    isQuiet: options.isQuiet,
    onMessage(message) {
      if (message.type === 'ready') {
        if (state === 'starting') state = 'ready'
        if (options.kernelLimit)
          child.limitMemoryGrowth(options.memoryMaxBytes + options.kernelLimit.threads * threadBytes)
        started.resolve()
      } else if (message.type === 'begun' && current) current.begun = true
      else if (message.type === 'chunk' && current) (current.chunks[message.item] ??= []).push(message.samples)
      else if (message.type === 'answer') {
        settle((task) => task.resolve({ answer: message.answer, chunks: task.chunks }))
        // What this task left behind must not be held against the next one.
        if (child.memoryBytes > options.memoryMaxBytes) worker.kill('memory')
      }
    },
    onExit() {
      state = 'gone'
      started.resolve()
      settle((task) => task.reject(new WorkerGone(goneReason, task.begun)))
      options.onExit(worker)
    },
  })
  lowerPriority(child.pid)

  function settle(end: (task: RunningTask) => void): void {
    timers?.()
    const task = current
    current = undefined
    if (task) end(task)
  }

  function watch(timeoutMs: number): () => void {
    const deadline = setTimeout(() => worker.kill('timeout'), timeoutMs)
    const beginning = setTimeout(
      () => {
        if (!current?.begun) worker.kill('unresponsive')
      },
      state === 'starting' ? startTimeoutMs : beginTimeoutMs,
    )
    const memory = setInterval(() => {
      if (child.memoryBytes > options.memoryMaxBytes) worker.kill('memory')
    }, memoryCheckMs)
    return () => {
      clearTimeout(deadline)
      clearTimeout(beginning)
      clearInterval(memory)
    }
  }

  const worker: WorkerProcess = {
    pid: child.pid,
    get memoryBytes() {
      return state === 'gone' ? 0 : child.memoryBytes
    },
    streams: new Set(),
    get busy() {
      return current !== undefined
    },
    get gone() {
      return state === 'gone'
    },
    async run(task, timeoutMs) {
      const result = Promise.withResolvers<TaskResult>()
      current = { ...result, chunks: [], begun: false }
      timers = watch(timeoutMs)
      await started.promise
      if (state !== 'ready' || !child.send(task)) {
        settle((waiting) => waiting.reject(new WorkerGone(goneReason, false)))
        worker.kill()
      }
      return result.promise
    },
    kill(reason = 'died') {
      if (state === 'gone') return
      state = 'gone'
      goneReason = reason
      child.kill()
    },
  }
  return worker
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, priority)
  } catch {
    // The process may have ended already, or the system may not allow it: it then runs at the same priority.
  }
}
