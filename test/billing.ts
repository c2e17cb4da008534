/** Helpers for tests of billing: accounts, keys, credits and requests, made by the functions of the service. */
import { createAccount } from '../src/account/accounts'
import { createKey } from '../src/account/keys'
import type { Database } from '../src/db/database'
import { transact } from '../src/db/statements'
import { createCode, redeemCode } from '../src/billing/ledger/codes'
import {
  adjust,
  capture,
  hold,
  openBalance,
  openKeySpending,
  readBalance,
  release,
  settledUnits,
} from '../src/billing/ledger/ledger'
import { finishUsage, startUsage } from '../src/billing/usage/usage'

export const noLimits = { tts: null, clone: null }
export const startMs = Date.UTC(2026, 0, 31, 12)
export const dayMs = 86_400_000
const hourMs = 3_600_000

export function addAccount(db: Database, name = 'Test', nowMs = startMs): string {
  return transact(db, () => {
    const { id } = createAccount(db, { name, email: null, role: 'user', planId: null, nowMs })
    openBalance(db, id)
    return id
  })
}

export function addKey(db: Database, accountId: string, cap: number | null = null): string {
  return transact(db, () => {
    const { key } = createKey(db, { accountId, name: 'key', limits: noLimits, expiresAtMs: null, nowMs: startMs })
    openKeySpending(db, key.id, cap)
    return key.id
  })
}

export function credit(db: Database, accountId: string, units: number, nowMs = startMs): void {
  transact(db, () => adjust(db, { accountId, units, nowMs }, 'for a test'))
}

export function redeem(db: Database, accountId: string, units: number, nowMs = startMs): void {
  transact(db, () => {
    const { code } = createCode(db, { units, expiresAtMs: null, note: null, nowMs })
    redeemCode(db, { code, accountId, nowMs })
  })
}

export type Request = {
  readonly accountId: string
  readonly keyId: string
  readonly units: number
  readonly requestId?: string
  readonly nowMs?: number
  readonly expiresAtMs?: number
  readonly voiceId?: string
}

export const newRequestId = () => Bun.randomUUIDv7().replaceAll('-', '')

/** Starts a request and holds its units, in one transaction as the service does. */
export function begin(
  db: Database,
  {
    accountId,
    keyId,
    units,
    requestId = newRequestId(),
    nowMs = startMs,
    expiresAtMs = nowMs + hourMs,
    voiceId = 'en-test',
  }: Request,
): { holdId: number; requestId: string } {
  return transact(db, () => {
    startUsage(db, {
      ...{ requestId, kind: 'tts', surface: 'api', accountId, keyId, createdAtMs: nowMs, voiceId, characters: units },
      ...{ speed: 1, format: 'mp3', digest: null },
    })
    const holdId = hold(db, { accountId, keyId, requestId, purpose: 'speech', units, nowMs, expiresAtMs })
    return { holdId, requestId }
  })
}

export function succeed(
  db: Database,
  accountId: string,
  { holdId, requestId }: { holdId: number; requestId: string },
  units: number,
  audioMs = 1000,
): void {
  transact(db, () => {
    capture(db, holdId, { units, nowMs: startMs })
    const remaining = settledUnits(readBalance(db, accountId))
    const fileName = `${requestId}.mp3`
    finishUsage(db, requestId, { status: 'charged', units, remaining, fileName, audioMs, processingMs: 5 })
  })
}

/** Ends a stream early: charges a part of its characters. */
export function breakOff(
  db: Database,
  accountId: string,
  { holdId, requestId }: { holdId: number; requestId: string },
  units: number,
  errorCode: string | null = null,
): void {
  transact(db, () => {
    capture(db, holdId, { units, nowMs: startMs })
    const remaining = settledUnits(readBalance(db, accountId))
    const made = { fileName: `${requestId}.mp3`, audioMs: 400, processingMs: 5 }
    finishUsage(db, requestId, { status: 'partial', units, remaining, errorCode, ...made })
  })
}

export function fail(db: Database, { holdId, requestId }: { holdId: number; requestId: string }): void {
  transact(db, () => {
    release(db, holdId)
    finishUsage(db, requestId, { status: 'failed', errorCode: 'synthesis_failed' })
  })
}

/** Runs a request from its start to its charge and returns its id. */
export function speakOnce(db: Database, request: Request): string {
  const begun = begin(db, request)
  succeed(db, request.accountId, begun, request.units)
  return begun.requestId
}
