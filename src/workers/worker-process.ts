/**
 * One worker process, seen from the scheduler. It runs from this same executable, takes one task at a time, and can be
 * killed at any moment. A thread would not do: it cannot stop a spinning WASM loop or a blocked native call.
 */
import { setPriority } from 'node:os'
import { startChild } from '../process/child'
import type { Answer, FromWorker, Task } from './protocol'

/** Command line of a worker process, e.g. `['/usr/bin/sonant', 'worker']`. */
export type WorkerCommand = readonly string[]

/** `unresponsive`: the process did not begin its task, for example because it got SIGSTOP. */
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

  /** Whether the process failed, rather than its task. */
  get isFailure(): boolean {
    return this.reason === 'died' || this.reason === 'unresponsive'
  }
}

/** Attempts of one task whose worker is lost before the task begins; several workers may be stopped at once. */
const unbegunMax = 5

/** Runs `attempt` again when the worker was lost before it began the task. */
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

/** `chunks[item]`: the audio of each item of a batch; any other task has one item. */
export type TaskResult = { readonly answer: Answer; readonly chunks: readonly (readonly Int16Array[])[] }

export type WorkerProcess = {
  readonly pid: number
  /** Resident memory on Linux; 0 elsewhere. */
  readonly memoryBytes: number
  /** Open encoder streams. */
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
/** Stack of one model thread. */
const threadBytes = 16 << 20
/** Time limit from sending a task to its `begun` message, which takes milliseconds in a running process. */
const beginTimeoutMs = 5_000
/** The same limit for a process that has to start first, perhaps from a slow disk. */
const startTimeoutMs = 15_000
/**
 * Keeps a worker small. The garbage collector assumes little RAM, and the compiler's top tier skips the largest
 * functions, which all belong to eSpeak NG (measured: 283 MB → 113 MB at 0.9 of the speed).
 */
export const runtimeSettings = { BUN_JSC_forceRAMSize: '100000000', BUN_JSC_maximumFTLCandidateBytecodeCost: '2000' }
/** Lower than the main process, so that its event loop stays responsive when all cores are busy. */
const priority = 5

export function startWorkerProcess(options: {
  command: WorkerCommand
  memoryMaxBytes: number
  /**
   * Lets the kernel refuse memory beyond `memoryMaxBytes`, where supported. `threads`: threads of one model run. Use it
   * only for processes that probe a pack: the limit also refuses the 4 GiB of address space that JavaScriptCore
   * reserves for each WebAssembly memory, which makes WebAssembly slower and its start much slower. Do not use it with
   * GPUs, whose drivers reserve large address ranges.
   */
  kernelLimit?: { readonly threads: number }
  /** Added to the environment of every child process. */
  environment?: Readonly<Record<string, string>>
  /** Whether to drop its standard error. */
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
        // Memory that this task left behind must not fail the next one.
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
    // The process has ended, or the system forbids it; the worker then keeps the normal priority.
  }
}
