/** Persons and their accounts in the form of the public interface. */
import { findAccount, maskAccountNumber } from '../account/accounts'
import type { Person } from '../account/persons'
import { readBalance, settledUnits } from '../billing/ledger/ledger'
import type { Database } from '../db/database'
import { instant } from '../paging'
import { planName } from '../voice/plans'

export function describePerson({ id, email, name, createdAtMs }: Person) {
  return { id, email, name, created_at: instant(createdAtMs) }
}

/** Describes an account for its own people and keys. */
export function describeOwnAccount(db: Database, accountId: string) {
  const { name, email, role, status, planId, accountNumber, createdAtMs } = findAccount(db, accountId)!
  return {
    name,
    email,
    role,
    status,
    group: planId,
    group_name: planId === null ? null : planName(db, planId),
    balance: settledUnits(readBalance(db, accountId)),
    unit: 'characters',
    account_number: maskAccountNumber(accountNumber),
    created_at: instant(createdAtMs),
  }
}
