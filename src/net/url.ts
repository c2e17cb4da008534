/** Validates the URLs that customers send in the field `url`, before any DNS look-up. */
import { limits } from '../config'
import { AppError } from '../errors'
import { describe } from '../fields'

/**
 * Ports of other protocols, which an HTTP request could be crafted to speak: the list of the Fetch standard
 * (https://fetch.spec.whatwg.org/#port-blocking).
 */
const badPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** Normalizes a URL as the WHATWG standard does, without its fragment. Throws `invalid_url`. */
export function normalizeUrl(url: string): string {
  return parseUrl(url).href
}

/**
 * Parses an http or https URL without credentials, relative to `base` if given. Drops the fragment. Throws
 * `invalid_url`.
 */
export function parseUrl(text: string, base?: string): URL {
  if (text.length > limits.urlCharactersMax)
    throw invalidUrl(`found ${text.length} characters; at most ${limits.urlCharactersMax} are allowed`)
  const url = URL.parse(text, base)
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalidUrl(`found ${describe(text)}; an http or https address is required`)
  if (url.username || url.password) throw invalidUrl('found a user name or password in it; none is allowed')
  url.hash = ''
  return url
}

function invalidUrl(message: string): AppError {
  return new AppError('invalid_url', `url: ${message}.`, { param: 'url' })
}

export function portOf(url: URL): number {
  return url.port ? Number(url.port) : url.protocol === 'https:' ? 443 : 80
}

export function hasBadPort(url: URL): boolean {
  return badPorts.has(portOf(url))
}
