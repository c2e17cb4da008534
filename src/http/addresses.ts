/**
 * The addresses of the service for its clients. A server on all interfaces without a base URL answers with the address
 * of the request, if it belongs to this machine. Any other `Host` is never used, and `X-Forwarded-Host` is ignored: any
 * client can send it.
 */
import { addressesOf, listensEverywhere, type Addresses } from '../addresses'
import { limits, type Config } from '../config'
import { ownNamesKeptMs, readOwnNames } from './own-names'

/** A host name, an IPv4 address or a bracketed IPv6 address, with an optional port; no user, no path. */
const hostPattern = /^(?:\[[\da-f:.]{2,45}\]|[a-z\d.-]{1,253})(?::\d{1,5})?$/i

type Options = { readonly ownNames?: () => ReadonlySet<string>; readonly nowMs?: () => number }

/** `port`: the port of the server. */
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
