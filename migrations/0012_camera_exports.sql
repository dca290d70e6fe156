-- Exports: the images of a request as one ZIP, which each download computes from the manifest.
CREATE TABLE camera_exports (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  camera_id TEXT NOT NULL REFERENCES cameras (id) ON DELETE CASCADE,
  location_id TEXT NOT NULL REFERENCES locations (id) ON DELETE CASCADE,
  -- The user who requested it. Only this user can read it.
  user_id TEXT NOT NULL,
  -- The range of capture times, both ends included; null for an open end.
  from_at INTEGER,
  to_at INTEGER,
  -- Images up to this capture time had expired before the request.
  retained_after INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'preparing', 'ready', 'failed', 'expired')),
  -- The number of images at the request, and the number in the manifest so far.
  expected_count INTEGER NOT NULL,
  image_count INTEGER NOT NULL DEFAULT 0,
  -- The size of the whole ZIP when it is ready, bytes.
  total_bytes INTEGER,
  first_captured_at INTEGER,
  last_captured_at INTEGER,
  evidence_crc32 INTEGER NOT NULL DEFAULT 0,
  checksums_crc32 INTEGER NOT NULL DEFAULT 0,
  -- SHA-256 of evidence.json, which SHA256SUMS also lists; null until the export is ready.
  evidence_sha256 TEXT,
  error_code TEXT,
  error_detail TEXT,
  created_at INTEGER NOT NULL,
  ready_at INTEGER,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX camera_exports_of_user ON camera_exports (user_id, camera_id, location_id, id);
CREATE INDEX camera_exports_of_camera ON camera_exports (camera_id, location_id, status);
CREATE INDEX camera_exports_of_location ON camera_exports (location_id, id);
CREATE INDEX camera_exports_by_expiry ON camera_exports (expires_at);

-- The manifest: each row lists several images, in the order of the ZIP.
CREATE TABLE camera_export_pages (
  export_id TEXT NOT NULL REFERENCES camera_exports (id) ON DELETE CASCADE,
  page INTEGER NOT NULL,
  image_count INTEGER NOT NULL,
  -- Size of the images with their headers, and of their records in evidence.json, bytes.
  image_bytes INTEGER NOT NULL,
  evidence_bytes INTEGER NOT NULL,
  -- The number of images whose offset in the file needs a ZIP64 directory entry.
  far_count INTEGER NOT NULL,
  -- JSON list of tuples.
  members TEXT NOT NULL,
  PRIMARY KEY (export_id, page)
) STRICT, WITHOUT ROWID;

-- An export ends when one of its images leaves the archive, for any reason.
CREATE TRIGGER camera_exports_lose_hidden AFTER UPDATE OF section ON camera_frames WHEN OLD.section = 0 AND NEW.section <> 0 BEGIN
  UPDATE camera_exports SET status = 'expired'
  WHERE (camera_id, location_id) = (SELECT camera_id, location_id FROM camera_places WHERE place = OLD.place)
    AND status IN ('queued', 'preparing', 'ready')
    AND created_at >= OLD.finished_at AND retained_after < OLD.captured_at AND coalesce(from_at, OLD.captured_at) <= OLD.captured_at
    AND coalesce(to_at, OLD.captured_at) >= OLD.captured_at;
END;
CREATE TRIGGER camera_exports_lose_removed AFTER DELETE ON camera_frames WHEN OLD.section = 0 BEGIN
  UPDATE camera_exports SET status = 'expired'
  WHERE (camera_id, location_id) = (SELECT camera_id, location_id FROM camera_places WHERE place = OLD.place)
    AND status IN ('queued', 'preparing', 'ready')
    AND created_at >= OLD.finished_at AND retained_after < OLD.captured_at AND coalesce(from_at, OLD.captured_at) <= OLD.captured_at
    AND coalesce(to_at, OLD.captured_at) >= OLD.captured_at;
END;
