/** What workers compute with, and how the main process, which loads nothing of onnxruntime, tells them. */
import type { ComputeProvider } from '../../config'

export type Provider = Exclude<ComputeProvider, 'auto'>

export type RuntimeOptions = {
  /** Where the embedded library is written to, once. */
  readonly directory: string
  /** An operator's own build of libonnxruntime, which is used instead. */
  readonly libraryPath?: string
  readonly provider: Provider
  /** Of one run, on the CPU. */
  readonly threads: number
  /** Which GPU, where there are several and the provider can be told: CUDA and DirectML can. */
  readonly deviceId?: number
}

/**
 * What the driver and the libraries of a GPU may take of a process's own memory, beside its model. It is no measure but
 * a bound: CUDA's libraries alone are known to take more than a gigabyte.
 */
export function driverBytesMax(provider: Provider): number {
  return provider === 'cpu' ? 0 : 4e9
}

/** Of the worker's environment. */
const variable = 'SONANT_WORKER_RUNTIME'

export function writeRuntimeOptions(options: RuntimeOptions): Record<string, string> {
  return { [variable]: JSON.stringify(options) }
}

export function readRuntimeOptions(environment: Readonly<Record<string, string | undefined>>): RuntimeOptions {
  const text = environment[variable]
  if (!text) throw new Error('this worker was not told what to compute with')
  return JSON.parse(text) as RuntimeOptions
}
