/** Reads the data directory of a server under test: ledger, history, files. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { audit } from '../../src/billing/audit'
import { openDatabase } from '../../src/db/database'

/** The rows of `sql`. */
export function query<Row = Record<string, unknown>>(dataDirectory: string, sql: string): Row[] {
  const db = openDatabase(join(dataDirectory, 'sonant.db'))
  try {
    return db.prepare<[], Row>(sql).all()
  } finally {
    db.close()
  }
}

/** The first finding of the audit; undefined when the books balance. */
export function auditDifference(dataDirectory: string): string | undefined {
  const db = openDatabase(join(dataDirectory, 'sonant.db'))
  try {
    return audit(db).difference
  } finally {
    db.close()
  }
}

/** The audio files without demos, including partial ones. */
export async function audioFiles(dataDirectory: string): Promise<string[]> {
  return (await readdir(join(dataDirectory, 'audio'))).filter((name) => name !== 'demos').sort()
}
