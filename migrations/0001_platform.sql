-- A row with the name of a failure rolls its batch back: `INSERT INTO guards SELECT 'app:…' WHERE NOT (…)`.
CREATE TABLE guards (failure TEXT NOT NULL) STRICT;
CREATE TRIGGER guards_undo_batch BEFORE INSERT ON guards BEGIN SELECT RAISE(ABORT, NEW.failure); END;

-- The workspaces of this database: an organization, or the personal workspace of a person. A guard of each change requires the
-- state `here`. `leaving`: its rows are being copied to another database and do not change. `coming`: its rows arrive. `gone`:
-- it is in another database. A workspace without a row is not in this one.
CREATE TABLE residents (
  workspace_id TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('here', 'leaving', 'coming', 'gone'))
) STRICT, WITHOUT ROWID;

-- Open work, and the results that people may ask for. A job that succeeds leaves no row, unless it is kept.
CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  lane TEXT NOT NULL,
  tenant_id TEXT,
  payload TEXT NOT NULL,
  state TEXT,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  run_at INTEGER NOT NULL,
  sent_at INTEGER,
  resends INTEGER NOT NULL DEFAULT 0,
  lease_token TEXT,
  lease_until INTEGER,
  progress_done INTEGER NOT NULL DEFAULT 0,
  progress_total INTEGER NOT NULL DEFAULT 0,
  error_code TEXT,
  error_detail TEXT,
  -- 1: its row stays after its end. It failed, or somebody follows it.
  is_kept INTEGER NOT NULL DEFAULT 0 CHECK (is_kept IN (0, 1)),
  dedupe_key TEXT,
  requested_by TEXT,
  request_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER
) STRICT, WITHOUT ROWID;
-- A statement writes every index again that names a column it sets. So a queued job is in one of these indexes, and a
-- claimed job in one more: a job costs five rows.
CREATE UNIQUE INDEX jobs_one_waiting ON jobs (dedupe_key) WHERE dedupe_key IS NOT NULL;
CREATE INDEX jobs_in_line ON jobs (lane, tenant_id, run_at) WHERE status = 'queued' AND sent_at IS NULL;
CREATE INDEX jobs_in_queue ON jobs (lane, tenant_id, sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX jobs_kept ON jobs (kind, created_at) WHERE is_kept = 1;
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;

-- The progress of lanes whose jobs wait long: when a job was last taken that had waited, and the latest sending of one.
CREATE TABLE job_lanes (
  lane TEXT PRIMARY KEY,
  taken_at INTEGER NOT NULL,
  sent_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_keys (
  id TEXT PRIMARY KEY,
  request_hash TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('claimed', 'committed', 'answered')),
  claim_token TEXT NOT NULL,
  claimed_until INTEGER NOT NULL,
  -- Encrypted with the key, which is not stored: an answer can contain a secret that is shown only once.
  answer TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- The requests under an Idempotency-Key whose change is committed: one row in the batch of the change, in its own database.
-- Of several tries of a request only one can write it. A row is deleted with its key.
CREATE TABLE committed_requests (
  id TEXT PRIMARY KEY,
  claim_token TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  committed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE rate_windows (
  bucket TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX rate_windows_age ON rate_windows (started_at);
