/**
 * The memory budget of all models together, and the unloading of models: those that are not used, those that make room
 * for another, and those whose files are gone. Killing a process unloads its model.
 */
import type { Logger } from '../../log'
import { modelKey, modelsOf, type Loadable, type ModelFiles } from '../../speech/voice'
import type { WorkerProcess } from '../worker-process'
import { describeModels, hasOtherVersion, modelBytesOf, residenceMs } from './models'
import type { ProcessSet } from './process-set'

const sweepMsMax = 30_000

export type ModelMemoryOptions = {
  readonly processes: ProcessSet
  readonly memoryMaxBytes: number
  /** A model unused for this long is unloaded. */
  readonly idleMs: number
  /** Whether an open job has used this worker. */
  readonly isInUse: (worker: WorkerProcess) => boolean
  readonly log: Logger
}

type MemoryState = ModelMemoryOptions & {
  /** Bytes of the models whose process is not started yet. */
  readonly reserved: Map<string, number>
}

export type ModelMemory = ReturnType<typeof createModelMemory>

export function createModelMemory(options: ModelMemoryOptions) {
  const state: MemoryState = { ...options, reserved: new Map() }
  const { processes, idleMs } = options
  const { reserved } = state
  const sweep = setInterval(() => unloadUnused(state), Math.min(sweepMsMax, Math.max(1, idleMs / 2)))
  sweep.unref()

  return {
    /** Unloads idle models until `sizeBytes` fit, and reserves them for `key`. Returns whether they fit. */
    reserve(key: string, sizeBytes: number): boolean {
      const fits = makeRoom(state, sizeBytes)
      if (fits) reserved.set(key, sizeBytes)
      return fits
    },

    isReserved: (key: string) => reserved.has(key),

    /** Number of models whose process is not started yet. */
    get reservations(): number {
      return reserved.size
    },

    /** Call it when the process has started, which then counts itself, or will not start. */
    release(key: string): void {
      reserved.delete(key)
    },

    /** Unloads idle models that are another version of one of `voice`. */
    unloadOtherVersions(voice: Loadable): void {
      for (const idle of idleModels(processes))
        if (hasOtherVersion(idle.voice, voice)) unload(state, idle, 'its files have changed')
    },

    /** Unloads every model that is not `installed`, as soon as no job uses it. */
    keepOnly(installed: readonly ModelFiles[]): void {
      const keys = new Set(installed.map(modelKey))
      for (const load of processes.loads())
        load.isOutdated = load.voice !== undefined && !modelsOf(load.voice).every((model) => keys.has(modelKey(model)))
      unloadOutdated(state)
    },

    /** Unloads outdated models that are no longer in use. */
    unloadOutdated: (): void => unloadOutdated(state),

    close(): void {
      clearInterval(sweep)
    },
  }
}

type LoadedProcess = { readonly worker: WorkerProcess; readonly voice: Loadable }

function idleModels({ idle, loadOf }: ProcessSet): LoadedProcess[] {
  return idle().flatMap((worker) => {
    const { voice } = loadOf(worker)
    return voice ? { worker, voice } : []
  })
}

function usedBytes({ processes, reserved }: MemoryState): number {
  const living = processes.all.filter((worker) => !worker.gone)
  const loadedBytes = living.map((worker) => modelBytesOf(processes.loadOf(worker).voice))
  return [...reserved.values(), ...loadedBytes].reduce((sum, bytes) => sum + bytes, 0)
}

/** Unloads idle models, least recently used first, until `sizeBytes` fit. Returns whether they do. */
function makeRoom(state: MemoryState, sizeBytes: number): boolean {
  const { processes, memoryMaxBytes } = state
  const { loadOf } = processes
  while (usedBytes(state) + sizeBytes > memoryMaxBytes) {
    const [idlest] = idleModels(processes).sort((a, b) => loadOf(a.worker).usedAtMs - loadOf(b.worker).usedAtMs)
    if (!idlest || loadOf(idlest.worker).loadedAtMs + residenceMs > performance.now()) return false
    unload(state, idlest, 'to make room')
  }
  return true
}

function unload({ log }: MemoryState, { worker, voice }: LoadedProcess, reason: string): void {
  log.info({ model: describeModels(voice), pid: worker.pid, reason }, 'model unloaded')
  worker.kill()
}

function unloadUnused(state: MemoryState): void {
  const { processes, idleMs } = state
  const untilMs = performance.now() - idleMs
  for (const idle of idleModels(processes))
    if (processes.loadOf(idle.worker).usedAtMs <= untilMs) unload(state, idle, 'not used')
}

function unloadOutdated(state: MemoryState): void {
  const { processes, isInUse } = state
  for (const worker of processes.all) {
    const { voice, isOutdated, isLoading } = processes.loadOf(worker)
    const isAtWork = worker.busy && !isLoading
    if (voice && isOutdated && !isAtWork && !worker.gone && !isInUse(worker))
      unload(state, { worker, voice }, 'not installed any more')
  }
}
