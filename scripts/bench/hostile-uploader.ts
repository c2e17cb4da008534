/** A client that uploads without end, in a process of its own: `BASE_URL FLOOD KEY…`, one connection for each key. */
import { connect } from 'node:net'

const [baseUrl = '', flood = '', ...keys] = process.argv.slice(2)
const { hostname, port } = new URL(baseUrl)
const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
const asChunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

/** The first bytes of each flood, and the bytes that it repeats without end. */
const floods: Record<string, { path: string; type: string; first: string; more: string }> = {
  'one-byte chunks': {
    path: '/api/v1/voices/clone',
    type: 'multipart/form-data; boundary=b',
    first: asChunk(part),
    more: '1\r\na\r\n'.repeat(10_000),
  },
  'beginnings of boundaries': {
    path: '/api/v1/voices/clone',
    type: 'multipart/form-data; boundary=b',
    first: asChunk(part),
    more: asChunk('\r\n--'.repeat(16_000)),
  },
  'JSON that is too large': {
    path: '/api/v1/tts',
    type: 'application/json',
    first: '',
    more: asChunk('a'.repeat(64_000)),
  },
}

const { path, type, first, more } = floods[flood]!

function upload(key: string): void {
  const socket = connect(Number(port), hostname)
  const send = () => {
    while (!socket.destroyed && socket.write(more));
  }
  socket.on('data', () => {})
  socket.on('drain', send)
  socket.on('error', () => {})
  socket.on('close', () => setTimeout(() => upload(key), 10))
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n${first}`,
  )
  send()
}

for (const key of keys) upload(key)
console.log(JSON.stringify({ ready: true, base_url: baseUrl }))
