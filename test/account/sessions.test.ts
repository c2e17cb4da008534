/** Sessions in the database, with a clock of the test: their ends, their secrets, and restored backups. */
import { afterEach, beforeEach, expect, it } from 'bun:test'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../../src/account/accounts'
import { foldEmail } from '../../src/account/email'
import { createInvitation, requireInvitation, useInvitation } from '../../src/account/invitations'
import { ensureConsoleKey } from '../../src/account/keys'
import { createPerson } from '../../src/account/persons'
import {
  createSession,
  createSessionUse,
  endOf,
  ensureLasting,
  findSession,
  listSessions,
  removeEndedSessions,
  rotateSession,
} from '../../src/account/sessions'
import { limits } from '../../src/config'
import { openDatabase, type Database } from '../../src/db/database'
import { transact } from '../../src/db/statements'

const day = 86_400_000
const start = 1_800_000_000_000

let directory: string
let db: Database
let accountId: string
let personId: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-sessions-'))
  db = openDatabase(join(directory, 'sonant.db'))
  accountId = createAccount(db, { name: 'a', email: null, role: 'user', planId: null, nowMs: start }).id
  ensureConsoleKey(db, accountId, start)
  const person = { accountId, email: 'a@example.org', name: 'Ada', passwordHash: 'x' }
  personId = createPerson(db, { ...person, nowMs: start }).id
})
afterEach(async () => {
  db.close()
  await rm(directory, { recursive: true })
})

const begin = (nowMs = start) => createSession(db, { personId, device: null, nowMs })
const ended = expect.objectContaining({ code: 'invalid_session' })

function use(secret: string, nowMs: number): string | undefined {
  const session = findSession(db, secret)
  ensureLasting(session, nowMs)
  return rotateSession(db, secret, session, nowMs)
}

function errorOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

it('ends 7 days after its last use, and 30 days after its start', () => {
  const { id, secret } = begin()
  const sessionUse = createSessionUse(db)
  const at = (nowMs: number) => errorOf(() => ensureLasting(sessionUse.update(findSession(db, secret)), nowMs))
  expect(at(start + 7 * day - 1)).toBeUndefined()
  expect(at(start + 7 * day)).toEqual(ended)
  for (let days = 6; days <= 24; days += 6) sessionUse.note(id, start + days * day)
  expect(at(start + 30 * day - 1)).toBeUndefined()
  expect(at(start + 30 * day)).toEqual(ended)
  transact(db, () => sessionUse.write())
  expect(sessionUse.isEmpty).toBe(true)
  expect(findSession(db, secret).lastUsedAtMs).toBe(start + 24 * day)
})

it('survives a clock that is put back, and never loses its last use by it', () => {
  const { id, secret } = begin()
  const sessionUse = createSessionUse(db)
  ensureLasting(findSession(db, secret), start - 40 * day)
  expect(use(secret, start - 40 * day)).toBeUndefined()
  sessionUse.note(id, start - 40 * day)
  expect(sessionUse.update(findSession(db, secret)).lastUsedAtMs).toBe(start)
  transact(db, () => sessionUse.write())
  expect(findSession(db, secret).lastUsedAtMs).toBe(start)
})

it('gets a new secret each day; the old one works until the new one is in use for a minute', () => {
  const { secret } = begin()
  expect(use(secret, start + day - 1)).toBeUndefined()
  const next = use(secret, start + day)!
  expect(next).toMatch(/^[0-9A-Za-z]{43}$/)
  // Requests that were under way with the old secret get no third one.
  expect(use(secret, start + day + 59_999)).toBeUndefined()
  expect(use(next, start + day + 59_999)).toBeUndefined()
  expect(findSession(db, secret).id).toBe(findSession(db, next).id)
  expect(use(next, start + day + 60_000)).toBeUndefined()
  expect(errorOf(() => findSession(db, secret))).toEqual(ended)
  expect(use(next, start + 2 * day - 1)).toBeUndefined()
})

it('outlives an answer with a new secret that was lost', () => {
  const { secret } = begin()
  const lost = use(secret, start + day)!
  const next = use(secret, start + day + 60_000)!
  expect(errorOf(() => findSession(db, lost))).toEqual(ended)
  expect(use(next, start + day + 120_000)).toBeUndefined()
  expect(errorOf(() => findSession(db, secret))).toEqual(ended)
  expect(findSession(db, next).personId).toBe(personId)
})

it('is one of at most 100 of a person; the one that is longest unused ends', () => {
  const sessions = Array.from({ length: limits.sessionsPerPersonMax }, (_, i) => begin(start + i))
  const sessionUse = createSessionUse(db)
  sessionUse.note(sessions[0]!.id, start + 1000)
  transact(db, () => sessionUse.write())
  begin(start + 2000)
  const ids = listSessions(db, personId, start + 2000).map(({ id }) => id)
  expect(ids).toHaveLength(limits.sessionsPerPersonMax)
  expect(ids).toContain(sessions[0]!.id)
  expect(ids).not.toContain(sessions[1]!.id)
})

it('stores no secret', () => {
  const { secret } = begin()
  const { token } = createInvitation(db, { accountId, nowMs: start })
  const rows = JSON.stringify(['sessions', 'invitations'].map((table) => db.prepare(`SELECT * FROM ${table}`).all()))
  for (const one of [secret, token]) expect(rows).not.toContain(one)
  for (const wrong of ['', 'x', `${secret}0`, secret.slice(1), secret.toLowerCase()])
    expect(errorOf(() => findSession(db, wrong))).toEqual(ended)
})

it('does not go on in a copy of the database', async () => {
  const { secret } = begin()
  db.pragma('wal_checkpoint(TRUNCATE)')
  const path = join(directory, 'restored.db')
  await copyFile(join(directory, 'sonant.db'), path)
  const restored = openDatabase(path)
  expect(errorOf(() => findSession(restored, secret))).toEqual(ended)
  expect(listSessions(restored, personId, start)).toEqual([])
  removeEndedSessions(restored, start)
  expect(restored.prepare('SELECT * FROM sessions').all()).toEqual([])
  restored.close()
  db.close()
  db = openDatabase(join(directory, 'sonant.db'))
  expect(findSession(db, secret).personId).toBe(personId)
})

it('is removed once it has ended', () => {
  begin()
  const lasting = begin(start + 3 * day)
  removeEndedSessions(db, start + 7 * day)
  expect(db.prepare('SELECT id FROM sessions').all()).toEqual([{ id: lasting.id }])
  expect(endOf({ createdAtMs: start, lastUsedAtMs: start })).toBe(start + 7 * day)
})

it('an invitation is open for 7 days, once, and at most 100 of an account are open', () => {
  const { token, id } = createInvitation(db, { accountId, nowMs: start })
  expect(requireInvitation(db, token, start + 7 * day - 1)).toEqual({ id, accountId })
  const [expired, forged] = [
    errorOf(() => requireInvitation(db, token, start + 7 * day)),
    errorOf(() => requireInvitation(db, 'forged', start)),
  ]
  useInvitation(db, id, start)
  const used = errorOf(() => requireInvitation(db, token, start))
  for (const error of [expired, forged, used])
    expect(error).toMatchObject({ code: 'invalid_params', param: 'token', message: (used as Error).message })
  for (let i = 0; i < limits.openInvitationsMax; i++) createInvitation(db, { accountId, nowMs: start })
  expect(errorOf(() => createInvitation(db, { accountId, nowMs: start }))).toMatchObject({ code: 'conflict' })
  createInvitation(db, { accountId, nowMs: start + 7 * day })
})

it('the hidden key of the console is made once', () => {
  const { id } = ensureConsoleKey(db, accountId, start)
  expect(ensureConsoleKey(db, accountId, start + 1)).toEqual({ id, isNew: false })
})

it.each([
  ['Ada@Example.ORG', 'ada@example.org'],
  ['ΟΔΟΣ@example.org', 'οδοσ@example.org'],
  ['Zoe\u0308@example.org', 'ZO\u00cb@example.org'],
  ['\u1e9e@example.org', 'ß@example.org'],
])('%s and %s are one address', (one, other) => {
  expect(foldEmail(one)).toBe(foldEmail(other))
})
