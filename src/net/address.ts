/** Who a client is: its address, behind trusted proxies too, and what of that address a limit counts. */
import type { IPv4, IPv6 } from 'ipaddr.js'

export type Address = {
  readonly ip: IPv4 | IPv6
  /** The interface of a link-local address, or empty. */
  readonly zone: string
}

/** With a zone it means that interface only, without one any. */
type Network = Address & { readonly prefixBits: number }

export type Networks = readonly Network[]

/** More proxies in a row than anybody has; nobody can make us read further. */
const hopsMax = 32
/** Room for an IPv6 address with its zone, brackets and port. */
const hopCharactersMax = 96

/** On first use, because loading it takes 0.7 ms of a start, and IPv4 without proxies never needs it. */
export const loadIpaddr = () => require('ipaddr.js') as typeof import('ipaddr.js')

/**
 * Parses networks such as "10.0.0.0/8" and "fd00::/8", and single addresses. Throws an `Error` whose message names the
 * wrong one.
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
 * The client's address: the connection's or, where that is a trusted proxy, the rightmost one of `X-Forwarded-For` that
 * is not. An entry that is no address ends the search at the hop before it, for whoever wrote the entry wrote all to
 * its left.
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

/** What a limit counts: an IPv4 address, also one that is mapped into IPv6, or the /64 of an IPv6 address. */
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

/** One entry: an address, perhaps with a port, as in `1.2.3.4:55` and `[::1]:80`. */
function parseHop(text: string): Address | undefined {
  const trimmed = text.trim()
  if (trimmed.length > hopCharactersMax) return undefined
  const [, bracketed, ipv4] = /^(?:\[([^\]]*:[^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(trimmed) ?? []
  return parseAddress(bracketed ?? ipv4 ?? trimmed)
}

/** Undefined when it is none. IPv4 in its four decimal parts only; a mapped one becomes the IPv4 address. */
export function parseAddress(text: string): Address | undefined {
  const { IPv4, IPv6 } = loadIpaddr()
  if (!text.includes(':')) return IPv4.isValidFourPartDecimal(text) ? { ip: IPv4.parse(text), zone: '' } : undefined
  // The package allows letters and digits in a zone, but interfaces have names like `br-lan` and `eth0.5` too.
  const [, bare = '', zone = ''] = /^([\da-f:.]+)(?:%([\w.-]{1,32}))?$/i.exec(text) ?? []
  if (!IPv6.isValid(bare)) return undefined
  const ip = IPv6.parse(bare)
  // First what costs nothing: the package's own check tries every special range.
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
