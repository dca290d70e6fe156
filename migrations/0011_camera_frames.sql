-- Images of cameras. One row from the announcement to the removal: operation, transfer, image, ledger entry of its objects
-- and receipt. A frame is the most frequent thing of the service, so each column and each index is paid a million times.
CREATE TABLE camera_frames (
  place INTEGER NOT NULL REFERENCES camera_places (place),
  -- 0: in the archive. 1: open, it waits for its bytes or its verification. 2: aside, it is rejected, deleted or abandoned.
  -- Each is a range of the primary key, so that a seek in the archive never reads the others.
  section INTEGER NOT NULL CHECK (section IN (0, 1, 2)),
  captured_at INTEGER NOT NULL,
  -- The capture id: the device makes it. It is derived from it when another camera uses the same one.
  id TEXT NOT NULL,
  -- The upload operation, a UUID whose time is `captured_at`: the primary key finds it. The keys of its objects contain it.
  operation BLOB NOT NULL,
  -- The id that the device made, where `id` is derived from it.
  announced_id TEXT,
  generation INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'verifying', 'completed', 'rejected', 'expired', 'cancelled')),
  -- 1: expired or cancelled. The same capture can be announced again.
  is_abandoned INTEGER NOT NULL DEFAULT 0 CHECK (is_abandoned = (status IN ('expired', 'cancelled'))),
  -- When `clean-frames` must look at it: the reservation has ended, or objects are to be deleted. Null: nothing is left to do.
  due_at INTEGER,
  -- When it was announced, and when it was published, rejected or abandoned.
  received_at INTEGER NOT NULL,
  finished_at INTEGER,
  -- 1: the device was not sure of its clock.
  is_estimated INTEGER NOT NULL CHECK (is_estimated IN (0, 1)),
  -- The announced size and SHA-256.
  size_bytes INTEGER NOT NULL,
  checksum BLOB NOT NULL,
  -- Bytes of its objects that count in the storage: from the verdict until they are deleted.
  charged_bytes INTEGER NOT NULL DEFAULT 0,
  crc32 INTEGER,
  -- Size of the upright picture and of its preview, pixels.
  width INTEGER,
  height INTEGER,
  preview_width INTEGER,
  preview_height INTEGER,
  -- The deviations of the JPEG that were tolerated, as a JSON list of names. Null: none.
  tolerated TEXT,
  -- Why it was rejected, or why it is held: the service could not verify it, and it waits for a person.
  reason_code TEXT,
  reason_detail TEXT,
  held_at INTEGER,
  deleted_at INTEGER,
  PRIMARY KEY (place, section, captured_at, id, operation),
  CHECK ((section = 1) = (status IN ('pending', 'verifying'))),
  CHECK ((section = 0) = (status = 'completed' AND deleted_at IS NULL))
) STRICT, WITHOUT ROWID;
-- The status is in no key and no index of a usual frame: its changes write only the row.
CREATE UNIQUE INDEX camera_frames_by_id ON camera_frames (id) WHERE is_abandoned = 0;
CREATE INDEX camera_frames_abandoned ON camera_frames (id) WHERE is_abandoned = 1;
CREATE INDEX camera_frames_due ON camera_frames (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX camera_frames_rejected ON camera_frames (place, finished_at, operation) WHERE status = 'rejected';

-- The archive: published images with the camera, location and tenant of their place. SQLite leaves out the LEFT JOIN where a statement uses
-- none of these ids, except in one with max() or min().
CREATE VIEW camera_captures AS
SELECT f.id, p.tenant_id, p.tenant_id AS organization_id, p.camera_id, p.location_id, f.place AS place, f.generation AS assignment_generation,
  lower(substr(hex(f.operation), 1, 8) || '-' || substr(hex(f.operation), 9, 4) || '-' || substr(hex(f.operation), 13, 4) || '-'
    || substr(hex(f.operation), 17, 4) || '-' || substr(hex(f.operation), 21)) AS operation_id,
  f.captured_at, f.received_at, f.finished_at AS completed_at, iif(f.is_estimated, 'estimated', 'synchronized') AS clock_quality,
  f.size_bytes, lower(hex(f.checksum)) AS checksum_sha256, f.crc32, f.width, f.height, f.preview_width, f.preview_height,
  coalesce(f.tolerated, '[]') AS tolerated
FROM camera_frames AS f LEFT JOIN camera_places AS p ON p.place = f.place WHERE f.section = 0 AND f.is_abandoned = 0;
-- Adds a published image whose objects exist, for example those of the demo.
CREATE TRIGGER camera_captures_added INSTEAD OF INSERT ON camera_captures BEGIN
  INSERT INTO camera_frames (place, section, captured_at, id, operation, generation, status, received_at, finished_at,
    is_estimated, size_bytes, checksum, charged_bytes, crc32, width, height, preview_width, preview_height, tolerated)
  SELECT place, 0, NEW.captured_at, NEW.id, unhex(NEW.operation_id, '-'), NEW.assignment_generation, 'completed', NEW.received_at,
    NEW.completed_at, NEW.clock_quality = 'estimated', NEW.size_bytes, unhex(NEW.checksum_sha256), NEW.size_bytes, NEW.crc32,
    NEW.width, NEW.height, NEW.preview_width, NEW.preview_height, nullif(NEW.tolerated, '[]')
  FROM camera_places WHERE camera_id = NEW.camera_id AND location_id = NEW.location_id;
  UPDATE cameras SET last_accepted_at = max(coalesce(last_accepted_at, 0), NEW.completed_at) WHERE id = NEW.camera_id;
END;

-- An open frame reserves its announced bytes. Its objects count from the verdict until they are deleted, unless its location
-- is deleted. Each change writes a row of its location and one of its tenant.
CREATE TRIGGER camera_frames_added AFTER INSERT ON camera_frames BEGIN
  UPDATE location_storage SET image_bytes = image_bytes + NEW.charged_bytes
  WHERE NEW.charged_bytes <> 0 AND location_id = (SELECT location_id FROM camera_places WHERE place = NEW.place);
  INSERT INTO storage_usage (tenant_id, used_bytes, reserved_bytes)
  SELECT p.tenant_id, NEW.charged_bytes * coalesce((SELECT counted FROM location_storage WHERE location_id = p.location_id), 0),
    iif(NEW.section = 1, NEW.size_bytes, 0)
  FROM camera_places AS p WHERE p.place = NEW.place
  ON CONFLICT (tenant_id) DO UPDATE SET
    used_bytes = used_bytes + excluded.used_bytes, reserved_bytes = reserved_bytes + excluded.reserved_bytes;
END;
CREATE TRIGGER camera_frames_counted AFTER UPDATE OF section, charged_bytes ON camera_frames
WHEN OLD.charged_bytes <> NEW.charged_bytes OR (OLD.section = 1) <> (NEW.section = 1) BEGIN
  UPDATE location_storage SET image_bytes = image_bytes + NEW.charged_bytes - OLD.charged_bytes
  WHERE NEW.charged_bytes <> OLD.charged_bytes AND location_id = (SELECT location_id FROM camera_places WHERE place = NEW.place);
  UPDATE storage_usage SET
    used_bytes = used_bytes + (NEW.charged_bytes - OLD.charged_bytes) * coalesce((SELECT counted FROM location_storage
      WHERE location_id = (SELECT location_id FROM camera_places WHERE place = NEW.place)), 0),
    reserved_bytes = reserved_bytes + ((NEW.section = 1) - (OLD.section = 1)) * NEW.size_bytes
  WHERE tenant_id = (SELECT tenant_id FROM camera_places WHERE place = NEW.place);
END;
CREATE TRIGGER camera_frames_removed AFTER DELETE ON camera_frames WHEN OLD.charged_bytes <> 0 OR OLD.section = 1 BEGIN
  UPDATE location_storage SET image_bytes = image_bytes - OLD.charged_bytes
  WHERE OLD.charged_bytes <> 0 AND location_id = (SELECT location_id FROM camera_places WHERE place = OLD.place);
  UPDATE storage_usage SET
    used_bytes = used_bytes - OLD.charged_bytes * coalesce((SELECT counted FROM location_storage
      WHERE location_id = (SELECT location_id FROM camera_places WHERE place = OLD.place)), 0),
    reserved_bytes = reserved_bytes - iif(OLD.section = 1, OLD.size_bytes, 0)
  WHERE tenant_id = (SELECT tenant_id FROM camera_places WHERE place = OLD.place);
END;

-- Most images are not the first one of their camera: nothing is written for them.
CREATE TRIGGER camera_frames_expire AFTER UPDATE OF section ON camera_frames WHEN OLD.section <> 0 AND NEW.section = 0 BEGIN
  UPDATE cameras SET expires_at = iif(NEW.captured_at <= expired_until, 0, NEW.captured_at + retention_days * 86400000)
  WHERE id = (SELECT camera_id FROM camera_places WHERE place = NEW.place) AND (expires_at IS NULL
    OR expires_at > iif(NEW.captured_at <= expired_until, 0, NEW.captured_at + retention_days * 86400000));
END;
CREATE TRIGGER camera_frames_added_expire AFTER INSERT ON camera_frames WHEN NEW.section = 0 BEGIN
  UPDATE cameras SET expires_at = iif(NEW.captured_at <= expired_until, 0, NEW.captured_at + retention_days * 86400000)
  WHERE id = (SELECT camera_id FROM camera_places WHERE place = NEW.place) AND (expires_at IS NULL
    OR expires_at > iif(NEW.captured_at <= expired_until, 0, NEW.captured_at + retention_days * 86400000));
END;

-- The deletion of a location ends its transfers. `clean-frames` deletes their objects when no address can write them again.
CREATE TRIGGER camera_frames_end_with_location AFTER UPDATE OF deleted_at ON locations
WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
  UPDATE camera_frames SET section = 2, status = 'expired', is_abandoned = 1, finished_at = NEW.deleted_at,
    due_at = NEW.deleted_at + 3900000
  WHERE place IN (SELECT place FROM camera_places WHERE location_id = NEW.id) AND section = 1 AND status = 'pending';
END;
