/**
 * A history of a million requests as CSV, from the compiled executable: complete, in constant memory, beside other
 * requests.
 */
import { expect, it } from 'bun:test'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openData, startOn } from './client'

const rows = 1_000_000
const firstMs = Date.UTC(2025, 0, 1)
/** Allowed growth of the server's peak memory during the stream. */
const growthMaxBytes = 48 << 20

function fill(directory: string, accountId: string, keyId: string): void {
  const db = openData(directory)
  db.pragma('synchronous = OFF')
  // Several rows per time stamp, so that pages end inside such a group.
  db.prepare(
    `WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < ? - 1)
     INSERT INTO usage (request_id, kind, account_id, key_id, created_at_ms, voice_id, characters, speed, format, status, error_code)
     SELECT printf('%032x', i), 'tts', ?, ?, ? + i / 7 * 1000, 'en-ross', 12, 1, 'mp3', 'failed', 'synthesis_failed' FROM numbers`,
  ).run(rows, accountId, keyId, firstMs)
  db.close()
}

async function peakBytes(pid: number): Promise<number> {
  return Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
}

it.skipIf(process.platform !== 'linux')(
  'a million requests stream as CSV in constant memory, while other requests are answered',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sonant-csv-'))
    const first = await startOn(directory)
    const { id, key, keyId } = await first.makeAccount()
    await first.stop()
    fill(directory, id, keyId)
    const server = await startOn(directory)
    // Warms up the voice and the streaming code before memory is measured.
    await server.ask('/api/v1/usage.csv?from=2025-01-01&to=2025-01-01T02:00', { key })
    await Bun.sleep(4000)
    const before = await peakBytes(server.process.pid)
    let answered = 0
    const asking = setInterval(async () => {
      await server.ask('/healthz')
      answered++
    }, 100)
    const response = await fetch(`${server.baseUrl}/api/v1/usage.csv`, { headers: { authorization: `Bearer ${key}` } })
    let lines = 0
    let last = ''
    let sizeBytes = 0
    for await (const chunk of response.body!) {
      sizeBytes += chunk.length
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++
      last = Buffer.from(chunk.subarray(-200)).toString()
    }
    clearInterval(asking)
    const growth = (await peakBytes(server.process.pid)) - before
    console.info(`csv: ${sizeBytes >> 20} MiB, peak memory +${growth >> 20} MiB, beside ${answered} other answers`)
    expect(lines).toBe(1 + rows)
    expect(last).toContain(`\n${'0'.repeat(32)},tts,2025-01-01T00:00:00.000Z,`)
    expect(growth).toBeLessThan(growthMaxBytes)
    expect(answered).toBeGreaterThan(10)
    // A client that leaves in the middle does no harm.
    const leaving = new AbortController()
    const left = await fetch(`${server.baseUrl}/api/v1/usage.csv`, {
      headers: { authorization: `Bearer ${key}` },
      signal: leaving.signal,
    })
    await left.body!.getReader().read()
    leaving.abort()
    expect((await server.ask('/api/v1/balance', { key })).status).toBe(200)
    await server.stop()
    expect(server.log()).not.toContain('"level":"error"')
    await rm(directory, { recursive: true })
  },
  180_000,
)
