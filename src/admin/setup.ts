/** The first accounts of a data directory, and the link by which the first person administrates it. */
import { findFirstAdministrator, hasAccounts, type Account } from '../account/accounts'
import { createSetup } from '../account/invitations'
import { hasAdministratorPerson } from '../account/persons'
import type { Ephemeral, Secret } from '../config'
import type { Database } from '../db/database'
import { transact } from '../db/statements'
import { instant } from '../paging'
import { createAccount, requireAccount } from './accounts'
import { runOperation, type Administration } from './administration'
import { createKey } from './keys'

const startingUnits = 100_000

/**
 * Creates the administrator with one key and a starting credit when there is no account yet. Returns the key and a setup
 * link. An operator who chose the key expects no secret in the output, so nothing is returned then.
 */
export function setUpFirstStart(
  administration: Administration,
  adminKey: Secret | undefined,
  baseUrl: string,
): { apiKey?: string; setupUrl?: string } {
  const { db } = administration
  return transact(db, () => {
    if (hasAccounts(db)) return {}
    const { id } = createAccount(administration, { name: 'Administrator', role: 'admin', balance: startingUnits })
    const { api_key } = createKey(administration, id, { name: 'first key' }, adminKey?.value)
    return adminKey ? {} : { apiKey: api_key, setupUrl: makeSetupLink(administration, id, baseUrl) }
  })
}

/** The account that the first person of the administration would join; undefined when there is such a person. */
export function findUnattended(db: Database): Account | undefined {
  return hasAdministratorPerson(db) ? undefined : findFirstAdministrator(db)
}

/** Makes the setup link of the account; the one before ends. Only this answer contains it. */
export function makeSetupLink(administration: Administration, accountId: string, baseUrl: string): string {
  return runOperation(administration, 'account setup-link', (nowMs) => {
    const { token, expiresAtMs } = createSetup(administration.db, { accountId, nowMs })
    const after = { expires_at: instant(expiresAtMs) }
    return { subject: accountId, before: null, after, result: `${baseUrl}/console/setup#${token}` }
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
