-- Moves of workspaces to another database. All workspaces of a number move together, so there is one row for each number: the
-- latest move. With one database, nothing is written here.
CREATE TABLE moves (
  number INTEGER PRIMARY KEY,
  -- The id of its job too.
  id TEXT NOT NULL UNIQUE,
  -- The workspace that was named.
  workspace_id TEXT NOT NULL,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  -- `copying`: the source has the workspaces, and they are closed to changes. `undoing`: as before, and the copies are removed.
  -- `switched`: the target has them. `opened`: they can be changed there, and the rows of the source are removed. `finished`,
  -- `undone`: it has ended.
  state TEXT NOT NULL CHECK (state IN ('copying', 'undoing', 'switched', 'opened', 'finished', 'undone')),
  -- Of the worker that moves now. A former one changes nothing more.
  token TEXT NOT NULL,
  requested_by TEXT,
  created_at INTEGER NOT NULL,
  closed_at INTEGER,
  switched_at INTEGER,
  opened_at INTEGER,
  finished_at INTEGER,
  -- Why it was undone.
  reason TEXT
) STRICT;

-- The move that holds a workspace in this database, and its worker.
ALTER TABLE residents ADD COLUMN move TEXT;
ALTER TABLE residents ADD COLUMN mover TEXT;

-- Work that goes over everything once. A row of `pointers`: the pointers of what existed before there were several databases are
-- written, and with `finished_at` they are complete. With one database there is no row.
CREATE TABLE walks (
  name TEXT PRIMARY KEY,
  begun_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT, WITHOUT ROWID;
