/** Creates the scheduler, the compute provider and the pack probe from the settings. */
import { availableParallelism } from 'node:os'
import { limits, operationTimeoutsMs, type ComputeProvider, type Config } from '../config'
import type { Logger } from '../log'
import { createCompute, type Compute } from './compute'
import { createScheduler, type Scheduler } from './scheduler'
import type { Pack } from '../speech/models/pack'
import { createPacing, type Pacing } from './pace'
import { createProbe, type ProbePack } from './probing'
import { chooseRuntimeDirectory } from './runtime-directory'
import type { WorkerCommand } from './worker-process'

export type SpeechWorkers = {
  readonly scheduler: Scheduler
  readonly compute: Compute
  readonly probe: ProbePack
  readonly pacing: Pacing
}

export function createSpeechWorkers(
  config: Pick<Config, 'workers' | 'ttsSecondsMax' | 'neural' | 'dataDirectory' | 'ephemeral'>,
  {
    command,
    jobsMax,
    providerOf,
    log,
  }: {
    command: WorkerCommand
    jobsMax: number
    /** Provider for the model in `directory`; undefined: the configured one. */
    providerOf: (directory: string) => ComputeProvider | undefined
    log: Logger
  },
): SpeechWorkers {
  const { workers, neural } = config
  const directory = chooseRuntimeDirectory(config)
  const compute = computeOf(config, { command, directory, log })
  const scheduler = createScheduler({
    command,
    workers,
    taskTimeoutMs: limits.taskTimeoutMs,
    workerMemoryMaxBytes: limits.workerMemoryMaxBytes,
    jobsMax,
    horizonMs: operationTimeoutsMs.tts,
    models: {
      runtimeDirectory: directory,
      runtime: (directory) => compute.runtime(providerOf(directory)),
      deviceIds: neural.gpuDevices,
      memoryMaxBytes: neural.modelMemoryBytes,
      idleMs: neural.modelIdleSeconds * 1000,
      loadTimeoutMs: limits.modelLoadTimeoutMs,
      batchMax: neural.batchMax,
    },
    log,
  })

  const { modelMemoryBytes, provider } = neural
  const { threads } = compute
  const pacing = createPacing({ ...config, cores: availableParallelism(), threads, modelMemoryBytes, provider })
  /** A probe runs on the CPU, so its figure says nothing about a GPU. */
  async function rate(pack: Pack, realTimeFactor: number): Promise<Pack> {
    const runtime = await compute.runtime(providerOf(pack.model.directory)).catch(() => undefined)
    return runtime?.provider === 'cpu' ? pacing.rate(pack, realTimeFactor) : pack
  }
  return { scheduler, compute, pacing, probe: createProbe({ command, neural, compute, rate }) }
}

/** Compute for neural voices under these settings. `directory`: for the unpacked library of onnxruntime. */
export function computeOf(
  { workers, neural }: Pick<Config, 'workers' | 'neural'>,
  { command, directory, log }: { command: WorkerCommand; directory: string; log: Logger },
): Compute {
  return createCompute({
    command,
    wish: neural.provider,
    libraryPath: neural.libraryPath,
    directory,
    deviceIds: neural.gpuDevices,
    workers,
    cores: availableParallelism(),
    log,
  })
}
