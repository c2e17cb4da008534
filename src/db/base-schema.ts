/**
 * The schema of version 6, with which a new database starts. Like a released step it never changes; a change is a new
 * step in `migrations.ts`. Times are milliseconds since 1970, amounts are characters.
 */

/** A table comes after those that it refers to. */
const tables = {
  /** A voice plan. The public interface calls it a group. */
  plans: `
  CREATE TABLE plans (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE CHECK (length(name) > 0 AND name <> 'all'),
    created_at_ms INTEGER NOT NULL
  ) STRICT`,
  plan_voices: `
  CREATE TABLE plan_voices (
    plan_id  TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
    voice_id TEXT NOT NULL,
    PRIMARY KEY (plan_id, voice_id)
  ) STRICT, WITHOUT ROWID`,
  /** The provider computes the models of installed voices; null: the server's setting. */
  voice_settings: `
  CREATE TABLE voice_settings (
    voice_id     TEXT PRIMARY KEY,
    active       INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
    public       INTEGER NOT NULL DEFAULT 1 CHECK (public IN (0, 1)),
    featured     INTEGER NOT NULL DEFAULT 0 CHECK (featured IN (0, 1)),
    position     INTEGER NOT NULL DEFAULT 0,
    display_name TEXT,
    provider     TEXT CHECK (provider IN ('auto', 'cpu', 'webgpu', 'cuda', 'coreml', 'dml'))
  ) STRICT, WITHOUT ROWID`,

  /** No plan: the public voices. */
  accounts: `
  CREATE TABLE accounts (
    id             TEXT PRIMARY KEY,
    name           TEXT NOT NULL CHECK (length(name) > 0),
    email          TEXT,
    role           TEXT NOT NULL CHECK (role IN ('user', 'admin')),
    status         TEXT NOT NULL CHECK (status IN ('enabled', 'disabled')),
    plan_id        TEXT REFERENCES plans (id),
    account_number TEXT NOT NULL UNIQUE CHECK (length(account_number) = 16),
    created_at_ms  INTEGER NOT NULL
  ) STRICT`,
  /** The sessions of an account draw on its one key of kind `console`, which has no secret. */
  api_keys: `
  CREATE TABLE api_keys (
    id              TEXT PRIMARY KEY,
    account_id      TEXT NOT NULL REFERENCES accounts (id),
    kind            TEXT NOT NULL DEFAULT 'api' CHECK (kind IN ('api', 'console')),
    name            TEXT NOT NULL,
    prefix          TEXT,
    secret_sha256   BLOB UNIQUE CHECK (length(secret_sha256) = 32),
    status          TEXT NOT NULL CHECK (status IN ('active', 'revoked', 'deleted')),
    expires_at_ms   INTEGER,
    limit_tts       INTEGER CHECK (limit_tts > 0),
    limit_clone     INTEGER CHECK (limit_clone > 0),
    created_at_ms   INTEGER NOT NULL,
    last_used_at_ms INTEGER,
    CHECK ((kind = 'api') = (secret_sha256 IS NOT NULL) AND (kind = 'api') = (prefix IS NOT NULL))
  ) STRICT`,

  /** `email_folded` is the e-mail in lower case, made by the program: SQLite folds only A to Z. */
  persons: `
  CREATE TABLE persons (
    id            TEXT PRIMARY KEY,
    account_id    TEXT NOT NULL REFERENCES accounts (id),
    email         TEXT NOT NULL,
    email_folded  TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT`,
  sessions: `
  CREATE TABLE sessions (
    id              TEXT PRIMARY KEY,
    person_id       TEXT NOT NULL REFERENCES persons (id) ON DELETE CASCADE,
    secret_sha256   BLOB NOT NULL UNIQUE CHECK (length(secret_sha256) = 32),
    created_at_ms   INTEGER NOT NULL,
    last_used_at_ms INTEGER NOT NULL
  ) STRICT`,
  /** Links by which one person joins an account. The setup link of the first administrator has no time of expiry here. */
  invitations: `
  CREATE TABLE invitations (
    id            TEXT PRIMARY KEY,
    kind          TEXT NOT NULL CHECK (kind IN ('setup', 'invitation')),
    account_id    TEXT NOT NULL REFERENCES accounts (id),
    secret_sha256 BLOB NOT NULL UNIQUE CHECK (length(secret_sha256) = 32),
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,
    used_at_ms    INTEGER,
    CHECK ((kind = 'setup') = (expires_at_ms IS NULL))
  ) STRICT`,

  /** Totals that the audit proves from entries and holds. The checks make an overdraft impossible. */
  balances: `
  CREATE TABLE balances (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    available  INTEGER NOT NULL DEFAULT 0 CHECK (available >= 0),
    held       INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0)
  ) STRICT, WITHOUT ROWID`,
  key_spending: `
  CREATE TABLE key_spending (
    key_id   TEXT PRIMARY KEY REFERENCES api_keys (id),
    cap      INTEGER CHECK (cap >= 0),
    captured INTEGER NOT NULL DEFAULT 0 CHECK (captured >= 0),
    held     INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0)
  ) STRICT, WITHOUT ROWID`,
  /** A movement is two entries that add up to zero. `account` is an id of accounts or a system account. */
  ledger_entries: `
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
  ) STRICT, WITHOUT ROWID`,
  /** A capture may take less than was held; the rest is released with it. */
  holds: `
  CREATE TABLE holds (
    id             INTEGER PRIMARY KEY,
    request_id     TEXT NOT NULL,
    account_id     TEXT NOT NULL REFERENCES accounts (id),
    key_id         TEXT NOT NULL REFERENCES api_keys (id),
    purpose        TEXT NOT NULL CHECK (purpose IN ('speech', 'clones')),
    held_units     INTEGER NOT NULL CHECK (held_units > 0),
    captured_units INTEGER CHECK (captured_units BETWEEN 1 AND held_units),
    status         TEXT NOT NULL CHECK (status IN ('held', 'captured', 'released')),
    created_at_ms  INTEGER NOT NULL,
    expires_at_ms  INTEGER NOT NULL,
    CHECK ((status = 'captured') = (captured_units IS NOT NULL))
  ) STRICT`,
  activation_codes: `
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
  ) STRICT`,

  /** `audio_ms` is the length of the audio, `processing_ms` the time of the work. */
  usage: `
  CREATE TABLE usage (
    id            INTEGER PRIMARY KEY,
    request_id    TEXT NOT NULL UNIQUE,
    kind          TEXT NOT NULL CHECK (kind IN ('tts', 'clone')),
    account_id    TEXT NOT NULL REFERENCES accounts (id),
    key_id        TEXT NOT NULL REFERENCES api_keys (id),
    created_at_ms INTEGER NOT NULL,
    voice_id      TEXT NOT NULL,
    characters    INTEGER NOT NULL,
    units         INTEGER NOT NULL DEFAULT 0 CHECK (units >= 0),
    speed         REAL,
    format        TEXT,
    digest        BLOB,
    file_name     TEXT,
    audio_ms      INTEGER,
    processing_ms INTEGER,
    remaining     INTEGER,
    status        TEXT NOT NULL CHECK (status IN ('running', 'charged', 'partial', 'uncharged', 'failed')),
    error_code    TEXT,
    surface       TEXT NOT NULL DEFAULT 'api' CHECK (surface IN ('api', 'v1', 'stream', 'ws', 'wyoming', 'console')),
    CHECK (units = 0 OR status IN ('charged', 'partial')),
    CHECK (status <> 'partial' OR units BETWEEN 1 AND characters),
    CHECK (status = 'partial' OR (status = 'failed') = (error_code IS NOT NULL))
  ) STRICT`,
  /** Sums per account and UTC day (days since 1970) of the finished rows of usage. */
  usage_days: `
  CREATE TABLE usage_days (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    day        INTEGER NOT NULL,
    requests   INTEGER NOT NULL CHECK (requests >= 0),
    units      INTEGER NOT NULL CHECK (units >= 0),
    audio_ms   INTEGER NOT NULL CHECK (audio_ms >= 0),
    PRIMARY KEY (account_id, day)
  ) STRICT, WITHOUT ROWID`,

  /** Recordings that clones were made from, by the SHA-256 of their bytes. The files are in references/. */
  reference_files: `
  CREATE TABLE reference_files (
    sha256        BLOB PRIMARY KEY CHECK (length(sha256) = 32),
    size_bytes    INTEGER NOT NULL,
    is_kept       INTEGER NOT NULL DEFAULT 1 CHECK (is_kept IN (0, 1)),
    created_at_ms INTEGER NOT NULL
  ) STRICT`,
  /** The recording that a URL led to when it was first cloned from. */
  reference_urls: `
  CREATE TABLE reference_urls (
    url    TEXT PRIMARY KEY,
    sha256 BLOB NOT NULL REFERENCES reference_files (sha256) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID`,
  /** `request_id` paid for the clone. `profile` and `warnings` are JSON; `recording_ms` is the recording's length. */
  clones: `
  CREATE TABLE clones (
    id            TEXT PRIMARY KEY,
    account_id    TEXT NOT NULL REFERENCES accounts (id),
    request_id    TEXT NOT NULL UNIQUE REFERENCES usage (request_id),
    sha256        BLOB NOT NULL REFERENCES reference_files (sha256),
    name          TEXT NOT NULL,
    language      TEXT NOT NULL,
    gender        TEXT CHECK (gender IN ('female', 'male')),
    method        TEXT NOT NULL CHECK (method IN ('adapted', 'converted')),
    base_voice_id TEXT NOT NULL,
    profile       TEXT NOT NULL,
    warnings      TEXT NOT NULL,
    recording_ms  INTEGER NOT NULL,
    demo_name     TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    UNIQUE (account_id, sha256)
  ) STRICT`,

  audit_log: `
  CREATE TABLE audit_log (
    id            INTEGER PRIMARY KEY,
    created_at_ms INTEGER NOT NULL,
    actor         TEXT NOT NULL,
    act           TEXT NOT NULL,
    subject       TEXT NOT NULL,
    before        TEXT,
    after         TEXT
  ) STRICT`,
} as const

/** Lists by age are read in the order of (time, id). */
const indexes = {
  accounts_by_age: 'CREATE INDEX accounts_by_age ON accounts (created_at_ms, id)',
  accounts_by_plan: 'CREATE INDEX accounts_by_plan ON accounts (plan_id)',
  api_keys_by_account: 'CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at_ms, id)',
  api_keys_console: "CREATE UNIQUE INDEX api_keys_console ON api_keys (account_id) WHERE kind = 'console'",
  persons_by_account: 'CREATE INDEX persons_by_account ON persons (account_id, created_at_ms, id)',
  sessions_by_person: 'CREATE INDEX sessions_by_person ON sessions (person_id, created_at_ms, id)',
  invitations_by_account: 'CREATE INDEX invitations_by_account ON invitations (account_id, created_at_ms, id)',
  // The entries of a system account are never listed; without them the index is half as large.
  ledger_entries_by_account: `CREATE INDEX ledger_entries_by_account
      ON ledger_entries (account, created_at_ms, movement_id, units)
      WHERE account NOT IN ('codes', 'speech', 'clones', 'adjustments')`,
  holds_open: "CREATE INDEX holds_open ON holds (expires_at_ms) WHERE status = 'held'",
  holds_charged: "CREATE UNIQUE INDEX holds_charged ON holds (request_id) WHERE status <> 'released'",
  activation_codes_by_age: 'CREATE INDEX activation_codes_by_age ON activation_codes (created_at_ms, id)',
  usage_by_account: 'CREATE INDEX usage_by_account ON usage (account_id, created_at_ms)',
  usage_by_key: 'CREATE INDEX usage_by_key ON usage (key_id, created_at_ms)',
  usage_by_age: 'CREATE INDEX usage_by_age ON usage (created_at_ms)',
  reference_urls_by_file: 'CREATE INDEX reference_urls_by_file ON reference_urls (sha256)',
  clones_by_account: 'CREATE INDEX clones_by_account ON clones (account_id, created_at_ms, id)',
  clones_by_file: 'CREATE INDEX clones_by_file ON clones (sha256)',
  audit_log_by_age: 'CREATE INDEX audit_log_by_age ON audit_log (created_at_ms)',
} as const

const triggers = {
  ledger_entries_forbid_update: `CREATE TRIGGER ledger_entries_forbid_update BEFORE UPDATE ON ledger_entries
    BEGIN SELECT RAISE(ABORT, 'ledger entries are never changed'); END`,
  ledger_entries_forbid_delete: `CREATE TRIGGER ledger_entries_forbid_delete BEFORE DELETE ON ledger_entries
    BEGIN SELECT RAISE(ABORT, 'ledger entries are never deleted'); END`,
  holds_forbid_second_resolution: `CREATE TRIGGER holds_forbid_second_resolution BEFORE UPDATE ON holds
    WHEN OLD.status <> 'held' OR NEW.id <> OLD.id OR NEW.held_units <> OLD.held_units
      OR NEW.account_id <> OLD.account_id OR NEW.key_id <> OLD.key_id OR NEW.request_id <> OLD.request_id
      OR NEW.purpose <> OLD.purpose
    BEGIN SELECT RAISE(ABORT, 'a hold is resolved once'); END`,
  holds_forbid_delete: `CREATE TRIGGER holds_forbid_delete BEFORE DELETE ON holds
    BEGIN SELECT RAISE(ABORT, 'holds are never deleted'); END`,
  usage_forbid_update_after_success: `CREATE TRIGGER usage_forbid_update_after_success BEFORE UPDATE ON usage
    WHEN OLD.status IN ('charged', 'partial', 'uncharged') OR NEW.id <> OLD.id OR NEW.request_id <> OLD.request_id
      OR NEW.account_id <> OLD.account_id
    BEGIN SELECT RAISE(ABORT, 'a request that succeeded is never changed'); END`,
  usage_forbid_delete: `CREATE TRIGGER usage_forbid_delete BEFORE DELETE ON usage
    BEGIN SELECT RAISE(ABORT, 'usage is never deleted'); END`,
  audit_log_forbid_update: `CREATE TRIGGER audit_log_forbid_update BEFORE UPDATE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log is never changed'); END`,
  audit_log_forbid_delete: `CREATE TRIGGER audit_log_forbid_delete BEFORE DELETE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log is never shortened'); END`,
} as const

export const baseSchema = { version: 6, tables, indexes, triggers }
