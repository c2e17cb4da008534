/** The schema, step by step. A step that has been released is never changed; a change is a new step at the end. */
export const migrations: readonly string[] = [
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
]
