/**
 * The behaviour of Bun's idle time, on which the limits of the service rest: it ends unread answers, longer operations
 * must extend it, and the rest of a refused body is dropped within it.
 */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

setDefaultTimeout(90_000)

const idleSeconds = 4
const large = 48 << 20
let directory: string
let server: Bun.Server<undefined>
let streamsCancelled = 0

function slowStream(): ReadableStream<Uint8Array> {
  let sentBytes = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(new Uint8Array(64 << 10))
        sentBytes += 64 << 10
        if (sentBytes >= large) controller.close()
      },
      cancel: () => void streamsCancelled++,
    },
    { highWaterMark: 1 },
  )
}

/** In chunks, as the service reads. */
async function countBytes({ body }: Request): Promise<number> {
  let sizeBytes = 0
  for (const reader = body!.getReader(); ;) {
    const { done, value } = await reader.read()
    if (done) return sizeBytes
    sizeBytes += value.length
  }
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-idle-'))
  const file = join(directory, 'large')
  await Bun.write(file, new Uint8Array(large))
  server = Bun.serve({
    port: 0,
    idleTimeout: idleSeconds,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/file') return new Response(Bun.file(file))
      if (pathname === '/text') return new Response('x'.repeat(large))
      if (pathname === '/stream') return new Response(slowStream())
      if (pathname === '/longer') server.timeout(request, 60)
      if (pathname !== '/refused') return new Response(`${await countBytes(request)}`)
      server.timeout(request, idleSeconds)
      return new Response('refused', { status: 413 })
    },
  })
})
afterAll(async () => {
  await server.stop(true)
  await rm(directory, { recursive: true })
})

type Connection = {
  readonly socket: Socket
  readonly closed: Promise<unknown>
  received: string
  receivedBytes: number
}

function open(head: string): Connection {
  const socket = connect(server.port!, '127.0.0.1')
  const connection = {
    socket,
    closed: new Promise((resolve) => socket.once('close', resolve)),
    received: '',
    receivedBytes: 0,
  }
  socket.on('data', (data) => {
    connection.receivedBytes += data.length
    if (connection.received.length < 1000) connection.received += data.toString('latin1')
  })
  socket.on('error', () => {})
  socket.write(`${head} HTTP/1.1\r\nHost: a\r\n`)
  return connection
}

/** Writes single bytes of a body of 1000 until the connection closes. */
function drip({ socket, closed }: Connection): void {
  socket.write('Content-Length: 1000\r\n\r\n')
  const timer = setInterval(() => socket.write('a'), 200)
  void closed.then(() => clearInterval(timer))
}

it.concurrent.each(['/file', '/text', '/stream'])('ends an unread answer: %s', async (path) => {
  const connection = open(`GET ${path}`)
  connection.socket.pause()
  connection.socket.write('\r\n')
  // A client that does not read never sees the close; the server does.
  while (server.pendingRequests === 0) await Bun.sleep(20)
  while (server.pendingRequests > 0) await Bun.sleep(100)
  connection.socket.resume()
  await connection.closed
  expect(connection.receivedBytes).toBeLessThan(large)
  if (path === '/stream') expect(streamsCancelled).toBe(1)
})

it.concurrent('keeps an answer open beyond the idle time while the client reads it', async () => {
  const patient = Bun.serve({ port: 0, idleTimeout: 10, fetch: () => new Response(Bun.file(join(directory, 'large'))) })
  let receivedBytes = 0
  let pauses = 0
  const startedAtMs = performance.now()
  const socket = connect(patient.port!, '127.0.0.1')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('data', (data) => {
    receivedBytes += data.length
    if (receivedBytes > large) socket.destroy()
    if (receivedBytes < (pauses + 1) << 20) return
    // The system buffers megabytes, so the server sees no slow reader below that.
    pauses++
    socket.pause()
    setTimeout(() => socket.resume(), 250)
  })
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await closed
  await patient.stop(true)
  expect(receivedBytes).toBeGreaterThan(large)
  // A smaller body would prove nothing.
  expect(performance.now() - startedAtMs).toBeGreaterThan(10_000)
})

it.concurrent('ends a request whose body drips, unless its operation asked for more', async () => {
  const [usual, longer] = [open('POST /usual'), open('POST /longer')]
  drip(usual)
  drip(longer)
  await usual.closed
  expect(usual.received).toBe('')
  expect(longer.socket.destroyed).toBe(false)
  longer.socket.write(new Uint8Array(1000))
  while (!longer.received.includes('\r\n\r\n1000')) await Bun.sleep(20)
  longer.socket.destroy()
})

it.concurrent('drops the rest of a refused body, for a while, and keeps the answer', async () => {
  const connection = open('POST /refused')
  drip(connection)
  await connection.closed
  expect(connection.received).toStartWith('HTTP/1.1 413')
})
