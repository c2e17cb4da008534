/** The pool and what its neural voices are computed with, as the settings have them. */
import { availableParallelism } from 'node:os'
import { limits, runtimeDirectory, type ComputeProvider, type Config } from '../config'
import type { Logger } from '../log'
import { runAlone } from './alone'
import { createCompute, type Compute } from './compute'
import { loadingFactor } from './crew'
import { BadPack, type Pack } from './models/pack'
import { writeRuntimeOptions } from './onnx/runtime-options'
import { createPool, type Pool } from './pool'
import { TaskFailed } from './task-failed'
import { WorkerGone, type GoneReason, type WorkerCommand } from './worker-process'

export type Speech = {
  readonly pool: Pool
  readonly compute: Compute
  /** Tries the pack in that folder, in a process of its own. Throws `BadPack`, and what went wrong with the process. */
  readonly probe: (directory: string, signal?: AbortSignal) => Promise<Pack>
}

export function createSpeech(
  config: Pick<Config, 'workers' | 'neural' | 'dataDirectory'>,
  {
    command,
    jobsMax,
    providerOf,
    log,
  }: {
    command: WorkerCommand
    jobsMax: number
    /** What computes the model in that directory; undefined: what the settings say. */
    providerOf: (directory: string) => ComputeProvider | undefined
    log: Logger
  },
): Speech {
  const { workers, neural } = config
  const compute = computeOf(config, { command, log })
  const pool = createPool({
    command,
    workers,
    taskTimeoutMs: limits.taskTimeoutMs,
    workerMemoryMaxBytes: limits.workerMemoryMaxBytes,
    jobsMax,
    models: {
      runtime: (directory) => compute.runtime(providerOf(directory)),
      deviceIds: neural.gpuDevices,
      memoryMaxBytes: neural.modelMemoryBytes,
      idleMs: neural.modelIdleSeconds * 1000,
      loadTimeoutMs: limits.modelLoadTimeoutMs,
      batchMax: neural.batchMax,
    },
    log,
  })

  async function probe(directory: string, signal?: AbortSignal): Promise<Pack> {
    const { modelMemoryBytes: memoryMaxBytes } = neural
    const task = { kind: 'probe', directory, memoryMaxBytes } as const
    const answer = await runAlone(task, {
      command,
      memoryMaxBytes: limits.workerMemoryMaxBytes + loadingFactor * memoryMaxBytes,
      // What a GPU's driver takes would be counted as the model's.
      environment: writeRuntimeOptions(await compute.runtime('cpu')),
      timeoutMs: limits.modelLoadTimeoutMs,
      signal,
    }).catch(explain)
    if (!answer.ok) throw new TaskFailed(answer.stage, answer.message)
    const probed = answer.probed!
    if ('reason' in probed) throw new BadPack(probed.reason)
    return probed.pack
  }

  return { pool, compute, probe }
}

/** What neural voices are computed with under these settings. */
export function computeOf(
  config: Pick<Config, 'workers' | 'neural' | 'dataDirectory'>,
  { command, log }: { command: WorkerCommand; log: Logger },
): Compute {
  const { workers, neural } = config
  return createCompute({
    command,
    wish: neural.provider,
    libraryPath: neural.libraryPath,
    directory: runtimeDirectory(config),
    deviceIds: neural.gpuDevices,
    workers,
    cores: availableParallelism(),
    log,
  })
}

const fates: Record<GoneReason, string> = {
  died: 'its process crashed',
  unresponsive: 'its process did not begin',
  timeout: `it took longer than ${limits.modelLoadTimeoutMs / 1000} s`,
  memory: 'it took more memory than models may have',
}

function explain(error: unknown): never {
  throw error instanceof WorkerGone ? new Error(fates[error.reason], { cause: error }) : error
}
