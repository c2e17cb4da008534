/**
 * `http-client.ts SECONDS CONNECTIONS URL [API_KEY]`: sends as many GETs as the server answers over kept-alive
 * connections, one request at a time on each. Prints the number of answers, the elapsed seconds and its own CPU
 * seconds. It is a separate process that parses no answer: every answer must be as long as the first, so it counts
 * bytes only.
 */
import type { Socket } from 'bun'

type Connection = { received: number }

const [seconds, connections, url, apiKey] = process.argv.slice(2)
const { hostname, port, pathname } = new URL(url!)
const authorization = apiKey ? `Authorization: Bearer ${apiKey}\r\n` : ''
const request = Buffer.from(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${authorization}\r\n`)

const answerBytes = await measureAnswer()
let answers = 0
let isOver = false
const sockets: Socket<Connection>[] = []
for (let i = 0; i < Number(connections); i++)
  sockets.push(await Bun.connect<Connection>({ hostname, port: Number(port), data: { received: 0 }, socket: { data } }))
const startedAtMs = performance.now()
const cpu = process.cpuUsage()
for (const socket of sockets) socket.write(request)
await Bun.sleep(Number(seconds) * 1000)
isOver = true
const { user, system } = process.cpuUsage(cpu)
const took = (performance.now() - startedAtMs) / 1000
console.log(JSON.stringify({ answers, seconds: took, cpuSeconds: (user + system) / 1e6 }))
process.exit(0)

function data(socket: Socket<Connection>, bytes: Buffer): void {
  if (isOver) return
  const { data: connection } = socket
  if (connection.received === 0 && bytes.toString('latin1', 0, 13) !== 'HTTP/1.1 200 ') fail(bytes.toString())
  connection.received += bytes.length
  if (connection.received < answerBytes) return
  if (connection.received > answerBytes) fail('an answer has another length than the first')
  connection.received = 0
  answers++
  socket.write(request)
}

/** Reads the header and body of one answer. */
async function measureAnswer(): Promise<number> {
  let text = ''
  const { promise, resolve } = Promise.withResolvers<number>()
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_socket, bytes) {
        text += bytes.toString('latin1')
        const headerEnd = text.indexOf('\r\n\r\n')
        const length = /content-length: (\d+)/i.exec(text)?.[1]
        if (headerEnd < 0) return
        if (length === undefined) fail(text)
        const total = headerEnd + 4 + Number(length)
        if (text.length >= total) resolve(total)
      },
    },
  })
  socket.write(request)
  const total = await promise
  socket.end()
  return total
}

function fail(reason: string): never {
  console.error(`http-client: ${reason}`)
  process.exit(1)
}
