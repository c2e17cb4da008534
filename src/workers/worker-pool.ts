/**
 * The worker processes. Each loads one built-in engine or one model, which keeps it small; killing the process unloads
 * it. A process takes no tasks while it loads a model. All models together stay within a memory budget, and unused
 * models are unloaded.
 */
import type { Logger } from '../log'
import { engineKey, modelKey, modelsOf, type Loadable, type ModelFiles } from '../speech/voice'
import { driverBytesMax, writeRuntimeOptions, type RuntimeOptions } from '../speech/onnx/runtime-options'
import { TaskFailed } from './task-failed'
import { retryUnbegun, startWorkerProcess, type WorkerCommand, type WorkerProcess } from './worker-process'

export type ModelOptions = {
  /** Runtime options for the model in `directory`. */
  readonly runtime: (directory: string) => Promise<Omit<RuntimeOptions, 'deviceId'>>
  /** GPUs that models are spread over; empty: the runtime chooses. */
  readonly deviceIds: readonly number[]
  /** Budget of all loaded models together. */
  readonly memoryMaxBytes: number
  /** A model unused for this long is unloaded. */
  readonly idleMs: number
  readonly loadTimeoutMs: number
  /** Sentences in one run; 1 disables batching. */
  readonly batchMax: number
}

export type LoadedModel = {
  /** Its directory and graph file. */
  readonly name: string
  readonly processes: number
  /** Resident memory of these processes. */
  readonly memoryBytes: number
}

/** The engine or model that a process has loaded or is loading. */
type Load = {
  readonly key: string | undefined
  readonly voice: Loadable | undefined
  isLoading: boolean
  loadedAtMs: number
  /** Last synthesis with it; other tasks of the process, such as encoding, do not count. */
  usedAtMs: number
  readonly deviceId: number | undefined
}

const loadsMax = 2
/** A model stays loaded for at least this long, so that two models do not evict each other in turn. */
const residenceMs = 3_000
/** Delay before a model that failed to load is tried again. */
const failureMs = 5_000
/** Peak memory while a graph is read, as a multiple of the memory it needs afterwards. */
export const loadingFactor = 3
const sweepMsMax = 30_000

export type WorkerPool = ReturnType<typeof createWorkerPool>

export function createWorkerPool(options: {
  command: WorkerCommand
  workers: number
  workerMemoryMaxBytes: number
  models: ModelOptions
  log: Logger
  /** A worker has become free or is gone. */
  onChange: () => void
  /** A model was loaded. */
  onLoaded: (voice: Loadable, durationMs: number) => void
  /** Whether an open job has used this worker. */
  isInUse: (worker: WorkerProcess) => boolean
}) {
  const { models, log } = options
  /** Most recently used last. */
  const processes: WorkerProcess[] = []
  const loads = new Map<WorkerProcess, Load>()
  /** Workers whose model is no longer installed. */
  const outdated = new Set<WorkerProcess>()
  const failures = new Map<string, { message: string; untilMs: number }>()
  /** Models whose process is not started yet, with their bytes. */
  const expected = new Map<string, number>()
  /** The model that waits for room. Freed memory is reserved for it until it is loaded or no longer asked for. */
  let next: { readonly key: string; readonly askedAtMs: number } | undefined
  let askingAgain: NodeJS.Timeout | undefined
  let closed = false

  const sweep = setInterval(unloadIdle, Math.min(sweepMsMax, Math.max(1, models.idleMs / 2)))
  sweep.unref()

  function start(load: Load, runtime?: RuntimeOptions): WorkerProcess {
    const driverBytes = runtime ? driverBytesMax(runtime.provider) : 0
    const worker = startWorkerProcess({
      command: options.command,
      memoryMaxBytes: options.workerMemoryMaxBytes + loadingFactor * modelBytes(load) + driverBytes,
      environment: runtime && writeRuntimeOptions(runtime),
      onExit(gone) {
        const { isLoading } = loads.get(gone)!
        processes.splice(processes.indexOf(gone), 1)
        loads.delete(gone)
        outdated.delete(gone)
        // `loadModel` reports the end of a process that was loading, once it has noted the failure.
        if (!closed && !isLoading) options.onChange()
      },
    })
    loads.set(worker, load)
    processes.push(worker)
    return worker
  }

  function modelBytes({ voice }: Pick<Load, 'voice'>): number {
    return voice ? sum(modelsOf(voice).map(({ memoryBytes }) => memoryBytes)) : 0
  }

  const idle = () => processes.filter((worker) => !worker.busy && !worker.gone)
  const holding = (key: string) => processes.filter((worker) => loads.get(worker)!.key === key && !worker.gone)
  const hasModel = (worker: WorkerProcess) => loads.get(worker)!.voice !== undefined

  function startBuiltIn(key: string | undefined): WorkerProcess {
    const nowMs = performance.now()
    const load = { key, voice: undefined, isLoading: false, loadedAtMs: nowMs, usedAtMs: nowMs, deviceId: undefined }
    try {
      return start(load)
    } catch (error) {
      log.error({ err: error }, 'no worker process can be started')
      throw new TaskFailed('synthesize', 'no worker process can be started')
    }
  }

  function takeBuiltIn(key: string): WorkerProcess {
    const free = idle()
    const fit = free.findLast((worker) => loads.get(worker)!.key === key)
    if (fit) return fit
    const blank = free.find((worker) => loads.get(worker)!.key === undefined)
    if (blank) {
      loads.set(blank, { ...loads.get(blank)!, key })
      return blank
    }
    const builtIn = processes.filter((worker) => !hasModel(worker))
    if (builtIn.length >= options.workers * 2)
      free.find((worker) => !hasModel(worker) && worker.streams.size === 0)?.kill()
    return startBuiltIn(key)
  }

  function takeModel(voice: Loadable, key: string): WorkerProcess | undefined {
    const failure = failures.get(key)
    if (failure && performance.now() < failure.untilMs) throw new TaskFailed('synthesize', failure.message)
    failures.delete(key)
    const mine = holding(key)
    const fit = mine.findLast((worker) => !worker.busy)
    if (fit) {
      loads.get(fit)!.usedAtMs = performance.now()
      return fit
    }
    const isComing = expected.has(key) || mine.some((worker) => loads.get(worker)!.isLoading)
    if (!isComing && mine.length < options.workers) beginLoading(voice, key)
    return undefined
  }

  function beginLoading(voice: Loadable, key: string): void {
    const sizeBytes = modelBytes({ voice })
    if (sizeBytes > models.memoryMaxBytes) {
      const message = `the model ${describe(voice)} needs ${sizeBytes} bytes of the ${models.memoryMaxBytes} for models`
      throw new TaskFailed('synthesize', message)
    }
    const loading = [...loads.values()].filter(({ isLoading }) => isLoading).length
    if (loading + expected.size >= loadsMax) return
    const nowMs = performance.now()
    if (next && next.key !== key && nowMs - next.askedAtMs < residenceMs) return askAgain()
    for (const worker of idle()) if (isOlder(loads.get(worker)!.voice, voice)) unload(worker, 'its files have changed')
    if (!makeRoom(sizeBytes)) {
      // A model that has a process already does not reserve memory for another.
      if (holding(key).length === 0) next = { key, askedAtMs: nowMs }
      return askAgain()
    }
    next = undefined
    expected.set(key, sizeBytes)
    void loadModel(voice, key)
  }

  /** Schedules a retry for a model that has to wait; no other event may come. */
  function askAgain(): void {
    if (askingAgain) return
    const loadedAtMs = [...loads.values()].map((load) => load.loadedAtMs).filter(Number.isFinite)
    const leftMs = Math.max(...loadedAtMs) + residenceMs - performance.now()
    const ask = () => {
      askingAgain = undefined
      options.onChange()
    }
    askingAgain = setTimeout(ask, leftMs > 0 ? Math.ceil(leftMs) : residenceMs).unref()
  }

  async function loadModel(voice: Loadable, key: string): Promise<void> {
    const startedAtMs = performance.now()
    let worker: WorkerProcess | undefined
    let load!: Load
    try {
      const chosen = await models.runtime(modelsOf(voice)[0]!.directory)
      if (closed) return
      const { outcome } = await retryUnbegun(() => {
        const deviceId = leastUsedDevice()
        load = { key, voice, isLoading: true, loadedAtMs: Infinity, usedAtMs: Infinity, deviceId }
        worker = start(load, { ...chosen, deviceId })
        expected.delete(key)
        return worker.run({ kind: 'load', voice }, models.loadTimeoutMs)
      })
      if (!outcome.ok) throw new TaskFailed(outcome.stage, outcome.message)
      load.isLoading = false
      load.loadedAtMs = load.usedAtMs = performance.now()
      const durationMs = Math.round(load.loadedAtMs - startedAtMs)
      options.onLoaded(voice, durationMs)
      const { pid, memoryBytes } = worker!
      log.info({ model: describe(voice), pid, memoryBytes, durationMs }, 'model loaded')
    } catch (error) {
      worker?.kill()
      if (closed) return
      const message = `the model ${describe(voice)} could not be loaded: ${(error as Error).message}`
      failures.set(key, { message, untilMs: performance.now() + failureMs })
      log.error({ model: describe(voice), err: error }, 'a model could not be loaded')
    } finally {
      expected.delete(key)
      if (!closed) options.onChange()
    }
  }

  function leastUsedDevice(): number | undefined {
    const uses = (id: number) => [...loads.values()].filter(({ deviceId }) => deviceId === id).length
    return [...models.deviceIds].sort((a, b) => uses(a) - uses(b))[0]
  }

  /** Unloads idle models, least recently used first, until `sizeBytes` fit. Returns whether they do. */
  function makeRoom(sizeBytes: number): boolean {
    const held = () => {
      const living = processes.filter((worker) => !worker.gone)
      return sum(expected.values()) + sum(living.map((worker) => modelBytes(loads.get(worker)!)))
    }
    while (held() + sizeBytes > models.memoryMaxBytes) {
      const idlest = idle()
        .filter(hasModel)
        .sort((a, b) => loads.get(a)!.usedAtMs - loads.get(b)!.usedAtMs)[0]
      if (!idlest || loads.get(idlest)!.loadedAtMs + residenceMs > performance.now()) return false
      unload(idlest, 'to make room')
    }
    return true
  }

  function unload(worker: WorkerProcess, reason: string): void {
    log.info({ model: describe(loads.get(worker)!.voice!), pid: worker.pid, reason }, 'model unloaded')
    worker.kill()
  }

  function unloadIdle(): void {
    const untilMs = performance.now() - models.idleMs
    for (const worker of idle())
      if (hasModel(worker) && loads.get(worker)!.usedAtMs <= untilMs) unload(worker, 'not used')
  }

  function unloadOutdated(): void {
    for (const worker of outdated) {
      const isAtWork = worker.busy && !loads.get(worker)!.isLoading
      if (!isAtWork && !worker.gone && !options.isInUse(worker)) unload(worker, 'not installed any more')
    }
  }

  return {
    processes: processes as readonly WorkerProcess[],

    /** Busy processes, without those that load a model. */
    get working(): number {
      return processes.filter((worker) => worker.busy && !loads.get(worker)!.isLoading).length
    },

    /**
     * A free process that can speak with `voice`; undefined while the model loads or waits for room. Throws
     * `TaskFailed` when the model is too large, failed to load just now, or no process can be started.
     */
    take(voice: Loadable): WorkerProcess | undefined {
      const key = engineKey(voice)
      return modelsOf(voice).length > 0 ? takeModel(voice, key) : takeBuiltIn(key)
    },

    /** A free process whatever it has loaded, one of `preferred` if possible. Throws `TaskFailed`. */
    takeAny(preferred?: ReadonlySet<WorkerProcess>): WorkerProcess {
      const free = idle()
      return free.findLast((worker) => preferred?.has(worker)) ?? free.at(-1) ?? startBuiltIn(undefined)
    },

    isLoaded: (voice: Loadable) => holding(engineKey(voice)).length > 0,

    /** `ready`: processes that have the voice loaded, free or busy. `most`: processes that there is room for. */
    processesOf(voice: Loadable): { ready: number; most: number } {
      if (modelsOf(voice).length === 0) return { ready: options.workers, most: options.workers }
      const ready = holding(engineKey(voice)).filter((worker) => !loads.get(worker)!.isLoading).length
      const room = Math.floor(models.memoryMaxBytes / Math.max(1, modelBytes({ voice })))
      return { ready, most: Math.min(options.workers, Math.max(1, room)) }
    },

    /** Marks the process as most recently used. Call it for every task. */
    touch(worker: WorkerProcess): void {
      processes.push(...processes.splice(processes.indexOf(worker), 1))
    },

    models(): LoadedModel[] {
      const byName = new Map<string, { processes: number; memoryBytes: number }>()
      for (const worker of processes) {
        const { voice, isLoading } = loads.get(worker)!
        if (!voice || isLoading || worker.gone) continue
        const name = describe(voice)
        const { processes: count, memoryBytes } = byName.get(name) ?? { processes: 0, memoryBytes: 0 }
        byName.set(name, { processes: count + 1, memoryBytes: memoryBytes + worker.memoryBytes })
      }
      return [...byName].map(([name, found]) => ({ name, ...found }))
    },

    /** Unloads every model that is not `installed`, as soon as no job uses it. */
    keepOnly(installed: readonly ModelFiles[]): void {
      const keys = new Set(installed.map(modelKey))
      outdated.clear()
      for (const [worker, { voice }] of loads)
        if (voice && !modelsOf(voice).every((model) => keys.has(modelKey(model)))) outdated.add(worker)
      unloadOutdated()
    },

    /** Call it when a process may no longer be in use. */
    unloadOutdated,

    close(): void {
      closed = true
      clearInterval(sweep)
      clearTimeout(askingAgain)
      for (const worker of processes) worker.kill()
    },
  }
}

/** Whether `held` has another version of a model of `voice`. */
function isOlder(held: Loadable | undefined, voice: Loadable): boolean {
  const older = (one: ModelFiles) => (other: ModelFiles) =>
    pathOf(one) === pathOf(other) && one.version !== other.version
  return held !== undefined && modelsOf(held).some((one) => modelsOf(voice).some(older(one)))
}

function pathOf({ directory, graph }: ModelFiles): string {
  return `${directory}/${graph}`
}

/** Paths of the models, for the log and operators. */
function describe(voice: Loadable): string {
  return modelsOf(voice).map(pathOf).join(' + ')
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
