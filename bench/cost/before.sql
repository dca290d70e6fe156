-- The tables of an image before each frame had one row, for the comparison of sizes: those that keep a row after two days.
CREATE TABLE camera_captures (
  id TEXT PRIMARY KEY, tenant_id TEXT NOT NULL, organization_id TEXT NOT NULL, camera_id TEXT NOT NULL, location_id TEXT NOT NULL,
  assignment_generation INTEGER NOT NULL, operation_id TEXT NOT NULL, captured_at INTEGER NOT NULL, received_at INTEGER NOT NULL,
  completed_at INTEGER NOT NULL, clock_quality TEXT NOT NULL, size_bytes INTEGER NOT NULL, checksum_sha256 TEXT NOT NULL,
  crc32 INTEGER NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, preview_width INTEGER NOT NULL,
  preview_height INTEGER NOT NULL, tolerated TEXT NOT NULL DEFAULT '[]', deleted_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX camera_captures_of_operation ON camera_captures (operation_id);
CREATE INDEX camera_captures_by_time ON camera_captures (camera_id, location_id, captured_at, id, deleted_at) WHERE deleted_at IS NULL;
CREATE INDEX camera_captures_of_camera ON camera_captures (camera_id, captured_at);
CREATE INDEX camera_captures_of_location ON camera_captures (location_id, id);
CREATE TABLE stored_objects (
  key TEXT PRIMARY KEY, tenant_id TEXT NOT NULL, location_id TEXT, charged_bytes INTEGER NOT NULL, companion TEXT,
  in_trash INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, purge_after INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX stored_objects_to_purge ON stored_objects (purge_after) WHERE purge_after IS NOT NULL;
CREATE INDEX stored_objects_of_tenant ON stored_objects (tenant_id);
