/**
 * One worker process, seen from the scheduler. It runs from this same executable, takes one task at a time, and can be
 * killed at any moment. A thread would not do: it cannot stop a spinning WASM loop or a blocked native call.
 */
import { startChild, type Child } from '../process/child'
import type { FromWorker, TaskOutcome, Task, TaskResult } from './protocol'

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
  run<T extends Task>(task: T, timeoutMs: number): Promise<TaskResult<T['kind']>>
  kill(reason?: GoneReason): void
}

export type WorkerProcessOptions = {
  readonly command: WorkerCommand
  readonly memoryMaxBytes: number
  /**
   * Lets the kernel refuse memory beyond `memoryMaxBytes`, where supported. `threads`: threads of one model run. Use it
   * only for processes that probe a pack: the limit also refuses the 4 GiB of address space that JavaScriptCore
   * reserves for each WebAssembly memory, which makes WebAssembly slower and its start much slower. Do not use it with
   * GPUs, whose drivers reserve large address ranges.
   */
  readonly kernelLimit?: { readonly threads: number }
  /** Added to the environment of every child process. */
  readonly environment?: Readonly<Record<string, string>>
  /** Whether to drop its standard error. */
  readonly isQuiet?: boolean
  readonly onExit: (worker: WorkerProcess) => void
}

type RunningTask = {
  readonly chunks: Int16Array[][]
  begun: boolean
  end(outcome: TaskOutcome): void
  reject(error: WorkerGone): void
}

type ProcessState = {
  readonly child: Child<Task>
  readonly memoryMaxBytes: number
  /** Settled when the process is ready or gone. */
  readonly started: PromiseWithResolvers<void>
  phase: 'starting' | 'ready' | 'gone'
  goneReason: GoneReason
  current: RunningTask | undefined
  /** Stops the timers of the running task. */
  stopTimers: () => void
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
/**
 * onnxruntime 1.30 on Linux reports its use to Microsoft otherwise, under a device id that it keeps in the home
 * directory, and writes a log per process into the directory for temporary files.
 */
const privacySettings = { ORT_DISABLE_TELEMETRY: '1' }
/** Lower than the main process, so that its event loop stays responsive when all cores are busy. */
const priority = 5

export function startWorkerProcess(options: WorkerProcessOptions): WorkerProcess {
  const { command, memoryMaxBytes, kernelLimit, environment, isQuiet, onExit } = options
  const child = startChild<FromWorker, Task>({
    command,
    priority,
    environment: { ...runtimeSettings, ...privacySettings, ...environment },
    isQuiet,
    onMessage(message) {
      if (message.type === 'ready' && kernelLimit)
        child.limitMemoryGrowth(memoryMaxBytes + kernelLimit.threads * threadBytes)
      receive(state, message)
    },
    onExit() {
      state.phase = 'gone'
      state.started.resolve()
      const task = takeCurrent(state)
      task?.reject(new WorkerGone(state.goneReason, task.begun))
      onExit(worker)
    },
  })
  const started = Promise.withResolvers<void>()
  const state: ProcessState = {
    ...{ child, memoryMaxBytes, started },
    ...{ phase: 'starting', goneReason: 'died', current: undefined, stopTimers() {} },
  }
  const worker: WorkerProcess = {
    pid: child.pid,
    get memoryBytes() {
      return state.phase === 'gone' ? 0 : child.memoryBytes
    },
    streams: new Set(),
    get busy() {
      return state.current !== undefined
    },
    get gone() {
      return state.phase === 'gone'
    },
    run: (task, timeoutMs) => run(state, task, timeoutMs),
    kill: (reason) => kill(state, reason),
  }
  return worker
}

function receive(state: ProcessState, message: FromWorker): void {
  const { current, child, memoryMaxBytes } = state
  switch (message.type) {
    case 'ready':
      if (state.phase === 'starting') state.phase = 'ready'
      return state.started.resolve()
    case 'begun':
      if (current) current.begun = true
      return
    case 'chunk':
      if (current) (current.chunks[message.item] ??= []).push(message.samples)
      return
    case 'ended':
      takeCurrent(state)?.end(message.outcome)
      // Memory that this task left behind must not fail the next one.
      if (child.memoryBytes > memoryMaxBytes) kill(state, 'memory')
  }
}

async function run<T extends Task>(state: ProcessState, task: T, timeoutMs: number): Promise<TaskResult<T['kind']>> {
  const { promise, resolve, reject } = Promise.withResolvers<TaskResult<T['kind']>>()
  const chunks: Int16Array[][] = []
  // Messages between processes have no types. `runWorker` answers each kind of task with the answer of that kind.
  const end = (outcome: TaskOutcome) => resolve({ outcome: outcome as TaskOutcome<T['kind']>, chunks })
  state.current = { chunks, begun: false, end, reject }
  state.stopTimers = watch(state, timeoutMs)
  await state.started.promise
  if (state.phase !== 'ready' || !state.child.send(task)) {
    takeCurrent(state)?.reject(new WorkerGone(state.goneReason, false))
    kill(state)
  }
  return promise
}

/** Ends the task of the process with `WorkerGone`. */
function kill(state: ProcessState, reason: GoneReason = 'died'): void {
  if (state.phase === 'gone') return
  state.phase = 'gone'
  state.goneReason = reason
  state.child.kill()
}

/** The running task, which is over now. */
function takeCurrent(state: ProcessState): RunningTask | undefined {
  const { current } = state
  state.stopTimers()
  state.current = undefined
  return current
}

/** Kills the process when its task overruns a time limit or its memory. Returns what stops the timers. */
function watch(state: ProcessState, timeoutMs: number): () => void {
  const deadline = setTimeout(() => kill(state, 'timeout'), timeoutMs)
  const beginning = setTimeout(
    () => {
      if (!state.current?.begun) kill(state, 'unresponsive')
    },
    state.phase === 'starting' ? startTimeoutMs : beginTimeoutMs,
  )
  const memory = setInterval(() => {
    if (state.child.memoryBytes > state.memoryMaxBytes) kill(state, 'memory')
  }, memoryCheckMs)
  return () => {
    clearTimeout(deadline)
    clearTimeout(beginning)
    clearInterval(memory)
  }
}
