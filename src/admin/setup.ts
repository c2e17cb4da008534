/** The first accounts of a data directory. */
import { hasAccounts } from '../account/accounts'
import type { Ephemeral, Secret } from '../config'
import { transact } from '../db/statements'
import { createAccount, requireAccount } from './accounts'
import type { Administration } from './administration'
import { createKey } from './keys'

const startingUnits = 100_000

/**
 * Creates the administrator with one key and a starting credit when there is no account yet. Returns the key only when
 * it is new and was not chosen by the operator.
 */
export function setUpFirstStart(administration: Administration, adminKey: Secret | undefined): string | undefined {
  const { db } = administration
  return transact(db, () => {
    if (hasAccounts(db)) return undefined
    const { id } = createAccount(administration, { name: 'Administrator', role: 'admin', balance: startingUnits })
    const { api_key } = createKey(administration, id, { name: 'first key' }, adminKey?.value)
    return adminKey ? undefined : api_key
  })
}

/** Creates the accounts of ephemeral mode: a customer with a key and a balance, and an administrator. */
export function setUpEphemeral(
  administration: Administration,
  { apiKey, balance }: Ephemeral,
  adminKey: Secret | undefined,
) {
  const { db } = administration
  return transact(db, () => {
    const admin = createAccount(administration, { name: 'Administrator', role: 'admin', balance })
    const user = createAccount(administration, { name: 'Test', balance })
    const shown = (accountId: string, name: string, secret: Secret | undefined) => {
      const { api_key } = createKey(administration, accountId, { name }, secret?.value)
      return secret && !secret.isPrintable ? undefined : api_key
    }
    return {
      adminKey: shown(admin.id, 'admin', adminKey),
      apiKey: shown(user.id, 'test', apiKey),
      accountNumber: requireAccount(db, user.id).accountNumber,
    }
  })
}
