/**
 * Which IP addresses lie on the public internet, by the registries of special addresses (RFC 6890 and IANA's lists
 * since). Everything else may be part of the operator's network and is never connected to on a customer's word.
 */
import type { IPv4, IPv6 } from 'ipaddr.js'
import { loadIpaddr, parseAddress } from './address'

/** Azure's platform service, with the secrets of the machine, answers at this address in spite of its being public. */
const azurePlatform = '168.63.129.16'

/** False also for what is no address, and for one with a zone. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  // So resolvers write the IPv4-compatible addresses that RFC 4291 gave up; the package takes them for mapped ones.
  const isCompatible = /^::\d+\./.test(text)
  if (!address || address.zone || isCompatible) return false
  return 'parts' in address.ip ? isPublicIpv6(address.ip) : isPublicIpv4(address.ip)
}

function isPublicIpv4(ip: IPv4): boolean {
  return ip.range() === 'unicast' && ip.toString() !== azurePlatform
}

/**
 * Only what is allotted as global unicast (2000::/3) and not special in it: no 6to4, Teredo, documentation, benchmarks.
 * The one translation that leads to the public internet is that of NAT64, by which machines without IPv4 reach it.
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
