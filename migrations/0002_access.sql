CREATE TABLE users (
  id TEXT PRIMARY KEY,
  -- Trimmed and in lower case. An address proves nothing until it is verified.
  email TEXT NOT NULL UNIQUE,
  email_verified_at INTEGER,
  -- The external issuer that verified the address, and its subject. From then on only this subject can sign in to the account,
  -- and earlier credentials are no longer accepted.
  external_issuer TEXT,
  external_subject TEXT,
  display_name TEXT NOT NULL,
  -- When the person took this name, milliseconds since the epoch; 0 for the first name.
  named_at INTEGER NOT NULL DEFAULT 0,
  -- scrypt hash with its parameters and salt; null for users of an external issuer.
  password_hash TEXT,
  is_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1)),
  created_at INTEGER NOT NULL,
  CHECK ((external_issuer IS NULL) = (external_subject IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX users_by_subject ON users (external_issuer, external_subject) WHERE external_issuer IS NOT NULL;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER,
  user_agent TEXT NOT NULL,
  ip TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_user ON sessions (user_id, id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- The refresh tokens of a session. A second use of a token ends the session.
CREATE TABLE refresh_tokens (
  secret_hash TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX refresh_tokens_of_session ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);

-- Links that set a new password once.
CREATE TABLE password_resets (
  secret_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Whether the link was sent only to the account's address: then its user reads the mail of that address.
  is_mailed INTEGER NOT NULL CHECK (is_mailed IN (0, 1)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX password_resets_of_user ON password_resets (user_id);
CREATE INDEX password_resets_expiry ON password_resets (expires_at);

CREATE TABLE access_tokens (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  -- JSON array; null means every organization and the personal workspace.
  organization_ids TEXT,
  -- JSON object with the highest level of each capability; null means no limit.
  capabilities TEXT,
  revision INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX access_tokens_of_user ON access_tokens (user_id, id);
CREATE INDEX access_tokens_revoked ON access_tokens (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX access_tokens_expiry ON access_tokens (expires_at) WHERE expires_at IS NOT NULL;

-- Registrations by invitation that ended without an account. Of the account and this row, one is written.
CREATE TABLE ended_registrations (
  id TEXT PRIMARY KEY,
  ended_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ended_registrations_age ON ended_registrations (ended_at);

-- The database of each workspace, an organization or the personal workspace of a person. Ids that are made in a workspace carry
-- its number. A row stays when its workspace is deleted. A workspace without a row is in the first database.
CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  number INTEGER NOT NULL,
  database TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Changes of access and settings, and deletions: one row in the batch of each change.
CREATE TABLE audit_entries (
  id TEXT PRIMARY KEY,
  -- The organization; null for resources of a user (sessions, tokens, personal workspace).
  organization_id TEXT,
  actor_user_id TEXT,
  actor_kind TEXT NOT NULL,
  -- The id of the session or token, never a secret.
  credential_id TEXT,
  action TEXT NOT NULL,
  subject_type TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  details TEXT NOT NULL DEFAULT '{}',
  ip TEXT,
  request_id TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_of_organization ON audit_entries (organization_id, id);
-- The audit trail by action and by actor, newest first.
CREATE INDEX audit_of_action ON audit_entries (organization_id, action, id);
CREATE INDEX audit_of_actor ON audit_entries (organization_id, actor_user_id, id);
