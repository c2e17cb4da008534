/** The installed packs for the verbs, with or without a running server; uses the server's cache of probed packs. */
import { join } from 'node:path'
import { limits, readDataDirectory, voicesDirectory, type RawSettings } from '../config'
import { listPacks } from '../admin/packs'
import { createLogger } from '../log'
import { createPackRegistry, type PackRegistry } from '../packs/registry'
import { rescanMark } from '../packs/survey'
import type { SpeechWorkers } from '../workers/speech-workers'
import { readCatalogue, type Catalogue } from '../voice/catalogue'

/** Loaded on use: verbs without sound start without SQLite. */
const loadLock = () => require('../db/lock') as typeof import('../db/lock')

/** Opens the registry; its voices join `catalogue`. `speech`: for verbs that wait until new packs are probed. */
export function openPackRegistry(
  flags: RawSettings,
  catalogue: Catalogue,
  speech?: Pick<SpeechWorkers, 'probe' | 'pacing'>,
): Promise<PackRegistry> {
  const dataDirectory = readDataDirectory(flags, process.env)
  return createPackRegistry({
    directory: voicesDirectory({ dataDirectory }),
    reservedIds: catalogue.reservedIds,
    probe: speech?.probe ?? (() => Promise.reject(new Error('this verb probes no packs'))),
    conditions: speech?.pacing.conditions,
    onChange: (packs) => catalogue.install(packs),
    mayWriteCache: () => loadLock().isLocked(dataDirectory) !== true,
    settleMs: limits.packSettleMs,
    pollMs: limits.packPollMs,
    patienceMs: limits.packPatienceMs,
    log: createLogger('error'),
  })
}

/** Asks a running server to rescan, else probes all packs now. Returns the packs as `listPacks` does. */
export async function rescanPacksHere(flags: RawSettings) {
  const dataDirectory = readDataDirectory(flags, process.env)
  const isServed = loadLock().isLocked(dataDirectory) === true
  const registry = isServed ? await markForRescan(flags, dataDirectory) : await probePacks(flags)
  await registry.close()
  return listPacks({ registry, loaded: () => [], installs: () => [] })
}

/** Leaves a mark for the server, if there are packs. Starts no worker. */
async function markForRescan(flags: RawSettings, dataDirectory: string): Promise<PackRegistry> {
  const registry = await openPackRegistry(flags, readCatalogue())
  await registry.rescan()
  if (registry.list().length > 0) await Bun.write(join(voicesDirectory({ dataDirectory }), rescanMark), '')
  return registry
}

async function probePacks(flags: RawSettings): Promise<PackRegistry> {
  const { createCliSpeech } = await import('./scheduler')
  const speech = await createCliSpeech(flags)
  try {
    const registry = await openPackRegistry(flags, readCatalogue(), speech)
    await registry.rescan()
    await registry.probeAll()
    return registry
  } finally {
    speech.scheduler.close()
  }
}
