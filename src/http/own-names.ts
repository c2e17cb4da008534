/** The names and addresses of this machine, by which clients may reach it. */
import { hostname, networkInterfaces } from 'node:os'

/** Interfaces change, and listing them takes time. */
export const ownNamesKeptMs = 10_000

/** Returns a function that says whether a host is this machine. The host has the form of a URL's. */
export function createOwnNames(): (hostname: string) => boolean {
  let names: ReadonlySet<string> = new Set()
  let readAtMs = Number.NEGATIVE_INFINITY
  return (name) => {
    const nowMs = performance.now()
    if (nowMs - readAtMs > ownNamesKeptMs) {
      names = readOwnNames()
      readAtMs = nowMs
    }
    return names.has(name)
  }
}

/** In the form of a URL's host. */
export function readOwnNames(): ReadonlySet<string> {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const addresses = interfaces.map(({ address }) => (address.includes(':') ? `[${address.split('%')[0]}]` : address))
  const full = hostname()
  const short = full.split('.')[0]!
  const hosts = ['localhost', full, short, `${short}.local`, ...addresses]
  return new Set(hosts.flatMap((host) => URL.parse(`http://${host}`)?.hostname || []))
}
