-- The nightly backups that this installation takes, for their schedule and their state. The files are in the backup bucket.
CREATE TABLE backups (
  -- The time at which it began, which names its files.
  stamp TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  -- When the job last worked on it.
  worked_at INTEGER NOT NULL,
  completed_at INTEGER,
  workspaces INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  objects INTEGER NOT NULL,
  -- Objects that rows name and the bucket did not have.
  missing INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
