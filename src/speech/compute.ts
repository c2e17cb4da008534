/**
 * What neural voices are computed with: the provider that is wished for, or the best that works, each tried by a real run
 * in a process of its own, since a GPU driver may take its process with it.
 */
import type { ComputeProvider } from '../config'
import type { Logger } from '../log'
import { runAlone } from './alone'
import { deviceName, mayHaveGpu } from './onnx/devices'
import { writeRuntimeOptions, type Provider, type RuntimeOptions } from './onnx/runtime-options'
import type { WorkerCommand } from './worker-process'

export type Trial = {
  readonly provider: Provider
  /** What went wrong; null when it works. */
  readonly failure: string | null
  readonly durationMs: number
}

export type Found = {
  readonly provider: Provider
  /** Its name. */
  readonly device: string
  /** In the order in which they were tried. */
  readonly trials: readonly Trial[]
  /** Whether something else was wished for. */
  readonly isFallback: boolean
  /** Of one run on the CPU. */
  readonly threads: number
}

export type ComputeOptions = {
  readonly command: WorkerCommand
  readonly wish: ComputeProvider
  /** An operator's own build of onnxruntime. */
  readonly libraryPath: string | undefined
  /** Where the embedded one is written to. */
  readonly directory: string
  readonly workers: number
  readonly cores: number
  readonly log: Logger
}

export type Compute = ReturnType<typeof createCompute>

const trialTimeoutMs = 30_000
const trialMemoryMaxBytes = 4e9

export function createCompute(options: ComputeOptions) {
  const { log, libraryPath, directory } = options
  const threads = threadsOf(options)
  const findings = new Map<ComputeProvider, Promise<Found>>()
  let found: Found | undefined

  async function attempt(provider: Provider): Promise<Trial> {
    const startedAtMs = performance.now()
    const failure = await runAlone(
      { kind: 'try' },
      {
        command: options.command,
        memoryMaxBytes: trialMemoryMaxBytes,
        environment: writeRuntimeOptions({ directory, libraryPath, provider, threads }),
        timeoutMs: trialTimeoutMs,
      },
    ).then(
      (answer) => (answer.ok ? null : plain(answer.message)),
      (error: unknown) => (error as Error).message,
    )
    return { provider, failure, durationMs: Math.round(performance.now() - startedAtMs) }
  }

  async function search(wish: ComputeProvider): Promise<Found> {
    const trials: Trial[] = []
    for (const provider of candidates(wish, libraryPath)) {
      const trial = await attempt(provider)
      trials.push(trial)
      if (trial.failure !== null) continue
      const isFallback = wish !== 'auto' && wish !== provider
      const result = { provider, device: deviceName(provider), trials, isFallback, threads }
      report(result, wish)
      return result
    }
    throw new Error(`nothing computes: ${trials.map(({ provider, failure }) => `${provider}: ${failure}`).join('; ')}`)
  }

  function report({ provider, device, trials, isFallback }: Found, wish: ComputeProvider): void {
    if (isFallback) {
      const failure = trials.find((trial) => trial.provider === wish)?.failure
      log.error(
        { wished: wish, failure, provider, device },
        `${wish} does not work; neural voices fall back to the CPU`,
      )
    } else log.info({ provider, device, trials }, 'neural voices are computed')
  }

  async function find(wish: ComputeProvider = options.wish): Promise<Found> {
    const finding = findings.get(wish) ?? search(wish)
    findings.set(wish, finding)
    try {
      const result = await finding
      if (wish === options.wish) found = result
      return result
    } catch (error) {
      findings.delete(wish)
      throw error
    }
  }

  return {
    /** One real run. */
    attempt,

    /** Tried once for each wish; asked again after nothing worked. Rejects when not even the CPU does. */
    find,

    /** What was found; undefined before the first neural voice was needed. */
    get found() {
      return found
    },

    /** For a model that is to be computed by `provider`; undefined: what the server is set to. */
    async runtime(provided?: ComputeProvider): Promise<Omit<RuntimeOptions, 'deviceId'>> {
      const { provider } = await find(provided)
      return { directory, libraryPath, provider, threads }
    },
  }
}

/**
 * All workers together use every core once. More threads than cores make every run slower; fewer leave cores idle while
 * single sentences wait (`bun run bench threads`).
 */
function threadsOf({ cores, workers }: Pick<ComputeOptions, 'cores' | 'workers'>): number {
  return Math.max(1, Math.floor(cores / workers))
}

/** What onnxruntime says, without where in its code it says so. */
function plain(message: string): string {
  const [, reason = message] = /^\/onnxruntime_src\/.*? was false\. (.*)$/s.exec(message) ?? []
  return reason.trim().slice(0, 300)
}

function candidates(wish: ComputeProvider, libraryPath: string | undefined): readonly Provider[] {
  if (wish === 'cpu') return ['cpu']
  if (wish !== 'auto') return [wish, 'cpu']
  if (!mayHaveGpu()) return ['cpu']
  if (process.platform === 'darwin') return ['coreml', 'webgpu', 'cpu']
  if (process.platform === 'win32') return ['dml', 'webgpu', 'cpu']
  return libraryPath ? ['cuda', 'webgpu', 'cpu'] : ['webgpu', 'cpu']
}
