/** Wiring: opens every room and returns the running server. Only this room knows them all. */
import type { VoiceAdministration } from './admin/administration'
import { finishErasures } from './admin/erasure'
import { plantSeed } from './admin/seed'
import { findUnattended, makeSetupLink, setUpEphemeral, setUpFirstStart } from './admin/setup'
import { listen } from './app/listening'
import { openServices, type Commands, type Services } from './app/services'
import { createShutdown } from './app/shutdown'
import { openStores } from './app/stores'
import { startUpkeep } from './app/upkeep'
import type { Config } from './config'
import { waitBriefly, type Database } from './db/database'
import { transact } from './db/statements'
import { AppError } from './errors'
import type { Logger } from './log'
import { guardDescriptors, type DescriptorGuard } from './process/descriptors'
import { loadRendering } from './speak/rendering'
import { readSeed, readTls } from './starting'
import { explainFullDisk } from './storage/space'
import type { Catalogue, CatalogueVoice } from './voice/catalogue'
import { explainDefault, type DefaultVoice } from './voice/default-voice'
import { readOrder, rememberOrder } from './voice/order'

export type App = {
  readonly baseUrl: string
  readonly storageUrl: string
  /** Secrets and numbers of accounts that this start created, to be shown once; empty unless it was the first start. */
  readonly made: {
    readonly apiKey?: string
    readonly adminKey?: string
    readonly accountNumber?: string
    readonly setupUrl?: string
  }
  /** The account that waits for the first person of the administration, unless `made` has the link. */
  readonly unattended: Unattended | undefined
  /** Loads the default voice in the background and then, unless the server is ephemeral, renders missing demos. */
  startBackground(): Promise<void>
  /** Refuses new requests, lets running ones finish for a while, ends the workers. */
  close(): Promise<void>
  /** Ends the grace period of a running `close`. */
  hurry(): void
}

export type Unattended = {
  readonly accountNumber: string
  /** Makes a new setup link; the one before ends. Throws `storage_failed`. */
  makeSetupLink(): string
}

/** Heavy preparations and demos wait until no request has had work for so long. */
const quietMs = 2_000

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
  const stores = await openStores(config, log)
  const services = await openServices(config, stores, commands, log)
  const stop = new AbortController()
  const { server, ready } = await listen(config, stores, services, { tls, stopping: stop.signal, log })
  const { db } = stores
  const { catalogue } = services
  // Set up after listening, so that a failed start never creates a key that it does not show.
  const administration = { db, catalogue, actor: 'setup', refusesLockOut: false, nowMs: Date.now }
  const made = setUp(administration, config, { baseUrl: ready.baseUrl, seed })
  waitBriefly(db)
  const upkeep = startUpkeep(stores, services, { dataDirectory: config.dataDirectory, log })
  let descriptors: DescriptorGuard | undefined

  return {
    ...ready,
    made,
    unattended: made.setupUrl || config.ephemeral ? undefined : unattendedOf(administration, ready.baseUrl),
    async startBackground() {
      descriptors = guardDescriptors({ closeIdle: () => server.closeIdleConnections(), log })
      const stores = services.cloning
      const erasures = finishErasures(db, stores, () => stop.signal.aborted).catch((error) =>
        log.warn({ err: error }, 'erased accounts have files left; the next start deletes them'),
      )
      rememberVoices(db, catalogue, log)
      warnOfDefaultVoice(explainDefault(catalogue, services.speaking.plans), log)
      await Promise.all([erasures, warmUp(services, config, { isStopping: () => stop.signal.aborted, log })])
    },
    ...createShutdown(stores, services, { server, upkeep, stop, descriptors: () => descriptors }),
  }
}

function setUp(
  administration: VoiceAdministration,
  config: Config,
  { baseUrl, seed }: { baseUrl: string; seed: unknown },
): App['made'] {
  const { db, catalogue } = administration
  const { ephemeral, adminKey } = config
  return transact(db, () => {
    if (readOrder(db).length === 0) rememberOrder(db, catalogue.builtInIds)
    if (!ephemeral) return setUpFirstStart(administration, adminKey, baseUrl)
    const made = setUpEphemeral(administration, ephemeral, adminKey)
    if (seed !== undefined) plantSeed(administration, seed)
    return made
  })
}

function unattendedOf(administration: VoiceAdministration, baseUrl: string): Unattended | undefined {
  const account = findUnattended(administration.db)
  if (!account) return undefined
  const { id, accountNumber } = account
  return { accountNumber, makeSetupLink: () => makeSetupLink(administration, id, baseUrl) }
}

/** Remembers built-in voices that are new in this build. On a full disk a later start does it. */
function rememberVoices(db: Database, { builtInIds }: Catalogue, log: Logger): void {
  try {
    rememberOrder(db, builtInIds)
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'storage_failed')) throw error
    log.warn({ err: error }, 'the order of new voices cannot be stored')
  }
}

function warnOfDefaultVoice({ id, available, reason }: DefaultVoice, log: Logger): void {
  if (id !== null && !available) log.warn({ voice: id }, reason)
}

/**
 * Prepares for the first request, watches the installed packs, finds the compute provider, and renders missing demos. A
 * neural default voice takes half a second of a core and 150 MB, so it is loaded only in a quiet moment, so that it takes
 * no core from requests, and never by an ephemeral server before a request needs it: many of them run for tests that do
 * not speak.
 */
async function warmUp(
  { speaking: { plans }, speech: { scheduler, compute }, registry, demos }: Services,
  config: Config,
  { isStopping, log }: { isStopping: () => boolean; log: Logger },
): Promise<void> {
  const warm = (voice: CatalogueVoice) =>
    scheduler.warm(voice).catch((error) => log.error({ err: error }, 'the default voice does not work'))
  await loadRendering()
  const voice = plans.listFor(null)[0]?.voice
  const isHeavy = voice?.engine === 'hibari'
  if (voice && !voice.model && !isHeavy) await warm(voice)
  else scheduler.startProcess()
  if (!isStopping()) registry.watch()
  if (registry.list().length > 0 || config.neural.provider !== 'auto')
    await compute.find().catch((error) => log.error({ err: error }, 'neural voices cannot be computed'))
  // An ephemeral server lives for one run of tests, which fetch few demos; each is rendered on its first request.
  if (config.ephemeral) return
  for (let left = quietMs; left > 0 && !isStopping(); left = quietMs - scheduler.quietForMs()) await Bun.sleep(left)
  if (isStopping()) return
  if (voice && !voice.model && isHeavy) await warm(voice)
  await demos.renderMissing()
}
