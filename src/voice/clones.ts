/** Cloned voices of accounts, and the recordings that the service keeps, in the database. Knows no audio. */
import type { Database } from '../db/database'
import { prepare, transact } from '../db/statements'
import type { Gender } from '../speech/voice'

export type Clone = {
  /** `cv-` and 32 hexadecimal characters. */
  readonly id: string
  readonly accountId: string
  /** The request that paid for the clone. */
  readonly requestId: string
  /** SHA-256 of the recording's bytes, lower-case hexadecimal. */
  readonly sha256: string
  readonly name: string
  /** BCP 47. */
  readonly language: string
  /** null: unknown. */
  readonly gender: Gender | null
  readonly method: 'adapted' | 'converted'
  /** The catalogue voice that is adapted or converted. */
  readonly baseVoiceId: string
  /** JSON that only the speech room reads. */
  readonly profile: string
  readonly warnings: readonly CloneWarning[]
  /** Length of the recording. */
  readonly recordingMs: number
  /** Name of the demo file in the storage. */
  readonly demoName: string
  readonly createdAtMs: number
}

/** A clone in a list, without its profile: the profiles of a thousand clones take megabytes. */
export type ListedClone = Omit<Clone, 'profile'>

export type CloneWarning = { readonly code: string; readonly message: string }

type Row<T> = Omit<T, 'warnings'> & { readonly warnings: string }

const listedColumns = `id, account_id AS accountId, request_id AS requestId, lower(hex(sha256)) AS sha256, name, language, gender, method,
  base_voice_id AS baseVoiceId, warnings, recording_ms AS recordingMs, demo_name AS demoName,
  created_at_ms AS createdAtMs`
const columns = `${listedColumns}, profile`

export function newCloneId(): string {
  return `cv-${Bun.randomUUIDv7('buffer').toString('hex')}`
}

export function isCloneId(voiceId: string): boolean {
  return voiceId.startsWith('cv-')
}

/** Finds the account's clone of that id. Clones of other accounts are not found. */
export function findClone(db: Database, accountId: string, id: string): Clone | undefined {
  const sql = `SELECT ${columns} FROM clones WHERE id = ? AND account_id = ?`
  return asClone(prepare<[string, string], Row<Clone>>(db, sql).get(id, accountId))
}

/** Finds a clone of any account, for administrators. */
export function findAnyClone(db: Database, id: string): Clone | undefined {
  return asClone(prepare<[string], Row<Clone>>(db, `SELECT ${columns} FROM clones WHERE id = ?`).get(id))
}

/** Finds the account's clone of that recording. */
export function findCloneOf(db: Database, accountId: string, sha256: string): Clone | undefined {
  const sql = `SELECT ${columns} FROM clones WHERE account_id = ? AND sha256 = unhex(?)`
  return asClone(prepare<[string, string], Row<Clone>>(db, sql).get(accountId, sha256))
}

/** Finds the account's oldest clone. */
export function findFirstClone(db: Database, accountId: string): Clone | undefined {
  const sql = `SELECT ${columns} FROM clones WHERE account_id = ? ORDER BY created_at_ms, id LIMIT 1`
  return asClone(prepare<[string], Row<Clone>>(db, sql).get(accountId))
}

/** Lists the account's clones, oldest first. */
export function listClones(db: Database, accountId: string): ListedClone[] {
  const sql = `SELECT ${listedColumns} FROM clones WHERE account_id = ? ORDER BY created_at_ms, id`
  return prepare<[string], Row<ListedClone>>(db, sql)
    .all(accountId)
    .map((row) => asClone(row)!)
}

export function countClones(db: Database, accountId: string): number {
  const sql = 'SELECT count(*) AS count FROM clones WHERE account_id = ?'
  return prepare<[string], { count: number }>(db, sql).get(accountId)!.count
}

/** Inserts a clone. `keepReference` must have recorded its recording. */
export function insertClone(db: Database, clone: Clone): void {
  prepare(
    db,
    `INSERT INTO clones (id, account_id, request_id, sha256, name, language, gender, method, base_voice_id, profile, warnings,
       recording_ms, demo_name, created_at_ms)
     VALUES (@id, @accountId, @requestId, unhex(@sha256), @name, @language, @gender, @method, @baseVoiceId, @profile, @warnings,
       @recordingMs, @demoName, @createdAtMs)`,
  ).run({ ...clone, warnings: JSON.stringify(clone.warnings) })
}

/** Writes the result of a new enrolment. Returns false when the clone was deleted meanwhile. */
export function updateClone(
  db: Database,
  { id, method, language, gender, baseVoiceId, profile, demoName }: Clone,
): boolean {
  const updated = prepare(
    db,
    `UPDATE clones SET method = ?, language = ?, gender = ?, base_voice_id = ?, profile = ?, demo_name = ? WHERE id = ?`,
  ).run(method, language, gender, baseVoiceId, profile, demoName, id)
  return updated.changes === 1
}

/**
 * Deletes a clone, and the rows of its recording and their URLs when no other clone of the recording remains. Returns
 * false when there is no such clone.
 */
export function deleteClone(db: Database, { id, sha256 }: Pick<Clone, 'id' | 'sha256'>): boolean {
  return transact(db, () => {
    if (prepare(db, 'DELETE FROM clones WHERE id = ?').run(id).changes === 0) return false
    const sql = 'DELETE FROM reference_files WHERE sha256 = unhex(?) AND sha256 NOT IN (SELECT sha256 FROM clones)'
    prepare(db, sql).run(sha256)
    return true
  })
}

/** Records that the service keeps the file of the recording. */
export function keepReference(
  db: Database,
  { sha256, sizeBytes, nowMs }: { sha256: string; sizeBytes: number; nowMs: number },
): void {
  prepare(
    db,
    `INSERT INTO reference_files (sha256, size_bytes, created_at_ms) VALUES (unhex(?), ?, ?)
     ON CONFLICT (sha256) DO UPDATE SET is_kept = 1`,
  ).run(sha256, sizeBytes, nowMs)
}

/** Records that the URL led to a kept recording. */
export function noteUrl(db: Database, url: string, sha256: string): void {
  const sql = 'INSERT INTO reference_urls (url, sha256) VALUES (?, unhex(?)) ON CONFLICT (url) DO NOTHING'
  prepare(db, sql).run(url, sha256)
}

export function hasReference(db: Database, sha256: string): boolean {
  const sql = 'SELECT 1 FROM reference_files WHERE sha256 = unhex(?) AND is_kept = 1'
  return prepare(db, sql).get(sha256) !== undefined
}

/** Returns the SHA-256 of the kept recording to which the URL led when it was first cloned from. */
export function findReferenceOfUrl(db: Database, url: string): string | undefined {
  const sql = `SELECT lower(hex(sha256)) AS sha256 FROM reference_urls JOIN reference_files USING (sha256)
    WHERE url = ? AND is_kept = 1`
  return prepare<[string], { sha256: string }>(db, sql).get(url)?.sha256
}

/** Lists the SHA-256 of all kept recordings. */
export function listReferences(db: Database): string[] {
  const sql = 'SELECT lower(hex(sha256)) AS sha256 FROM reference_files WHERE is_kept = 1'
  return prepare<[], { sha256: string }>(db, sql)
    .all()
    .map(({ sha256 }) => sha256)
}

/** Counts the kept recordings, and their bytes. */
export function sumReferences(db: Database): { count: number; sizeBytes: number } {
  const sql =
    'SELECT count(*) AS count, coalesce(sum(size_bytes), 0) AS sizeBytes FROM reference_files WHERE is_kept = 1'
  return prepare<[], { count: number; sizeBytes: number }>(db, sql).get()!
}

/** Records that the file is deleted while clones of it remain. Cloning by its hash or URL is then impossible. */
export function purgeReference(db: Database, sha256: string): void {
  transact(db, () => {
    prepare(db, 'UPDATE reference_files SET is_kept = 0 WHERE sha256 = unhex(?)').run(sha256)
    prepare(db, 'DELETE FROM reference_urls WHERE sha256 = unhex(?)').run(sha256)
  })
}

function asClone<T extends ListedClone>(row: Row<T> | undefined): T | undefined {
  return row && ({ ...row, warnings: JSON.parse(row.warnings) } as unknown as T)
}
