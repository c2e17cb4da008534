/**
 * `kill -9` at any moment: a series of servers on one data directory, each killed under load. After each kill the books
 * balance. In the end every answer received by a client has its file and its charge.
 */
import { afterAll, beforeAll, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audioFiles, auditDifference, query } from './books'
import { random, seeded } from '../random'
import { startIn, type Sonant } from './sonant'

/** The trial script sets more kills. */
const kills = Number(process.env.SONANT_TEST_KILLS ?? 50)
const startingUnits = 100_000
const texts = ['Hi.', 'Yes, of course.', 'One two three four.', 'Where? Here! A little longer, this one.']

let directory: string
let data: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-crash-'))
  data = join(directory, 'data')
})
afterAll(() => rm(directory, { recursive: true, force: true }))

type Ask = { readonly text: string; readonly format: 'mp3' | 'wav'; readonly idempotencyKey: string | undefined }
type Seen = {
  readonly requestId: string
  readonly url: string
  readonly text: string
  readonly remaining: number | null
}

/** Every complete 200 answer. */
const seen: Seen[] = []
/** Requests with a key and no answer: they are repeated after the next start. */
const unanswered: Ask[] = []
const sentKeys = new Map<string, string>()

function newAsk(): Ask {
  const text = random.pick(texts)
  const idempotencyKey = random.below(2) === 0 ? Buffer.from(random.bytes(16)).toString('hex') : undefined
  if (idempotencyKey) sentKeys.set(idempotencyKey, text)
  return { text, format: random.pick(['mp3', 'wav'] as const), idempotencyKey }
}

/** Repeats requests until the server is gone, which only the test's kill may cause. */
async function keepAsking(sonant: Sonant, isKilled: () => boolean): Promise<void> {
  for (;;) {
    const ask = unanswered.pop() ?? newAsk()
    const answer = await send(sonant, ask).catch((error) => {
      if (!isKilled()) throw error
      return undefined
    })
    if (!answer) {
      if (ask.idempotencyKey) unanswered.push(ask)
      return
    }
    note(ask, answer)
  }
}

type Answer = { readonly status: number; readonly body: Record<string, any> }

async function send(sonant: Sonant, { text, format, idempotencyKey }: Ask): Promise<Answer> {
  const headers: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}
  const response = await sonant.request('/api/v1/tts', { body: { text, format, voice_id: 'en-kevin' }, headers })
  return { status: response.status, body: (await response.json()) as Record<string, any> }
}

function note({ text, idempotencyKey }: Ask, { status, body }: Answer): void {
  expect([status, body]).toEqual([200, expect.objectContaining({ units: text.length })])
  if (idempotencyKey) expect(body.request_id).toBe(idempotencyKey)
  seen.push({ requestId: body.request_id, url: body.url, text, remaining: body.remaining })
}

/** Some kills come while the workers load; most come during answers, on a machine of any speed. */
async function aWhile(): Promise<void> {
  if (random.below(10) < 3) return Bun.sleep(random.below(400))
  const enough = seen.length + 1 + random.below(6)
  while (seen.length < enough) await Bun.sleep(1)
  await Bun.sleep(random.below(40))
}

const openRows = `SELECT request_id FROM holds WHERE status = 'held'
  UNION ALL SELECT request_id FROM usage WHERE status = 'running'
  UNION ALL SELECT account_id FROM balances WHERE held <> 0
  UNION ALL SELECT key_id FROM key_spending WHERE held <> 0`

it(
  `loses no charge, no file and no unit in any number of kills (${seeded})`,
  async () => {
    let apiKey = ''
    let killedWhileRunning = 0
    for (let kill = 0; kill < kills; kill++) {
      const sonant = await startIn(directory, { apiKey, flags: ['--workers', '1', '--log-level', 'warn'] })
      apiKey = sonant.apiKey
      expect([auditDifference(data), query(data, openRows)]).toEqual([undefined, []])
      const known = query<{ file_name: string }>(data, 'SELECT file_name FROM usage WHERE file_name NOT NULL')
      expect(await audioFiles(data)).toEqual(known.map(({ file_name }) => file_name).sort())
      let isKilled = false
      const clients = Promise.all(Array.from({ length: 6 }, () => keepAsking(sonant, () => isKilled)))
      await Promise.race([clients, aWhile()])
      isKilled = true
      sonant.process.kill('SIGKILL')
      await sonant.process.exited
      await clients
      if (query(data, openRows).length > 0) killedWhileRunning++
    }
    // Kills that always came too early or too late would prove nothing.
    expect(killedWhileRunning).toBeGreaterThan(kills / 2)
    expect(seen.length).toBeGreaterThan(kills)

    const sonant = await startIn(directory, { apiKey, flags: ['--workers', '1'] })
    try {
      for (const ask of unanswered) note(ask, await send(sonant, ask))
      const files = new Set(await audioFiles(data))
      const rows = new Map(query<Row>(data, 'SELECT * FROM usage').map((row) => [row.request_id, row]))
      for (const { requestId, url, text, remaining } of seen) {
        expect(files).toContain(url.slice(url.lastIndexOf('/') + 1))
        expect(rows.get(requestId)).toMatchObject({ status: 'charged', units: text.length, remaining })
      }
      for (const { url } of seen.filter((_, i) => i % 20 === 0)) {
        const { pathname } = new URL(url)
        expect((await (await fetch(sonant.baseUrl + pathname)).bytes()).length).toBeGreaterThan(1000)
      }
    } finally {
      await sonant.stop()
    }
    expectBooks()
  },
  { timeout: 2_500 * kills },
)

type Row = { request_id: string; status: string; units: number; error_code: string | null }

/** Every spent unit belongs to one request of the history, and every request was charged once. */
function expectBooks(): void {
  expect([auditDifference(data), query(data, openRows)]).toEqual([undefined, []])
  const rows = query<Row>(data, 'SELECT * FROM usage')
  const charged = rows.filter(({ status }) => status === 'charged')
  expect(
    rows.filter(({ status }) => status !== 'charged').every(({ error_code }) => error_code === 'internal_error'),
  ).toBe(true)
  const spent = charged.reduce((sum, { units }) => sum + units, 0)
  const [{ balance }] = query<{ balance: number }>(data, 'SELECT available AS balance FROM balances') as [
    { balance: number },
  ]
  expect(startingUnits - balance).toBe(spent)
  const captured = query<{ request_id: string }>(data, `SELECT request_id FROM holds WHERE status = 'captured'`)
  expect(captured.map(({ request_id }) => request_id).sort()).toEqual(
    charged.map(({ request_id }) => request_id).sort(),
  )
  const keyed = charged.filter(({ request_id }) => sentKeys.has(request_id))
  expect(keyed.map(({ request_id }) => request_id).sort()).toEqual([...sentKeys.keys()].sort())
  for (const { request_id, units } of keyed) expect(units).toBe(sentKeys.get(request_id)!.length)
}
