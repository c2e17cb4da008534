/**
 * Hold and capture, the two transactions of every paid request, through the functions of the service, against two bare
 * transactions that write the same rows. Measured on an empty database and on one with millions of rows; there also
 * pages of the history at any depth, and the audit.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { audit } from '../../src/billing/audit'
import { openDatabase } from '../../src/db/database'
import { charge, claim } from '../../src/billing/paid-request'
import { listUsage, type UsageFilter } from '../../src/billing/usage/usage'
import { openBare } from './ledger-bare'
import { accountIdOf, bigAccountRows, fillBooks, keyIdOf, usageRows } from './ledger-rows'
import { untilQuiet } from './quiet'
import { type BenchRow, median, printTable } from './report'

const rounds = 9
const roundMs = 1000
const pagesPerPlace = 50
const pageRows = 50
const pageMsMax = 2

type Pair = () => void

export async function benchLedger(): Promise<BenchRow[]> {
  return inFolder(async (folder) => {
    const ours = openDatabase(join(folder, 'ours.db'))
    fillBooks(ours, { accounts: 1, usageRows: 0 })
    const bare = openBare(join(folder, 'bare.db'))
    try {
      const rates = await alternate([pairOn(ours, 1), bare.pair])
      return [pairsRow('hold + capture, pairs (bare transactions)', rates, 0.7)]
    } finally {
      ours.close()
      bare.db.close()
    }
  })
}

export async function benchLargeLedger(): Promise<BenchRow[]> {
  return inFolder(async (folder) => {
    const accounts = 10_000
    const large = openDatabase(join(folder, 'large.db'))
    const empty = openDatabase(join(folder, 'empty.db'))
    fillBooks(empty, { accounts, usageRows: 0 })
    const startedAtMs = performance.now()
    fillBooks(large, { accounts, usageRows })
    const loadSeconds = (performance.now() - startedAtMs) / 1000
    const name = `${usageRows / 1e6} million requests`
    try {
      const rates = await alternate([pairOn(large, accounts), pairOn(empty, accounts)])
      const pages = await measurePages(large)
      const auditedAtMs = performance.now()
      const { difference } = audit(large)
      const auditSeconds = (performance.now() - auditedAtMs) / 1000
      if (difference !== undefined) throw new Error(difference)
      return [
        pairsRow(`hold + capture with ${name}, pairs (without)`, rates, 0.8),
        ...pages,
        { name: `audit of ${name}`, value: auditSeconds, unit: 's', reference: null, ratio: null, goal: null },
        { name: `loading ${name}`, value: loadSeconds, unit: 's', reference: null, ratio: null, goal: null },
      ]
    } finally {
      large.close()
      empty.close()
    }
  })
}

async function inFolder(work: (folder: string) => Promise<BenchRow[]>): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sonant-bench-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Runs the transactions of one paid request, for each of the accounts in turn. */
function pairOn(db: Database.Database, accounts: number): Pair {
  const billing = { db, holdTimeoutMs: 600_000 }
  const text = 'A sentence of ordinary length, as callers send it.'
  const shared = {
    kind: 'tts',
    surface: 'api',
    voiceId: 'heart',
    characters: text.length,
    speed: 1,
    format: 'mp3',
  } as const
  let count = 0
  return () => {
    // Strides through the accounts, so that consecutive rows lie far apart.
    const account = (count++ * 7919) % accounts
    const requestId = Bun.randomUUIDv7('hex').replaceAll('-', '')
    const digest = new Bun.CryptoHasher('sha256').update(requestId + text).digest()
    const usage = { ...shared, digest, requestId, accountId: accountIdOf(account), keyId: keyIdOf(account) }
    const holdId = claim(billing, { usage })
    charge(billing, { usage }, holdId, { fileName: `${requestId}.mp3`, audioMs: 3000, processingMs: 200 })
  }
}

/** Returns the pairs per second of both by round. The first round only warms up. */
async function alternate(pairs: [Pair, Pair]): Promise<[number[], number[]]> {
  const rates: [number[], number[]] = [[], []]
  for (let round = -1; round < rounds; round++) {
    await untilQuiet()
    for (const [i, pair] of pairs.entries()) {
      const rate = run(pair)
      if (round >= 0) rates[i]!.push(rate)
    }
  }
  return rates
}

function run(pair: Pair): number {
  const startedAtMs = performance.now()
  let count = 0
  while (performance.now() - startedAtMs < roundMs) {
    pair()
    count++
  }
  return (count * 1000) / (performance.now() - startedAtMs)
}

function pairsRow(name: string, [ours, others]: [number[], number[]], goal: number): BenchRow {
  const ratio = median(ours.map((rate, round) => rate / others[round]!))
  return { name, value: median(ours), unit: '/s', reference: median(others), ratio, goal }
}

async function measurePages(db: Database.Database): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  const owners = { [`account of ${bigAccountRows} requests`]: 0, 'small account': 1 }
  for (const [owner, account] of Object.entries(owners)) {
    const filters: Record<string, UsageFilter> = {
      account: { accountId: accountIdOf(account) },
      key: { accountId: accountIdOf(account), keyId: keyIdOf(account) },
    }
    for (const [by, filter] of Object.entries(filters))
      for (const [place, share] of Object.entries({ start: 0, middle: 0.5, end: 1 })) {
        await untilQuiet()
        const name = `page of ${pageRows} by ${by}, ${owner}, ${place}`
        const value = measurePage(db, filter, share)
        rows.push({ name, value, unit: 'ms', reference: null, ratio: null, goal: null, most: pageMsMax })
      }
  }
  return rows
}

/** Returns the median milliseconds of successive pages. `share` of the account's requests is newer than the pages. */
function measurePage(db: Database.Database, filter: UsageFilter, share: number): number {
  const { count } = db
    .prepare<[string], { count: number }>('SELECT count(*) AS count FROM usage WHERE account_id = ?')
    .get(filter.accountId!)!
  const pages = Math.min(pagesPerPlace, Math.floor(count / pageRows / 2))
  const skip = Math.max(0, Math.floor(share * (count - pages * pageRows)) - 1)
  let before = db
    .prepare<[string, number], { createdAtMs: number; id: number }>(
      `SELECT created_at_ms AS createdAtMs, id FROM usage WHERE account_id = ?
       ORDER BY created_at_ms DESC, id DESC LIMIT 1 OFFSET ?`,
    )
    .get(filter.accountId!, skip)
  if (share === 0) before = undefined
  const times: number[] = []
  for (let page = 0; page < pages; page++) {
    const startedAtMs = performance.now()
    const rows = listUsage(db, filter, { limit: pageRows, before })
    times.push(performance.now() - startedAtMs)
    if (rows.length !== pageRows) throw new Error(`a page had ${rows.length} rows`)
    before = rows.at(-1)
  }
  return median(times)
}

if (import.meta.main) printTable([...(await benchLedger()), ...(await benchLargeLedger())])
