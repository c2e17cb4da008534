/**
 * The main process's part of one download. It parses every URL, resolves its host once, checks all resulting addresses,
 * and hands them to the downloader process, which connects to no others. A redirect is checked the same way. One
 * process makes all hops of a download. A fresh process per hop would protect nothing, because a hostile server can
 * attack the process on the last hop as well.
 */
import { networkInterfaces } from 'node:os'
import { AppError } from '../../errors'
import { describe } from '../../fields'
import { parseAddress } from '../address'
import { isPublicAddress } from '../public-address'
import { hasBadPort, parseUrl, portOf } from '../url'
import { startDownloaderProcess, type DownloaderProcess } from './downloader-process'
import type { AnswerLimits, FailureReason, HopResult } from './protocol'

export type FollowOptions = {
  /** Command line of a downloader process. */
  readonly command: readonly string[]
  /** Entries HOST:PORT of `config.cloneUrlAllow`. Address and port checks do not apply to them. */
  readonly allowed: readonly string[]
  readonly limits: AnswerLimits & {
    readonly redirectsMax: number
    readonly addressesMax: number
    readonly memoryGrowthMaxBytes: number
  }
  /** Resolves all addresses of a host. Default: the system resolver; tests replace it. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
  /** The machine's own addresses. Default: those of its interfaces; tests replace it. */
  readonly ownAddresses?: () => readonly string[]
}

type Target = { readonly path: string; readonly sizeBytesMax: number; readonly signal: AbortSignal }
export type Downloaded = { readonly sizeBytes: number; readonly sha256: string }

/**
 * Downloads `first` into the empty file at `path`. The process is gone when the promise settles. Throws `invalid_url`,
 * `url_blocked`, `url_too_large`, `url_fetch_failed`, `storage_failed`, and the reason of `signal`.
 */
export async function follow(first: URL, target: Target, options: FollowOptions): Promise<Downloaded> {
  const { path, sizeBytesMax, signal } = target
  const { command, limits } = options
  let process: DownloaderProcess | undefined
  try {
    let url = first
    for (let redirects = 0; ; redirects++) {
      const addresses = await findAddresses(url, signal, options)
      process ??= startDownloaderProcess({ command, memoryGrowthMaxBytes: limits.memoryGrowthMaxBytes })
      const hop = { url: url.href, addresses, path, sizeBytesMax, limits }
      const result = await unlessAborted(process.fetch(hop).catch(failBrokenOff), signal)
      if (result.type === 'failed') throw failureOf(result, target, limits)
      if (result.type === 'received') return { sizeBytes: result.sizeBytes, sha256: result.sha256 }
      if (redirects === limits.redirectsMax) throw failed(`it redirects more than ${limits.redirectsMax} times`)
      url = parseUrl(result.location, url.href)
    }
  } finally {
    await process?.kill()
  }
}

/** Throws `url_blocked` and `url_fetch_failed`. */
async function findAddresses(url: URL, signal: AbortSignal, options: FollowOptions): Promise<readonly string[]> {
  const { allowed, limits, resolve = resolveHost, ownAddresses = interfaceAddresses } = options
  signal.throwIfAborted()
  const isAllowed = allowed.includes(`${url.hostname}:${portOf(url)}`)
  if (!isAllowed && hasBadPort(url)) throw blocked(`the port ${portOf(url)} is not for the web`)
  if (!isAllowed && /(^|\.)localhost\.?$/.test(url.hostname)) throw notPublic(url)
  const addresses = isAddress(url.hostname)
    ? [url.hostname.replace(/^\[|\]$/g, '')]
    : await unlessAborted(resolve(url.hostname).catch(failLookup), signal)
  if (addresses.length === 0) failLookup()
  if (addresses.length > limits.addressesMax) throw failed(`its host has more than ${limits.addressesMax} addresses`)
  if (!isAllowed && !areOpen(addresses, ownAddresses())) throw notPublic(url)
  return addresses
}

async function resolveHost(host: string): Promise<string[]> {
  const { lookup } = require('node:dns/promises') as typeof import('node:dns/promises')
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/** The machine's own addresses. It reaches its public ones behind any firewall, so they are blocked too. */
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

/** Whether the host of a parsed URL is an address. The parser writes every IPv4 address as four decimal parts. */
function isAddress(hostname: string): boolean {
  return /^\[|^[\d.]+$/.test(hostname)
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
}

/** The error for the customer. The detail becomes its cause, for the log. */
function failureOf(
  { reason, status, detail }: Extract<HopResult, { type: 'failed' }>,
  { sizeBytesMax }: Target,
  { idleMs, informationalMax, bytesPerSecondMin }: AnswerLimits,
): AppError {
  const cause = detail === undefined ? undefined : new Error(detail)
  if (reason === 'too_large')
    return new AppError('url_too_large', `url: the file is larger than ${sizeBytesMax} bytes.`, { param: 'url' })
  if (reason === 'not_stored')
    return new AppError('storage_failed', 'The recording could not be stored; nothing was charged. Try again.', {
      cause,
    })
  const messages: Record<Exclude<FailureReason, 'too_large' | 'not_stored'>, string> = {
    unreachable: 'the server cannot be reached, or closed the connection',
    not_http: 'the server does not answer in HTTP/1.1',
    bad_certificate: 'the certificate of the server is not valid',
    wrong_status: `the server answered with the status ${status}; 200 is required`,
    compressed: 'the server compresses the file, although the request excludes that',
    broken_off: 'the connection broke before the file was whole',
    idle: `the server sent nothing for ${idleMs / 1000} s`,
    slow: `the server sends less than ${bytesPerSecondMin} bytes per second`,
    informational: `the server sent more than ${informationalMax} informational responses`,
    chunks: 'the server sends the file in too many small pieces',
  }
  return failed(messages[reason], cause)
}

function blocked(message: string): AppError {
  return new AppError('url_blocked', `url: ${message}.`, { param: 'url' })
}

/** The message shows the host as the customer or a public server wrote it, and none of its addresses. */
function notPublic(url: URL): AppError {
  return blocked(`the host ${describe(url.hostname)} is not at a public address`)
}

function failed(message: string, cause?: unknown): AppError {
  return new AppError('url_fetch_failed', `url: ${message}.`, { param: 'url', cause })
}

function failLookup(cause?: unknown): never {
  throw failed('its host was not found', cause)
}

/**
 * The process crashed or was killed for its memory, because of its server or because the machine is short of memory.
 */
function failBrokenOff(cause: unknown): never {
  throw failed('the download broke off', cause)
}
