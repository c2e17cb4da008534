/** The audit log in the form of the public interface. */
import { findAccount } from '../account/accounts'
import { listOperations } from '../account/audit-log'
import { findKey } from '../account/keys'
import { findPerson } from '../account/persons'
import type { Database } from '../db/database'
import { optionalInstant, optionalText, type Fields } from '../fields'
import { cursorBehind, instant, readPage, refuseCursor } from '../paging'
import type { Administration } from './administration'

const filterRules = { charactersMax: 100 }

/** Returns one page, newest first. `from` is inclusive, `to` exclusive. */
export function listLog({ db }: Administration, fields: Fields) {
  const { limit, before } = readPage(fields)
  if (before && !/^\d+$/.test(before.id)) throw refuseCursor(fields)
  const fromMs = optionalInstant(fields, 'from') ?? 0
  const toMs = optionalInstant(fields, 'to') ?? Number.MAX_SAFE_INTEGER
  const act = optionalText(fields, 'act', filterRules)
  const actor = optionalText(fields, 'actor', filterRules)
  const subject = optionalText(fields, 'subject', filterRules)
  const operations = listOperations(db, { fromMs, toMs, act, actor, subject, limit, before })
  const names = new Map<string, string | null>()
  const remember = (text: string, find: (db: Database, text: string) => string | null) => {
    if (!names.has(text)) names.set(text, find(db, text))
    return names.get(text)!
  }
  const items = operations.map(({ createdAtMs, actor, act, subject, ...states }) => ({
    ...states,
    actor,
    actor_name: remember(actor, findActorName),
    act,
    subject,
    subject_name: remember(subject, findSubjectName),
    created_at: instant(createdAtMs),
  }))
  return { items, next_cursor: cursorBehind(operations, limit) }
}

/** The present name of a person, or of the account of a key; null where the actor has none, or has it no more. */
function findActorName(db: Database, actor: string): string | null {
  const [, accountId, kind, id] = /^account (\S+), (person|key) (\S+)$/.exec(actor) ?? []
  if (!accountId || !id) return null
  const found = kind === 'person' ? findPerson(db, id) : findAccount(db, accountId)
  return found?.name ?? null
}

/** The present name of an account, a person or a key; null for other objects. */
function findSubjectName(db: Database, subject: string): string | null {
  return (findAccount(db, subject) ?? findPerson(db, subject) ?? findKey(db, subject))?.name ?? null
}
