/**
 * Downloads from URLs that customers name, with everything that must not happen. If a host must seem public,
 * `pretendPublic` redirects its connections to a local server and records the addresses.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it, setDefaultTimeout, spyOn } from 'bun:test'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import https from 'node:https'
import { createServer, type Socket } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { downloadLimits } from '../../src/config'
import { startDeadline } from '../../src/deadline'
import { AppError } from '../../src/errors'
import { createDownloader, type DownloaderOptions } from '../../src/net/download'
import { version } from '../../src/version'
import { childrenOf, isRunning } from '../processes'

// Each download starts a process.
setDefaultTimeout(60_000)

const publicAddress = '93.184.215.14'
const command = [process.execPath, join(import.meta.dir, '../../src/main.ts'), 'downloader']

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-download-'))
})
afterAll(() => rm(directory, { recursive: true }))

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A local HTTP server; its HOST:PORT. */
function serve(answer: (request: Request) => Response | Promise<Response>, hostname = '127.0.0.1'): string {
  const server = Bun.serve({ port: 0, hostname, idleTimeout: 0, fetch: answer })
  closers.push(() => server.stop(true))
  return `${hostname.includes(':') ? `[${hostname}]` : hostname}:${server.port}`
}

/** A local server that sends arbitrary bytes on a request; its HOST:PORT. */
async function serveRaw(answer: (socket: Socket) => unknown): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => answer(socket))
    closers.push(() => socket.destroy())
  })
  closers.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `127.0.0.1:${(server.address() as { port: number }).port}`
}

type Limits = DownloaderOptions['limits']
type Settings = Partial<Omit<DownloaderOptions, 'limits'>> & {
  limits?: Partial<Limits>
  timeoutMs?: number
  sizeBytesMax?: number
  signal?: AbortSignal
  path?: string
}

const newFile = async () => {
  const path = join(directory, crypto.randomUUID())
  await Bun.write(path, '')
  return path
}

async function download(url: string, settings: Settings = {}) {
  const { timeoutMs = 30_000, sizeBytesMax = 100_000, signal, allowed = [], limits, ...rest } = settings
  const path = settings.path ?? (await newFile())
  const options = { command, allowed, limits: { ...downloadLimits, timeoutMs, ...limits }, ...rest }
  const { sizeBytes, sha256 } = await createDownloader(options).download(url, { path, key: 'k', sizeBytesMax, signal })
  const bytes = await readFile(path)
  expect([bytes.length, new Bun.CryptoHasher('sha256').update(bytes).digest('hex')]).toEqual([sizeBytes, sha256])
  return { sizeBytes, bytes }
}

/** The code and message of the error. Any error but an `AppError` fails the test. */
async function failure(promise: Promise<unknown>): Promise<{ code: string; message: string; param: string | null }> {
  try {
    await promise
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, message: error.message, param: error.param }
    throw error
  }
  return { code: 'none', message: '', param: null }
}

const codeOf = async (promise: Promise<unknown>) => (await failure(promise)).code

/**
 * A downloader that sends every plain request to `hostAndPort` instead of its address. `connections` reads the original
 * addresses.
 */
function pretendPublic(hostAndPort: string) {
  const log = join(directory, crypto.randomUUID())
  const script = join(import.meta.dir, 'pretending-downloader.ts')
  return {
    command: [process.execPath, script, hostAndPort.split(':')[1]!, log],
    async connections(): Promise<string[][]> {
      const lines = (await readFile(log, 'utf8')).trimEnd().split('\n')
      return lines.map((line) => JSON.parse(line) as string[])
    },
  }
}

/** Fails the test if a downloader process is started. */
function forbidRequests(): () => void {
  const spy = spyOn(Bun, 'spawn')
  closers.push(() => spy.mockRestore())
  return () => expect(spy).not.toHaveBeenCalled()
}

async function waitFor(isDone: () => boolean): Promise<void> {
  while (!isDone()) await Bun.sleep(5)
}

/** For scripts in processes with another environment. */
const requireDownloader = `
  const { createDownloader } = require(${JSON.stringify(require.resolve('../../src/net/download'))})
  const { downloadLimits: limits } = require(${JSON.stringify(require.resolve('../../src/config'))})
  const options = { command: ${JSON.stringify(command)}, limits }`

const resolveTo = (hosts: Record<string, readonly string[]>) => async (host: string) => {
  const addresses = hosts[host]
  if (!addresses) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' })
  return addresses
}

describe('a download', () => {
  it('stores the bytes of a file, by name and by address', async () => {
    const file = crypto.getRandomValues(new Uint8Array(50_000))
    const host = serve(() => new Response(file))
    const { bytes, sizeBytes } = await download(`http://${host}/me.wav?x=1#part`, { allowed: [host] })
    expect(sizeBytes).toBe(50_000)
    expect(bytes.equals(file)).toBe(true)
    const named = host.replace('127.0.0.1', 'sound.example')
    const resolve = resolveTo({ 'sound.example': ['127.0.0.1'] })
    expect((await download(`http://${named}/`, { allowed: [named], resolve })).bytes.equals(file)).toBe(true)
  })

  it('stores a file over IPv6', async () => {
    const host = serve(() => new Response('six'), '::1')
    expect(String((await download(`http://${host}/`, { allowed: [host] })).bytes)).toBe('six')
  })

  it('stores an empty file, a chunked one, and one that ends with the connection', async () => {
    const empty = serve(() => new Response(''))
    expect((await download(`http://${empty}/`, { allowed: [empty] })).sizeBytes).toBe(0)
    const chunked = await serveRaw((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n'),
    )
    expect(String((await download(`http://${chunked}/`, { allowed: [chunked] })).bytes)).toBe('abcdefg')
    const closing = await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nabcdefg'))
    expect(String((await download(`http://${closing}/`, { allowed: [closing] })).bytes)).toBe('abcdefg')
  })

  it('sends a plain request: user agent, no compression, no cookies, no referrer, no kept connection', async () => {
    const asked: [string, Record<string, string>][] = []
    const host = serve(({ url, headers }) => {
      asked.push([new URL(url).pathname, Object.fromEntries(headers)])
      if (!url.endsWith('/a%20b?c=d')) return new Response('x')
      return new Response('', { status: 302, headers: { location: '/next', 'set-cookie': 'session=1' } })
    })
    await download(`http://${host}/a b?c=d#e`, { allowed: [host] })
    const headers = {
      host,
      'user-agent': `sonant/${version}`,
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: 'close',
    }
    expect(asked).toEqual([
      ['/a%20b', headers],
      ['/next', headers],
    ])
  })

  it('answers storage_failed when the disk is full', async () => {
    const host = serve(() => new Response(new Uint8Array(90_000)))
    const { code, message } = await failure(download(`http://${host}/`, { allowed: [host], path: '/dev/full' }))
    expect([code, message]).toEqual([
      'storage_failed',
      'The recording could not be stored; nothing was charged. Try again.',
    ])
  })

  it('ends with its client', async () => {
    const leaving = new AbortController()
    const host = serve(() => {
      setTimeout(() => leaving.abort(), 0)
      return new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(9)) }))
    })
    expect(await codeOf(download(`http://${host}/`, { allowed: [host], signal: leaving.signal }))).toBe('client_gone')
    expect(childrenOf(process.pid).filter(isRunning)).toEqual([])
    const nothingSent = forbidRequests()
    expect(await codeOf(download(`http://${host}/`, { allowed: [host], signal: AbortSignal.abort() }))).toBe(
      'client_gone',
    )
    nothingSent()
  })

  it('ignores proxies in the environment', async () => {
    let proxied = 0
    const proxy = serve(() => (proxied++, new Response('from the proxy')))
    const host = serve(() => new Response('from the server'))
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']
    const env = {
      ...process.env,
      ...Object.fromEntries(names.map((name) => [name, `http://${proxy}`])),
      NODE_USE_ENV_PROXY: '1',
      NO_PROXY: '',
      no_proxy: '',
    }
    const script = `
      ${requireDownloader}
      const { download } = createDownloader({ ...options, allowed: ['${host}'] })
      const path = ${JSON.stringify(await newFile())}
      await download('http://${host}/', { path, key: 'k', sizeBytesMax: 100 })
      // Bun's own client would use the proxies of the environment.
      process.stdout.write(await Bun.file(path).text() + ', ' + await (await fetch('http://${host}/')).text())`
    const child = Bun.spawn([process.execPath, '-e', script], { env, stderr: 'inherit' })
    expect(await new Response(child.stdout).text()).toBe('from the server, from the proxy')
    expect(proxied).toBe(1)
  })
})

describe('the size', () => {
  it('may reach the limit, and not a byte more', async () => {
    const host = serve(({ url }) => new Response(new Uint8Array(Number(new URL(url).pathname.slice(1)))))
    const options = { allowed: [host], sizeBytesMax: 5000 }
    expect((await download(`http://${host}/5000`, options)).sizeBytes).toBe(5000)
    const { code, message, param } = await failure(download(`http://${host}/5001`, options))
    expect([code, message, param]).toEqual(['url_too_large', 'url: the file is larger than 5000 bytes.', 'url'])
  })

  it('may reach the limit, and not a byte more, without Content-Length', async () => {
    const host = await serveRaw((socket) => {
      const chunk = `${(2500).toString(16)}\r\n${'x'.repeat(2500)}\r\n`
      socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`)
    })
    expect((await download(`http://${host}/`, { allowed: [host], sizeBytesMax: 5000 })).sizeBytes).toBe(5000)
    expect(await codeOf(download(`http://${host}/`, { allowed: [host], sizeBytesMax: 4999 }))).toBe('url_too_large')
  })

  it('is refused by Content-Length alone, without waiting for the body', async () => {
    const host = await serveRaw((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n'))
    expect(await codeOf(download(`http://${host}/`, { allowed: [host] }))).toBe('url_too_large')
  })

  it('is counted, whatever the header says: an endless body ends at the limit', async () => {
    const host = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const send = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
        if (!socket.destroyed) socket.once('drain', send)
      }
      send()
    })
    const path = await newFile()
    expect(await codeOf(download(`http://${host}/`, { allowed: [host], path, sizeBytesMax: 1_000_000 }))).toBe(
      'url_too_large',
    )
    const written = (await readFile(path)).length
    expect(written).toBeLessThanOrEqual(1_000_000)
    expect(written).toBeGreaterThan(0)
  })

  it('is unknown if a broken connection ends the body, which fails', async () => {
    const host = await serveRaw(async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nabcdef')
      await Bun.sleep(30)
      socket.resetAndDestroy()
    })
    expect(await codeOf(download(`http://${host}/`, { allowed: [host] }))).toBe('url_fetch_failed')
  })

  it('must not be less than Content-Length', async () => {
    const host = await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'))
    const { code, message } = await failure(download(`http://${host}/`, { allowed: [host] }))
    expect([code, message]).toEqual(['url_fetch_failed', 'url: the connection broke before the file was whole.'])
  })

  it('is Content-Length if more bytes come later, and extra bytes with the body fail the download', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n'
    const { promise: downloaded, resolve: sendMore } = Promise.withResolvers<void>()
    const later = await serveRaw(async (socket) => {
      socket.write(`${head}abc`)
      await downloaded
      socket.end('def')
    })
    expect(String((await download(`http://${later}/`, { allowed: [later] })).bytes)).toBe('abc')
    sendMore()
    const atOnce = await serveRaw((socket) => socket.end(`${head}abcdef`))
    expect(await codeOf(download(`http://${atOnce}/`, { allowed: [atOnce] }))).toBe('url_fetch_failed')
  })

  it('cannot grow by decompression: a compressed body is refused', async () => {
    const bomb = Bun.gzipSync(new Uint8Array(50 << 20))
    for (const encoding of ['gzip', 'GZIP', 'br', 'deflate', 'identity, gzip', 'zstd']) {
      const host = serve(() => new Response(bomb, { headers: { 'content-encoding': encoding } }))
      const { code, message } = await failure(download(`http://${host}/`, { allowed: [host] }))
      expect([code, message]).toEqual([
        'url_fetch_failed',
        'url: the server compresses the file, although the request excludes that.',
      ])
    }
    const transfer = await serveRaw((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'),
    )
    expect(await codeOf(download(`http://${transfer}/`, { allowed: [transfer] }))).toBe('url_fetch_failed')
    // The same bytes without the header are an ordinary file.
    const file = serve(() => new Response(bomb, { headers: { 'content-encoding': 'identity' } }))
    expect((await download(`http://${file}/`, { allowed: [file] })).bytes.equals(bomb)).toBe(true)
  })
})

describe('an answer without a file', () => {
  it.each([201, 204, 206, 300, 304, 400, 401, 404, 407, 418, 429, 500, 503])(
    'fails with the status %d',
    async (status) => {
      const host = await serveRaw((socket) => socket.end(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`))
      const { code, message, param } = await failure(download(`http://${host}/`, { allowed: [host] }))
      const expected = `url: the server answered with the status ${status}; 200 is required.`
      expect([code, message, param]).toEqual(['url_fetch_failed', expected, 'url'])
    },
  )

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', 'does not answer in HTTP/1.1'],
    ['HTTP/0.9', '<html>', 'does not answer in HTTP/1.1'],
    ['nothing', '', 'cannot be reached'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'does not answer in HTTP/1.1',
    ],
    [
      'two framings',
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'does not answer in HTTP/1.1',
    ],
    ['a redirect to nowhere', 'HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n', 'the status 302'],
    [
      'another protocol from here on',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      'the status 101',
    ],
  ])('fails: %s', async (_name, answer, words) => {
    const host = await serveRaw((socket) => socket.end(answer))
    const { code, message } = await failure(download(`http://${host}/`, { allowed: [host] }))
    expect(code).toBe('url_fetch_failed')
    expect(message).toContain(words)
  })

  it('fails if chunks are truncated or malformed', async () => {
    for (const chunks of ['3\r\nabc\r\n5', 'zz\r\nabc\r\n0\r\n\r\n']) {
      const host = await serveRaw((socket) =>
        socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`),
      )
      expect(await codeOf(download(`http://${host}/`, { allowed: [host] }))).toBe('url_fetch_failed')
    }
  })

  it('fails if the head has no end', async () => {
    for (const line of ['a'.repeat(1000), 'X: a\r\n'.repeat(100)]) {
      const host = await serveRaw((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nX: ')
        const send = () => {
          while (!socket.destroyed && socket.write(line));
          if (!socket.destroyed) socket.once('drain', send)
        }
        send()
      })
      expect(await codeOf(download(`http://${host}/`, { allowed: [host] }))).toBe('url_fetch_failed')
    }
  })

  it('fails if no server listens, and if the name does not exist', async () => {
    const refused = serve(() => new Response())
    await closers.pop()!()
    expect(await failure(download(`http://${refused}/`, { allowed: [refused] }))).toMatchObject({
      code: 'url_fetch_failed',
      message: 'url: the server cannot be reached, or closed the connection.',
    })
    for (const resolve of [resolveTo({}), resolveTo({ 'no.example': [] })]) {
      const { code, message } = await failure(download('http://no.example/', { resolve }))
      expect([code, message]).toEqual(['url_fetch_failed', 'url: its host was not found.'])
    }
  })
})

/** Sends `piece` again and again, as fast as it is read. */
function flood(socket: Socket, piece: string): void {
  const pieces = Buffer.from(piece.repeat(1000))
  const send = () => {
    while (!socket.destroyed && socket.write(pieces));
    if (!socket.destroyed) socket.once('drain', send)
  }
  send()
}

describe('a hostile server', () => {
  const chunkedHead = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
  const manyAnswers = 'url: the server sent more than 8 informational responses.'

  it.each([
    ['an endless "100 Continue"', 'HTTP/1.1 100 Continue\r\n\r\n', manyAnswers],
    ['an endless "102 Processing"', 'HTTP/1.1 102 Processing\r\n\r\n', manyAnswers],
    ['an endless "103 Early Hints"', 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n', manyAnswers],
    ['chunks of one byte', '1\r\nx\r\n', 'url: the server sends the file in too many small pieces.'],
  ])('that sends %s fails the download', async (_name, piece, message) => {
    const host = await serveRaw((socket) => {
      if (piece.startsWith('1')) socket.write(chunkedHead)
      flood(socket, piece)
    })
    const ended = await failure(download(`http://${host}/`, { allowed: [host], sizeBytesMax: 15 << 20 }))
    expect(ended).toEqual({ code: 'url_fetch_failed', message, param: 'url' })
    expect(childrenOf(process.pid).filter(isRunning)).toEqual([])
  })

  it.each([
    ['chunk extensions without end', `${chunkedHead}1;`, 'a'],
    ['trailers without end', `${chunkedHead}0\r\n`, 'a: b\r\n'],
  ])('that sends %s fails the download', async (_name, head, piece) => {
    const host = await serveRaw((socket) => {
      socket.write(head)
      flood(socket, piece)
    })
    const limits = { idleMs: 500 }
    expect(await codeOf(download(`http://${host}/`, { allowed: [host], limits }))).toBe('url_fetch_failed')
  })

  it.each([
    ['in the head', 'HTTP/1.1 200 OK\r\nX-'],
    ['between head and body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'],
    ['in the body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'],
  ])('that falls silent %s fails the download', async (_name, start) => {
    const host = await serveRaw((socket) => socket.write(start))
    const ended = await failure(download(`http://${host}/`, { allowed: [host], limits: { idleMs: 300 } }))
    expect(ended).toMatchObject({ code: 'url_fetch_failed', message: 'url: the server sent nothing for 0.3 s.' })
  })

  it('that sends too slowly fails the download', async () => {
    const host = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const timer = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    const ended = await failure(download(`http://${host}/`, { allowed: [host], limits: { slowStartMs: 200 } }))
    expect(ended).toMatchObject({
      code: 'url_fetch_failed',
      message: 'url: the server sends less than 1024 bytes per second.',
    })
  })

  it('may send a few informational answers, and a body in a thousand pieces', async () => {
    const host = await serveRaw((socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')
      socket.end(`${chunkedHead}${'1\r\nx\r\n'.repeat(1000)}0\r\n\r\n`)
    })
    expect((await download(`http://${host}/`, { allowed: [host] })).sizeBytes).toBe(1000)
  })
})

describe('the downloader process', () => {
  /** A downloader that runs `act` for its first hop. `act` may call `answer` with text that the error message shows. */
  async function writeDownloader(act: string): Promise<string> {
    const path = join(directory, `${crypto.randomUUID()}.ts`)
    await Bun.write(
      path,
      `const answer = (status: unknown) => process.send!({ type: 'failed', reason: 'wrong_status', status })
      process.on('message', () => { ${act} })
      process.send!({ type: 'ready' })`,
    )
    return path
  }

  it('does not see the environment of the server', async () => {
    const script = await writeDownloader('answer(Object.keys(process.env).join())')
    process.env.SONANT_ADMIN_KEY = 'secret'
    closers.push(() => delete process.env.SONANT_ADMIN_KEY)
    const { message } = await failure(download('http://1.1.1.1/', { command: [process.execPath, script] }))
    expect(message).toContain('BUN_JSC_forceRAMSize')
    expect(message).not.toContain('SONANT')
  })

  it('that grows without end fails only its own download', async () => {
    const script = await writeDownloader('for (const all = [];;) all.push(Buffer.alloc(16 << 20, 1))')
    const ended = await failure(download('http://1.1.1.1/', { command: [process.execPath, script] }))
    expect(ended).toEqual({ code: 'url_fetch_failed', message: 'url: the download broke off.', param: 'url' })
  })

  it('that hangs is killed at the time limit', async () => {
    const script = await writeDownloader('for (;;);')
    const settings = { command: [process.execPath, script], timeoutMs: 500 }
    expect(await codeOf(download('http://1.1.1.1/', settings))).toBe('url_fetch_failed')
    expect(childrenOf(process.pid).filter(isRunning)).toEqual([])
  })

  it('that is killed fails only its own download', async () => {
    const host = await serveRaw((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab'))
    const asked = Promise.withResolvers<void>()
    const other = serve(() => {
      asked.resolve()
      return new Response('abc')
    })
    const ended = codeOf(download(`http://${host}/`, { allowed: [host] }))
    await waitFor(() => childrenOf(process.pid).length === 1)
    const [hanging] = childrenOf(process.pid)
    const whole = download(`http://${other}/`, { allowed: [other] })
    await asked.promise
    process.kill(hanging!, 'SIGKILL')
    expect(await ended).toBe('url_fetch_failed')
    expect(String((await whole).bytes)).toBe('abc')
  })

  it('ends when the server stops, and so do waiting downloads', async () => {
    const host = await serveRaw((socket) => socket.write('HTTP/1.1 200 OK\r\n'))
    const limits = { ...downloadLimits, runningMax: 2 }
    const downloader = createDownloader({ command, allowed: [host], limits })
    const path = await newFile()
    const ends = ['a', 'b', 'c'].map((key) =>
      codeOf(downloader.download(`http://${host}/`, { path, key, sizeBytesMax: 9 })),
    )
    await waitFor(() => childrenOf(process.pid).filter(isRunning).length === 2)
    await downloader.close()
    expect(childrenOf(process.pid).filter(isRunning)).toEqual([])
    expect(await Promise.all(ends)).toEqual(Array(3).fill('shutting_down'))
  })
})

describe('the time limit', () => {
  const expected = { code: 'url_fetch_failed', message: 'url: the download took longer than 0.25 s.' }

  it('ends a download from a server that sends a byte now and then', async () => {
    const host = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const timer = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    const ended = await failure(download(`http://${host}/`, { allowed: [host], timeoutMs: 1000 }))
    expect(ended).toMatchObject({ ...expected, message: 'url: the download took longer than 1 s.' })
  })

  it.each([
    ['says nothing', () => {}],
    ['stops in the head', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nX-')],
    ['stops in the body', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')],
    ['has it wait for ever', (socket: Socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(8))],
  ])('ends a download from a server that %s', async (_name, answer) => {
    const host = await serveRaw(answer)
    expect(await failure(download(`http://${host}/`, { allowed: [host], timeoutMs: 250 }))).toMatchObject(expected)
  })

  it('is that of its operation, if that is shorter', async () => {
    const host = await serveRaw(() => {})
    const { download } = createDownloader({ command, allowed: [host], limits: downloadLimits })
    const options = { path: await newFile(), key: 'k', sizeBytesMax: 9, deadline: startDeadline(250) }
    const { code } = await failure(download(`http://${host}/`, options))
    expect(code).toBe('url_fetch_failed')
  })

  it('includes the wait for a turn', async () => {
    const host = await serveRaw(() => {})
    const limits = { ...downloadLimits, runningMax: 1, timeoutMs: 500 }
    const { download } = createDownloader({ command, allowed: [host], limits })
    const options = { path: await newFile(), key: 'k', sizeBytesMax: 9 }
    const first = codeOf(download(`http://${host}/`, { ...options, deadline: startDeadline(60_000) }))
    expect(await failure(download(`http://${host}/`, { ...options, deadline: startDeadline(250) }))).toMatchObject({
      code: 'url_fetch_failed',
      message: expect.stringContaining('the download waited behind others for 0.25 s'),
    })
    expect(await first).toBe('url_fetch_failed')
  })

  it('ends a download whose resolver does not answer', async () => {
    const resolve = () => new Promise<string[]>(() => {})
    expect(await failure(download('http://slow.example/', { resolve, timeoutMs: 250 }))).toMatchObject(expected)
  })

  it('covers all redirects together', async () => {
    const host = serve(async ({ url }) => {
      await Bun.sleep(80)
      const step = Number(new URL(url).pathname.slice(1))
      return new Response('', { status: 302, headers: { location: `/${step + 1}` } })
    })
    expect(await failure(download(`http://${host}/0`, { allowed: [host], timeoutMs: 250 }))).toMatchObject(expected)
  })
})

describe('a host of many addresses', () => {
  const addresses = (count: number) => Array.from({ length: count }, (_, index) => `10.0.0.${index}`)

  it('is checked up to 64 of them, and fails with more', async () => {
    const resolve = resolveTo({ 'some.example': addresses(64), 'many.example': addresses(65) })
    const nothingSent = forbidRequests()
    expect(await codeOf(download('http://some.example/', { resolve }))).toBe('url_blocked')
    expect(await failure(download('http://many.example/', { resolve }))).toMatchObject({
      code: 'url_fetch_failed',
      message: 'url: its host has more than 64 addresses.',
    })
    nothingSent()
  })
})

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('of status %d are followed, relative ones too, five of them', async (status) => {
    const host = serve(({ url }) => {
      const step = Number(new URL(url).pathname.slice(1))
      if (step === 5) return new Response('arrived')
      const location = step % 2 ? `${step + 1}` : `http://${host}/${step + 1}`
      return new Response('on the way', { status, headers: { location } })
    })
    expect(String((await download(`http://${host}/0`, { allowed: [host] })).bytes)).toBe('arrived')
  })

  it('fail at the sixth, and in a loop', async () => {
    const asked: string[] = []
    const host = serve(({ url }) => {
      const { pathname } = new URL(url)
      asked.push(pathname)
      const location = pathname === '/loop' ? '/loop' : `/${Number(pathname.slice(1)) + 1}`
      return new Response('', { status: 302, headers: { location } })
    })
    const expected = { code: 'url_fetch_failed', message: 'url: it redirects more than 5 times.' }
    expect(await failure(download(`http://${host}/0`, { allowed: [host] }))).toMatchObject(expected)
    expect(asked.splice(0)).toEqual(['/0', '/1', '/2', '/3', '/4', '/5'])
    expect(await failure(download(`http://${host}/loop`, { allowed: [host] }))).toMatchObject(expected)
    expect(asked).toHaveLength(6)
  })

  it.each([
    ['http://127.0.0.1/', 'url_blocked'],
    ['//10.0.0.1/', 'url_blocked'],
    ['http://2130706433/', 'url_blocked'],
    ['https://[::ffff:7f00:1]/', 'url_blocked'],
    ['http://169.254.169.254/latest/meta-data/', 'url_blocked'],
    ['http://metadata.google.internal/', 'url_blocked'],
    ['http://localhost/', 'url_blocked'],
    ['http://sound.example:22/', 'url_blocked'],
    ['file:///etc/passwd', 'invalid_url'],
    ['data:audio/wav;base64,AAAA', 'invalid_url'],
    ['http://user:secret@sound.example/', 'invalid_url'],
    ['http://[::1', 'invalid_url'],
    ['http://unknown.example/', 'url_fetch_failed'],
  ])('to %s end with %s, on the second hop too', async (target, expected) => {
    let hits = 0
    const host = serve(({ url }) => {
      hits++
      const isFirst = new URL(url).pathname === '/'
      return new Response('', { status: 302, headers: { location: isFirst ? '/second' : target } })
    })
    const { command, connections } = pretendPublic(host)
    const resolve = resolveTo({ 'sound.example': [publicAddress], 'metadata.google.internal': ['169.254.169.254'] })
    const { code, message } = await failure(download('http://sound.example/', { command, resolve }))
    expect(code).toBe(expected)
    expect(message).not.toContain('secret')
    if (!target.includes('169.254')) expect(message).not.toContain('169.254')
    expect(await connections()).toEqual([[publicAddress], [publicAddress]])
    expect(hits).toBe(2)
  })

  it('from an allowed server do not lead to a server that is not allowed', async () => {
    const other = serve(() => new Response('the inside'))
    const host = serve(() => new Response('', { status: 302, headers: { location: `http://${other}/` } }))
    expect(await codeOf(download(`http://${host}/`, { allowed: [host] }))).toBe('url_blocked')
    expect(String((await download(`http://${host}/`, { allowed: [host, other] })).bytes)).toBe('the inside')
  })
})

describe('the connection', () => {
  it('goes to the checked addresses, whatever the resolver answers next', async () => {
    const host = serve(() => new Response('checked'))
    const { command, connections } = pretendPublic(host)
    const answers = [[publicAddress, '2606:2800:21f::1'], ['127.0.0.1']]
    const resolve = async () => answers.shift()!
    expect(String((await download('http://rebind.example/', { command, resolve })).bytes)).toBe('checked')
    expect(await connections()).toEqual([[publicAddress, '2606:2800:21f::1']])
    expect(answers).toEqual([['127.0.0.1']])
    // The next download resolves again, and is refused.
    expect(await codeOf(download('http://rebind.example/', { command, resolve }))).toBe('url_blocked')
    expect(await connections()).toHaveLength(1)
  })

  it('uses the resolved addresses only: the name alone leads nowhere', async () => {
    const [one, two] = [serve(() => new Response('one')), serve(() => new Response('two'), '127.0.0.2')]
    const named = `rebind.example:${one.split(':')[1]}`
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    const resolve = async () => answers.shift()!
    expect(String((await download(`http://${named}/`, { allowed: [named], resolve })).bytes)).toBe('one')
    const other = `rebind.example:${two.split(':')[1]}`
    expect(String((await download(`http://${other}/`, { allowed: [other], resolve })).bytes)).toBe('two')
  })

  it('goes to the next address if one does not answer', async () => {
    const host = serve(() => new Response('second'))
    const named = host.replace('127.0.0.1', 'dual.example')
    const resolve = resolveTo({ 'dual.example': ['127.0.0.3', '127.0.0.1'] })
    expect(String((await download(`http://${named}/`, { allowed: [named], resolve })).bytes)).toBe('second')
  })

  it('never goes to an address of this machine, public or not', async () => {
    const nothingSent = forbidRequests()
    const own = Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address))
    for (const address of own) {
      const resolve = resolveTo({ 'me.example': [address] })
      expect([address, await codeOf(download('http://me.example/', { resolve }))]).toEqual([address, 'url_blocked'])
    }
    const resolve = resolveTo({ 'me.example': ['2606:4700:0:0::9'], 'mapped.example': [`::ffff:${publicAddress}`] })
    const ownAddresses = () => [publicAddress, '2606:4700::9']
    for (const host of ['me.example', 'mapped.example', publicAddress, `[2606:4700::9]`])
      expect([host, await codeOf(download(`http://${host}/`, { resolve, ownAddresses }))]).toEqual([
        host,
        'url_blocked',
      ])
    nothingSent()
  })

  it('checks certificates against the name in the URL', async () => {
    const fixture = (name: string) => Bun.file(new URL(`../fixtures/${name}`, import.meta.url)).text()
    const [cert, key] = await Promise.all([fixture('tls-cert.pem'), fixture('tls-key.pem')])
    const names: unknown[] = []
    const server = https.createServer({ cert, key }, (request, response) => {
      names.push((request.socket as unknown as { servername: unknown }).servername)
      response.end('over TLS')
    })
    closers.push(() => server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const hosts = ['localhost', 'localhost.', '127.0.0.1', 'sound.example']
    const script = `
      ${requireDownloader}
      const allowed = ${JSON.stringify(hosts)}.map((host) => host + ':${port}')
      const { download } = createDownloader({ ...options, allowed, resolve: async () => ['127.0.0.1'] })
      const path = ${JSON.stringify(await newFile())}
      const answers = []
      for (const host of allowed)
        answers.push(
          await download('https://' + host + '/', { path, key: 'k', sizeBytesMax: 100 }).then(
            () => Bun.file(path).text(),
            (error) => error.code + ' ' + error.message,
          ),
        )
      console.log(JSON.stringify(answers))`
    const run = async (env: Record<string, string>) => {
      const child = Bun.spawn([process.execPath, '-e', script], { env: { ...process.env, ...env }, stderr: 'inherit' })
      return JSON.parse(await new Response(child.stdout).text()) as string[]
    }
    const invalid = 'url_fetch_failed url: the certificate of the server is not valid.'
    const trusted = await run({ NODE_EXTRA_CA_CERTS: new URL('../fixtures/tls-cert.pem', import.meta.url).pathname })
    expect(trusted).toEqual(['over TLS', 'over TLS', 'over TLS', invalid])
    expect(names).toEqual(['localhost', 'localhost', false])
    expect(await run({})).toEqual([invalid, invalid, invalid, invalid])
    expect(await run({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toEqual([invalid, invalid, invalid, invalid])
    expect(names).toHaveLength(3)
  })
})

/** Addresses of names in the tests below. */
const hosts = {
  'sound.example': [publicAddress],
  intranet: ['10.0.0.5'],
  'metadata.google.internal': ['169.254.169.254'],
  'metadata.google.internal.': ['169.254.169.254'],
  'loopback.example': ['127.0.0.1'],
  'mapped.example': ['::ffff:10.0.0.5'],
  'dual.example': [publicAddress, '10.0.0.5'],
  'dual6.example': ['2606:2800:21f::1', publicAddress, '::1'],
  'zone.example': ['fe80::1%eth0'],
  'odd.example': [publicAddress, 'not an address'],
  'xn--i-wxp.example': ['192.168.0.1'],
}

const blockedHosts = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.0.0.1.', '127.255.255.254', '2130706433', '017700000001', '0x7f000001'],
  ...[
    '0x7f.1',
    '0x7F.0.0.0x1',
    '0177.0.0.1',
    '0177.0x0.0.01',
    '%31%32%37.0.0.1',
    '①②⑦.⓪.⓪.①',
    '１２７.０.０.１',
    '127。0。0。1',
  ],
  ...['0', '0.0.0.0', '0x0', '0.1.2.3', '10.0.0.1', '012.0.0.1', '167772161', '10.1', '172.16.0.1', '172.31.255.255'],
  ...['192.168.0.1', '192.168.257', '0xc0a80001', '3232235521', '169.254.169.254', '169.254.43518', '0xa9fea9fe'],
  ...[
    '2852039166',
    '0251.0376.0251.0376',
    '100.64.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '192.0.2.1',
  ],
  ...['198.51.100.7', '203.0.113.9', '198.18.0.1', '192.88.99.1', '224.0.0.1', '239.255.255.250', '240.0.0.1'],
  ...['255.255.255.255', '4294967295', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::127.0.0.1]', '[::ffff:127.0.0.1]'],
  ...['[::ffff:7f00:1]', '[::FFFF:A9FE:A9FE]', '[::ffff:0:127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]'],
  ...[
    '[64:ff9b:1::808:808]',
    '[2002:7f00:1::]',
    '[2002:a9fe:a9fe::1]',
    '[2001:0:7f00:1::]',
    '[2001:db8::1]',
    '[3fff::1]',
  ],
  ...['[2001:2::1]', '[2001:10::1]', '[2001:20::1]', '[100::1]', '[5f00::1]', '[4000::1]', '[fe80::1]', '[fec0::1]'],
  ...['[fc00::1]', '[fd00:ec2::254]', '[fd20:ce::254]', '[ff02::1]', '[2606:4700::5efe:10.0.0.1]'],
  ...['localhost', 'LocalHost', 'localhost.', 'sound.localhost', 'loc%61lhost', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'intranet'],
  ...['metadata.google.internal', 'metadata.google.internal.', 'METADATA.GOOGLE.INTERNAL', 'loopback.example'],
  ...['mapped.example', 'dual.example', 'dual6.example', 'zone.example', 'odd.example', '☁i.example'],
]

const blockedUrls = [
  ...['http:127.0.0.1/', 'http:/127.0.0.1/', 'http:///127.0.0.1/', 'http:\\\\127.0.0.1\\x', 'HTTP://127.0.0.1/'],
  ...[
    ' http://127.0.0.1/ ',
    'ht\ntp://127.0.0\t.1/',
    'http://127.0.0.1\\@sound.example/',
    'http://127.0.0.1#@sound.example/',
  ],
  ...[
    'http://127.0.0.1?@sound.example/',
    'http://127.0.0.1/@sound.example',
    'http://@127.0.0.1/',
    'http://127.0.0.1:8080/',
  ],
  ...[22, 25, 53, 0, 143, 4190, 6000, 6667, 6679, 10080].map((port) => `http://sound.example:${port}/`),
  'https://sound.example:465/',
]

const invalidUrls = [
  ...['', ' ', 'sound.example', 'sound.example/me.wav', '//sound.example/', '/etc/passwd', 'file:///etc/passwd'],
  ...['ftp://sound.example/', 'gopher://sound.example/', 'ws://sound.example/', 'data:audio/wav;base64,AAAA'],
  ...['javascript:alert(1)', 'blob:http://sound.example/1', 'http+unix://%2Frun%2Fdocker.sock/', 'http://', 'http://?'],
  ...[
    'http://me@sound.example/',
    'http://me:secret@sound.example/',
    'http://:secret@sound.example/',
    'http://%6de@sound.example/',
  ],
  ...['http://sound.example@127.0.0.1/', 'http://127.0.0.1:80@sound.example/', 'http://127.0.0.1%23@sound.example/'],
  ...['http://1.2.3.256/', 'http://1.2.3.4.5/', 'http://08.0.0.1/', 'http://0x100000000/', 'http://4294967296/'],
  ...['http://[::1/', 'http://[::1%25eth0]/', 'http://[fe80::1%eth0]/', 'http://[127.0.0.1]/', 'http://[::1]x/'],
  ...['http://a b/', 'http://sound.example:65536/', 'http://sound.example:x/', 'http://localhost%00.example/'],
  ...['http://sound<.example/', `http://sound.example/${'x'.repeat(4096)}`],
]

describe('an address', () => {
  it.each([...blockedHosts.map((host) => `http://${host}/`), ...blockedUrls])(
    'such as %j is blocked, and nothing is sent',
    async (url) => {
      const nothingSent = forbidRequests()
      const { code, message, param } = await failure(download(url, { resolve: resolveTo(hosts) }))
      expect([code, param]).toEqual(['url_blocked', 'url'])
      const { hostname } = new URL(url)
      for (const address of hosts[hostname as keyof typeof hosts] ?? []) expect(message).not.toContain(address)
      nothingSent()
    },
  )

  it.each(invalidUrls)('such as %j is invalid, without a look-up or a request', async (url) => {
    const nothingSent = forbidRequests()
    const resolve = () => Promise.reject(new Error('looked up'))
    const { code, message, param } = await failure(download(url, { resolve }))
    expect([code, param]).toEqual(['invalid_url', 'url'])
    expect(message).not.toContain('secret')
    nothingSent()
  })

  it('has more than 120 forms in these tests', () => {
    expect(new Set([...blockedHosts, ...blockedUrls, ...invalidUrls]).size).toBeGreaterThan(120)
  })

  it('is allowed by host and port together, and no other', async () => {
    const host = serve(() => new Response('allowed'))
    const port = host.split(':')[1]
    const resolve = resolveTo({ 'files.intranet': ['127.0.0.1'], localhost: ['127.0.0.1'] })
    for (const name of ['127.0.0.1', 'files.intranet', 'localhost']) {
      const allowed = [`${name}:${port}`]
      expect(String((await download(`http://${name}:${port}/`, { allowed, resolve })).bytes)).toBe('allowed')
      for (const other of [
        `127.0.0.2:${port}`,
        `[::1]:${port}`,
        `${name}:1${port}`.slice(0, -1),
        name,
        `other.intranet:${port}`,
      ]) {
        const resolve = async () => ['127.0.0.1']
        expect([other, await codeOf(download(`http://${other}/`, { allowed, resolve }))]).toEqual([
          other,
          'url_blocked',
        ])
      }
    }
    expect(String((await download(`http://0x7f.1:${port}/`, { allowed: [host] })).bytes)).toBe('allowed')
  })
})
