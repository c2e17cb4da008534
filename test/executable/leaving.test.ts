/** Clients that leave and servers that stop during a request: the resulting charges. */
import { afterEach, describe, expect, it } from 'bun:test'
import { join } from 'node:path'
import { until } from '../until'
import { audioFiles, auditDifference, isSpeaking, query } from './books'
import { expectError } from './expect-error'
import { startEphemeral, startSonant, stopAndRemove, type Sonant } from './sonant'

const started: Sonant[] = []
afterEach(async () => {
  for (const sonant of started.splice(0)) await stopAndRemove(sonant)
})

const longText = 'This is one of many sentences that together take a while to speak. '.repeat(15)
const answerOf = async (response: Response) => (await response.json()) as Record<string, any>
type Row = { status: string; error_code: string | null; units: number; file_name: string | null; request_id: string }
const rowsIn = (dataDirectory: string) => query<Row>(dataDirectory, 'SELECT * FROM usage ORDER BY id')

const isRunning = (dataDirectory: string, count = 1) =>
  rowsIn(dataDirectory).filter(({ status }) => status === 'running').length === count

/** Sends a request and leaves as soon as `isTime`. */
async function askAndLeave(
  sonant: Sonant,
  body: Record<string, unknown>,
  isTime: () => boolean | Promise<boolean>,
  headers?: Record<string, string>,
) {
  const leaving = new AbortController()
  const asked = sonant
    .request('/api/v1/tts', { body: { voice_id: 'en-kevin', ...body }, headers, signal: leaving.signal })
    .then(
      () => 'answered',
      () => 'left',
    )
  await until(isTime)
  leaving.abort()
  return asked
}

describe('a client that leaves', () => {
  it('before synthesis begins is not charged, and its request fails', async () => {
    const sonant = await startEphemeral({ flags: ['--workers', '1'] })
    started.push(sonant)
    await sonant.speak({ text: 'Hello.' })
    const headers = { 'x-sonant-fault': 'latency=500' }
    expect(await askAndLeave(sonant, { text: 'Never spoken.' }, () => isRunning(sonant.dataDirectory), headers)).toBe(
      'left',
    )
    await until(() => rowsIn(sonant.dataDirectory).every(({ status }) => status !== 'running'))
    const [, left] = rowsIn(sonant.dataDirectory)
    expect(left).toMatchObject({ status: 'failed', units: 0, file_name: null })
    expect(await answerOf(await sonant.request('/api/v1/balance'))).toMatchObject({ balance: 100_000 - 6 })
    expect((await audioFiles(sonant.dataDirectory)).length).toBe(1)
    expect(auditDifference(sonant.dataDirectory)).toBeUndefined()
  })

  it('while the workers are busy with others is not charged', async () => {
    const sonant = await startEphemeral({ flags: ['--workers', '1'] })
    started.push(sonant)
    await sonant.speak({ text: 'Hello.' })
    const hanging = sonant.request('/api/v1/tts', {
      ...{ body: { text: 'Busy.', voice_id: 'en-kevin' }, headers: { 'x-sonant-fault': 'synthesis_timeout' } },
    })
    await until(() => isRunning(sonant.dataDirectory))
    expect(await askAndLeave(sonant, { text: 'Never spoken.' }, () => isRunning(sonant.dataDirectory, 2))).toBe('left')
    await expectError(hanging, 504, 'synthesis_failed')
    await until(() => rowsIn(sonant.dataDirectory).every(({ status }) => status !== 'running'))
    expect(rowsIn(sonant.dataDirectory).map(({ status }) => status)).toEqual(['charged', 'failed', 'failed'])
    expect((await sonant.request('/api/v1/tts', { body: { text: 'Next.', voice_id: 'en-kevin' } })).status).toBe(200)
    expect(await answerOf(await sonant.request('/api/v1/balance'))).toMatchObject({ balance: 100_000 - 11 })
    expect((await audioFiles(sonant.dataDirectory)).length).toBe(2)
    expect(auditDifference(sonant.dataDirectory)).toBeUndefined()
  })

  it('after synthesis begins has its audio stored, charged and in the history, and gets it by its key', async () => {
    const sonant = await startEphemeral({ flags: ['--workers', '1'] })
    started.push(sonant)
    await sonant.speak({ text: 'Hello.' })
    const headers = { 'idempotency-key': 'ab'.repeat(16) }
    expect(await askAndLeave(sonant, { text: longText }, () => isSpeaking(sonant.dataDirectory), headers)).toBe('left')
    await until(() => rowsIn(sonant.dataDirectory).every(({ status }) => status !== 'running'))
    const [, left] = rowsIn(sonant.dataDirectory)
    expect(left).toMatchObject({ status: 'charged', units: longText.length, file_name: `${'ab'.repeat(16)}.mp3` })
    const replay = await sonant.request('/api/v1/tts', { body: { text: longText, voice_id: 'en-kevin' }, headers })
    expect(replay.headers.get('idempotent-replay')).toBe('true')
    const { url, remaining } = await answerOf(replay)
    expect(remaining).toBe(100_000 - 6 - longText.length)
    expect((await (await fetch(url)).bytes()).length).toBeGreaterThan(100_000)
    expect(auditDifference(sonant.dataDirectory)).toBeUndefined()
  })
})

describe('SIGTERM during work', () => {
  it('finishes and charges running requests, refuses new ones with 503, and exits with 0; the ledger balances', async () => {
    const sonant = await startSonant({ flags: ['--workers', '1'] })
    started.push(sonant)
    const dataDirectory = join(sonant.directory, 'data')
    await sonant.speak({ text: 'Hello.' })
    const running = Array.from({ length: 3 }, () =>
      sonant.request('/api/v1/tts', { body: { text: longText.slice(0, 700), voice_id: 'en-kevin' } }),
    )
    await until(() => isRunning(dataDirectory, 3))
    sonant.process.kill('SIGTERM')
    await until(() => sonant.log().includes('"msg":"stopping"'))
    for (const path of ['/api/v1/tts', '/api/v1/tts/estimate']) {
      const refused = await sonant.request(path, { body: { text: 'Late.' } })
      expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      await expectError(refused, 503, 'internal_error', 'internal_error')
    }
    const answers = await Promise.all(running)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const ids = (await Promise.all(answers.map(answerOf))).map(({ request_id }) => request_id as string)
    expect(await sonant.process.exited).toBe(0)
    const rows = rowsIn(dataDirectory)
    expect(rows.map(({ status }) => status)).toEqual(Array(4).fill('charged'))
    const files = await audioFiles(dataDirectory)
    for (const id of ids) expect(files).toContain(`${id}.mp3`)
    expect(files.length).toBe(4)
    expect(auditDifference(dataDirectory)).toBeUndefined()
  })
})
