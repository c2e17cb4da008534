/** The caller's own account: balance, activation, history, keys (2.4 and 2.5 of the interface). */
import { Elysia } from 'elysia'
import { findAccount, maskAccountNumber } from '../account/accounts'
import { findKey } from '../account/keys'
import { describeKey } from '../admin/keys'
import { limits } from '../config'
import { createMemo, retryWhileBusy, transact } from '../db/statements'
import { readText, withNumbers } from '../fields'
import { findRecord, listDays, listRecords, readFilter, streamCsv } from '../billing/history'
import { redeemCode } from '../billing/ledger/codes'
import { readBalance, settledUnits } from '../billing/ledger/ledger'
import { instant } from '../paging'
import { queryOf, readJsonObject } from './body'
import type { HttpContext } from './context'
import { headersOf } from './request-state'

const unit = 'characters'

export function accountRoutes({ db, access, addresses, installation }: HttpContext) {
  const balanceOf = (accountId: string) => settledUnits(readBalance(db, accountId))
  const remember = createMemo(db, limits.rememberedMax)
  const describeBalance = (accountId: string) =>
    JSON.stringify({
      balance: balanceOf(accountId),
      unit,
      account_number: maskAccountNumber(findAccount(db, accountId)!.accountNumber),
      app: installation,
    })

  return new Elysia()
    .get('/api/v1/balance', ({ request, set }) => {
      const { accountId } = access.caller(request, 'balance')
      set.headers['content-type'] = 'application/json'
      return remember(accountId, () => describeBalance(accountId))
    })
    .get('/api/v1/account', ({ request }) => {
      const { accountId, keyId } = access.caller(request, 'account')
      const { name, email, role, status, groupId, accountNumber, createdAtMs } = findAccount(db, accountId)!
      return {
        name,
        email,
        role,
        status,
        group: groupId,
        balance: balanceOf(accountId),
        unit,
        account_number: maskAccountNumber(accountNumber),
        created_at: instant(createdAtMs),
        key: describeKey(db, findKey(db, keyId)!),
      }
    })
    .post(
      '/api/v1/activation',
      async ({ request }) => {
        const caller = access.caller(request, 'activation')
        const code = readText(await readJsonObject(request), 'code', { charactersMax: 64 })
        const { accountId } = caller
        const redeem = () =>
          transact(db, () => {
            const units = redeemCode(db, { code, accountId, nowMs: Date.now() })
            return { ok: true, units, balance: balanceOf(accountId) }
          })
        return retryWhileBusy(() => access.guessing(request, caller, redeem))
      },
      { parse: 'none' },
    )
    .get('/api/v1/usage', ({ request }) => {
      const { accountId } = access.caller(request, 'usage')
      const fields = withNumbers(queryOf(request), ['limit'])
      return listRecords(db, fields, readFilter(fields, accountId), addresses(request).storageUrl)
    })
    .get('/api/v1/usage/daily', ({ request }) => {
      const { accountId } = access.caller(request, 'usage')
      return listDays(db, withNumbers(queryOf(request), ['days']), accountId, Date.now())
    })
    .get('/api/v1/usage.csv', ({ request }) => {
      const { accountId } = access.caller(request, 'usage')
      const filter = readFilter(queryOf(request), accountId)
      return csvResponse(streamCsv(db, filter, addresses(request).storageUrl), headersOf(request))
    })
    .get('/api/v1/usage/:requestId', ({ request, params }) => {
      const { accountId } = access.caller(request, 'usage')
      return findRecord(db, params.requestId, accountId, addresses(request).storageUrl)
    })
}

/** Sends the next chunk when the client has taken the one before, so memory does not grow with the length. */
function csvResponse(pieces: Generator<string>, headers: Record<string, string>): Response {
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // Yields to other requests between two chunks.
        await new Promise((resolve) => setImmediate(resolve))
        const { done, value } = pieces.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
    },
    { highWaterMark: 1 },
  )
  return new Response(stream, {
    headers: {
      ...headers,
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="usage.csv"',
      'cache-control': 'private, no-store',
    },
  })
}
