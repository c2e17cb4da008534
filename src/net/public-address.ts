/**
 * Decides which IP addresses are on the public internet, by the registries of special addresses (RFC 6890 and IANA's
 * later lists). Any other address may be in the operator's network, so customers cannot make Sonant connect to it.
 */
import type { IPv4, IPv6 } from 'ipaddr.js'
import { loadIpaddr, parseAddress } from './address'

/** Azure's platform service, which knows secrets of the machine, answers at this public address. */
const azurePlatform = '168.63.129.16'

/** False also for invalid text and for an address with a zone. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  // Resolvers write IPv4-compatible addresses (deprecated by RFC 4291) this way; the package takes them for mapped ones.
  const isCompatible = /^::\d+\./.test(text)
  if (!address || address.zone || isCompatible) return false
  return 'parts' in address.ip ? isPublicIpv6(address.ip) : isPublicIpv4(address.ip)
}

function isPublicIpv4(ip: IPv4): boolean {
  return ip.range() === 'unicast' && ip.toString() !== azurePlatform
}

/**
 * Accepts only global unicast (2000::/3) without its special ranges: no 6to4, Teredo, documentation or benchmarking.
 * NAT64 is the one accepted translation, because machines without IPv4 reach the public internet through it.
 */
function isPublicIpv6(ip: IPv6): boolean {
  const [first = 0, second, third, fourth, fifth = 0, sixth] = ip.parts
  const isNat64 = first === 0x64 && second === 0xff9b && !third && !fourth && !fifth && !sixth
  if (isNat64) return isPublicIpv4(lastFourBytes(ip))
  // RFC 5214: an IPv4 address behind 0000:5efe or 0200:5efe is the other end of a tunnel.
  const isIsatap = (fifth & ~0x0200) === 0 && sixth === 0x5efe
  return first >> 13 === 1 && ip.range() === 'unicast' && !isIsatap
}

function lastFourBytes(ip: IPv6): IPv4 {
  const { IPv4 } = loadIpaddr()
  return new IPv4(ip.toByteArray().slice(12))
}
