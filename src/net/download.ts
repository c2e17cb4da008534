/**
 * Downloading from an address that a customer names, so that it cannot be turned against the operator's network: each
 * host, the first and every one it redirects to, is looked up once, all its addresses must be public, and the
 * connection goes to those and no others. Uses no proxy, cookies or kept connections, whatever the environment says.
 */
import type { LookupAddress } from 'node:dns'
import type { IncomingMessage, RequestOptions } from 'node:http'
import type { LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Deadline } from '../deadline'
import { AppError } from '../errors'
import { describe } from '../fields'
import { version } from '../version'
import { parseAddress } from './address'
import { isPublicAddress } from './public-address'
import { hasBadPort, parseUrl, portOf } from './url'

export type Downloader = ReturnType<typeof createDownloader>

export type DownloaderOptions = {
  /** HOST:PORT as `config.cloneUrlAllow` has them: there the address and the port may be any. */
  readonly allowed: readonly string[]
  readonly limits: {
    /** From the look-up of the first host to the last byte. */
    readonly timeoutMs: number
    readonly redirectsMax: number
  }
  /** All addresses of a host, for tests; the system's. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
  /** The machine's own addresses, for tests; those of its interfaces. */
  readonly ownAddresses?: () => readonly string[]
}

type DownloadOptions = {
  readonly sizeBytesMax: number
  /** Of the operation that the download is a part of. */
  readonly deadline?: Deadline
  readonly signal?: AbortSignal
}

const headersBytesMax = 16 << 10
const redirectStatuses = new Set([301, 302, 303, 307, 308])

export function createDownloader(options: DownloaderOptions) {
  const { allowed, limits, resolve = resolveHost, ownAddresses = interfaceAddresses } = options

  /** Throws `url_blocked` and `url_fetch_failed`. */
  async function findAddresses(url: URL, signal: AbortSignal): Promise<LookupAddress[]> {
    signal.throwIfAborted()
    const isAllowed = allowed.includes(`${url.hostname}:${portOf(url)}`)
    if (!isAllowed && hasBadPort(url)) throw blocked(`the port ${portOf(url)} is not for the web`)
    if (!isAllowed && /(^|\.)localhost\.?$/.test(url.hostname)) throw notPublic(url)
    const addresses = isAddress(url.hostname)
      ? [url.hostname.replace(/^\[|\]$/g, '')]
      : await unlessAborted(resolve(url.hostname).catch(failLookup), signal)
    if (addresses.length === 0) failLookup()
    if (!isAllowed && !areOpen(addresses, ownAddresses())) throw notPublic(url)
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }

  async function follow(first: URL, signal: AbortSignal): Promise<IncomingMessage> {
    let url = first
    for (let redirects = 0; ; redirects++) {
      const response = await get(url, await findAddresses(url, signal), signal)
      const next = redirectTarget(response)
      if (!next) return response
      response.destroy()
      if (redirects === limits.redirectsMax) throw failed(`it redirects more than ${limits.redirectsMax} times`)
      url = parseUrl(next, url.href)
    }
  }

  return {
    /**
     * Hands what is at `url` to `sink` as it arrives, waiting for it each time; what `sink` throws passes through.
     * Throws `invalid_url`, `url_blocked`, `url_too_large`, `url_fetch_failed`, and `client_gone` on `signal`.
     */
    async download(
      url: string,
      sink: (chunk: Uint8Array) => void | Promise<void>,
      { sizeBytesMax, deadline, signal }: DownloadOptions,
    ): Promise<{ sizeBytes: number }> {
      const first = parseUrl(url)
      const stop = new AbortController()
      const giveUp = () => stop.abort(failed(`the download took longer than ${limits.timeoutMs / 1000} s`))
      const leave = () => stop.abort(new AppError('client_gone', 'The client left during the download.'))
      const timer = setTimeout(giveUp, Math.min(limits.timeoutMs, deadline?.remainingMs() ?? Infinity))
      signal?.addEventListener('abort', leave)
      if (signal?.aborted) leave()
      try {
        const response = await follow(first, stop.signal)
        const sizeBytes = await receive(response, sink, sizeBytesMax)
        // A body without a length ends like a whole one when its connection is closed, by us too.
        stop.signal.throwIfAborted()
        return { sizeBytes }
      } catch (error) {
        throw stop.signal.aborted ? stop.signal.reason : error
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
        stop.abort()
      }
    },
  }
}

/** The answer's head. Throws `url_fetch_failed`. */
function get(url: URL, addresses: readonly LookupAddress[], signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const isHttps = url.protocol === 'https:'
  // Loaded on first use: no start needs them.
  const { request } = (isHttps ? require('node:https') : require('node:http')) as typeof import('node:https')
  const sent = request(url, { ...requestOptions(url, addresses), signal })
  let response: IncomingMessage | undefined
  sent.on('response', (received) => {
    response = received
    // Who reads it is told of its errors by the reading; one that comes when nobody does must not end the process.
    response.on('error', () => received.destroy())
    resolve(response)
  })
  sent.on('upgrade', (response, socket) => {
    socket.destroy()
    reject(wrongStatus(response.statusCode))
  })
  sent.on('error', (error) => {
    reject(connectionFailed(error))
    response?.destroy(error)
  })
  sent.end()
  return promise
}

function requestOptions(url: URL, addresses: readonly LookupAddress[]) {
  // The one way from a name to an address: no second look-up could give another.
  const lookup: LookupFunction = (_host, _options, callback) => callback(null, [...addresses])
  // A server is asked for its name without the dot that may end it in the address.
  const name = url.hostname.replace(/\.$/, '')
  const options: RequestOptions & { servername?: string; rejectUnauthorized: boolean } = {
    agent: false,
    headers: { host: url.host, 'user-agent': `sonant/${version}`, accept: '*/*', 'accept-encoding': 'identity' },
    lookup,
    maxHeaderSize: headersBytesMax,
    rejectUnauthorized: true,
    ...(!isAddress(url.hostname) && { servername: name }),
  }
  return options
}

/** Where to go on, or null for an answer that is none of a redirect. */
function redirectTarget(response: IncomingMessage): string | null {
  const { location } = response.headers
  return location !== undefined && redirectStatuses.has(response.statusCode ?? 0) ? location : null
}

/** Returns the size in bytes. Throws `url_fetch_failed`, `url_too_large`, and whatever the sink throws. */
async function receive(
  response: IncomingMessage,
  sink: (chunk: Uint8Array) => void | Promise<void>,
  sizeBytesMax: number,
): Promise<number> {
  try {
    checkHead(response, sizeBytesMax)
    let sizeBytes = 0
    for await (const chunk of bodyOf(response)) {
      sizeBytes += chunk.length
      if (sizeBytes > sizeBytesMax) throw tooLarge(sizeBytesMax)
      await sink(chunk)
    }
    return sizeBytes
  } finally {
    response.destroy()
  }
}

/** A compressed body is refused and not opened: a few kilobytes of it could hold gigabytes. */
function checkHead({ statusCode, headers }: IncomingMessage, sizeBytesMax: number): void {
  if (statusCode !== 200) throw wrongStatus(statusCode)
  const encodings = [headers['content-encoding'] ?? 'identity', headers['transfer-encoding'] ?? 'chunked']
  if (!/^identity$/i.test(encodings[0]!.trim()) || !/^chunked$/i.test(encodings[1]!.trim()))
    throw failed('the server sends it compressed, though asked not to')
  if (Number(headers['content-length'] ?? 0) > sizeBytesMax) throw tooLarge(sizeBytesMax)
}

async function* bodyOf(response: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* response
  } catch (error) {
    throw failed('the connection broke before the file was whole', error)
  }
}

async function resolveHost(host: string): Promise<string[]> {
  const { lookup } = require('node:dns/promises') as typeof import('node:dns/promises')
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/** A machine reaches its own public addresses past every firewall that stands in front of it. */
function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
}

function areOpen(addresses: readonly string[], own: readonly string[]): boolean {
  const closed = new Set(own.map(canonicalAddress))
  return addresses.every((address) => isPublicAddress(address) && !closed.has(canonicalAddress(address)))
}

function canonicalAddress(text: string): string | undefined {
  return parseAddress(text)?.ip.toString()
}

/** Of the host of a parsed URL, which writes IPv4 addresses in four decimal parts, however they were given. */
function isAddress(hostname: string): boolean {
  return /^\[|^[\d.]+$/.test(hostname)
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  if (signal.aborted) aborted.reject(signal.reason)
  return Promise.race([promise, aborted.promise])
}

function blocked(message: string): AppError {
  return new AppError('url_blocked', `url: ${message}.`, { param: 'url' })
}

/** Names the host as the customer or a public server wrote it, and none of its addresses. */
function notPublic(url: URL): AppError {
  return blocked(`the host ${describe(url.hostname)} is not at a public address`)
}

function tooLarge(sizeBytesMax: number): AppError {
  return new AppError('url_too_large', `url: the file is larger than ${sizeBytesMax} bytes.`, { param: 'url' })
}

function failed(message: string, cause?: unknown): AppError {
  return new AppError('url_fetch_failed', `url: ${message}.`, { param: 'url', cause })
}

function failLookup(cause?: unknown): never {
  throw failed('its host was not found', cause)
}

function wrongStatus(status: number | undefined): AppError {
  return failed(`the server answered with the status ${status}; 200 is required`)
}

function connectionFailed(error: NodeJS.ErrnoException): AppError {
  const code = error.code ?? ''
  if (/^HPE_/.test(code)) return failed('the server does not answer in HTTP/1.1', error)
  if (/CERT|TLS|SSL|SIGNED|ISSUER/.test(code)) return failed('the certificate of the server is not valid', error)
  return failed('the server cannot be reached, or closed the connection', error)
}
