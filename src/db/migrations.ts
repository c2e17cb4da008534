/**
 * The steps of the schema, oldest first: the first one makes version 1, and each later one brings the version before it
 * to its own. A released step never changes; a change is a new step at the end. A new database starts with the base
 * schema instead, and takes only the steps after its version.
 */
import type { Database } from 'better-sqlite3'
import { baseSchema } from './base-schema'
import { migrateTo6 } from './migration-6'
import { migrateTo8 } from './migration-8'

/** Runs in a transaction with foreign keys off. */
type Migration = string | ((db: Database) => void)

export const migrations: readonly Migration[] = [
  `
  CREATE TABLE accounts (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL CHECK (length(name) > 0),
    role          TEXT NOT NULL CHECK (role IN ('user', 'admin')),
    status        TEXT NOT NULL CHECK (status IN ('enabled', 'disabled')),
    created_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE api_keys (
    id            TEXT PRIMARY KEY,
    account_id    TEXT NOT NULL REFERENCES accounts (id),
    name          TEXT NOT NULL,
    prefix        TEXT NOT NULL,
    secret_sha256 BLOB NOT NULL UNIQUE CHECK (length(secret_sha256) = 32),
    status        TEXT NOT NULL CHECK (status IN ('active', 'revoked')),
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX api_keys_by_account ON api_keys (account_id);
  `,
  `
  CREATE TABLE groups (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE CHECK (length(name) > 0 AND name <> 'all'),
    created_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE group_voices (
    group_id TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    voice_id TEXT NOT NULL,
    PRIMARY KEY (group_id, voice_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE voice_settings (
    voice_id     TEXT PRIMARY KEY,
    active       INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
    public       INTEGER NOT NULL DEFAULT 1 CHECK (public IN (0, 1)),
    featured     INTEGER NOT NULL DEFAULT 0 CHECK (featured IN (0, 1)),
    position     INTEGER NOT NULL DEFAULT 0,
    display_name TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE new_accounts (
    id             TEXT PRIMARY KEY,
    name           TEXT NOT NULL CHECK (length(name) > 0),
    email          TEXT,
    role           TEXT NOT NULL CHECK (role IN ('user', 'admin')),
    status         TEXT NOT NULL CHECK (status IN ('enabled', 'disabled')),
    group_id       TEXT REFERENCES groups (id),
    account_number TEXT NOT NULL UNIQUE CHECK (length(account_number) = 16),
    created_at_ms  INTEGER NOT NULL
  ) STRICT;
  INSERT INTO new_accounts
    SELECT id, name, NULL, role, status, NULL, printf('%016d', abs(random() % 10000000000000000)), created_at_ms
    FROM accounts;

  CREATE TABLE new_api_keys (
    id              TEXT PRIMARY KEY,
    account_id      TEXT NOT NULL REFERENCES new_accounts (id),
    name            TEXT NOT NULL,
    prefix          TEXT NOT NULL,
    secret_sha256   BLOB NOT NULL UNIQUE CHECK (length(secret_sha256) = 32),
    status          TEXT NOT NULL CHECK (status IN ('active', 'revoked', 'deleted')),
    expires_at_ms   INTEGER,
    limit_tts       INTEGER CHECK (limit_tts > 0),
    limit_clone     INTEGER CHECK (limit_clone > 0),
    created_at_ms   INTEGER NOT NULL,
    last_used_at_ms INTEGER
  ) STRICT;
  INSERT INTO new_api_keys
    SELECT id, account_id, name, prefix, secret_sha256, status, NULL, NULL, NULL, created_at_ms, NULL FROM api_keys;
  DROP TABLE api_keys;
  DROP TABLE accounts;
  ALTER TABLE new_accounts RENAME TO accounts;
  ALTER TABLE new_api_keys RENAME TO api_keys;
  CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at_ms);
  CREATE INDEX accounts_by_age ON accounts (created_at_ms);
  CREATE INDEX accounts_by_group ON accounts (group_id);

  -- Totals that the audit proves from the entries and holds; the checks are what makes an overdraft impossible.
  CREATE TABLE balances (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    available  INTEGER NOT NULL DEFAULT 0 CHECK (available >= 0),
    held       INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE key_spending (
    key_id   TEXT PRIMARY KEY REFERENCES api_keys (id),
    cap      INTEGER CHECK (cap >= 0),
    captured INTEGER NOT NULL DEFAULT 0 CHECK (captured >= 0),
    held     INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO balances (account_id) SELECT id FROM accounts;
  INSERT INTO key_spending (key_id) SELECT id FROM api_keys;

  -- Double entry: a movement is two rows whose units add up to zero. An account is one of accounts.id or a system account.
  CREATE TABLE ledger_entries (
    movement_id   TEXT NOT NULL,
    account       TEXT NOT NULL,
    units         INTEGER NOT NULL CHECK (units <> 0),
    kind          TEXT NOT NULL CHECK (kind IN ('capture', 'code', 'adjustment')),
    key_id        TEXT,
    reason        TEXT,
    created_at_ms INTEGER NOT NULL,
    PRIMARY KEY (movement_id, account),
    CHECK (kind <> 'adjustment' OR reason IS NOT NULL)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER ledger_entries_stay BEFORE UPDATE ON ledger_entries
    BEGIN SELECT RAISE(ABORT, 'ledger entries are never changed'); END;
  CREATE TRIGGER ledger_entries_remain BEFORE DELETE ON ledger_entries
    BEGIN SELECT RAISE(ABORT, 'ledger entries are never deleted'); END;

  CREATE TABLE holds (
    id            INTEGER PRIMARY KEY,
    request_id    TEXT NOT NULL,
    account_id    TEXT NOT NULL REFERENCES accounts (id),
    key_id        TEXT NOT NULL REFERENCES api_keys (id),
    purpose       TEXT NOT NULL CHECK (purpose IN ('speech', 'clones')),
    units         INTEGER NOT NULL CHECK (units > 0),
    status        TEXT NOT NULL CHECK (status IN ('held', 'captured', 'released')),
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX holds_open ON holds (expires_at_ms) WHERE status = 'held';
  CREATE UNIQUE INDEX holds_charged ON holds (request_id) WHERE status <> 'released';
  CREATE TRIGGER holds_resolve_once BEFORE UPDATE ON holds
    WHEN OLD.status <> 'held' OR NEW.id <> OLD.id OR NEW.units <> OLD.units OR NEW.account_id <> OLD.account_id
      OR NEW.key_id <> OLD.key_id OR NEW.request_id <> OLD.request_id OR NEW.purpose <> OLD.purpose
    BEGIN SELECT RAISE(ABORT, 'a hold is resolved once'); END;
  CREATE TRIGGER holds_remain BEFORE DELETE ON holds
    BEGIN SELECT RAISE(ABORT, 'holds are never deleted'); END;

  CREATE TABLE activation_codes (
    id            TEXT PRIMARY KEY,
    code_sha256   BLOB NOT NULL UNIQUE CHECK (length(code_sha256) = 32),
    suffix        TEXT NOT NULL,
    units         INTEGER NOT NULL CHECK (units > 0),
    status        TEXT NOT NULL CHECK (status IN ('unused', 'used', 'void')),
    note          TEXT,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,
    used_at_ms    INTEGER,
    used_by       TEXT REFERENCES accounts (id),
    CHECK ((status = 'used') = (used_by IS NOT NULL))
  ) STRICT;
  CREATE INDEX activation_codes_by_age ON activation_codes (created_at_ms);

  CREATE TABLE usage (
    id              INTEGER PRIMARY KEY,
    request_id      TEXT NOT NULL UNIQUE,
    kind            TEXT NOT NULL CHECK (kind IN ('tts', 'clone')),
    account_id      TEXT NOT NULL REFERENCES accounts (id),
    key_id          TEXT NOT NULL REFERENCES api_keys (id),
    created_at_ms   INTEGER NOT NULL,
    voice_id        TEXT NOT NULL,
    characters      INTEGER NOT NULL,
    units           INTEGER NOT NULL DEFAULT 0 CHECK (units >= 0),
    speed           REAL,
    format          TEXT,
    digest          BLOB,
    file_name       TEXT,
    audio_ms        INTEGER,
    duration_ms     INTEGER,
    remaining       INTEGER,
    status          TEXT NOT NULL CHECK (status IN ('running', 'charged', 'uncharged', 'failed')),
    error_code      TEXT,
    CHECK (units = 0 OR status = 'charged'),
    CHECK ((status = 'failed') = (error_code IS NOT NULL))
  ) STRICT;
  CREATE INDEX usage_by_account ON usage (account_id, created_at_ms);
  CREATE INDEX usage_by_key ON usage (key_id, created_at_ms);
  CREATE INDEX usage_by_age ON usage (created_at_ms);
  CREATE TRIGGER usage_stays BEFORE UPDATE ON usage
    WHEN OLD.status IN ('charged', 'uncharged') OR NEW.id <> OLD.id OR NEW.request_id <> OLD.request_id
      OR NEW.account_id <> OLD.account_id
    BEGIN SELECT RAISE(ABORT, 'a request that succeeded is never changed'); END;
  CREATE TRIGGER usage_remains BEFORE DELETE ON usage
    BEGIN SELECT RAISE(ABORT, 'usage is never deleted'); END;

  -- Sums per account and UTC day (days since 1970) of the finished rows of usage.
  CREATE TABLE usage_days (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    day        INTEGER NOT NULL,
    requests   INTEGER NOT NULL CHECK (requests >= 0),
    units      INTEGER NOT NULL CHECK (units >= 0),
    audio_ms   INTEGER NOT NULL CHECK (audio_ms >= 0),
    PRIMARY KEY (account_id, day)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE audit_log (
    id            INTEGER PRIMARY KEY,
    created_at_ms INTEGER NOT NULL,
    actor         TEXT NOT NULL,
    act           TEXT NOT NULL,
    subject       TEXT NOT NULL,
    before        TEXT,
    after         TEXT
  ) STRICT;
  CREATE TRIGGER audit_log_stays BEFORE UPDATE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log is never changed'); END;
  CREATE TRIGGER audit_log_remains BEFORE DELETE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log is never shortened'); END;
  `,
  `
  -- Recordings that clones were made from, by what is in them; the files lie in references/.
  CREATE TABLE reference_files (
    sha256        BLOB PRIMARY KEY CHECK (length(sha256) = 32),
    size_bytes    INTEGER NOT NULL,
    -- Until an administrator deletes it before its last clone is.
    is_kept       INTEGER NOT NULL DEFAULT 1 CHECK (is_kept IN (0, 1)),
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  -- What was found behind an address when it was first cloned from.
  CREATE TABLE reference_urls (
    url    TEXT PRIMARY KEY,
    sha256 BLOB NOT NULL REFERENCES reference_files (sha256) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX reference_urls_by_file ON reference_urls (sha256);
  CREATE TABLE clones (
    id            TEXT PRIMARY KEY,
    account_id    TEXT NOT NULL REFERENCES accounts (id),
    -- That paid for it.
    request_id    TEXT NOT NULL UNIQUE REFERENCES usage (request_id),
    sha256        BLOB NOT NULL REFERENCES reference_files (sha256),
    name          TEXT NOT NULL,
    language      TEXT NOT NULL,
    gender        TEXT NOT NULL CHECK (gender IN ('female', 'male')),
    method        TEXT NOT NULL CHECK (method IN ('adapted')),
    base_voice_id TEXT NOT NULL,
    -- JSON, of the speech room; holds no sound.
    profile       TEXT NOT NULL,
    -- JSON: what to do better with the next recording.
    warnings      TEXT NOT NULL,
    duration_ms   INTEGER NOT NULL,
    demo_name     TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    UNIQUE (account_id, sha256)
  ) STRICT;
  CREATE INDEX clones_by_account ON clones (account_id, created_at_ms);
  CREATE INDEX clones_by_file ON clones (sha256);
  `,
  `
  -- No table is renamed: for that SQLite would read the whole schema anew.
  CREATE TABLE kept_clones AS SELECT * FROM clones;
  DROP TABLE clones;
  CREATE TABLE clones (
    id            TEXT PRIMARY KEY,
    account_id    TEXT NOT NULL REFERENCES accounts (id),
    -- That paid for it.
    request_id    TEXT NOT NULL UNIQUE REFERENCES usage (request_id),
    sha256        BLOB NOT NULL REFERENCES reference_files (sha256),
    name          TEXT NOT NULL,
    language      TEXT NOT NULL,
    gender        TEXT NOT NULL CHECK (gender IN ('female', 'male')),
    method        TEXT NOT NULL CHECK (method IN ('adapted', 'converted')),
    base_voice_id TEXT NOT NULL,
    -- JSON, of the speech room; holds no sound.
    profile       TEXT NOT NULL,
    -- JSON: what to do better with the next recording.
    warnings      TEXT NOT NULL,
    duration_ms   INTEGER NOT NULL,
    demo_name     TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    UNIQUE (account_id, sha256)
  ) STRICT;
  INSERT INTO clones
    SELECT id, account_id, request_id, sha256, name, language, gender, method, base_voice_id, profile, warnings,
      duration_ms, demo_name, created_at_ms
    FROM kept_clones;
  DROP TABLE kept_clones;
  CREATE INDEX clones_by_account ON clones (account_id, created_at_ms);
  CREATE INDEX clones_by_file ON clones (sha256);
  `,
  `
  -- Of the models of installed voices; null: the server's.
  ALTER TABLE voice_settings ADD COLUMN provider TEXT
    CHECK (provider IN ('auto', 'cpu', 'webgpu', 'cuda', 'coreml', 'dml'));
  `,
  migrateTo6,
  `
  -- No earlier version began a session.
  DROP TABLE sessions;
  -- A secret and the one before it. A session is valid only in the database file in which it began.
  CREATE TABLE sessions (
    id              TEXT PRIMARY KEY,
    person_id       TEXT NOT NULL REFERENCES persons (id) ON DELETE CASCADE,
    secret_sha256   BLOB NOT NULL UNIQUE CHECK (length(secret_sha256) = 32),
    previous_sha256 BLOB UNIQUE CHECK (length(previous_sha256) = 32),
    rotated_at_ms   INTEGER NOT NULL,
    device          TEXT,
    database_file   TEXT NOT NULL,
    created_at_ms   INTEGER NOT NULL,
    last_used_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_person ON sessions (person_id, created_at_ms, id);
  `,
  migrateTo8,
  `
  -- A key that was replaced by another one works until this time.
  ALTER TABLE api_keys ADD COLUMN revokes_at_ms INTEGER;
  `,
  `
  -- An erased account keeps its row: ledger and history refer to it. Its files are deleted after its names.
  ALTER TABLE accounts ADD COLUMN erased_at_ms INTEGER;
  ALTER TABLE accounts ADD COLUMN files_left INTEGER NOT NULL DEFAULT 0 CHECK (files_left IN (0, 1));
  CREATE INDEX accounts_with_files_left ON accounts (id) WHERE files_left = 1;
  CREATE INDEX audit_log_by_subject ON audit_log (subject);
  -- An erasure replaces names and addresses, and nothing else.
  DROP TRIGGER audit_log_forbid_update;
  CREATE TRIGGER audit_log_forbid_update BEFORE UPDATE ON audit_log
    WHEN NEW.id <> OLD.id OR NEW.created_at_ms <> OLD.created_at_ms OR NEW.actor <> OLD.actor OR NEW.act <> OLD.act
      OR NEW.subject <> OLD.subject
      OR NEW.before IS NOT json_replace(OLD.before, '$.name', 'erased', '$.email', NULL, '$.display_name', 'erased', '$.prefix', 'sk-')
      OR NEW.after IS NOT json_replace(OLD.after, '$.name', 'erased', '$.email', NULL, '$.display_name', 'erased', '$.prefix', 'sk-')
    BEGIN SELECT RAISE(ABORT, 'the audit log is never changed'); END;
  `,
]

/** Brings the schema from `version` to the last one. Version 0 is an empty database. */
export function runMigrations(db: Database, version: number): void {
  if (version === 0) {
    const { tables, indexes, triggers } = baseSchema
    db.exec([tables, indexes, triggers].flatMap((parts) => Object.values<string>(parts)).join(';\n'))
  }
  for (const migration of migrations.slice(version === 0 ? baseSchema.version : version))
    if (typeof migration === 'string') db.exec(migration)
    else migration(db)
  db.pragma(`user_version = ${migrations.length}`)
}
