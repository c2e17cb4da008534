/** Starts the HTTP server on the configured address. */
import { addressesOf, listensEverywhere, type Addresses } from '../addresses'
import { ConfigError, type Config } from '../config'
import { createAddresses } from '../http/addresses'
import { createOwnPage } from '../http/own-page'
import { createHttpServer } from '../http/server'
import type { Logger } from '../log'
import { parseNetworks, type Networks } from '../net/address'
import { explainListening, type readTls } from '../starting'
import type { Services } from './services'
import type { Stores } from './stores'

export type Server = NonNullable<ReturnType<typeof createHttpServer>['server']>

type Options = {
  readonly tls: Awaited<ReturnType<typeof readTls>> | undefined
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal
  readonly log: Logger
}

/** Throws `ConfigError` for a wrong address, `conflict` for a taken port. */
export async function listen(
  config: Config,
  { db }: Stores,
  { speech, registry, speaking, cloning, demos, installer, hubDesk, keyUse, sessionUse }: Services,
  { tls, stopping, log }: Options,
): Promise<{ server: Server; ready: Addresses }> {
  // The addresses contain the port, which is known after listening when the system chooses it.
  let addresses: (request: Request) => Addresses
  const http = createHttpServer({
    config,
    db,
    speaking,
    cloning,
    speech,
    demos,
    packs: { registry, loaded: () => speech.scheduler.models(), installs: installer.status },
    installer,
    hubDesk,
    keyUse,
    sessionUse,
    ownPage: createOwnPage(config),
    rateLimits: config.rateLimits,
    ttsSecondsMax: config.ttsSecondsMax,
    trustedProxies: readTrustedProxies(config),
    installation: config.installation,
    faultsOnDemand: config.ephemeral !== undefined,
    isTls: tls !== undefined,
    log: log.child({ room: 'http' }),
    addresses: (request) => addresses(request),
    stopping,
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
  return { server, ready }
}

function readTrustedProxies({ trustedProxies }: Config): Networks {
  try {
    return parseNetworks(trustedProxies)
  } catch (error) {
    throw new ConfigError(`--trusted-proxy: ${(error as Error).message}`)
  }
}
