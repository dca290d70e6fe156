CREATE TABLE cameras (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  -- Null after its location was deleted. The camera is retired then, and its row stays for its images at other locations.
  location_id TEXT REFERENCES locations (id),
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  is_paused INTEGER NOT NULL DEFAULT 0 CHECK (is_paused IN (0, 1)),
  capture_interval_minutes INTEGER NOT NULL,
  retention_days INTEGER NOT NULL,
  -- Images taken until then expired before the retention was extended, and stay expired.
  expired_until INTEGER NOT NULL DEFAULT 0,
  capture_width INTEGER NOT NULL,
  capture_height INTEGER NOT NULL,
  jpeg_quality INTEGER NOT NULL,
  -- IANA name of the time zone.
  time_zone TEXT NOT NULL,
  -- { start, end, daysOfWeek } in local time; null means around the clock.
  capture_window TEXT,
  revision INTEGER NOT NULL DEFAULT 1,
  -- Number of its assignments to locations, from 1. Each image has the generation under which it was taken.
  assignment_generation INTEGER NOT NULL DEFAULT 1,
  revoked_at INTEGER,
  retired_at INTEGER,
  last_seen_at INTEGER,
  -- Capture time of the newest published image.
  last_capture_at INTEGER,
  -- When the last image was published.
  last_accepted_at INTEGER,
  -- Times of the latest admissions of images, oldest first, as a JSON list.
  admitted TEXT NOT NULL DEFAULT '[]',
  -- The last heartbeat that the device sent.
  device TEXT,
  -- Grows with every publication and removal of an image. Caches of the archive are keyed by it.
  watermark INTEGER NOT NULL DEFAULT 0,
  -- The number of latest images with the same bytes as the image before. A camera that hangs repeats its last image.
  identical_frames INTEGER NOT NULL DEFAULT 0,
  -- When the first image of the camera expires, for the sweep. 0 means a check at once, also for an image that was being
  -- verified when it expired.
  expires_at INTEGER,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK (organization_id = tenant_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX cameras_of_organization ON cameras (organization_id, id);
CREATE INDEX cameras_of_tenant ON cameras (tenant_id, id);
CREATE INDEX cameras_expiring ON cameras (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX cameras_of_location ON cameras (location_id, id);

-- The locations of a camera over time: its images stay visible at each of them. The settings that it had when it left are
-- kept, for people who see only that location. They are null while the camera is there.
CREATE TABLE camera_assignments (
  camera_id TEXT NOT NULL REFERENCES cameras (id) ON DELETE CASCADE,
  generation INTEGER NOT NULL,
  location_id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  camera_name TEXT,
  time_zone TEXT,
  capture_interval_minutes INTEGER,
  PRIMARY KEY (camera_id, generation)
) STRICT, WITHOUT ROWID;
CREATE INDEX camera_assignments_of_location ON camera_assignments (location_id, camera_id);

-- A camera at a location: one short number in place of four ids in each of its frames.
CREATE TABLE camera_places (
  -- A random number of 47 bits, so that the rows of a workspace can move to another database unchanged.
  place INTEGER PRIMARY KEY,
  camera_id TEXT NOT NULL REFERENCES cameras (id) ON DELETE CASCADE,
  location_id TEXT NOT NULL REFERENCES locations (id),
  tenant_id TEXT NOT NULL,
  UNIQUE (camera_id, location_id)
) STRICT;
CREATE INDEX camera_places_of_location ON camera_places (location_id);
CREATE TRIGGER camera_places_begin AFTER INSERT ON camera_assignments BEGIN
  INSERT INTO camera_places (place, camera_id, location_id, tenant_id)
  SELECT random() & 140737488355327, id, NEW.location_id, tenant_id FROM cameras WHERE id = NEW.camera_id
  ON CONFLICT (camera_id, location_id) DO NOTHING;
END;

CREATE TRIGGER cameras_retention_changed AFTER UPDATE OF retention_days ON cameras WHEN NEW.retention_days <> OLD.retention_days BEGIN
  UPDATE cameras SET expires_at = 0 WHERE id = NEW.id AND expires_at IS NOT NULL;
END;
