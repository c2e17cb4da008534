/** The pool and what its neural voices are computed with, as the settings have them. */
import { availableParallelism } from 'node:os'
import { limits, runtimeDirectory, type Config } from '../config'
import type { Logger } from '../log'
import { createCompute, type Compute } from './compute'
import { BadPack, type Pack } from './models/pack'
import { createPool, type Pool } from './pool'
import type { WorkerCommand } from './worker-process'

export type Speech = {
  readonly pool: Pool
  readonly compute: Compute
  /** Tries the pack in that folder. Throws `BadPack`. */
  readonly probe: (directory: string) => Promise<Pack>
}

export function createSpeech(
  config: Pick<Config, 'workers' | 'neural' | 'dataDirectory'>,
  { command, jobsMax, log }: { command: WorkerCommand; jobsMax: number; log: Logger },
): Speech {
  const { workers, neural } = config
  const compute = createCompute({
    command,
    wish: neural.provider,
    libraryPath: neural.libraryPath,
    directory: runtimeDirectory(config),
    workers,
    cores: availableParallelism(),
    log,
  })
  const pool = createPool({
    command,
    workers,
    taskTimeoutMs: limits.taskTimeoutMs,
    workerMemoryMaxBytes: limits.workerMemoryMaxBytes,
    jobsMax,
    models: {
      runtime: () => compute.runtime(),
      deviceIds: neural.gpuDevices,
      memoryMaxBytes: neural.modelMemoryBytes,
      idleMs: neural.modelIdleSeconds * 1000,
      loadTimeoutMs: limits.modelLoadTimeoutMs,
      batchMax: neural.batchMax,
    },
    log,
  })
  return { pool, compute, probe: () => Promise.reject(new BadPack('no reader of packs is built in')) }
}
