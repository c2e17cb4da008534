/** Activation codes: their form, their spellings and their single use. */
import { afterAll, beforeEach, describe, expect, it } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audit } from '../../../src/billing/audit'
import { unitsMax } from '../../../src/config'
import { openDatabase, type Database } from '../../../src/db/database'
import { transact } from '../../../src/db/statements'
import { AppError } from '../../../src/errors'
import { createCode, findCode, listCodes, redeemCode, voidCode } from '../../../src/billing/ledger/codes'
import { creditCode, readBalance } from '../../../src/billing/ledger/ledger'
import { addAccount, credit, startMs } from '../../billing'

const directory = await mkdtemp(join(tmpdir(), 'sonant-codes-'))
afterAll(() => rm(directory, { recursive: true }))

let db: Database
let accountId: string
beforeEach(() => {
  db = openDatabase(':memory:')
  accountId = addAccount(db)
})

type Rules = { units?: number; expiresAtMs?: number | null }
const make = ({ units = 10, expiresAtMs = null }: Rules = {}, code?: string) =>
  transact(db, () => createCode(db, { units, expiresAtMs, note: null, nowMs: startMs }, code))
const redeem = (code: string, nowMs = startMs, by = accountId) =>
  transact(db, () => redeemCode(db, { code, accountId: by, nowMs }))
const available = () => readBalance(db, accountId).available

function refusalOf(code: string, nowMs = startMs) {
  try {
    redeem(code, nowMs)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { code: error.code, message: error.message, param: error.param }
  }
  throw new Error(`${code} was accepted`)
}

const refusal = {
  code: 'invalid_params' as const,
  message: 'code: this activation code is unknown, used, void or expired.',
  param: 'code',
}

describe('an activation code', () => {
  it('is four groups of Crockford digits, different each time, with every digit in every place', () => {
    const codes = Array.from({ length: 600 }, () => make().code)
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/)
    expect(new Set(codes).size).toBe(600)
    for (const place of [0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13, 15, 16, 17, 18])
      expect(new Set(codes.map((code) => code[place])).size).toBe(32)
  })

  it.each([
    'AB01-CD1E-FGHJ-KMNP',
    'ab01-cd1e-fghj-kmnp',
    'AB01CD1EFGHJKMNP',
    ' ab01 cd1e fghj kmnp ',
    'ABO1-CDIE-FGHJ-KMNP',
    'aboi-cdle-fghj-kmnp',
    'A-B-0-1-C-D-1-E-F-G-H-J-K-M-N-P',
    'AB01-CD1E-FGHJ-KMNP\n',
  ])('may be spelled %j', (spelling) => {
    make({ units: 7 }, 'AB01-CD1E-FGHJ-KMNP')
    expect(redeem(spelling)).toBe(7)
    expect(available()).toBe(7)
  })

  it('is used once, by whichever account', () => {
    const { id, code } = make({ units: 7 })
    redeem(code)
    const other = addAccount(db)
    expect(refusalOf(code)).toEqual(refusal)
    expect(() => redeem(code, startMs, other)).toThrow(refusal.message)
    expect(available()).toBe(7)
    expect(readBalance(db, other).available).toBe(0)
    expect(findCode(db, id)).toMatchObject({ status: 'used', usedAtMs: startMs, usedBy: accountId })
  })

  it('cannot be credited twice, even past its status', () => {
    const { id, code } = make({ units: 7 })
    redeem(code)
    const again = () => transact(db, () => creditCode(db, { accountId, units: 7, nowMs: startMs }, id))
    expect(again).toThrow('UNIQUE constraint failed')
    expect(available()).toBe(7)
    expect(audit(db).difference).toBeUndefined()
  })

  it('stays unused when its units would exceed the most an account may hold', () => {
    credit(db, accountId, unitsMax - 5)
    const { id, code } = make({ units: 6 })
    expect(() => redeem(code)).toThrow(`an account holds at most ${unitsMax}`)
    expect(findCode(db, id)).toMatchObject({ status: 'unused', usedAtMs: null, usedBy: null })
    expect(available()).toBe(unitsMax - 5)
  })

  it('works before its expiry time and not at it', () => {
    const expiresAtMs = startMs + 1000
    expect(redeem(make({ expiresAtMs }).code, expiresAtMs - 1)).toBe(10)
    expect(refusalOf(make({ expiresAtMs }).code, expiresAtMs)).toEqual(refusal)
  })

  it('cannot be redeemed when void, and can be voided only while unused', () => {
    const { id, code } = make()
    transact(db, () => voidCode(db, id))
    expect(refusalOf(code)).toEqual(refusal)
    expect(() => voidCode(db, id)).toThrow('The code is void already.')
    const used = make()
    redeem(used.code)
    expect(() => voidCode(db, used.id)).toThrow('The code is used already.')
    expect(findCode(db, used.id)!.status).toBe('used')
  })

  it.each([
    '',
    '-',
    'AB01-CD1E-FGHJ-KMN',
    'AB01-CD1E-FGHJ-KMNPP',
    'UB01-CD1E-FGHJ-KMNP',
    'ÄB01-CD1E-FGHJ-KMNP',
    '0'.repeat(16),
  ])('is refused as %j with the message of a used, void or expired one', (text) =>
    expect(refusalOf(text)).toEqual(refusal),
  )

  it('is refused at creation in another form', () => {
    expect(() => make({}, 'AB01')).toThrow('code: found no activation code; XXXX-XXXX-XXXX-XXXX is required.')
  })

  it('is listed with its last group only', () => {
    const { id, code } = make()
    expect(JSON.stringify([findCode(db, id), listCodes(db, { limit: 10, before: undefined })])).not.toContain(
      code.slice(0, 14),
    )
    expect(findCode(db, id)!.suffix).toBe(code.slice(-4))
  })

  it('does not appear in the database files, with or without hyphens', async () => {
    const path = join(directory, 'codes.db')
    db = openDatabase(path)
    accountId = addAccount(db)
    const codes = Array.from({ length: 20 }, () => make().code)
    redeem(codes[0]!)
    db.pragma('wal_checkpoint(PASSIVE)')
    const files = await Promise.all((await readdir(directory)).map((name) => Bun.file(join(directory, name)).bytes()))
    const bytes = Buffer.concat(files)
    expect(bytes.includes(accountId)).toBe(true)
    for (const code of codes)
      for (const text of [code, code.replaceAll('-', ''), code.slice(0, 14), code.slice(0, 9).replace('-', '')])
        expect(bytes.includes(text)).toBe(false)
    db.close()
  })
})

describe('the list of codes', () => {
  it('comes newest first in pages without gaps or repetitions, also among equal times', () => {
    const ids = Array.from({ length: 25 }, () => make().id)
    for (const limit of [1, 3, 7, 25, 100]) {
      const seen: string[] = []
      let before: { createdAtMs: number; id: string } | undefined
      for (;;) {
        const page = listCodes(db, { limit, before })
        seen.push(...page.map(({ id }) => id))
        if (page.length < limit) break
        before = page.at(-1)
      }
      expect(seen).toEqual([...ids].sort().reverse())
    }
  })
})
