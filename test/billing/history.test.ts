/** The public form of the history: cursors, filters, single records, days and CSV. */
import { beforeEach, describe, expect, it } from 'bun:test'
import { openDatabase, type Database } from '../../src/db/database'
import type { AppError } from '../../src/errors'
import type { Fields } from '../../src/fields'
import {
  findRecord,
  listAllRecords,
  listDays,
  listRecords,
  readFilter,
  streamCsv,
  type UsageRecord,
} from '../../src/billing/history'
import { addAccount, addKey, begin, credit, dayMs, fail, newRequestId, speakOnce, startMs } from '../billing'

const storageUrl = 'https://audio.example/files'
let db: Database
let accountId: string
let keyId: string
beforeEach(() => {
  db = openDatabase(':memory:')
  accountId = addAccount(db)
  keyId = addKey(db, accountId)
  credit(db, accountId, 100_000)
})

const speak = (nowMs: number, voiceId?: string) => speakOnce(db, { accountId, keyId, units: 2, nowMs, voiceId })
const list = (fields: Fields) => listRecords(db, fields, readFilter(fields, accountId), storageUrl)
const errorOf = async (work: () => unknown) => {
  try {
    await work()
  } catch (error) {
    return error as AppError
  }
  throw new Error('nothing was thrown')
}

async function readAll(fields: Fields): Promise<UsageRecord[]> {
  const records: UsageRecord[] = []
  let cursor: string | undefined
  do {
    const page = await list({ ...fields, cursor })
    records.push(...page.records)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return records
}

describe('pages', () => {
  it('are complete and without repetition at any size, with equal times and new requests in between', async () => {
    const ids = Array.from({ length: 23 }, (_, i) => speak(startMs + Math.floor(i / 6))).reverse()
    for (const limit of [1, 2, 5, 6, 7, 22, 23, 24, 200])
      expect((await readAll({ limit })).map(({ request_id }) => request_id)).toEqual(ids)
    const first = await list({ limit: 10 })
    const late = speak(startMs + 3)
    const rest = await list({ limit: 200, cursor: first.next_cursor })
    expect([...first.records, ...rest.records].map(({ request_id }) => request_id)).toEqual(ids)
    expect((await list({ limit: 1 })).records[0]!.request_id).toBe(late)
  })

  it('hold 50 records by default, and the last page has no cursor', async () => {
    for (let i = 0; i < 51; i++) speak(startMs)
    const first = await list({})
    expect(first.records).toHaveLength(50)
    const second = await list({ cursor: first.next_cursor })
    expect(second.records).toHaveLength(1)
    expect(second.next_cursor).toBeNull()
  })

  it('refuse the cursor of another list', async () => {
    const cursor = Buffer.from(`${startMs}.${Bun.randomUUIDv7()}`).toString('base64url')
    expect(await errorOf(() => list({ cursor }))).toMatchObject({
      code: 'invalid_params',
      message: `cursor: found ${JSON.stringify(`${cursor.slice(0, 40)}…`)}; the next_cursor of an earlier page is allowed.`,
      param: 'cursor',
    })
  })

  it('show no record of another account for its cursor or its key', async () => {
    speak(startMs)
    const otherId = addAccount(db)
    const otherKeyId = addKey(db, otherId)
    credit(db, otherId, 10)
    for (let i = 0; i < 3; i++) speakOnce(db, { accountId: otherId, keyId: otherKeyId, units: 1, nowMs: startMs + 5 })
    const theirs = readFilter({}, otherId)
    const { next_cursor } = await listRecords(db, { limit: 1 }, theirs, storageUrl)
    expect((await list({ cursor: next_cursor })).records.map(({ key_id }) => key_id)).toEqual([keyId])
    expect((await list({ key_id: otherKeyId })).records).toEqual([])
    expect((await list({ account_id: otherId })).records.map(({ key_id }) => key_id)).toEqual([keyId])
  })
})

describe('the filter', () => {
  it('includes from and excludes to', async () => {
    const ids = [0, 1, 2].map((seconds) => speak(startMs + seconds * 1000))
    const found = async (fields: Fields) => (await list(fields)).records.map(({ request_id }) => request_id)
    expect(await found({ from: '2026-01-31T12:00:01Z', to: '2026-01-31T12:00:02Z' })).toEqual([ids[1]!])
    expect(await found({ from: '2026-01-31T13:00:01+01:00' })).toEqual([ids[2]!, ids[1]!])
    expect(await found({ to: '2026-02-01' })).toHaveLength(3)
    expect(await found({ to: '2026-01-31' })).toEqual([])
  })

  it.each([
    ['from', 'yesterday', 'an ISO 8601 time such as 2026-01-31T12:00:00Z is allowed'],
    ['to', '2026-02-30', 'an ISO 8601 time such as 2026-01-31T12:00:00Z is allowed'],
    ['key_id', '', 'a string of 1 to 64 characters without control characters is required'],
    ['limit', 201, 'a whole number from 1 to 200 is allowed'],
  ])('refuses %s: %j', async (name, value, allowed) => {
    expect(await errorOf(() => list({ [name]: value }))).toMatchObject({
      message: `${name}: found ${JSON.stringify(value)}; ${allowed}.`,
      param: name,
    })
  })
})

describe('administrators', () => {
  it('read all accounts or the one they name, with the account id of each record', async () => {
    const otherId = addAccount(db)
    credit(db, otherId, 10)
    speakOnce(db, { accountId: otherId, keyId: addKey(db, otherId), units: 1, nowMs: startMs + 1 })
    speak(startMs)
    const owners = async (fields: Fields) =>
      (await listAllRecords(db, fields, storageUrl)).items.map(({ account_id }) => account_id)
    expect(await owners({})).toEqual([otherId, accountId])
    expect(await owners({ account_id: accountId })).toEqual([accountId])
    const { next_cursor } = await listAllRecords(db, { limit: 1 }, storageUrl)
    expect(await owners({ cursor: next_cursor })).toEqual([accountId])
  })
})

describe('one record', () => {
  it('has every field, whatever the case of its id', () => {
    const requestId = speak(startMs)
    const record = findRecord(db, requestId.toUpperCase(), accountId, storageUrl)
    expect(record).toEqual({
      ...{ request_id: requestId, kind: 'tts', created_at: '2026-01-31T12:00:00.000Z', key_id: keyId },
      ...{ voice_id: 'en-test', characters: 2, units: 2, speed: 1, format: 'mp3' },
      ...{ url: `${storageUrl}/${requestId}.mp3`, audio_ms: 1000, duration_ms: 5, surface: 'api' },
      ...{ status: 'charged', error_code: null },
    })
  })

  it('of a failure has the error code and no file', () => {
    const begun = begin(db, { accountId, keyId, units: 2 })
    fail(db, begun)
    expect(findRecord(db, begun.requestId, accountId, storageUrl)).toMatchObject({
      ...{ status: 'failed', error_code: 'synthesis_failed', units: 0, characters: 2, url: null, audio_ms: null },
    })
  })

  it('is not found when it is unknown, of another account, or running', async () => {
    const ids = [newRequestId(), speak(startMs), begin(db, { accountId, keyId, units: 2 }).requestId]
    const readers = [accountId, addAccount(db), accountId]
    const errors = await Promise.all(ids.map((id, i) => errorOf(() => findRecord(db, id, readers[i]!, storageUrl))))
    expect(errors.map(({ code }) => code)).toEqual(['not_found', 'not_found', 'not_found'])
    expect(new Set(errors.map(({ message }) => message)).size).toBe(1)
  })
})

describe('days', () => {
  it('are complete, oldest first, up to today', () => {
    speak(startMs)
    speak(startMs - dayMs)
    speak(startMs - 3 * dayMs)
    expect(listDays(db, { days: 3 }, accountId, startMs).days).toEqual([
      { date: '2026-01-29', requests: 0, units: 0, audio_ms: 0 },
      { date: '2026-01-30', requests: 1, units: 2, audio_ms: 1000 },
      { date: '2026-01-31', requests: 1, units: 2, audio_ms: 1000 },
    ])
    expect(listDays(db, {}, accountId, startMs).days).toHaveLength(30)
    expect(listDays(db, { days: 366 }, accountId, startMs).days[0]!.date).toBe('2025-01-31')
  })

  it.each([0, 367, 1.5, '3', null])('refuse the number %j', async (days) => {
    const { message } = await errorOf(() => listDays(db, { days }, accountId, startMs))
    expect(message).toMatch(/^days: found .+; a whole number from 1 to 366 is allowed\.$/)
  })
})

describe('CSV', () => {
  const parse = (csv: string) =>
    csv
      .split('\r\n')
      .slice(0, -1)
      .map((line) =>
        [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((match) =>
          match[1] === undefined ? match[2]! : match[1].replaceAll('""', '"'),
        ),
      )

  it('has the records of the pages in the same order, over many reads of the database', async () => {
    for (let i = 0; i < 1100; i++) speak(startMs + Math.floor(i / 100))
    fail(db, begin(db, { accountId, keyId, units: 2, nowMs: startMs - 1 }))
    for (const fields of [{}, { from: '2026-01-31T12:00:00.004Z', to: '2026-01-31T12:00:00.009Z' }]) {
      const [header, ...rows] = parse([...streamCsv(db, readFilter(fields, accountId), storageUrl)].join(''))
      const records = await readAll({ ...fields, limit: 200 })
      expect(header).toEqual(Object.keys(records[0]!))
      expect(rows).toEqual(records.map((record) => Object.values(record).map((value) => String(value ?? ''))))
      expect(rows).toHaveLength('from' in fields ? 500 : 1101)
    }
  })

  it('has only its header line without records', () => {
    const lines = [...streamCsv(db, readFilter({}, accountId), storageUrl)]
    expect(lines).toEqual([
      'request_id,kind,created_at,key_id,voice_id,characters,units,speed,format,url,audio_ms,duration_ms,surface,status,error_code\r\n',
    ])
  })

  it.each(['a,b', 'a"b', '"', 'a\r\nb', 'a\nb', 'plain', ' spaced '])('quotes %j as RFC 4180 says', (voiceId) => {
    speak(startMs, voiceId)
    const csv = [...streamCsv(db, readFilter({}, accountId), storageUrl)].join('')
    const quoted = /[",\r\n]/.test(voiceId) ? `"${voiceId.replaceAll('"', '""')}"` : voiceId
    expect(csv).toContain(`,${keyId},${quoted},2,2,1,mp3,`)
  })

  it('neither misses nor repeats a record while new ones are added between two chunks', () => {
    const ids = Array.from({ length: 1001 }, () => speak(startMs)).reverse()
    const seen: string[] = []
    for (const piece of streamCsv(db, readFilter({}, accountId), storageUrl)) {
      seen.push(...parse(piece).map(([id]) => id!))
      speak(startMs + 1)
    }
    // The first chunk is the header. Requests added between it and the second chunk may be included.
    expect(seen.filter((id) => ids.includes(id))).toEqual(ids)
    expect(new Set(seen).size).toBe(seen.length)
  })
})
