-- Exports of whole workspaces as one ZIP, which each download computes from the manifest in the bucket.
CREATE TABLE workspace_exports (
  id TEXT PRIMARY KEY,
  -- The organization, or the person whose personal workspace and own data it has.
  tenant_id TEXT NOT NULL REFERENCES residents (workspace_id) ON DELETE CASCADE,
  organization_id TEXT,
  -- The person who requested it.
  user_id TEXT NOT NULL,
  -- Whether it has images of cameras, of which cameras (JSON list of ids; null for all), and the range of capture times, both ends
  -- included; null for an open end.
  has_images INTEGER NOT NULL,
  camera_ids TEXT,
  from_at INTEGER,
  to_at INTEGER,
  status TEXT NOT NULL CHECK (status IN ('queued', 'preparing', 'ready', 'failed', 'cancelled', 'lost')),
  -- Files and their bytes at the request, and the number of files and tables in the manifest so far.
  expected_files INTEGER NOT NULL,
  expected_bytes INTEGER NOT NULL,
  done INTEGER NOT NULL DEFAULT 0,
  -- Documents, versions, reports and images in it, and the size of the whole ZIP, when it is ready.
  file_count INTEGER,
  total_bytes INTEGER,
  error_code TEXT,
  error_detail TEXT,
  created_at INTEGER NOT NULL,
  ready_at INTEGER,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX workspace_exports_of_tenant ON workspace_exports (tenant_id, id);
CREATE INDEX workspace_exports_by_expiry ON workspace_exports (expires_at);
-- One export is prepared at a time.
CREATE UNIQUE INDEX workspace_exports_open ON workspace_exports (tenant_id) WHERE status IN ('queued', 'preparing');

-- The manifest: each row names an object in the bucket that lists members of the ZIP, in their order.
CREATE TABLE workspace_export_pages (
  export_id TEXT NOT NULL REFERENCES workspace_exports (id) ON DELETE CASCADE,
  page INTEGER NOT NULL,
  object_key TEXT NOT NULL,
  object_bytes INTEGER NOT NULL,
  members INTEGER NOT NULL,
  -- Bytes of the members with their headers, and of their entries in the directory.
  content_bytes INTEGER NOT NULL,
  directory_bytes INTEGER NOT NULL,
  PRIMARY KEY (export_id, page)
) STRICT, WITHOUT ROWID;
