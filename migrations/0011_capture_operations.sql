-- Image uploads of devices. The row of uploads with the same id has the transfer and the status.
CREATE TABLE capture_operations (
  id TEXT PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
  tenant_id TEXT NOT NULL,
  camera_id TEXT NOT NULL REFERENCES cameras (id) ON DELETE CASCADE,
  -- The location of the camera at the capture.
  location_id TEXT NOT NULL,
  assignment_generation INTEGER NOT NULL,
  -- The device makes this id. It is unique within its camera.
  capture_id TEXT NOT NULL,
  captured_at INTEGER NOT NULL,
  clock_quality TEXT NOT NULL CHECK (clock_quality IN ('synchronized', 'estimated')),
  -- When the upload was reserved.
  created_at INTEGER NOT NULL,
  -- Verification failed because of the service, without a verdict on the image. The upload waits for an operator.
  held_at INTEGER,
  held_code TEXT,
  held_detail TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX capture_operations_of_camera ON capture_operations (camera_id, created_at);
CREATE INDEX capture_operations_of_capture ON capture_operations (camera_id, capture_id, created_at);
CREATE INDEX capture_operations_held ON capture_operations (camera_id, id) WHERE held_at IS NOT NULL;

-- An operation can publish only once.
CREATE UNIQUE INDEX camera_captures_of_operation ON camera_captures (operation_id);
-- The number of latest images with the same bytes as the image before. A camera that hangs repeats its last image.
ALTER TABLE cameras ADD COLUMN identical_frames INTEGER NOT NULL DEFAULT 0;

-- When the first image of a camera expires, for the sweep. 0 means a check at once, also for an image that was being
-- verified when it expired.
ALTER TABLE cameras ADD COLUMN expires_at INTEGER;
CREATE INDEX cameras_expiring ON cameras (expires_at) WHERE expires_at IS NOT NULL;
CREATE TRIGGER camera_captures_expire AFTER INSERT ON camera_captures BEGIN
  -- Most images are not the first one: nothing is written for them.
  UPDATE cameras SET expires_at = iif(NEW.captured_at <= expired_until, 0, NEW.captured_at + retention_days * 86400000)
  WHERE id = NEW.camera_id AND (expires_at IS NULL
    OR expires_at > iif(NEW.captured_at <= expired_until, 0, NEW.captured_at + retention_days * 86400000));
END;
CREATE TRIGGER cameras_retention_changed AFTER UPDATE OF retention_days ON cameras WHEN NEW.retention_days <> OLD.retention_days BEGIN
  UPDATE cameras SET expires_at = 0 WHERE id = NEW.id AND expires_at IS NOT NULL;
END;
