/** A client that writes raw bytes to a socket: split anywhere, slowly, without reading, endlessly. */
import { connect, type Socket } from 'node:net'

export type RawAnswer = {
  /** 0: the connection ended without an answer. */
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** Whether all bytes were sent. */
  readonly sentAll: boolean
  /** Whether the server closed the connection. */
  readonly isClosed: boolean
}

export type RawRequest = {
  readonly head: string
  readonly pieces: Iterable<string | Uint8Array>
  /** Reads nothing before it has sent everything, as simple clients do. */
  readonly readsLate?: boolean
}

/** Sends the request and resolves with the whole answer, or when the server closes the connection. */
export async function sendRaw(port: number, { head, pieces, readsLate = false }: RawRequest): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1')
  const answer = Promise.withResolvers<RawAnswer>()
  let received = ''
  let sentAll = false
  const finish = (isClosed: boolean) => {
    const parsed = parseAnswer(received)
    if (parsed || isClosed)
      answer.resolve({ status: 0, headers: new Headers(), body: '', ...parsed, sentAll, isClosed })
  }
  socket.on('data', (data) => {
    received += data.toString('latin1')
    if (sentAll) finish(false)
  })
  socket.on('error', () => finish(true))
  socket.on('close', () => finish(true))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  if (readsLate) socket.pause()
  await write(socket, closed, head)
  for (const piece of pieces) {
    if (socket.destroyed) break
    await write(socket, closed, piece)
  }
  sentAll = !socket.destroyed
  if (readsLate) socket.resume()
  finish(false)
  return answer.promise.finally(() => socket.destroy())
}

/** Resolves when the system has accepted the bytes, or the connection is closed. */
function write(socket: Socket, closed: Promise<unknown>, bytes: string | Uint8Array): Promise<unknown> {
  return Promise.race([closed, new Promise<void>((resolve) => socket.write(bytes, () => resolve()))])
}

function parseAnswer(received: string): Pick<RawAnswer, 'status' | 'headers' | 'body'> | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [statusLine, ...lines] = received.slice(0, end).split('\r\n')
  const headers = new Headers(lines.map((line) => line.split(/:\s*/, 2) as [string, string]))
  const body = received.slice(end + 4)
  if (body.length < Number(headers.get('content-length') ?? 0)) return undefined
  return { status: Number(statusLine!.split(' ')[1]), headers, body }
}
