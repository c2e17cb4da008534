/** Wires the services that work on the stores: voices, speech, cloning, demos and installations. */
import { createKeyUse } from '../account/keys'
import { createSessionUse } from '../account/sessions'
import { converterAmong } from '../cloning/convert/installed-converter'
import type { Cloning } from '../clone/cloning'
import { downloadLimits, limits, operationTimeoutMs, voicesDirectory, type Config } from '../config'
import { lockDirectory } from '../db/lock'
import { createDemos } from '../demos'
import type { Logger } from '../log'
import { createDownloader } from '../net/download'
import type { HubDesk } from '../packs/hub/desk'
import { createInstaller, type InstallerOptions } from '../packs/hub/installer'
import { createPackRegistry } from '../packs/registry'
import type { Speaking } from '../speak/speak'
import type { Pack } from '../speech/models/pack'
import { readCatalogue, type Catalogue } from '../voice/catalogue'
import { readOrder } from '../voice/order'
import { createPlans } from '../voice/plans'
import { createSpeechWorkers, type SpeechWorkers } from '../workers/speech-workers'
import type { WorkerCommand } from '../workers/worker-process'
import type { Stores } from './stores'

/** Command lines that start this program as a child process. */
export type Commands = { readonly worker: WorkerCommand; readonly downloader: readonly string[] }

export type Services = Awaited<ReturnType<typeof openServices>>

export async function openServices(config: Config, stores: Stores, commands: Commands, log: Logger) {
  const { db } = stores
  const catalogue = readCatalogue(readOrder(db))
  const plans = createPlans(db, catalogue)
  const speech = createSpeechWorkers(config, {
    command: commands.worker,
    jobsMax: limits.queuedRequestsMax,
    providerOf: plans.providerOf,
    log: log.child({ room: 'speech' }),
  })
  const registry = await openRegistry(config, catalogue, speech, log)
  const speaking: Speaking = {
    db,
    catalogue,
    plans,
    scheduler: speech.scheduler,
    converter: () => converterAmong(registry.packs),
    storage: stores.storage,
    mp3SampleRate: config.mp3SampleRate,
    extraTimeMaxMs: config.ttsSecondsMax * 1000 - operationTimeoutMs('tts', config),
    holdTimeoutMs: limits.holdTimeoutMs,
    running: new Map(),
    unsettled: new Map(),
    log: log.child({ room: 'speak' }),
  }
  return {
    speech,
    catalogue,
    registry,
    speaking,
    cloning: openCloning(config, stores, speaking, commands, log),
    demos: createDemos(speaking, log.child({ room: 'demos' })),
    installer: createInstaller({ ...pullerOf(config), log: log.child({ room: 'hub' }) }),
    hubDesk: hubDeskOf(config),
    keyUse: createKeyUse(db),
    sessionUse: createSessionUse(db),
  }
}

function openRegistry(config: Config, catalogue: Catalogue, { scheduler, probe, pacing }: SpeechWorkers, log: Logger) {
  return createPackRegistry({
    directory: voicesDirectory(config),
    reservedIds: catalogue.reservedIds,
    conditions: pacing.conditions,
    probe,
    onChange(packs) {
      catalogue.install(packs.map((pack) => batching(pack, config.neural)))
      scheduler.keepOnly(packs.map(({ model }) => model))
    },
    mayWriteCache: () => true,
    settleMs: limits.packSettleMs,
    pollMs: limits.packPollMs,
    patienceMs: limits.packPatienceMs,
    log: log.child({ room: 'shelf' }),
  })
}

/** Gives packs the pace that requests measured, where it differs from the remembered one. */
export function repacePacks({
  speech,
  catalogue,
  registry,
}: Pick<Services, 'speech' | 'catalogue' | 'registry'>): void {
  const { pacing, scheduler } = speech
  for (const pack of registry.packs) {
    const voices = catalogue.voices.filter(({ model }) => model?.directory === pack.model.directory)
    const factor = pacing.realTimeFactorOf(voices, scheduler.speeds)
    const remembered = pack.pace?.realTimeFactor
    if (factor === undefined) continue
    const change = remembered === undefined ? Infinity : Math.max(factor / remembered, remembered / factor)
    if (change > paceChangeMin) registry.repace(pacing.rate(pack, factor))
  }
}

/** Smaller changes of a real-time factor are noise. */
const paceChangeMin = 1.3

/** A batched voice is not deterministic: the samples of a sentence depend slightly on the rest of the batch. */
function batching(pack: Pack, { batchMax }: Config['neural']): Pack {
  return batchMax > 1 && pack.batches ? { ...pack, deterministic: false } : { ...pack, batches: false }
}

function openCloning(
  config: Config,
  { references }: Stores,
  speaking: Speaking,
  { downloader }: Commands,
  log: Logger,
): Cloning {
  return {
    ...speaking,
    references,
    downloader: createDownloader({ command: downloader, allowed: config.cloneUrlAllow, limits: downloadLimits }),
    clonesMax: config.clonesMax,
    referenceBytesMax: limits.referenceBytesMax,
    turns: new Map(),
    log: log.child({ room: 'clone' }),
  }
}

/** Opens a hub per pull, because an earlier network check may be outdated. Its code is loaded on first use. */
function pullerOf(config: Config): Pick<InstallerOptions, 'pull' | 'discard'> {
  const where = { directory: voicesDirectory(config), minFreeBytes: config.minFreeBytes, lock: lockDirectory }
  return {
    async pull(name, options) {
      const [{ pullPack }, { openHub }] = await Promise.all([
        import('../packs/hub/pull'),
        import('../packs/hub/client'),
      ])
      return pullPack(name, { ...where, ...options, hub: openHub({ address: config.hub }) })
    },
    async discard(id) {
      const { discardPull } = await import('../packs/hub/pull')
      return discardPull(id, where)
    },
  }
}

/** Opened once; its code is loaded on first use. */
function hubDeskOf(config: Config): () => Promise<HubDesk> {
  let desk: Promise<HubDesk> | undefined
  const open = async () => {
    const [{ createHubDesk }, { openHub }] = await Promise.all([
      import('../packs/hub/desk'),
      import('../packs/hub/client'),
    ])
    return createHubDesk({ hub: openHub({ address: config.hub }), directory: voicesDirectory(config) })
  }
  return () => (desk ??= open())
}
