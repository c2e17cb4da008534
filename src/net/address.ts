/** The address of a client, also behind trusted proxies, and the part of it that rate limits count. */
import type { IPv4, IPv6 } from 'ipaddr.js'

export type Address = {
  readonly ip: IPv4 | IPv6
  /** The interface of a link-local address, or empty. */
  readonly zone: string
}

/** With a zone it matches that interface only; without one, any. */
type Network = Address & { readonly prefixBits: number }

export type Networks = readonly Network[]

/** Most entries of `X-Forwarded-For` that are read; no real chain of proxies is longer. */
const hopsMax = 32
/** Room for an IPv6 address with its zone, brackets and port. */
const hopCharactersMax = 96

/** Loads on first use, because it costs 0.7 ms at start, and IPv4 without proxies never needs it. */
export const loadIpaddr = () => require('ipaddr.js') as typeof import('ipaddr.js')

/**
 * Parses networks such as "10.0.0.0/8" and "fd00::/8", and single addresses. Throws an `Error` that names the invalid
 * one.
 */
export function parseNetworks(texts: readonly string[]): Networks {
  return texts.map(parseNetwork)
}

function parseNetwork(text: string): Network {
  const [, addressText = '', prefixText] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? []
  const address = parseAddress(addressText)
  if (address) {
    const isIpv4 = address.ip.kind() === 'ipv4'
    const bits = isIpv4 ? 32 : 128
    const mappedBits = isIpv4 && addressText.includes(':') ? 96 : 0
    const prefixBits = prefixText === undefined ? bits : Number(prefixText) - mappedBits
    if (prefixBits >= 0 && prefixBits <= bits) return { ...address, prefixBits }
  }
  throw new Error(`found "${text}"; allowed is an IP address or a network such as 10.0.0.0/8 or fd00::/8`)
}

/**
 * The client's address: the connection's or, if that is a trusted proxy, the rightmost untrusted one of
 * `X-Forwarded-For`. An invalid entry ends the search at the hop before it, because the sender of that entry also wrote
 * everything to its left.
 */
export function clientAddress(connection: string, forwardedFor: string | null, trusted: Networks): string {
  if (trusted.length === 0 || !forwardedFor || !isTrusted(parseAddress(connection), trusted)) return connection
  let client = connection
  let end = forwardedFor.length
  for (let hops = 0; hops < hopsMax && end > 0; hops++) {
    const start = forwardedFor.lastIndexOf(',', end - 1) + 1
    const hop = parseHop(forwardedFor.slice(start, end))
    if (!hop) break
    client = hop.zone ? `${hop.ip}%${hop.zone}` : hop.ip.toString()
    if (!isTrusted(hop, trusted)) break
    end = start - 1
  }
  return client
}

/** The subject of a rate limit: an IPv4 address, mapped ones included, or the /64 of an IPv6 address. */
export function limitSubject(address: string): string {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1]
  if (mapped) return mapped
  const ip = parseAddress(address)?.ip
  if (!ip) return address
  if (!('parts' in ip)) return ip.toString()
  const network = ip.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}

/** Parses one entry: an address with or without a port, such as `1.2.3.4:55` and `[::1]:80`. */
function parseHop(text: string): Address | undefined {
  const trimmed = text.trim()
  if (trimmed.length > hopCharactersMax) return undefined
  const [, bracketed, ipv4] = /^(?:\[([^\]]*:[^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(trimmed) ?? []
  return parseAddress(bracketed ?? ipv4 ?? trimmed)
}

/** Undefined if invalid. IPv4 must have four decimal parts; a mapped address becomes the IPv4 address. */
export function parseAddress(text: string): Address | undefined {
  const { IPv4, IPv6 } = loadIpaddr()
  if (!text.includes(':')) return IPv4.isValidFourPartDecimal(text) ? { ip: IPv4.parse(text), zone: '' } : undefined
  // The package allows letters and digits in a zone, but interfaces have names like `br-lan` and `eth0.5` too.
  const [, bare = '', zone = ''] = /^([\da-f:.]+)(?:%([\w.-]{1,32}))?$/i.exec(text) ?? []
  if (!IPv6.isValid(bare)) return undefined
  const ip = IPv6.parse(bare)
  // The cheap test comes first, because the package's check tries every special range.
  const isMapped = ip.parts[5] === 0xffff && ip.isIPv4MappedAddress()
  return isMapped ? { ip: ip.toIPv4Address(), zone: '' } : { ip, zone }
}

function isTrusted(address: Address | undefined, trusted: Networks): boolean {
  if (!address) return false
  return trusted.some(
    ({ ip, prefixBits, zone }) =>
      ip.kind() === address.ip.kind() && (!zone || zone === address.zone) && address.ip.match(ip, prefixBits),
  )
}
