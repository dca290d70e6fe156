-- Folders that people made. A folder also exists while the path of a document has it.
CREATE TABLE folders (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  location_id TEXT NOT NULL REFERENCES locations (id) ON DELETE CASCADE,
  path TEXT NOT NULL CHECK (path <> ''),
  created_by TEXT,
  created_at INTEGER NOT NULL,
  -- The time of the change of folders that deleted it, with its documents.
  deleted_at INTEGER
) STRICT, WITHOUT ROWID;
-- The slash at the end puts a folder just before everything below it. So a tree is one range, in this index and in that of documents.
CREATE UNIQUE INDEX folders_by_path ON folders (location_id, path || '/') WHERE deleted_at IS NULL;
CREATE INDEX folders_deleted_together ON folders (location_id, deleted_at);
CREATE INDEX folders_deleted ON folders (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX folders_of_tenant ON folders (tenant_id, id);

CREATE INDEX documents_in_tree ON documents (location_id, path || '/', id) WHERE deleted_at IS NULL;
CREATE INDEX documents_deleted_together ON documents (location_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

-- Moves, deletions and restorations of folders with everything below them.
CREATE TABLE folder_changes (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  location_id TEXT NOT NULL REFERENCES locations (id) ON DELETE CASCADE,
  type TEXT NOT NULL CHECK (type IN ('move', 'delete', 'restore')),
  path TEXT NOT NULL CHECK (path <> ''),
  -- Of a move.
  new_path TEXT,
  status TEXT NOT NULL CHECK (status IN ('running', 'done', 'stopped')),
  total INTEGER NOT NULL,
  done INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  -- Why the first of the refused documents was not changed.
  reason TEXT,
  -- The deletion time of everything that a deletion deletes and a restoration restores.
  deleted_at INTEGER,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT, WITHOUT ROWID;
-- One change of folders runs at a time in a location.
CREATE UNIQUE INDEX folder_changes_running ON folder_changes (location_id) WHERE status = 'running';
CREATE INDEX folder_changes_of_location ON folder_changes (location_id);
CREATE INDEX folder_changes_of_tenant ON folder_changes (tenant_id, id);
CREATE INDEX folder_changes_finished ON folder_changes (finished_at) WHERE finished_at IS NOT NULL;
