-- Several workspace databases. With one database, nothing is written to these tables.

-- The workspaces in which a person may have a membership or a grant: a superset. A row is written before the membership or the
-- grant, and gets a version that no row has had. It goes only after the workspace has noted that version (`pruned`).
CREATE TABLE pointers (
  version INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- An organization, or the owner of a personal workspace.
  workspace_id TEXT NOT NULL,
  UNIQUE (user_id, workspace_id)
) STRICT;

-- A new membership or grant of the person in the workspace needs a pointer with a later version.
CREATE TABLE pruned (
  workspace_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
) STRICT, WITHOUT ROWID;

-- The workspace that an id names by the number in it.
CREATE INDEX workspaces_of_number ON workspaces (number);
