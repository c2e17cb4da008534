/** The state of the running server, for administrators. */
import { stat } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { databasePath, type Config } from '../config'
import { listSettings } from '../config/settings'
import type { Database } from '../db/database'
import { instant } from '../paging'
import { deviceName } from '../speech/onnx/devices'
import { engineKey } from '../speech/voice'
import { ignoreMissing } from '../storage/files'
import type { Storage } from '../storage/storage'
import { commit, onnxruntimeVersion, version } from '../version'
import type { Catalogue, CatalogueVoice } from '../voice/catalogue'
import { sumReferences } from '../voice/clones'
import type { SpeechWorkers } from '../workers/speech-workers'

type System = {
  readonly config: Config
  readonly db: Database
  readonly storage: Storage
  readonly catalogue: Catalogue
  readonly speech: SpeechWorkers
}

export async function describeSystem({ config, db, storage, catalogue, speech }: System) {
  const { scheduler } = speech
  const { total, busy } = scheduler.load()
  return {
    versions: {
      sonant: version,
      commit,
      bun: Bun.version,
      // The version of a library of the operator is unknown.
      onnxruntime: config.neural.libraryPath === undefined ? onnxruntimeVersion : null,
    },
    started_at: instant(Date.now() - Math.round(process.uptime() * 1000)),
    uptime_seconds: Math.floor(process.uptime()),
    machine: {
      platform: `${process.platform} ${process.arch}`,
      cpu: deviceName('cpu'),
      cores: availableParallelism(),
      memory_bytes: totalmem(),
    },
    memory_bytes: process.memoryUsage.rss(),
    workers: {
      total,
      busy,
      processes: scheduler.processes().map(({ pid, state, holds, memoryBytes }) => {
        return { pid, state, holds: holds ?? null, memory_bytes: memoryBytes }
      }),
    },
    queue: { ...scheduler.requests(), admitted_seconds: scheduler.status().admittedSeconds },
    speeds: listSpeeds(speech, catalogue),
    disk: await describeDisk(config, db, storage),
    settings: listSettings(config),
  }
}

/** The real-time factor of each engine and model that requests have measured lately: that of its slowest voice. */
function listSpeeds({ pacing, scheduler }: SpeechWorkers, { voices }: Catalogue) {
  const byKey = Map.groupBy(voices, engineKey)
  return [...byKey.values()].flatMap((alike: CatalogueVoice[]) => {
    const factor = pacing.realTimeFactorOf(alike, scheduler.speeds)
    if (factor === undefined) return []
    const { engine, model } = alike[0]!
    return { engine, model: model?.directory ?? null, real_time_factor: Number(factor.toPrecision(3)) }
  })
}

/** Does not walk the audio files, of which there may be millions. */
async function describeDisk(config: Config, db: Database, storage: Storage) {
  const space = await storage.space()
  const recordings = sumReferences(db)
  return {
    state: space?.state ?? 'full',
    free_bytes: space?.freeBytes ?? null,
    size_bytes: space?.sizeBytes ?? null,
    min_free_bytes: config.minFreeBytes,
    database_bytes: await sizeOfDatabase(config),
    recordings: recordings.count,
    recordings_bytes: recordings.sizeBytes,
  }
}

/** With its write-ahead log. */
async function sizeOfDatabase(config: Config): Promise<number> {
  const path = databasePath(config)
  const files = await Promise.all([path, `${path}-wal`].map((file) => stat(file).catch(ignoreMissing)))
  return files.reduce((sum, file) => sum + (file?.size ?? 0), 0)
}
