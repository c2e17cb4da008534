/** A server with a low limit of open files and more connections than that. Linux only. */
import { afterEach, expect, it } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { startEphemeral, stopAndRemove, type Sonant } from './sonant'
import { until } from '../until'
import { ticksOf } from '../processes'

const isLinux = process.platform === 'linux'
if (!isLinux) console.warn('SKIPPED other than on Linux: a server without file descriptors')

let sonant: Sonant
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  if (isLinux) await stopAndRemove(sonant)
})

const descriptorsMax = 128
/** `hard`: the maximum; the server starts with `soft`. */
const limited = (soft: number, hard: number) => [
  'sh',
  '-c',
  `ulimit -Sn ${soft} && ulimit -Hn ${hard} && exec "$@"`,
  'sh',
]

/** Processor time of the server, in hundredths of a second. */
const ticks = () => ticksOf(sonant.process.pid)

/** A connection without data. */
function open(): { isClosed: boolean } {
  const state = { isClosed: false }
  const socket = connect(Number(new URL(sonant.baseUrl).port), '127.0.0.1')
  socket.on('close', () => (state.isClosed = true)).on('error', () => (state.isClosed = true))
  sockets.push(socket)
  return state
}

it.skipIf(!isLinux)(
  'closes connections beyond its limit instead of retrying in a loop, and then continues',
  async () => {
    sonant = await startEphemeral({ through: limited(descriptorsMax, descriptorsMax) })
    await sonant.speak({ text: 'Hello.' })
    const connections = Array.from({ length: 3 * descriptorsMax }, open)
    await until(() => connections.filter(({ isClosed }) => isClosed).length >= 2 * descriptorsMax)
    expect(sonant.log()).toContain('too many files and connections are open')
    // A server that retried in a loop would use a whole core.
    const before = ticks()
    await Bun.sleep(1_000)
    expect(ticks() - before).toBeLessThan(30)
    for (const socket of sockets.splice(0)) socket.destroy()
    await until(() =>
      sonant.request('/healthz').then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    await until(
      async () =>
        (await sonant.request('/api/v1/tts', { body: { text: 'Hello again.', voice_id: 'en-kevin' } })).status === 200,
    )
  },
)

it.skipIf(!isLinux)('closes idle connections between requests in favour of active ones', async () => {
  sonant = await startEphemeral({ through: limited(descriptorsMax, descriptorsMax) })
  const answered = Array.from({ length: 2 * descriptorsMax }, () => {
    const answer = Promise.withResolvers<boolean>()
    const socket = connect(Number(new URL(sonant.baseUrl).port), '127.0.0.1', () => {
      socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
    })
    socket.on('data', () => answer.resolve(true)).on('error', () => answer.resolve(false))
    socket.on('close', () => answer.resolve(false))
    sockets.push(socket)
    return answer.promise
  })
  const first = await Promise.all(answered.slice(0, 64))
  expect(first).not.toContain(false)
  await until(async () => (await sonant.request('/healthz').catch(() => undefined))?.status === 200)
})

it.skipIf(!isLinux)('raises its soft limit to the hard one', async () => {
  sonant = await startEphemeral({ through: limited(100, 1000) })
  const found = await Bun.file(`/proc/${sonant.process.pid}/limits`).text()
  expect(/^Max open files\s+(\d+)\s+(\d+)/m.exec(found)!.slice(1)).toEqual(['1000', '1000'])
})
