/**
 * onnxruntime, which runs the graphs of neural voices. Only this file imports it, and only worker processes use it: a
 * run blocks the event loop, and a graph that aborts ends its process.
 */
import { dlopen } from 'bun:ffi'
import type { InferenceSession, Tensor } from 'onnxruntime-common'
import { embeddedLibrary } from './library'
import type { Provider, RuntimeOptions } from './runtime-options'
import { withUnpacked } from './unpack'

export type { Tensor }
export type TensorType = 'float32' | 'int64' | 'int32' | 'float16' | string

/** `dims`: −1 for any size. */
export type TensorInfo = { readonly name: string; readonly type: TensorType; readonly dims: readonly number[] }

export type Feeds = Readonly<Record<string, Tensor>>

export type Session = {
  readonly inputs: readonly TensorInfo[]
  readonly outputs: readonly TensorInfo[]
  /** Throws onnxruntime's errors for the feeds or the run. `outputs`: the requested ones, all by default. */
  run(feeds: Feeds, outputs?: readonly string[]): Promise<Record<string, Tensor>>
  release(): Promise<void>
}

export type Runtime = {
  readonly provider: Provider
  /** Version of the package. */
  readonly version: string
  /**
   * Opens a graph by path or bytes; external parameters are found only by path. `place`: `cpu` for graphs that are too
   * small for a GPU; else the runtime's provider computes.
   */
  openSession(source: string | Uint8Array, place?: 'cpu'): Promise<Session>
  /** Opens the bytes of a graph that the build has optimized for this onnxruntime, on the CPU. */
  openOptimized(bytes: Uint8Array): Promise<Session>
  float32(values: Float32Array, dims: readonly number[]): Tensor
  /** Makes an int64 tensor from safe integers. */
  int64(values: readonly number[], dims: readonly number[]): Tensor
  int32(values: readonly number[], dims: readonly number[]): Tensor
}

/** WebGPU refuses the option and uses Dawn's first adapter. */
const takesDevice: readonly Provider[] = ['cuda', 'dml']

/** Loads onnxruntime once per process. Throws when the library cannot be loaded. */
export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { provider, threads, deviceId } = options
  switchOffTelemetry()
  if (options.libraryPath !== undefined) loadLibrary(options.libraryPath)
  else if (embeddedLibrary) await withUnpacked(embeddedLibrary, options.directory, loadLibrary)
  const ort = await import('onnxruntime-node')
  // Errors are thrown; the log would go to standard error in its own format.
  ort.env.logLevel = 'fatal'
  const device = deviceId !== undefined && takesDevice.includes(provider) ? { deviceId } : {}
  const executionProvider = { name: provider, ...device }
  const sessionOptions: InferenceSession.SessionOptions = {
    executionProviders: [executionProvider as InferenceSession.ExecutionProviderConfig],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // Memory plans per input length are useless when every sentence has another length (docs/cloning.md).
    enableMemPattern: false,
    logSeverityLevel: 3,
  }
  return {
    provider,
    version: ort.env.versions.node ?? '',
    async openSession(source, place) {
      const placed = place === 'cpu' ? { ...sessionOptions, executionProviders: [place] } : sessionOptions
      return sessionOf(
        typeof source === 'string'
          ? await ort.InferenceSession.create(source, placed)
          : await ort.InferenceSession.create(source, placed),
      )
    },
    async openOptimized(bytes) {
      const options = { ...sessionOptions, executionProviders: ['cpu'], graphOptimizationLevel: 'disabled' } as const
      return sessionOf(await ort.InferenceSession.create(bytes, options))
    },
    float32: (values, dims) => new ort.Tensor('float32', values, dims),
    int64: (values, dims) => new ort.Tensor('int64', BigInt64Array.from(values, BigInt), dims),
    int32: (values, dims) => new ort.Tensor('int32', Int32Array.from(values), dims),
  }
}

/**
 * onnxruntime 1.30 on Linux reports its use to Microsoft unless its environment says otherwise. Workers are started with
 * the variable; tests and scripts set it here, because an assignment to `process.env` does not reach native code.
 */
function switchOffTelemetry(): void {
  if (process.platform !== 'linux' || process.env['ORT_DISABLE_TELEMETRY'] === '1') return
  const { setenv } = dlopen('libc.so.6', { setenv: { args: ['cstring', 'cstring', 'int'], returns: 'int' } }).symbols
  const [name, value] = ['ORT_DISABLE_TELEMETRY\0', '1\0'].map((text) => Buffer.from(text)) as [Buffer, Buffer]
  setenv(name, value, 1)
}

/** The addon asks for the library by name and gets the one already loaded. */
function loadLibrary(path: string): void {
  dlopen(path, { OrtGetApiBase: { args: [], returns: 'ptr' } })
}

function sessionOf(session: InferenceSession): Session {
  return {
    inputs: session.inputMetadata.map(tensorInfo),
    outputs: session.outputMetadata.map(tensorInfo),
    run: (feeds, outputs) => (outputs ? session.run(feeds, outputs) : session.run(feeds)),
    release: () => session.release(),
  }
}

function tensorInfo(metadata: InferenceSession.ValueMetadata): TensorInfo {
  if (!metadata.isTensor) return { name: metadata.name, type: 'other', dims: [] }
  const dims = metadata.shape.map((size) => (typeof size === 'number' ? size : -1))
  return { name: metadata.name, type: metadata.type, dims }
}
