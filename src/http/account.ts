/** The caller's own account: balance, activation, history, keys (2.4 and 2.5 of the interface). */
import { findAccount, maskAccountNumber } from '../account/accounts'
import { findKey } from '../account/keys'
import { describeKey } from '../admin/keys'
import { limits } from '../config'
import { createMemo, retryWhileBusy, transact } from '../db/statements'
import { findRecord, listDays, listRecords, readFilter, streamCsv } from '../billing/history'
import { redeemCode } from '../billing/ledger/codes'
import { readBalance, settledUnits } from '../billing/ledger/ledger'
import { listStatement } from '../billing/statement'
import { activation } from '../operations/account'
import { readFields } from '../operations/read-fields'
import { describeOwnAccount } from '../people/describe'
import type { HttpContext } from './context'
import { headersOf } from './request-state'
import type { Handlers } from './routes'

const unit = 'characters'

export function accountHandlers({ db, access, addresses, installation }: HttpContext) {
  const balanceOf = (accountId: string) => settledUnits(readBalance(db, accountId))
  const remember = createMemo(db, limits.rememberedMax)
  const describeBalance = (accountId: string) =>
    JSON.stringify({
      balance: balanceOf(accountId),
      unit,
      account_number: maskAccountNumber(findAccount(db, accountId)!.accountNumber),
      app: installation,
    })

  return {
    getBalance({ caller: { accountId }, headers }) {
      headers['content-type'] = 'application/json'
      return remember(accountId, () => describeBalance(accountId))
    },

    getAccount({ caller: { accountId, keyId, session } }) {
      const key = session ? null : describeKey(db, findKey(db, keyId)!)
      return { ...describeOwnAccount(db, accountId), key }
    },

    redeemCode({ request, caller, fields }) {
      const { code } = readFields(fields, activation)
      const { accountId } = caller
      const redeem = () =>
        transact(db, () => {
          const units = redeemCode(db, { code, accountId, nowMs: Date.now() })
          return { ok: true, units, balance: balanceOf(accountId) }
        })
      return retryWhileBusy(() => access.guessCode(request, caller, redeem))
    },

    listMovements: ({ caller, fields }) => listStatement(db, fields, caller.accountId),

    listUsage: ({ request, caller, fields }) =>
      listRecords(db, fields, readFilter(fields, caller.accountId), addresses(request).storageUrl),

    sumUsageByDay: ({ caller, fields }) => listDays(db, fields, caller.accountId, Date.now()),

    exportUsage({ request, caller, fields }) {
      const filter = readFilter(fields, caller.accountId)
      return csvResponse(streamCsv(db, filter, addresses(request).storageUrl), headersOf(request))
    },

    getUsageRecord: ({ request, caller, id }) => findRecord(db, id, caller.accountId, addresses(request).storageUrl),
  } satisfies Partial<Handlers>
}

function csvResponse(pieces: Generator<string>, headers: Record<string, string>): Response {
  return new Response(streamOf(pieces), {
    headers: {
      ...headers,
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="usage.csv"',
      'cache-control': 'private, no-store',
    },
  })
}

/**
 * Reads the next chunk when the client has taken the one before, so memory does not grow with the length. Reads nothing
 * for HEAD, whose body nothing takes.
 */
function streamOf(pieces: Generator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // Yields to other requests between two chunks.
        await new Promise((resolve) => setImmediate(resolve))
        const { done, value } = pieces.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
    },
    { highWaterMark: 0 },
  )
}
