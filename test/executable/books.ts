/** Reads the data directory of a server under test: ledger, history, files. */
import { readdir, stat } from 'node:fs/promises'
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

/** The first finding of the audit; undefined when the ledger balances. */
export function auditDifference(dataDirectory: string): string | undefined {
  const db = openDatabase(join(dataDirectory, 'sonant.db'))
  try {
    return audit(db).difference
  } finally {
    db.close()
  }
}

/** Whether at least `count` requests have begun to write audio, and so are in synthesis. */
export async function isSpeaking(dataDirectory: string, count = 1): Promise<boolean> {
  const parts = (await audioFiles(dataDirectory)).filter((name) => name.endsWith('.part'))
  // A file may get its final name between the two calls.
  const sizes = parts.map((name) =>
    stat(join(dataDirectory, 'audio', name)).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).filter((size) => size > 0).length >= count
}

/** The audio files without demos, including partial ones. */
export async function audioFiles(dataDirectory: string): Promise<string[]> {
  return (await readdir(join(dataDirectory, 'audio'))).filter((name) => name !== 'demos').sort()
}
