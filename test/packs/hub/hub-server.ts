/**
 * A local hub with the paths, headers and shapes of https://huggingface.co: model info, tree, resolve, and large files
 * on another server behind a redirect. Tests set faults per file.
 */
import { createHash } from 'node:crypto'
import type { Server } from 'bun'

export const commit = '1939ad2a8e416c0acfeecc08a694d14ef25f2231'

export type Fault = (request: Request, times: number) => Response | undefined | Promise<Response | undefined>

export type Served = {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Stored with LFS: identified by SHA-256 and served by the second server. */
  readonly large: boolean
}

export type HubServer = {
  readonly url: string
  /** By repository, then by path. */
  readonly repositories: Record<string, Record<string, Served>>
  readonly licenses: Record<string, string>
  /** By URL path suffix; the second argument is the number of requests for that path. */
  readonly faults: Map<string, Fault>
  /** Path, range and If-Range of every request to both servers. */
  readonly log: string[]
  /** Whether the second server supports ranges. */
  ranges: boolean
  stop(): Promise<void>
}

export function startHub(): HubServer {
  const repositories: HubServer['repositories'] = {}
  const licenses: HubServer['licenses'] = {}
  const faults: HubServer['faults'] = new Map()
  const log: string[] = []
  const times = new Map<string, number>()

  const serving = (answer: (request: Request, path: string) => Response | Promise<Response>) => ({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request: Request): Promise<Response> {
      const url = new URL(request.url)
      const path = decodeURIComponent(url.pathname)
      log.push(
        [`${path}${url.search}`, request.headers.get('range'), request.headers.get('if-range')]
          .filter(Boolean)
          .join(' '),
      )
      times.set(path, (times.get(path) ?? 0) + 1)
      const fault = [...faults].find(([end]) => path.endsWith(end))?.[1]
      return (await fault?.(request, times.get(path)!)) ?? answer(request, path)
    },
  })

  const store = Bun.serve(
    serving((request, path) => {
      const [, digest] = /^\/lfs\/([0-9a-f]{64})$/.exec(path) ?? []
      const found = Object.values(repositories)
        .flatMap((files) => Object.values(files))
        .find(({ bytes }) => sha256(bytes) === digest)
      return found ? sendBytes(request, found.bytes, hub.ranges) : new Response('gone', { status: 404 })
    }),
  )
  const front: Server<undefined> = Bun.serve(
    serving((request, path) => {
      const info = /^\/api\/models\/([^/]+\/[^/]+)\/revision\/main$/.exec(path)?.[1]
      if (info && repositories[info])
        return Response.json({ id: info, sha: commit, gated: false, cardData: { license: licenses[info] ?? 'mit' } })
      const [, repository = '', folder = ''] =
        /^\/api\/models\/([^/]+\/[^/]+)\/tree\/[0-9a-f]{40}\/?(.*)$/.exec(path) ?? []
      if (repositories[repository]) return sendTree(repositories[repository], folder)
      const [, owner = '', name = ''] = /^\/([^/]+\/[^/]+)\/resolve\/[0-9a-f]{40}\/(.+)$/.exec(path) ?? []
      const file = repositories[owner]?.[name]
      if (!file)
        return new Response('Repository not found', { status: 401, headers: { 'x-error-code': 'RepoNotFound' } })
      if (!file.large) return sendBytes(request, file.bytes, true)
      const location = `${store.url.origin}/lfs/${sha256(file.bytes)}?signature=x`
      return new Response('Found', { status: 302, headers: { location, 'x-repo-commit': commit } })
    }),
  )
  const hub: HubServer = {
    url: front.url.origin,
    repositories,
    licenses,
    faults,
    log,
    ranges: true,
    async stop() {
      await Promise.all([front.stop(true), store.stop(true)])
    },
  }
  return hub
}

function sendTree(files: Record<string, Served>, folder: string): Response {
  const below = Object.entries(files).filter(([path]) => folder === '' || path.startsWith(`${folder}/`))
  const entries = below.map(([path, { bytes, large }]) => ({
    type: 'file',
    oid: gitBlob(bytes),
    size: bytes.length,
    path,
    ...(large && { lfs: { oid: sha256(bytes), size: bytes.length, pointerSize: 133 } }),
  }))
  return Response.json([{ type: 'directory', oid: '0'.repeat(40), size: 0, path: folder || 'onnx' }, ...entries])
}

/** Follows RFC 9110, including `If-Range`. */
function sendBytes(request: Request, bytes: Uint8Array, ranges: boolean): Response {
  const etag = `"${sha256(bytes).slice(0, 32)}"`
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.get('range') ?? '')?.[1] ?? Number.NaN)
  const condition = request.headers.get('if-range')
  if (!ranges || Number.isNaN(start) || (condition !== null && condition !== etag))
    return new Response(bytes.slice(), { headers: { etag } })
  if (start >= bytes.length)
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${bytes.length}` } })
  const headers = { etag, 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }
  return new Response(bytes.slice(start), { status: 206, headers })
}

/** Sends `count` bytes of a response that announces all of them, then closes the connection. */
export async function startCutting(bytes: Uint8Array, count: number) {
  const { createServer } = await import('node:net')
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\netag: "${sha256(bytes).slice(0, 32)}"\r\n\r\n`,
      )
      socket.write(bytes.subarray(0, count), () => setTimeout(() => socket.destroy(), 50))
    })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/`, stop: () => void server.close() }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function gitBlob(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}

/** Repeatable noise without repetitions inside. */
export function noise(sizeBytes: number, seed: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(sizeBytes)
  let state = seed >>> 0 || 1
  for (let i = 0; i < sizeBytes; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    bytes[i] = state >>> 24
  }
  return bytes
}

export const text = (content: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(content)

type Voice = {
  readonly key: string
  readonly names?: readonly [string, string, string]
  readonly speakers?: number
  /** Noise by default, which is not a valid graph. */
  readonly graph?: Uint8Array<ArrayBuffer>
  readonly config?: unknown
}

/** Fills the repository of Piper's voices with a realistic index. */
export function addPiperVoices(hub: HubServer, voices: readonly Voice[], graphBytes = 3 << 20): void {
  const files: Record<string, Served> = { 'README.md': { bytes: text('---\nlicense: mit\n---\n'), large: false } }
  const index: Record<string, unknown> = {}
  voices.forEach(({ key, names = ['English', 'English', 'United States'], speakers = 1, graph, config }, i) => {
    const [, code = '', name = '', quality = ''] = /^(\w+)-(.+)-(\w+)$/.exec(key) ?? []
    const [family = '', region = ''] = code.split('_')
    const folder = `${family}/${code}/${name}/${quality}`
    const own: Record<string, Served> = {
      [`${folder}/${key}.onnx`]: { bytes: graph ?? noise(graphBytes, i + 1), large: true },
      [`${folder}/${key}.onnx.json`]: {
        bytes: text(JSON.stringify(config ?? { audio: { sample_rate: 22_050 }, key })),
        large: false,
      },
      [`${folder}/MODEL_CARD`]: {
        bytes: text(
          `# Model card for ${name} (${quality})\n\n* Language: ${code}\n\n## Dataset\n\n* License: CC BY 4.0\n`,
        ),
        large: false,
      },
    }
    const [native, english, country] = names
    index[key] = {
      key,
      name,
      language: { code, family, region, name_native: native, name_english: english, country_english: country },
      quality,
      num_speakers: speakers,
      speaker_id_map: {},
      files: Object.fromEntries(
        Object.entries(own).map(([path, { bytes }]) => [path, { size_bytes: bytes.length, md5_digest: md5(bytes) }]),
      ),
      aliases: [`${code.toLowerCase().replace('_', '-')}-${name}-old`],
    }
    Object.assign(files, own, { [`${folder}/samples/speaker_0.mp3`]: { bytes: noise(1000, 99), large: true } })
  })
  files['voices.json'] = { bytes: text(JSON.stringify(index)), large: false }
  hub.repositories['rhasspy/piper-voices'] = files
}
