/** Compute options of workers, and how the main process passes them without loading onnxruntime. */
import type { ComputeProvider } from '../../config'

export type Provider = Exclude<ComputeProvider, 'auto'>

export type RuntimeOptions = {
  /** Folder for the unpacked embedded library. */
  readonly directory: string
  /** An operator's own libonnxruntime, used instead. */
  readonly libraryPath?: string
  readonly provider: Provider
  /** Threads of one run on the CPU. */
  readonly threads: number
  /** GPU index for providers that accept one: CUDA and DirectML. */
  readonly deviceId?: number
}

/**
 * Upper bound on host memory of a GPU's driver and libraries, beside the model. An estimate, not a measurement: CUDA's
 * libraries take more than a gigabyte.
 */
export function driverBytesMax(provider: Provider): number {
  return provider === 'cpu' ? 0 : 4e9
}

/** Environment variable of the worker. */
const variable = 'SONANT_WORKER_RUNTIME'

export function writeRuntimeOptions(options: RuntimeOptions): Record<string, string> {
  return { [variable]: JSON.stringify(options) }
}

export function readRuntimeOptions(environment: Readonly<Record<string, string | undefined>>): RuntimeOptions {
  const text = environment[variable]
  if (!text) throw new Error(`${variable} is not set in this worker`)
  return JSON.parse(text) as RuntimeOptions
}
