/** Two bare transactions that write the same number of rows as a hold and a capture, with the same pragmas. */
import Database from 'better-sqlite3'

export function openBare(path: string): { db: Database.Database; pair: () => void } {
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec(`
    CREATE TABLE balances (account_id TEXT PRIMARY KEY, available INTEGER, held INTEGER) WITHOUT ROWID;
    CREATE TABLE key_spending (key_id TEXT PRIMARY KEY, captured INTEGER, held INTEGER) WITHOUT ROWID;
    CREATE TABLE holds (id INTEGER PRIMARY KEY, request_id TEXT, account_id TEXT, key_id TEXT, purpose TEXT,
      units INTEGER, status TEXT, created_at_ms INTEGER, expires_at_ms INTEGER);
    CREATE TABLE ledger_entries (id INTEGER PRIMARY KEY, movement_id TEXT, account TEXT, units INTEGER, kind TEXT,
      key_id TEXT, created_at_ms INTEGER);
    CREATE TABLE usage (id INTEGER PRIMARY KEY, request_id TEXT, kind TEXT, account_id TEXT, key_id TEXT,
      created_at_ms INTEGER, voice_id TEXT, characters INTEGER, units INTEGER, speed REAL, format TEXT, digest BLOB,
      file_name TEXT, audio_ms INTEGER, duration_ms INTEGER, remaining INTEGER, status TEXT);
    CREATE TABLE usage_days (account_id TEXT, day INTEGER, requests INTEGER, units INTEGER, audio_ms INTEGER,
      PRIMARY KEY (account_id, day)) WITHOUT ROWID;
  `)
  const accountId = Bun.randomUUIDv7()
  const keyId = Bun.randomUUIDv7()
  const digest = crypto.getRandomValues(Buffer.alloc(32))
  const units = 50
  db.prepare('INSERT INTO balances VALUES (?, 1000000000, 0)').run(accountId)
  db.prepare('INSERT INTO key_spending VALUES (?, 0, 0)').run(keyId)
  db.prepare('INSERT INTO usage_days VALUES (?, 1, 0, 0, 0)').run(accountId)

  const hold = db.prepare('UPDATE balances SET available = available - ?, held = held + ? WHERE account_id = ?')
  const holdKey = db.prepare('UPDATE key_spending SET held = held + ? WHERE key_id = ?')
  const insertHold = db.prepare(`INSERT INTO holds (request_id, account_id, key_id, purpose, units, status,
    created_at_ms, expires_at_ms) VALUES (?, ?, ?, 'speech', ?, 'held', ?, ?)`)
  const insertUsage = db.prepare(`INSERT INTO usage (request_id, kind, account_id, key_id, created_at_ms, voice_id,
    characters, speed, format, digest, status) VALUES (?, 'tts', ?, ?, ?, 'heart', ?, 1, 'mp3', ?, 'running')`)
  const resolve = db.prepare("UPDATE holds SET status = 'captured' WHERE id = ?")
  const capture = db.prepare('UPDATE balances SET held = held - ? WHERE account_id = ?')
  const captureKey = db.prepare('UPDATE key_spending SET held = held - ?, captured = captured + ? WHERE key_id = ?')
  const insertEntries = db.prepare(`INSERT INTO ledger_entries (movement_id, account, units, kind, key_id,
    created_at_ms) VALUES (?, ?, ?, 'capture', ?, ?), (?, 'speech', ?, 'capture', ?, ?)`)
  const finish = db.prepare(`UPDATE usage SET status = 'charged', units = ?, remaining = ?, file_name = ?,
    audio_ms = 3000, duration_ms = 200 WHERE id = ?`)
  const addToDay = db.prepare(`UPDATE usage_days SET requests = requests + 1, units = units + ?,
    audio_ms = audio_ms + 3000 WHERE account_id = ?`)

  const first = db.transaction((requestId: string, nowMs: number) => {
    const { lastInsertRowid } = insertUsage.run(requestId, accountId, keyId, nowMs, units, digest)
    hold.run(units, units, accountId)
    holdKey.run(units, keyId)
    return {
      usageId: lastInsertRowid,
      holdId: insertHold.run(requestId, accountId, keyId, units, nowMs, nowMs).lastInsertRowid,
    }
  })
  const second = db.transaction((requestId: string, nowMs: number, { usageId, holdId }: ReturnType<typeof first>) => {
    resolve.run(holdId)
    capture.run(units, accountId)
    captureKey.run(units, units, keyId)
    const movementId = `hold-${holdId}`
    insertEntries.run(movementId, accountId, -units, keyId, nowMs, movementId, units, keyId, nowMs)
    finish.run(units, 1_000_000, `${requestId}.mp3`, usageId)
    addToDay.run(units, accountId)
  })
  return {
    db,
    pair() {
      const requestId = Bun.randomUUIDv7('hex').replaceAll('-', '')
      second(requestId, Date.now(), first(requestId, Date.now()))
    },
  }
}
