/**
 * The host of the bench of downloads, in a separate process. It floods the client for a path in `floods` and answers
 * other paths with a file of 1 MB. Prints one line when ready.
 */
import { createServer, type Socket } from 'node:net'

const floods: Record<string, { head: string; piece: string }> = {
  '/continue': { head: '', piece: 'HTTP/1.1 100 Continue\r\n\r\n' },
  '/hints': { head: '', piece: 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n' },
  '/chunks': { head: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', piece: '1\r\nx\r\n' },
}
const file = Buffer.alloc(1_000_000, 7)

const server = createServer((socket) => {
  socket.on('error', () => socket.destroy())
  socket.once('data', (head) => {
    const flooded = floods[String(head).split(' ')[1]!]
    if (flooded) return flood(socket, flooded)
    socket.write(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${file.length}\r\n\r\n`)
    socket.end(file)
  })
})

/** Sends as fast as the client reads. */
function flood(socket: Socket, { head, piece }: { head: string; piece: string }): void {
  socket.write(head)
  const pieces = Buffer.from(piece.repeat(2000))
  const send = () => {
    while (!socket.destroyed && socket.write(pieces));
    if (!socket.destroyed) socket.once('drain', send)
  }
  send()
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  console.log(JSON.stringify({ ready: true, base_url: `http://127.0.0.1:${port}` }))
})
