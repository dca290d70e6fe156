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
