/** The history of all accounts, with their names. */
import { findAccount } from '../account/accounts'
import { listAllRecords } from '../billing/history'
import type { Fields } from '../fields'
import type { Administration } from './administration'

/** Returns one page, newest first. */
export async function listAllUsage({ db }: Administration, fields: Fields, storageUrl: string) {
  const { items, next_cursor } = await listAllRecords(db, fields, storageUrl)
  const names = new Map<string, string>()
  const nameOf = (id: string) => {
    if (!names.has(id)) names.set(id, findAccount(db, id)!.name)
    return names.get(id)!
  }
  return { items: items.map((item) => ({ ...item, account_name: nameOf(item.account_id) })), next_cursor }
}
