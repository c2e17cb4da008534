/** Thousands of connections that send nothing or little, or never read: other clients are served all the while. */
import { connect, type Socket } from 'node:net'
import { startTrialServer, userKey } from './server'
import { createFindings, type TrialOptions, type TrialResult } from './trial'

const openings = [
  '',
  'GET /healthz HTTP/1.1\r\nHost: t\r\n',
  'POST /api/v1/tts HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n',
  `POST /api/v1/tts HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer ${userKey}\r\nContent-Length: 100\r\n\r\n{"te`,
  `GET /api/v1/voices HTTP/1.1\r\nHost: t\r\n\r\n`.repeat(20),
]

function open(port: number, opening: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.pause()
      if (opening !== '') socket.write(opening)
      resolve(socket)
    })
    socket.on('error', () => resolve(undefined))
  })
}

export async function tryConnections({ size }: TrialOptions): Promise<TrialResult> {
  const findings = createFindings()
  const server = await startTrialServer()
  const count = size === 'full' ? 10_000 : 400
  const sockets: (Socket | undefined)[] = []
  try {
    while (sockets.length < count) {
      const batch = Array.from({ length: 100 }, (_, i) => open(server.port, openings[i % openings.length]!))
      sockets.push(...(await Promise.all(batch)))
      const { status } = await server.ask('/healthz', { key: null }).catch(() => ({ status: 0 }))
      findings.try()
      if (status !== 200) findings.add(`/healthz answers ${status} beside ${sockets.length} connections`)
    }
    const spoken = await server.ask('/api/v1/tts', { body: { text: 'Hello there.', voice_id: 'en-kevin' } })
    if (spoken.status !== 200) findings.add(`speech beside ${count} connections answers ${spoken.status}`)
    for (const socket of sockets) socket?.destroy()
    await server.inspect(findings)
  } finally {
    for (const socket of sockets) socket?.destroy()
    await server.stop()
  }
  return findings.result()
}
