/** The audit log in the form of the public interface. */
import { findAccount } from '../account/accounts'
import { findOperationPlace, listOperations, type LoggedOperation } from '../account/audit-log'
import { findKey } from '../account/keys'
import { findPerson } from '../account/persons'
import type { Database } from '../db/database'
import { readPageInSteps } from '../db/scan'
import { optionalInstant, optionalText, type Fields } from '../fields'
import { cursorAt, instant, readPage, refuseCursor } from '../paging'
import type { Administration } from './administration'

const filterRules = { charactersMax: 100 }

/** Returns one page, newest first. `from` is inclusive, `to` exclusive. */
export async function listLog({ db }: Administration, fields: Fields) {
  const { limit, before } = readPage(fields)
  if (before && !/^\d+$/.test(before.id)) throw refuseCursor(fields)
  const filter = {
    fromMs: optionalInstant(fields, 'from') ?? 0,
    toMs: optionalInstant(fields, 'to') ?? Number.MAX_SAFE_INTEGER,
    act: optionalText(fields, 'act', filterRules),
    actor: optionalText(fields, 'actor', filterRules),
    subject: optionalText(fields, 'subject', filterRules),
  }
  const { rows, next } = await readPageInSteps<number, LoggedOperation>(
    {
      findPlace: (from, rows) => findOperationPlace(db, { ...filter, before: from }, rows),
      list: (range) => listOperations(db, { ...filter, ...range }),
    },
    { limit, before: before && { ...before, id: Number(before.id) } },
  )
  const names = new Map<string, string | null>()
  const remember = (text: string, find: (db: Database, text: string) => string | null) => {
    if (!names.has(text)) names.set(text, find(db, text))
    return names.get(text)!
  }
  const items = rows.map(({ id, createdAtMs, actor, act, subject, ...states }) => ({
    id: String(id),
    ...states,
    actor,
    actor_name: remember(actor, findActorName),
    act,
    subject,
    subject_name: remember(subject, findSubjectName),
    created_at: instant(createdAtMs),
  }))
  return { items, next_cursor: next ? cursorAt({ ...next, id: String(next.id) }) : null }
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
