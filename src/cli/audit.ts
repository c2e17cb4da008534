/** `sonant audit`: checks that the ledger balances. */
import { audit } from '../billing/audit'
import { withDatabase } from './data'
import { audit as command } from './commands/general'
import { readFlags } from './flags'
import { write } from './print'

const exitDifference = 1

export async function auditLedger(args: string[]): Promise<void> {
  const { values } = readFlags('audit', command, args)
  const { difference = null, checks, totals } = await withDatabase(values, audit)
  const { accounts, entries, holds, requests, units } = totals
  if (values.json) await write([`${JSON.stringify({ balanced: difference === null, difference, checks, totals })}\n`])
  else if (difference === null)
    await write([
      `The ledger balances: ${checks} checks, ${accounts} accounts with ${units} units, ${entries} entries, ${holds} holds, ${requests} requests\n`,
    ])
  else console.error(`sonant: the ledger does not balance: ${difference}`)
  if (difference !== null) process.exitCode = exitDifference
}
