/**
 * Where clients find the service. A server that listens on all interfaces, and was not told its base URL, answers with
 * the address by which the client came, if it is one of this machine's own. Any other `Host` never gets into an answer,
 * and `X-Forwarded-Host` is not read: whoever sends it may be anybody.
 */
import { hostname, networkInterfaces } from 'node:os'
import { addressesOf, listensEverywhere, type Addresses } from '../addresses'
import { limits, type Config } from '../config'

/** A name or an address in brackets or in four parts, perhaps with a port; no user, no path. */
const hostPattern = /^(?:\[[\da-f:.]{2,45}\]|[a-z\d.-]{1,253})(?::\d{1,5})?$/i

/** Interfaces come and go; asking for them takes the system some time. */
const ownNamesKeptMs = 10_000

type Options = { readonly ownNames?: () => ReadonlySet<string>; readonly nowMs?: () => number }

/** `port`: where the server listens. */
export function createAddresses(
  config: Config,
  port: number,
  { ownNames = readOwnNames, nowMs = performance.now.bind(performance) }: Options = {},
): (request: Request) => Addresses {
  const fallback = addressesOf(config, port)
  if (config.baseUrl !== undefined || !listensEverywhere(config.host)) return () => fallback
  const scheme = config.tls ? 'https' : 'http'
  const known = new Map<string, Addresses>()
  let names: ReadonlySet<string> = new Set()
  let namesReadAtMs = Number.NEGATIVE_INFINITY

  return (request) => {
    const host = request.headers.get('host')
    if (host === null) return fallback
    if (nowMs() - namesReadAtMs > ownNamesKeptMs) {
      names = ownNames()
      namesReadAtMs = nowMs()
      known.clear()
    }
    const found = known.get(host)
    if (found) return found
    const url = hostPattern.test(host) ? URL.parse(`${scheme}://${host}`) : null
    if (!url || !names.has(url.hostname)) return fallback
    const addresses = addressesOf({ ...config, baseUrl: url.origin }, port)
    if (known.size >= limits.clientAddressesMax) known.clear()
    known.set(host, addresses)
    return addresses
  }
}

/** The names and addresses of this machine, as the host of a URL is written. */
function readOwnNames(): ReadonlySet<string> {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const addresses = interfaces.map(({ address }) => (address.includes(':') ? `[${address.split('%')[0]}]` : address))
  const full = hostname()
  const short = full.split('.')[0]!
  const hosts = ['localhost', full, short, `${short}.local`, ...addresses]
  return new Set(hosts.flatMap((host) => URL.parse(`http://${host}`)?.hostname || []))
}
