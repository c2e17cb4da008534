/**
 * One hop of a download in a downloader process. It sends a request to one server at checked addresses, and writes the
 * body to a file within limits. It uses no proxy, no cookies and no kept connections.
 */
import type { LookupAddress } from 'node:dns'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { LookupFunction } from 'node:net'
import { version } from '../../version'
import { openSink, type Sink } from './sink'
import type { AnswerLimits, FailureReason, Hop, HopResult } from './protocol'

type Failed = Extract<HopResult, { type: 'failed' }>

const redirectStatuses = new Set([301, 302, 303, 307, 308])
/** Interval of the rate check. */
const watchMs = 100

/** Never rejects. */
export function fetchHop(hop: Hop): Promise<HopResult> {
  const { promise, resolve } = Promise.withResolvers<HopResult>()
  const sent = ask(hop)
  const watch = watchRate(hop.limits, (reason) => end(failed(reason)))
  let sink: Sink | undefined
  let isEnded = false

  /** Settles the hop; later data is dropped. */
  function end(result: HopResult): void {
    if (isEnded) return
    isEnded = true
    watch.stop()
    sink?.close()
    sent.destroy()
    resolve(result)
  }

  /** Runs a write. Any error in it is an error of the disk. */
  function store(work: () => void): void {
    try {
      work()
    } catch (error) {
      end(failed('not_stored', error))
    }
  }

  function receive(response: IncomingMessage): void {
    const { sizeBytesMax, limits, path } = hop
    const refusal = refuseHead(response, sizeBytesMax)
    if (refusal) return end(refusal)
    store(() => (sink = openSink(path)))
    let chunks = 0
    let sizeBytes = 0
    response.on('data', (chunk: Uint8Array) => {
      if (isEnded) return
      sizeBytes += chunk.length
      if (sizeBytes > sizeBytesMax) return end(failed('too_large'))
      if (++chunks > limits.chunksMax) return end(failed('chunks'))
      watch.count(chunk.length)
      store(() => sink!.write(chunk))
    })
    // Data after the end of the body is an error that Node reports after `end`, so wait one turn of the event loop.
    response.on('end', () => setImmediate(() => !isEnded && store(() => end(received(sink!.finish())))))
  }

  let informational = 0
  sent.on('information', () => {
    watch.count(0)
    if (++informational > hop.limits.informationalMax) end(failed('informational'))
  })
  sent.on('response', (response) => {
    response.on('error', (error) => end(failed('broken_off', error)))
    response.on('close', () => response.complete || end(failed('broken_off')))
    watch.count(0)
    const { location } = response.headers
    if (location !== undefined && redirectStatuses.has(response.statusCode ?? 0)) end({ type: 'redirect', location })
    else receive(response)
  })
  sent.on('upgrade', (response, socket) => {
    socket.destroy()
    end(wrongStatus(response))
  })
  sent.on('error', (error) => end(failed(sink ? 'broken_off' : reasonOf(error), error)))
  sent.end()
  return promise
}

function ask({ url: href, addresses, limits }: Hop): ClientRequest {
  const url = new URL(href)
  const { request } = (
    url.protocol === 'https:' ? require('node:https') : require('node:http')
  ) as typeof import('http')
  const found: LookupAddress[] = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  // This is the only path from name to address, so no second look-up can return another address.
  const lookup: LookupFunction = (_host, _options, callback) => callback(null, found)
  // The TLS server name has no trailing dot, even if the URL has one.
  const name = url.hostname.replace(/\.$/, '')
  const isName = !/^\[|^[\d.]+$/.test(url.hostname)
  const options: RequestOptions & { servername?: string; rejectUnauthorized: boolean } = {
    agent: false,
    headers: { host: url.host, 'user-agent': `sonant/${version}`, accept: '*/*', 'accept-encoding': 'identity' },
    lookup,
    maxHeaderSize: limits.headBytesMax,
    rejectUnauthorized: true,
    ...(isName && { servername: name }),
  }
  return request(url, options)
}

/** Calls `onFailure` once the server is silent or slow. */
function watchRate(limits: AnswerLimits, onFailure: (reason: FailureReason) => void) {
  let bodyAtMs: number | undefined
  let seenAtMs = performance.now()
  let sizeBytes = 0
  const timer = setInterval(() => {
    const nowMs = performance.now()
    const bodyMs = bodyAtMs === undefined ? 0 : nowMs - bodyAtMs
    if (nowMs - seenAtMs > limits.idleMs) onFailure('idle')
    else if (bodyMs > limits.slowStartMs && (sizeBytes / bodyMs) * 1000 < limits.bytesPerSecondMin) onFailure('slow')
  }, watchMs)
  return {
    /** Counts arrived data, of which `bytes` belong to the body. */
    count(bytes: number): void {
      seenAtMs = performance.now()
      if (bytes > 0) bodyAtMs ??= seenAtMs
      sizeBytes += bytes
    },
    stop: () => clearInterval(timer),
  }
}

/** Refuses a compressed body without decompressing it: a few kilobytes could expand to gigabytes. */
function refuseHead(response: IncomingMessage, sizeBytesMax: number): Failed | undefined {
  const { statusCode, headers } = response
  if (statusCode !== 200) return wrongStatus(response)
  const encodings = [headers['content-encoding'] ?? 'identity', headers['transfer-encoding'] ?? 'chunked']
  if (!/^identity$/i.test(encodings[0]!.trim()) || !/^chunked$/i.test(encodings[1]!.trim())) return failed('compressed')
  return Number(headers['content-length'] ?? 0) > sizeBytesMax ? failed('too_large') : undefined
}

function received(file: { sizeBytes: number; sha256: string }): HopResult {
  return { type: 'received', ...file }
}

function wrongStatus({ statusCode: status }: IncomingMessage): Failed {
  return { type: 'failed', reason: 'wrong_status', status }
}

function failed(reason: FailureReason, error?: unknown): Failed {
  return { type: 'failed', reason, detail: error instanceof Error ? error.message.slice(0, 200) : undefined }
}

function reasonOf({ code = '' }: NodeJS.ErrnoException): FailureReason {
  if (/^HPE_/.test(code)) return 'not_http'
  return /CERT|TLS|SSL|SIGNED|ISSUER/.test(code) ? 'bad_certificate' : 'unreachable'
}
