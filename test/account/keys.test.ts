/** API keys and accounts: creation, storage, authentication, search, and the upgrade of old databases. */
import { afterAll, beforeEach, describe, expect, it } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount, findAccount, listAccounts, maskAccountNumber, updateAccount } from '../../src/account/accounts'
import { authenticate, createKey, createKeyUse, findKey, listKeys, updateKey, type Key } from '../../src/account/keys'
import { audit } from '../../src/billing/audit'
import { openDatabase, type Database } from '../../src/db/database'
import { migrations } from '../../src/db/migrations'
import { transact } from '../../src/db/statements'
import type { AppError } from '../../src/errors'
import { readBalance, readKeySpending } from '../../src/billing/ledger/ledger'
import { addAccount, credit, noLimits, speakOnce, startMs } from '../billing'
import { makeOldDatabase } from '../old-database'

const directory = await mkdtemp(join(tmpdir(), 'sonant-keys-'))
afterAll(() => rm(directory, { recursive: true }))

let db: Database
let accountId: string
beforeEach(() => {
  db = openDatabase(':memory:')
  accountId = addAccount(db)
})

const make = ({ expiresAtMs = null, apiKey }: { expiresAtMs?: number | null; apiKey?: string } = {}) =>
  createKey(db, { accountId, name: 'key', limits: noLimits, expiresAtMs, nowMs: startMs, apiKey })
const change = (key: Key, status: Key['status']) => updateKey(db, { ...findKey(db, key.id)!, status })
const setStatus = (status: 'enabled' | 'disabled') => updateAccount(db, { ...findAccount(db, accountId)!, status })

function refusalOf(apiKey: string, nowMs = startMs): string {
  try {
    authenticate(db, apiKey, nowMs)
  } catch (error) {
    return `${(error as AppError).code}: ${(error as AppError).message}`
  }
  throw new Error('the key was accepted')
}

describe('an API key', () => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const valueOf = (apiKey: string) => [...apiKey.slice(3)].reduce((sum, c) => sum * 62n + BigInt(digits.indexOf(c)), 0n)

  it('is sk- and 43 base62 digits of a number of 256 bits that are 0 and 1 equally often', () => {
    const keys = Array.from({ length: 2000 }, () => make().apiKey)
    for (const key of keys) expect(key).toMatch(/^sk-[0-9A-Za-z]{43}$/)
    expect(new Set(keys).size).toBe(2000)
    const values = keys.map(valueOf)
    expect(values.every((value) => value < 1n << 256n)).toBe(true)
    for (let bit = 0n; bit < 256n; bit++) {
      const ones = values.filter((value) => (value >> bit) & 1n).length
      // Seven standard deviations: fails by chance once in 10^9 runs.
      expect(Math.abs(ones - 1000)).toBeLessThan(160)
    }
  })

  it('has every digit in every place, except z in the first, which 2^256 excludes', () => {
    const keys = Array.from({ length: 2000 }, () => make().apiKey.slice(3))
    const top = new Set(keys.map((key) => key[0]!))
    expect(top.has('z')).toBe(false)
    expect(top.size).toBeGreaterThanOrEqual(60)
    for (let place = 1; place < 43; place++) expect(new Set(keys.map((key) => key[place])).size).toBe(62)
  })

  it('is stored only as its hash and its first four digits', async () => {
    db = openDatabase(join(directory, 'keys.db'))
    accountId = addAccount(db)
    const { key, apiKey } = make()
    const brought = make({ apiKey: 'an-operators-own-secret-key' })
    expect(key.prefix).toBe(apiKey.slice(0, 7))
    const files = await Promise.all((await readdir(directory)).map((name) => Bun.file(join(directory, name)).bytes()))
    const bytes = Buffer.concat(files)
    expect(bytes.includes(key.id)).toBe(true)
    for (const text of [apiKey, apiKey.slice(0, 8), apiKey.slice(7), brought.apiKey])
      expect(bytes.includes(text)).toBe(false)
    expect(JSON.stringify([findKey(db, key.id), listKeys(db, accountId)])).not.toContain(apiKey.slice(7))
    db.close()
  })

  it('that the operator brings is refused when it exists already', () => {
    const { key } = make({ apiKey: 'sk-mine' })
    expect(() => make({ apiKey: 'sk-mine' })).toThrow('This API key exists already.')
    change(key, 'deleted')
    expect(() => make({ apiKey: 'sk-mine' })).toThrow('This API key exists already.')
  })
})

describe('authentication', () => {
  it('accepts a key and no variation of it', () => {
    const { key, apiKey } = make()
    expect(authenticate(db, apiKey, startMs)).toEqual({
      ...{ accountId, keyId: key.id, role: 'user', planId: null, limits: noLimits, expiresAtMs: null },
    })
    for (const other of ['', apiKey.slice(0, -1), `${apiKey}0`, ` ${apiKey}`, apiKey.toLowerCase(), key.id, key.prefix])
      expect(refusalOf(other)).toBe('invalid_api_key: The API key does not exist or was deleted.')
  })

  it('reports a deleted key before a revoked one, then an expired one, then a disabled account', () => {
    const { key, apiKey } = make({ expiresAtMs: startMs })
    setStatus('disabled')
    change(key, 'deleted')
    expect(refusalOf(apiKey)).toBe('invalid_api_key: The API key does not exist or was deleted.')
    change(key, 'revoked')
    expect(refusalOf(apiKey)).toBe('api_key_revoked: The API key was revoked.')
    change(key, 'active')
    expect(refusalOf(apiKey)).toBe('invalid_api_key: The API key has expired.')
    expect(refusalOf(apiKey, startMs - 1)).toBe('account_disabled: The account is disabled.')
    setStatus('enabled')
    expect(authenticate(db, apiKey, startMs - 1).keyId).toBe(key.id)
  })

  it('accepts a key before its expiry time and refuses it at that time', () => {
    const { apiKey } = make({ expiresAtMs: startMs + 1000 })
    expect(authenticate(db, apiKey, startMs + 999).accountId).toBe(accountId)
    expect(refusalOf(apiKey, startMs + 1000)).toStartWith('invalid_api_key')
  })

  it('accepts a replaced key before the time of its revocation, which comes before a later expiry', () => {
    const { key, apiKey } = make({ expiresAtMs: startMs + 2000 })
    updateKey(db, { ...key, revokesAtMs: startMs + 1000 })
    expect(authenticate(db, apiKey, startMs + 999).expiresAtMs).toBe(startMs + 1000)
    for (const nowMs of [startMs + 1000, startMs + 2000])
      expect(refusalOf(apiKey, nowMs)).toStartWith('api_key_revoked')
    updateKey(db, { ...key, revokesAtMs: startMs + 3000 })
    expect(authenticate(db, apiKey, startMs).expiresAtMs).toBe(startMs + 2000)
    expect(refusalOf(apiKey, startMs + 2000)).toStartWith('invalid_api_key')
  })

  it('refuses a revoked key after changes of its name, limits or time', () => {
    const { key, apiKey } = make({ expiresAtMs: startMs + 1000 })
    change(key, 'revoked')
    updateKey(db, { ...findKey(db, key.id)!, name: 'renamed', limits: { tts: 5, clone: null } })
    for (const nowMs of [startMs, startMs + 1000, startMs * 2])
      expect(refusalOf(apiKey, nowMs)).toStartWith('api_key_revoked')
    expect(listKeys(db, accountId).map(({ status }) => status)).toEqual(['revoked'])
  })

  it('leaves a deleted key out of lists', () => {
    const { key } = make()
    change(key, 'deleted')
    expect(listKeys(db, accountId)).toEqual([])
    expect(findKey(db, key.id)!.status).toBe('deleted')
  })

  it('writes the time of last use at intervals', () => {
    const { key } = make()
    const use = createKeyUse(db)
    expect(use.isEmpty).toBe(true)
    use.note(key.id, startMs + 1)
    use.note(key.id, startMs + 2)
    expect(findKey(db, key.id)!.lastUsedAtMs).toBeNull()
    transact(db, () => use.write())
    expect(use.isEmpty).toBe(true)
    expect(findKey(db, key.id)!.lastUsedAtMs).toBe(startMs + 2)
  })
})

describe('an account', () => {
  const add = (name: string, email: string | null = null) =>
    createAccount(db, { name, email, role: 'user', planId: null, nowMs: startMs })
  const search = (text: string) =>
    listAccounts(db, { search: text, limit: 50, before: undefined }).map(({ name }) => name)

  it('has a unique number of 16 digits, with every digit in every place, and is found by it', () => {
    const numbers = Array.from({ length: 400 }, () => add('x').accountNumber)
    for (const number of numbers) expect(number).toMatch(/^\d{16}$/)
    expect(new Set(numbers).size).toBe(400)
    for (let place = 0; place < 16; place++) expect(new Set(numbers.map((number) => number[place])).size).toBe(10)
    expect(findAccount(db, numbers[7]!)!.accountNumber).toBe(numbers[7]!)
  })

  it('shows only the last four digits of its number', () => {
    expect(maskAccountNumber('0123456789012345')).toBe('************2345')
  })

  it('is found by a part of its name, address or number, ignoring the case of A to Z', () => {
    const { accountNumber } = add('Élan Ltd', 'Sales@Example.org')
    add('你好公司')
    add('50% off_')
    for (const text of ['lan l', 'ÉLAN', 'Élan', 'LTD', 'sales@', 'EXAMPLE', accountNumber, accountNumber.slice(3, 14)])
      expect(search(text)).toEqual(['Élan Ltd'])
    expect(search('好公')).toEqual(['你好公司'])
    expect(search('0%')).toEqual(['50% off_'])
    expect(search('_')).toEqual(['50% off_'])
    expect(search('no such account')).toEqual([])
    expect(search("' OR 1=1 --")).toEqual([])
  })

  it('is listed newest first in pages without gaps or repetitions, also among equal times', () => {
    const ids = [accountId, ...Array.from({ length: 22 }, () => add('x').id)].sort().reverse()
    for (const limit of [1, 2, 5, 22, 23, 24]) {
      const seen: string[] = []
      let before: { createdAtMs: number; id: string } | undefined
      for (;;) {
        const page = listAccounts(db, { search: undefined, limit, before })
        seen.push(...page.map(({ id }) => id))
        if (page.length < limit) break
        before = page.at(-1)
      }
      expect(seen).toEqual(ids)
    }
  })
})

describe('a database of the first version', () => {
  it('opens with its accounts and keys, which take credit and pay', () => {
    const path = join(directory, 'old.db')
    const old = makeOldDatabase(path, 1)
    const apiKey = 'sk-from-the-first-version'
    const hash = new Bun.CryptoHasher('sha256').update(apiKey).digest()
    for (const [id, role] of [
      ['a1', 'admin'],
      ['a2', 'user'],
    ])
      old.prepare("INSERT INTO accounts VALUES (?, 'Old', ?, 'enabled', ?)").run(id, role, startMs)
    old.prepare("INSERT INTO api_keys VALUES ('k1', 'a1', 'first', 'sk-from', ?, 'active', ?)").run(hash, startMs)
    old.close()

    db = openDatabase(path)
    expect(db.pragma('user_version', { simple: true })).toBe(migrations.length)
    expect(db.pragma('foreign_key_check')).toEqual([])
    const account = findAccount(db, 'a1')!
    expect(account).toMatchObject({ name: 'Old', role: 'admin', email: null, planId: null, createdAtMs: startMs })
    expect(account.accountNumber).toMatch(/^\d{16}$/)
    expect(findAccount(db, 'a2')!.accountNumber).not.toBe(account.accountNumber)
    expect(findKey(db, 'k1')).toMatchObject({ accountId: 'a1', name: 'first', limits: noLimits, expiresAtMs: null })
    expect(authenticate(db, apiKey, startMs)).toMatchObject({ accountId: 'a1', keyId: 'k1', role: 'admin' })
    expect(readBalance(db, 'a1')).toEqual({ available: 0, held: 0 })
    expect(readKeySpending(db, 'k1')).toEqual({ cap: null, captured: 0, held: 0 })
    expect(audit(db).difference).toBeUndefined()
    credit(db, 'a1', 10)
    speakOnce(db, { accountId: 'a1', keyId: 'k1', units: 4 })
    expect(readBalance(db, 'a1')).toEqual({ available: 6, held: 0 })
    expect(audit(db).difference).toBeUndefined()
    db.close()

    const again = openDatabase(path)
    expect(findAccount(again, 'a1')!.accountNumber).toBe(account.accountNumber)
    again.close()
  })

  it('is refused when its version is newer than the program', () => {
    const path = join(directory, 'new.db')
    const newer = openDatabase(path)
    newer.pragma(`user_version = ${migrations.length + 1}`)
    newer.close()
    expect(() => openDatabase(path)).toThrow('was written by a newer version of sonant')
  })
})
