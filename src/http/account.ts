/** The caller's own account: balance, activation, history, keys (2.4 and 2.5 of the interface). */
import { findAccount, maskAccountNumber } from '../account/accounts'
import { findKey } from '../account/keys'
import { describeKey } from '../admin/keys'
import { limits } from '../config'
import { createMemo, retryWhileBusy, transact } from '../db/statements'
import { eraseAudio } from '../billing/erased-audio'
import { findRecord, listDays, listRecords, readFilter, streamCsv, sumRecords } from '../billing/history'
import { redeemCode } from '../billing/ledger/codes'
import { readBalance, settledUnits } from '../billing/ledger/ledger'
import { listStatement } from '../billing/statement'
import { activation } from '../operations/account'
import { readFields } from '../operations/read-fields'
import { describeOwnAccount } from '../people/describe'
import type { HttpContext } from './context'
import { csvResponse } from './csv'
import type { Handlers } from './routes'

const unit = 'characters'

export function accountHandlers({ db, speaking, access, addresses, installation }: HttpContext) {
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

    sumUsage: ({ request, caller, fields }) => sumRecords(db, readFilter(fields, caller.accountId), request.signal),

    exportUsage({ request, caller, fields }) {
      const filter = readFilter(fields, caller.accountId)
      return csvResponse(request, streamCsv(db, filter, addresses(request).storageUrl))
    },

    eraseAudio: ({ caller, id }) => eraseAudio(speaking, id, caller.accountId),

    getUsageRecord: ({ request, caller, id }) => findRecord(db, id, caller.accountId, addresses(request).storageUrl),
  } satisfies Partial<Handlers>
}
