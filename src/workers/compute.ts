/**
 * Chooses the provider that computes neural voices: the configured one, or the fastest that works. Each trial is a real
 * run in an isolated process, because a GPU driver may crash it.
 */
import type { ComputeProvider } from '../config'
import type { Logger } from '../log'
import { runIsolated } from './isolated'
import { deviceName, mayHaveGpu } from '../speech/onnx/devices'
import { writeRuntimeOptions, type Provider, type RuntimeOptions } from '../speech/onnx/runtime-options'
import type { WorkerCommand } from './worker-process'

export type ProviderTrial = {
  readonly provider: Provider
  /** Reason of the failure; null when the provider works. */
  readonly failure: string | null
  readonly durationMs: number
  /** Time of a billion operations; null when the provider does not work. */
  readonly runMs: number | null
}

export type ProviderChoice = {
  readonly provider: Provider
  /** Name of the device. */
  readonly device: string
  /** In the order of the trials. */
  readonly trials: readonly ProviderTrial[]
  /** Whether another provider was configured. */
  readonly isFallback: boolean
  /** Threads of one run on the CPU. */
  readonly threads: number
}

export type ComputeOptions = {
  readonly command: WorkerCommand
  readonly wish: ComputeProvider
  /** An operator's own build of onnxruntime. */
  readonly libraryPath: string | undefined
  /** Directory that the embedded onnxruntime is written to. */
  readonly directory: string
  /** Configured GPUs; empty: the runtime chooses. */
  readonly deviceIds: readonly number[]
  readonly workers: number
  readonly cores: number
  readonly log: Logger
}

export type Compute = ReturnType<typeof createCompute>

const trialTimeoutMs = 30_000
const trialMemoryMaxBytes = 4e9

export function createCompute(options: ComputeOptions) {
  const { libraryPath, directory } = options
  const threads = threadsOf(options)
  const findings = new Map<ComputeProvider, Promise<ProviderChoice>>()
  let found: ProviderChoice | undefined

  async function find(wish: ComputeProvider = options.wish): Promise<ProviderChoice> {
    const finding = findings.get(wish) ?? search(options, wish)
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
    /** Tries one provider with a real run. */
    attempt: (provider: Provider): Promise<ProviderTrial> => attempt(options, provider),

    /** Searches once per wish, and again after a failure. Rejects when not even the CPU works. */
    find,

    /** The result for the configured provider; undefined before the first neural voice is used. */
    get found() {
      return found
    },

    /** Threads of one run on the CPU. */
    threads,

    /** Runtime options of a model for the provider `provided`; undefined: the configured provider. */
    async runtime(provided?: ComputeProvider): Promise<Omit<RuntimeOptions, 'deviceId'>> {
      const { provider } = await find(provided)
      return { directory, libraryPath, provider, threads }
    },
  }
}

/** Finds the wished provider, or the fastest for `auto`; falls back to the CPU. Throws when no provider works. */
async function search(options: ComputeOptions, wish: ComputeProvider): Promise<ProviderChoice> {
  const trials: ProviderTrial[] = []
  for (const provider of candidates(wish, options.libraryPath)) {
    trials.push(await attempt(options, provider))
    if (trials.at(-1)!.failure === null && wish !== 'auto') break
  }
  const [best] = trials
    .flatMap(({ provider, runMs }) => (runMs === null ? [] : { provider, runMs }))
    .sort((a, b) => a.runMs - b.runMs)
  if (!best) {
    const failures = trials.map(({ provider, failure }) => `${provider}: ${failure}`)
    throw new Error(`no provider works: ${failures.join('; ')}`)
  }
  const { provider } = best
  const isFallback = wish !== 'auto' && wish !== provider
  const result = { provider, device: deviceName(provider), trials, isFallback, threads: threadsOf(options) }
  report(options.log, result, wish)
  return result
}

function report(log: Logger, { provider, device, trials, isFallback }: ProviderChoice, wish: ComputeProvider): void {
  if (isFallback) {
    const failure = trials.find((trial) => trial.provider === wish)?.failure
    log.error({ wished: wish, failure, provider, device }, `${wish} does not work; neural voices fall back to the CPU`)
  } else log.info({ provider, device, trials }, 'neural voices are computed')
}

/** Tries `provider` on every configured GPU. */
async function attempt(options: ComputeOptions, provider: Provider): Promise<ProviderTrial> {
  const deviceIds = provider === 'cpu' || options.deviceIds.length === 0 ? [undefined] : options.deviceIds
  const startedAtMs = performance.now()
  let runMs = 0
  for (const deviceId of deviceIds) {
    const result = await attemptOn(options, provider, deviceId)
    if ('failure' in result) {
      const where = deviceId === undefined ? '' : `GPU ${deviceId}: `
      return { provider, failure: where + result.failure, durationMs: elapsed(startedAtMs), runMs: null }
    }
    runMs = Math.max(runMs, result.runMs)
  }
  return { provider, failure: null, durationMs: elapsed(startedAtMs), runMs }
}

async function attemptOn(
  options: ComputeOptions,
  provider: Provider,
  deviceId: number | undefined,
): Promise<{ readonly runMs: number } | { readonly failure: string }> {
  const { command, directory, libraryPath } = options
  const threads = threadsOf(options)
  const environment = writeRuntimeOptions({ directory, libraryPath, provider, threads, deviceId })
  const isolation = { command, environment, memoryMaxBytes: trialMemoryMaxBytes, timeoutMs: trialTimeoutMs }
  try {
    const outcome = await runIsolated({ kind: 'try' }, isolation)
    return outcome.ok ? outcome.answer : { failure: plain(outcome.message) }
  } catch (error) {
    return { failure: (error as Error).message }
  }
}

/**
 * All workers together use every core once. More threads than cores make every run slower; fewer leave cores idle while
 * single sentences wait (`bun run bench threads`).
 */
function threadsOf({ cores, workers }: Pick<ComputeOptions, 'cores' | 'workers'>): number {
  return Math.max(1, Math.floor(cores / workers))
}

function elapsed(sinceMs: number): number {
  return Math.round(performance.now() - sinceMs)
}

/** The message of onnxruntime without its source position, at most 300 characters. */
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
