/** Wiring: opens every room and returns the running server. Only this room knows them all. */
import type { VoiceAdministration } from './admin/administration'
import { plantSeed } from './admin/seed'
import { setUpEphemeral, setUpFirstStart } from './admin/setup'
import { listen } from './app/listening'
import { openServices, type Commands, type Services } from './app/services'
import { createShutdown } from './app/shutdown'
import { openStores } from './app/stores'
import { startUpkeep } from './app/upkeep'
import type { Config } from './config'
import { waitBriefly } from './db/database'
import { transact } from './db/statements'
import type { Logger } from './log'
import { guardDescriptors, type DescriptorGuard } from './process/descriptors'
import { loadRendering } from './speak/rendering'
import { readSeed, readTls } from './starting'
import { explainFullDisk } from './storage/space'

export type App = {
  readonly baseUrl: string
  readonly storageUrl: string
  /** Keys and numbers of accounts that this start created, to be shown once; empty unless it was the first start. */
  readonly made: { readonly apiKey?: string; readonly adminKey?: string; readonly accountNumber?: string }
  /** Loads the default voice in the background and then, unless the server is ephemeral, renders missing demos. */
  startBackground(): Promise<void>
  /** Refuses new requests, lets running ones finish for a while, ends the workers. */
  close(): Promise<void>
  /** Ends the grace period of a running `close`. */
  hurry(): void
}

/** Delay of demo rendering, to leave time for a first request. */
const demoDelayMs = 2_000

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
  const made = setUp({ db, catalogue, actor: 'setup', refusesLockOut: false, nowMs: Date.now }, config, seed)
  waitBriefly(db)
  const upkeep = startUpkeep(stores, services, { dataDirectory: config.dataDirectory, log })
  let descriptors: DescriptorGuard | undefined

  return {
    ...ready,
    made,
    async startBackground() {
      descriptors = guardDescriptors({ closeIdle: () => server.closeIdleConnections(), log })
      await warmUp(services, config, { isStopping: () => stop.signal.aborted, log })
    },
    ...createShutdown(stores, services, { server, upkeep, stop, descriptors: () => descriptors }),
  }
}

function setUp(administration: VoiceAdministration, config: Config, seed: unknown): App['made'] {
  if (!config.ephemeral) return { apiKey: setUpFirstStart(administration, config.adminKey) }
  const { ephemeral, adminKey } = config
  return transact(administration.db, () => {
    const made = setUpEphemeral(administration, ephemeral, adminKey)
    if (seed !== undefined) plantSeed(administration, seed)
    return made
  })
}

/** Loads the default voice, watches the installed packs, finds the compute provider and renders missing demos. */
async function warmUp(
  { catalogue, speech, registry, demos }: Services,
  config: Config,
  { isStopping, log }: { isStopping: () => boolean; log: Logger },
): Promise<void> {
  await loadRendering()
  await speech.scheduler
    .warm(catalogue.voices[0]!)
    .catch((error) => log.error({ err: error }, 'the default voice does not work'))
  if (!isStopping()) registry.watch()
  if (registry.list().length > 0 || config.neural.provider !== 'auto')
    await speech.compute.find().catch((error) => log.error({ err: error }, 'neural voices cannot be computed'))
  // An ephemeral server lives for one run of tests, which fetch few demos; each is rendered on its first request.
  if (config.ephemeral) return
  await Bun.sleep(demoDelayMs)
  await demos.renderMissing()
}
