/**
 * Cloning from hostile hosts, against the executable: each request fails, other requests are answered, and no process
 * or file remains, even after a kill of the server.
 */
import { afterEach, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childrenOf, isRunning } from '../processes'
import { expectError, startOn, startServer, type Server } from './client'
import { recordVoice } from './recordings'
import { until } from '../until'

setDefaultTimeout(120_000)

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const floods: Record<string, { head: string; piece: string }> = {
  '/continue': { head: '', piece: 'HTTP/1.1 100 Continue\r\n\r\n' },
  '/hints': { head: '', piece: 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n' },
  '/chunks': { head: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', piece: '1\r\nx\r\n' },
}

/** Floods requests for a path in `floods`, and stalls others; returns its HOST:PORT and the received requests. */
async function startHost() {
  const asked: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    closers.push(() => socket.destroy())
    socket.once('data', (head) => {
      const path = String(head).split(' ')[1]!
      asked.push(path)
      if (path in floods) flood(socket, floods[path]!)
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')
    })
  })
  closers.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `127.0.0.1:${(server.address() as { port: number }).port}`
  return { address, asked }
}

/** As fast as the client reads. */
function flood(socket: Socket, { head, piece }: { head: string; piece: string }): void {
  socket.write(head)
  const pieces = Buffer.from(piece.repeat(1000))
  const send = () => {
    while (!socket.destroyed && socket.write(pieces));
    if (!socket.destroyed) socket.once('drain', send)
  }
  send()
}

const cloneFrom = (server: Server, key: string | undefined, url: string) =>
  server.ask('/api/v1/voices/clone', { key, body: { name: 'From afar', url } })

const isDownloader = async (pid: number) => {
  const line = await Bun.file(`/proc/${pid}/cmdline`)
    .text()
    .catch(() => '')
  return line.split('\0').includes('downloader')
}

async function downloadersOf(server: Server): Promise<number[]> {
  const children = childrenOf(server.process.pid).filter(isRunning)
  const are = await Promise.all(children.map(isDownloader))
  return children.filter((_, index) => are[index])
}

describe('hostile hosts', () => {
  it('fail only their own requests, while others are answered', async () => {
    const host = await startHost()
    const directory = await mkdtemp(join(tmpdir(), 'sonant-hosts-'))
    closers.push(() => rm(directory, { recursive: true }))
    const server = await startOn(directory, ['--clone-url-allow', host.address])
    closers.push(() => server.stop())
    const accounts = await Promise.all(Array.from({ length: 10 }, () => server.makeAccount({ balance: 300 })))
    const paths = Object.keys(floods)
    let isOver = false
    const hostile = Promise.all(
      accounts.map(({ key }, index) => cloneFrom(server, key, `http://${host.address}${paths[index % 3]}`)),
    ).finally(() => (isOver = true))
    do expect((await server.ask('/healthz', { key: null })).status).toBe(200)
    while (!isOver)
    for (const answer of await hostile) expectError(answer, 502, 'url_fetch_failed', 'url')
    for (const { key } of accounts) expect((await server.ask('/api/v1/balance', { key })).body.balance).toBe(300)
    expect(await downloadersOf(server)).toEqual([])
    expect(await readdir(join(directory, 'data/references'))).toEqual([])
  })

  it('cannot keep another key from cloning', async () => {
    const host = await startHost()
    let recording: Uint8Array
    const files = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(Buffer.from(recording)) })
    closers.push(() => files.stop(true))
    const allowed = ['--clone-url-allow', host.address, '--clone-url-allow', `127.0.0.1:${files.port}`]
    const server = await startServer(allowed)
    closers.push(() => server.stop())
    recording = await recordVoice(server, 'en-kevin')
    const [busy, other] = [await server.makeAccount({ balance: 600 }), await server.makeAccount({ balance: 300 })]
    const leaving = new AbortController()
    const silent = Array.from({ length: 20 }, () =>
      fetch(`${server.baseUrl}/api/v1/voices/clone`, {
        method: 'POST',
        headers: { authorization: `Bearer ${busy.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'n', url: `http://${host.address}/silent` }),
        signal: leaving.signal,
      }).catch(() => undefined),
    )
    await until(() => host.asked.length === 4)
    const made = await cloneFrom(server, other.key, `http://127.0.0.1:${files.port}/voice.wav`)
    expect([made.status, made.body.units]).toEqual([200, 300])
    leaving.abort()
    await Promise.all(silent)
    // A client that leaves cancels its download, also a waiting one.
    await until(async () => (await downloadersOf(server)).length === 0)
    expect(host.asked.length).toBeLessThan(20)
  })
})

it('leaves no downloader behind when the server is killed, and no file after the next start', async () => {
  const host = await startHost()
  const directory = await mkdtemp(join(tmpdir(), 'sonant-hosts-'))
  closers.push(() => rm(directory, { recursive: true }))
  const server = await startOn(directory, ['--clone-url-allow', host.address])
  const { key } = await server.makeAccount({ balance: 300 })
  const asking = cloneFrom(server, key, `http://${host.address}/silent`).catch((error: Error) => error)
  await until(() => host.asked.length === 1)
  const [downloader] = await downloadersOf(server)
  expect(downloader).toBeDefined()
  server.process.kill('SIGKILL')
  await server.process.exited
  expect(await asking).toBeInstanceOf(Error)
  await until(() => !isRunning(downloader!))
  const again = await startOn(directory)
  closers.push(() => again.stop())
  expect(await readdir(join(directory, 'data/references'))).toEqual([])
})
