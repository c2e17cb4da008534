/**
 * The worker processes. Each loads one built-in engine or one model, which keeps it small; killing the process unloads
 * it. A process takes no tasks while it loads a model. All models together stay within a memory budget, and unused
 * models are unloaded.
 */
import type { Logger } from '../log'
import { engineKey, modelsOf, type Loadable, type ModelFiles } from '../speech/voice'
import { createModelLoader, type ModelLoader } from './pool/model-loader'
import { createModelMemory } from './pool/model-memory'
import { builtInLoad, describeModels, modelBytesOf, type ModelOptions } from './pool/models'
import { createProcessSet, type ProcessSet } from './pool/process-set'
import { TaskFailed } from './task-failed'
import type { WorkerCommand, WorkerProcess } from './worker-process'

export type LoadedModel = {
  /** Its directory and graph file. */
  readonly name: string
  readonly processes: number
  /** Resident memory of these processes. */
  readonly memoryBytes: number
}

/** A worker process, for operators. */
export type WorkerReport = {
  readonly pid: number
  readonly state: 'idle' | 'busy' | 'loading'
  /** The engine, or the paths of its models; undefined before the first voice. */
  readonly holds: string | undefined
  /** Resident memory on Linux; 0 elsewhere. */
  readonly memoryBytes: number
}

export type WorkerPoolOptions = {
  readonly command: WorkerCommand
  readonly workers: number
  readonly workerMemoryMaxBytes: number
  readonly models: ModelOptions
  readonly log: Logger
  /** A worker has become free or is gone. */
  readonly onChange: () => void
  /** A model was loaded. */
  readonly onLoaded: (voice: Loadable, durationMs: number) => void
  /** Whether an open job has used this worker. */
  readonly isInUse: (worker: WorkerProcess) => boolean
}

type PoolState = {
  readonly processes: ProcessSet
  readonly loader: ModelLoader
  readonly workers: number
  readonly log: Logger
}

/** Flite, eSpeak NG, and Hibari with the voice Heart. */
const builtInEngines = 3

export type WorkerPool = ReturnType<typeof createWorkerPool>

export function createWorkerPool(options: WorkerPoolOptions) {
  const { command, workers, workerMemoryMaxBytes, models, log } = options
  let closed = false
  const processes = createProcessSet({
    command,
    workerMemoryMaxBytes,
    runtimeDirectory: models.runtimeDirectory,
    onExit({ isLoading }) {
      // The loader reports the end of a process that was loading, once it has noted the failure.
      if (!closed && !isLoading) options.onChange()
    },
  })
  const memory = createModelMemory({ processes, ...models, isInUse: options.isInUse, log })
  const loader = createModelLoader({ ...options, processes, memory })
  const state: PoolState = { processes, loader, workers, log }

  return {
    processes: processes.all,

    /** Busy processes, without those that load a model. */
    get working(): number {
      return processes.working
    },

    /**
     * A free process that can speak with `voice`; undefined while the model loads or waits for room. Throws
     * `TaskFailed` when the model is too large, failed to load just now, or no process can be started.
     */
    take(voice: Loadable): WorkerProcess | undefined {
      const key = engineKey(voice)
      return modelsOf(voice).length > 0 ? takeModel(state, voice, key) : takeBuiltIn(state, key)
    },

    /** A free process whatever it has loaded, one of `preferred` if possible. Throws `TaskFailed`. */
    takeAny(preferred?: ReadonlySet<WorkerProcess>): WorkerProcess {
      const free = processes.idle()
      return free.findLast((worker) => preferred?.has(worker)) ?? free.at(-1) ?? startBuiltIn(state, undefined)
    },

    /** Starts a process that loads nothing, unless there is one. A failure is logged. */
    startFirst(): void {
      try {
        if (processes.all.length === 0) startBuiltIn(state, undefined)
      } catch (error) {
        if (!(error instanceof TaskFailed)) throw error
      }
    },

    isLoaded: (voice: Loadable) => processes.holding(engineKey(voice)).length > 0,

    /** `ready`: processes that have the voice loaded, free or busy. `most`: processes that there is room for. */
    processesOf(voice: Loadable): { ready: number; most: number } {
      if (modelsOf(voice).length === 0) return { ready: workers, most: workers }
      const ready = processes.holding(engineKey(voice)).filter((worker) => !processes.loadOf(worker).isLoading).length
      const room = Math.floor(models.memoryMaxBytes / Math.max(1, modelBytesOf(voice)))
      return { ready, most: Math.min(workers, Math.max(1, room)) }
    },

    /** Marks the process as most recently used. Call it for every task. */
    touch: (worker: WorkerProcess): void => processes.touch(worker),

    models: (): LoadedModel[] => listModels(processes),

    reports: (): WorkerReport[] => reportProcesses(processes),

    /** Unloads every model that is not `installed`, as soon as no job uses it. */
    keepOnly: (installed: readonly ModelFiles[]): void => memory.keepOnly(installed),

    /** Call it when a process may no longer be in use. */
    unloadOutdated: (): void => memory.unloadOutdated(),

    close(): void {
      closed = true
      memory.close()
      loader.close()
      processes.killAll()
    },
  }
}

function takeModel({ processes, loader, workers }: PoolState, voice: Loadable, key: string): WorkerProcess | undefined {
  loader.requireNoFailure(key)
  const holding = processes.holding(key)
  const free = holding.findLast((worker) => !worker.busy)
  if (free) {
    processes.loadOf(free).usedAtMs = performance.now()
    return free
  }
  if (!loader.isComing(key) && holding.length < workers) loader.begin(voice, key)
  return undefined
}

function takeBuiltIn(state: PoolState, key: string): WorkerProcess {
  const { processes, workers } = state
  const { loadOf } = processes
  const free = processes.idle()
  const fit = free.findLast((worker) => loadOf(worker).key === key)
  if (fit) return fit
  const blank = free.find((worker) => loadOf(worker).key === undefined)
  if (blank) {
    loadOf(blank).key = key
    return blank
  }
  const isBuiltIn = (worker: WorkerProcess) => loadOf(worker).voice === undefined
  if (processes.all.filter(isBuiltIn).length >= workers * builtInEngines)
    free.find((worker) => isBuiltIn(worker) && worker.streams.size === 0)?.kill()
  return startBuiltIn(state, key)
}

/** Throws `TaskFailed`. */
function startBuiltIn({ processes, log }: PoolState, key: string | undefined): WorkerProcess {
  try {
    return processes.start(builtInLoad(key))
  } catch (error) {
    log.error({ err: error }, 'no worker process can be started')
    throw new TaskFailed('synthesize', 'no worker process can be started')
  }
}

function listModels({ all, loadOf }: ProcessSet): LoadedModel[] {
  const byName = new Map<string, LoadedModel>()
  for (const worker of all) {
    const { voice, isLoading } = loadOf(worker)
    if (!voice || isLoading || worker.gone) continue
    const name = describeModels(voice)
    const { processes = 0, memoryBytes = 0 } = byName.get(name) ?? {}
    byName.set(name, { name, processes: processes + 1, memoryBytes: memoryBytes + worker.memoryBytes })
  }
  return [...byName.values()]
}

function reportProcesses({ all, loadOf }: ProcessSet): WorkerReport[] {
  return all
    .filter((worker) => !worker.gone)
    .map((worker) => {
      const { pid, busy, memoryBytes } = worker
      const { key, voice, isLoading } = loadOf(worker)
      const state = isLoading ? 'loading' : busy ? 'busy' : 'idle'
      return { pid, state, holds: voice ? describeModels(voice) : key, memoryBytes }
    })
}
