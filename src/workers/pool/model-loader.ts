/**
 * Loads models into processes of their own, a few at a time. A model that failed is not tried again for a while. Memory
 * that becomes free is kept for the model that waits for it.
 */
import type { Logger } from '../../log'
import type { RuntimeOptions } from '../../speech/onnx/runtime-options'
import { modelsOf, type Loadable } from '../../speech/voice'
import { succeeded, TaskFailed } from '../task-failed'
import { retryUnbegun, type WorkerProcess } from '../worker-process'
import type { ModelMemory } from './model-memory'
import { describeModels, modelBytesOf, modelLoad, residenceMs, type ModelOptions } from './models'
import type { ProcessSet } from './process-set'

const loadsMax = 2
/** Delay before a model that failed to load is tried again. */
const failureMs = 5_000

export type ModelLoaderOptions = {
  readonly processes: ProcessSet
  readonly memory: ModelMemory
  readonly models: ModelOptions
  readonly log: Logger
  /** A model was loaded, failed, or may be asked for again. */
  readonly onChange: () => void
  readonly onLoaded: (voice: Loadable, durationMs: number) => void
}

type LoaderState = ModelLoaderOptions & {
  readonly failures: Map<string, { readonly message: string; readonly untilMs: number }>
  /** The model that waits for room. Freed memory is reserved for it until it is loaded or no longer asked for. */
  next: { readonly key: string; readonly askedAtMs: number } | undefined
  askingAgain: NodeJS.Timeout | undefined
  isClosed: boolean
}

export type ModelLoader = {
  /** Throws `TaskFailed` when the model failed to load just now. */
  requireNoFailure(key: string): void
  /** Whether a process loads the model or is about to start for it. */
  isComing(key: string): boolean
  /** Begins to load, or asks for it again when there may be room. Throws `TaskFailed` when it can never fit. */
  begin(voice: Loadable, key: string): void
  close(): void
}

export function createModelLoader(options: ModelLoaderOptions): ModelLoader {
  const { processes, memory } = options
  const state: LoaderState = {
    ...options,
    ...{ failures: new Map(), next: undefined, askingAgain: undefined, isClosed: false },
  }
  return {
    requireNoFailure(key) {
      const failure = state.failures.get(key)
      if (failure && performance.now() < failure.untilMs) throw new TaskFailed('synthesize', failure.message)
      state.failures.delete(key)
    },
    isComing: (key) =>
      memory.isReserved(key) || processes.holding(key).some((worker) => processes.loadOf(worker).isLoading),
    begin: (voice, key) => begin(state, voice, key),
    close() {
      state.isClosed = true
      clearTimeout(state.askingAgain)
    },
  }
}

function begin(state: LoaderState, voice: Loadable, key: string): void {
  const { processes, memory, models, next } = state
  const sizeBytes = modelBytesOf(voice)
  if (sizeBytes > models.memoryMaxBytes) {
    const needed = `needs ${sizeBytes} bytes of the ${models.memoryMaxBytes} for models`
    throw new TaskFailed('synthesize', `the model ${describeModels(voice)} ${needed}`)
  }
  const loading = processes.loads().filter(({ isLoading }) => isLoading).length
  if (loading + memory.reservations >= loadsMax) return
  const nowMs = performance.now()
  if (next && next.key !== key && nowMs - next.askedAtMs < residenceMs) return askAgain(state)
  memory.unloadOtherVersions(voice)
  if (!memory.reserve(key, sizeBytes)) {
    // A model that has a process already does not reserve memory for another.
    if (processes.holding(key).length === 0) state.next = { key, askedAtMs: nowMs }
    return askAgain(state)
  }
  state.next = undefined
  void load(state, voice, key)
}

/** Schedules a retry for a model that has to wait; no other event may come. */
function askAgain(state: LoaderState): void {
  if (state.askingAgain) return
  const loadedAtMs = state.processes
    .loads()
    .map((load) => load.loadedAtMs)
    .filter(Number.isFinite)
  const leftMs = Math.max(...loadedAtMs) + residenceMs - performance.now()
  const ask = () => {
    state.askingAgain = undefined
    state.onChange()
  }
  state.askingAgain = setTimeout(ask, leftMs > 0 ? Math.ceil(leftMs) : residenceMs).unref()
}

async function load(state: LoaderState, voice: Loadable, key: string): Promise<void> {
  const { memory, models, log } = state
  const startedAtMs = performance.now()
  const model = describeModels(voice)
  try {
    const runtime = await models.runtime(modelsOf(voice)[0]!.directory)
    if (state.isClosed) return
    const { pid, memoryBytes } = await retryUnbegun(() => startLoaded(state, voice, key, runtime))
    const durationMs = Math.round(performance.now() - startedAtMs)
    state.onLoaded(voice, durationMs)
    log.info({ model, pid, memoryBytes, durationMs }, 'model loaded')
  } catch (error) {
    if (state.isClosed) return
    const message = `the model ${model} could not be loaded: ${(error as Error).message}`
    state.failures.set(key, { message, untilMs: performance.now() + failureMs })
    log.error({ model, err: error }, 'a model could not be loaded')
  } finally {
    memory.release(key)
    if (!state.isClosed) state.onChange()
  }
}

/** Starts a process and loads the model in it. Kills the process when it fails. */
async function startLoaded(
  state: LoaderState,
  voice: Loadable,
  key: string,
  runtime: Omit<RuntimeOptions, 'deviceId'>,
): Promise<WorkerProcess> {
  const { processes, memory, models } = state
  const deviceId = leastUsedDevice(state)
  const load = modelLoad({ key, voice, deviceId })
  const worker = processes.start(load, { ...runtime, deviceId })
  memory.release(key)
  try {
    succeeded(await worker.run({ kind: 'load', voice }, models.loadTimeoutMs))
  } catch (error) {
    worker.kill()
    throw error
  }
  load.isLoading = false
  load.loadedAtMs = load.usedAtMs = performance.now()
  return worker
}

function leastUsedDevice({ processes, models }: LoaderState): number | undefined {
  const loads = processes.loads()
  const uses = (id: number) => loads.filter(({ deviceId }) => deviceId === id).length
  return [...models.deviceIds].sort((a, b) => uses(a) - uses(b))[0]
}
