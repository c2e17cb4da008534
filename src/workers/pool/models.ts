/** The models of the worker pool: their options, what a process has loaded, and the memory that it needs. */
import type { RuntimeOptions } from '../../speech/onnx/runtime-options'
import { modelsOf, type Loadable, type ModelFiles } from '../../speech/voice'

export type ModelOptions = {
  /** Folder for the unpacked embedded library. Built-in neural voices run on the CPU, with one thread. */
  readonly runtimeDirectory: string
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

/** The engine or model that a process has loaded or is loading. */
export type Load = {
  /** `engineKey` of its voices; undefined before the first voice. */
  key: string | undefined
  /** Undefined for the built-in engines. */
  readonly voice: Loadable | undefined
  readonly deviceId: number | undefined
  isLoading: boolean
  /** Infinity while it loads, like `usedAtMs`. */
  loadedAtMs: number
  /** Last synthesis with it; other tasks of the process, such as encoding, do not count. */
  usedAtMs: number
  /** Whether a model of it is no longer installed. */
  isOutdated: boolean
}

export function builtInLoad(key: string | undefined): Load {
  const nowMs = performance.now()
  return {
    ...{ key, voice: undefined, deviceId: undefined },
    ...{ isLoading: false, loadedAtMs: nowMs, usedAtMs: nowMs, isOutdated: false },
  }
}

export function modelLoad({ key, voice, deviceId }: Required<Pick<Load, 'key' | 'voice' | 'deviceId'>>): Load {
  return { key, voice, deviceId, isLoading: true, loadedAtMs: Infinity, usedAtMs: Infinity, isOutdated: false }
}

/** A model stays loaded for at least this long, so that two models do not evict each other in turn. */
export const residenceMs = 3_000
/** Peak memory while a graph is read, as a multiple of the memory it needs afterwards. */
export const loadingFactor = 3

/** Memory of the voice's models; 0 for a built-in engine. */
export function modelBytesOf(voice: Loadable | undefined): number {
  return voice ? modelsOf(voice).reduce((sum, { memoryBytes }) => sum + memoryBytes, 0) : 0
}

/** Whether `held` has another version of a model of `voice`. */
export function hasOtherVersion(held: Loadable | undefined, voice: Loadable): boolean {
  const differs = (one: ModelFiles) => (other: ModelFiles) =>
    pathOf(one) === pathOf(other) && one.version !== other.version
  return held !== undefined && modelsOf(held).some((one) => modelsOf(voice).some(differs(one)))
}

/** Paths of the models, for the log and operators. */
export function describeModels(voice: Loadable): string {
  return modelsOf(voice).map(pathOf).join(' + ')
}

function pathOf({ directory, graph }: ModelFiles): string {
  return `${directory}/${graph}`
}
