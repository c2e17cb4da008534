/** Wiring: opens every room and returns the running server. Only this file knows them all. */
import { addressesOf, listensEverywhere, type Addresses } from './addresses'
import { createKeyUse } from './account/keys'
import type { Administration } from './admin/administration'
import { plantSeed } from './admin/seed'
import { setUpEphemeral, setUpFirstStart } from './admin/setup'
import type { Cloning } from './clone/cloning'
import {
  audioDirectory,
  ConfigError,
  downloadLimits,
  limits,
  referencesDirectory,
  voicesDirectory,
  type Config,
} from './config'
import { openServerDatabase } from './data-directory'
import { isCramped, waitBriefly, type Database } from './db/database'
import { lockDirectory } from './db/lock'
import { transact } from './db/statements'
import { createDemos } from './demos'
import { AppError } from './errors'
import { createAddresses } from './http/addresses'
import { createHttpServer } from './http/server'
import type { Logger } from './log'
import { parseNetworks } from './net/address'
import { guardDescriptors, type DescriptorGuard } from './process/descriptors'
import { createDownloader } from './net/download'
import { createRecovery, releaseExpired, removeUnrecorded, type Recovery } from './billing/recovery'
import { settle } from './billing/settlement'
import type { Speaking } from './speak/speak'
import { createInstaller, type InstallerOptions } from './packs/hub/installer'
import { loadRendering } from './speak/rendering'
import type { Pack } from './speech/models/pack'
import { createPackRegistry } from './packs/registry'
import { converterAmong } from './cloning/convert/installed-converter'
import { createSpeech } from './workers/speech'
import { explainListening, prepareDataDirectory, readSeed, readTls } from './starting'
import type { WorkerCommand } from './workers/worker-process'
import { makePrivate, type PrivacyReport } from './storage/private'
import { openReferences, type References } from './storage/references'
import { explainFullDisk, readFreeBytes } from './storage/space'
import { openStorage, type Storage } from './storage/storage'
import { readCatalogue } from './voice/catalogue'
import { listReferences } from './voice/clones'
import { createPlans } from './voice/plans'

export type App = {
  readonly baseUrl: string
  readonly storageUrl: string
  /** Keys and numbers of accounts that this start created, to be shown once; empty unless it was the first start. */
  readonly made: { readonly apiKey?: string; readonly adminKey?: string; readonly accountNumber?: string }
  /** Loads the default voice in the background and then renders missing demos. */
  startBackground(): Promise<void>
  /** Refuses new requests, lets running ones finish for a while, ends the workers. */
  close(): Promise<void>
  /** Ends the grace period of a running `close`. */
  hurry(): void
}

/** Delay of demo rendering, to leave time for a first request. */
const demoDelayMs = 2_000
const drainPollMs = 20
/** Time to send the answers of aborted requests when the server stops. */
const lastAnswersMs = 1_000

/** Command lines that start this program as a child process. */
export type Commands = { readonly worker: WorkerCommand; readonly downloader: readonly string[] }

/** Throws `storage_failed` when the disk is too full even to serve stored files. */
export async function buildApp(config: Config, commands: Commands, log: Logger): Promise<App> {
  try {
    return await openApp(config, commands, log)
  } catch (error) {
    throw await explainFullDisk(error, config.dataDirectory)
  }
}

async function openApp(config: Config, commands: Commands, log: Logger): Promise<App> {
  const seed = config.ephemeral?.seedPath && (await readSeed(config.ephemeral.seedPath))
  const tls = config.tls && (await readTls(config.tls))
  await prepareDataDirectory(config)
  reportPrivacy(makePrivate(config.dataDirectory), log)
  const lock = lockDirectory(config.dataDirectory)
  const db = openServerDatabase(config.dataDirectory)
  const storage = openStorage({ directory: audioDirectory(config), minFreeBytes: config.minFreeBytes })
  await storage.prepare()
  await removeUnrecorded(db, storage)
  const recovery = await startRecovery(db, storage, config, log)
  const speech = createSpeech(config, {
    command: commands.worker,
    jobsMax: limits.queuedRequestsMax,
    providerOf: (directory) => speaking.plans.providerOf(directory),
    log: log.child({ room: 'speech' }),
  })
  const { scheduler, probe } = speech
  const catalogue = readCatalogue()
  const registry = await createPackRegistry({
    directory: voicesDirectory(config),
    reservedIds: catalogue.reservedIds,
    probe,
    onChange(packs) {
      catalogue.install(packs.map((pack) => batching(pack, config.neural)))
      scheduler.keepOnly(packs.map(({ model }) => model))
    },
    isKeeper: () => true,
    settleMs: limits.packSettleMs,
    pollMs: limits.packPollMs,
    patienceMs: limits.packPatienceMs,
    log: log.child({ room: 'shelf' }),
  })
  const { mp3SampleRate } = config
  const running: Speaking['running'] = new Map()
  const speaking: Speaking = {
    db,
    catalogue,
    plans: createPlans(db, catalogue),
    scheduler,
    converter: () => converterAmong(registry.packs),
    storage,
    mp3SampleRate,
    holdTimeoutMs: limits.holdTimeoutMs,
    running,
    unsettled: new Map(),
    log: log.child({ room: 'speak' }),
  }
  const cloning: Cloning = {
    ...speaking,
    references: await openKnownReferences(config, db),
    downloader: createDownloader({
      command: commands.downloader,
      allowed: config.cloneUrlAllow,
      limits: downloadLimits,
    }),
    clonesMax: config.clonesMax,
    referenceBytesMax: limits.referenceBytesMax,
    turns: new Map(),
    log: log.child({ room: 'clone' }),
  }
  const demos = createDemos(speaking, log.child({ room: 'demos' }))
  const installer = createInstaller({ pull: pullerOf(config), log: log.child({ room: 'hub' }) })
  const keyUse = createKeyUse(db)
  const stop = new AbortController()
  let graceEndsAtMs = Infinity
  let descriptors: DescriptorGuard | undefined
  let addresses: (request: Request) => Addresses
  const http = createHttpServer({
    db,
    speaking,
    cloning,
    speech,
    demos,
    packs: { registry, loaded: () => scheduler.models(), installs: installer.status },
    installer,
    keyUse,
    rateLimits: config.rateLimits,
    trustedProxies: readTrustedProxies(config),
    installation: config.installation,
    faultsOnDemand: config.ephemeral !== undefined,
    isTls: config.tls !== undefined,
    log: log.child({ room: 'http' }),
    addresses: (request) => addresses(request),
    stopping: stop.signal,
  })
  try {
    http.listen({ hostname: config.host, port: config.port, tls })
  } catch (error) {
    throw await explainListening(error, config)
  }
  const server = http.server!
  addresses = createAddresses(config, server.port!)
  const ready = addressesOf(config, server.port!)
  if (config.baseUrl === undefined && listensEverywhere(config.host))
    log.warn(
      { baseUrl: ready.baseUrl },
      'clients that use a host name other than those of this machine get URLs that work only here; set --base-url for all clients',
    )
  // Set up after listening, so that a failed start never creates a key that it does not show.
  const made = setUp({ db, catalogue, actor: 'setup', refusesLockOut: false, nowMs: Date.now }, config, seed)
  waitBriefly(db)

  async function recover(): Promise<void> {
    try {
      if (await storage.isFull()) return
      recovery.run()
      clearInterval(recovering)
      log.info({ dataDirectory: config.dataDirectory }, 'the disk has room again')
    } catch (error) {
      log.warn({ err: error }, 'recovery failed; it is tried again while the disk has room')
    }
  }

  function keepUp(): void {
    try {
      if (speaking.unsettled.size > 0) settle(speaking)
      const isAtWork = (requestId: string) => running.has(requestId) || speaking.unsettled.has(requestId)
      const expired = releaseExpired(db, Date.now(), isAtWork)
      if (expired.length > 0) log.warn({ requests: expired.length }, 'expired holds were released')
      if (!keyUse.isEmpty) transact(db, () => keyUse.write())
    } catch (error) {
      log.error({ err: error }, 'upkeep failed')
    }
  }
  const upkeep = setInterval(keepUp, limits.upkeepIntervalMs)
  const recovering = recovery.isDone ? undefined : setInterval(recover, limits.fullDiskPollMs)

  return {
    ...ready,
    made,
    async startBackground() {
      descriptors = guardDescriptors({ closeIdle: () => server.closeIdleConnections(), log })
      await loadRendering()
      await scheduler
        .warm(catalogue.voices[0]!)
        .catch((error) => log.error({ err: error }, 'the default voice does not work'))
      if (!stop.signal.aborted) registry.watch()
      if (registry.list().length > 0 || config.neural.provider !== 'auto')
        await speech.compute.find().catch((error) => log.error({ err: error }, 'neural voices cannot be computed'))
      await Bun.sleep(demoDelayMs)
      await demos.renderMissing()
    },
    async close() {
      stop.abort()
      demos.stop()
      await installer.close()
      clearInterval(upkeep)
      clearInterval(recovering)
      await registry.close()
      graceEndsAtMs = performance.now() + limits.shutdownGraceMs
      while (server.pendingRequests + running.size > 0 && performance.now() < graceEndsAtMs)
        await Bun.sleep(drainPollMs)
      scheduler.close()
      await cloning.downloader.close()
      await Promise.allSettled(running.values())
      // Let aborted requests send their answers.
      const answeredByMs = performance.now() + lastAnswersMs
      while (server.pendingRequests > 0 && performance.now() < answeredByMs) await Bun.sleep(drainPollMs)
      descriptors?.close()
      await server.stop(true)
      keepUp()
      db.close()
      lock.release()
    },
    hurry() {
      graceEndsAtMs = 0
    },
  }
}

/** Starts recovery. On a full disk the server starts anyway: it serves stored files, and recovery waits. */
async function startRecovery(db: Database, storage: Storage, config: Config, log: Logger): Promise<Recovery> {
  const { dataDirectory, minFreeBytes } = config
  const recovery = createRecovery(db, log)
  if (!isCramped(db)) recoverUnlessFull(recovery)
  if (await storage.isFull()) {
    const freeBytes = await readFreeBytes(dataDirectory)
    log.error(
      { dataDirectory, freeBytes, minFreeBytes },
      'the disk is full: nothing new is made, and what is stored is served',
    )
  }
  return recovery
}

function recoverUnlessFull(recovery: Recovery): void {
  try {
    recovery.run()
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'storage_failed')) throw error
  }
}

function reportPrivacy({ mended, exposed }: PrivacyReport, log: Logger): void {
  if (mended.length > 0) log.info({ paths: mended }, 'rights of other users were taken away')
  for (const { path, because } of exposed) log.warn({ path, because }, 'other users may be able to access the data')
}

/** Opens a hub per pull, because an earlier network check may be outdated. Its code is loaded on first use. */
function pullerOf(config: Config): InstallerOptions['pull'] {
  const where = { directory: voicesDirectory(config), minFreeBytes: config.minFreeBytes, lock: lockDirectory }
  return async (name, options) => {
    const [{ pullPack }, { openHub }] = await Promise.all([import('./packs/hub/pull'), import('./packs/hub/client')])
    return pullPack(name, { ...where, ...options, hub: openHub({ address: config.hub }) })
  }
}

/** A batched voice is not deterministic: the samples of a sentence depend slightly on the rest of the batch. */
function batching(pack: Pack, { batchMax }: Config['neural']): Pack {
  return batchMax > 1 && pack.batches ? { ...pack, deterministic: false } : { ...pack, batches: false }
}

async function openKnownReferences(config: Config, db: Database): Promise<References> {
  const references = openReferences({ directory: referencesDirectory(config) })
  const known = new Set(listReferences(db))
  await references.prepare((sha256) => known.has(sha256))
  return references
}

function setUp(administration: Administration, config: Config, seed: unknown): App['made'] {
  if (!config.ephemeral) return { apiKey: setUpFirstStart(administration, config.adminKey) }
  const { ephemeral, adminKey } = config
  return transact(administration.db, () => {
    const made = setUpEphemeral(administration, ephemeral, adminKey)
    if (seed !== undefined) plantSeed(administration, seed)
    return made
  })
}

function readTrustedProxies({ trustedProxies }: Config) {
  try {
    return parseNetworks(trustedProxies)
  } catch (error) {
    throw new ConfigError(`--trusted-proxy: ${(error as Error).message}`)
  }
}
