-- Codes with which a device pairs once with a camera. Only a keyed hash of a code is stored.
CREATE TABLE camera_enrollments (
  id TEXT PRIMARY KEY,
  camera_id TEXT NOT NULL REFERENCES cameras (id) ON DELETE CASCADE,
  code_hash TEXT NOT NULL UNIQUE,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- When the code was withdrawn: by a newer code, or because the access of the camera's device ended.
  ended_at INTEGER,
  -- The request that used the code, and the credential it got: a repeat of the request gets the same answer.
  redeemed_at INTEGER,
  redemption_id TEXT,
  credential_id TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX camera_enrollments_of_camera ON camera_enrollments (camera_id, created_at);
CREATE UNIQUE INDEX camera_enrollments_one_a_camera ON camera_enrollments (camera_id) WHERE ended_at IS NULL;

-- Credentials of devices. A device makes its own secret; only the hash is stored here.
CREATE TABLE camera_credentials (
  id TEXT PRIMARY KEY,
  camera_id TEXT NOT NULL REFERENCES cameras (id) ON DELETE CASCADE,
  secret_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX camera_credentials_of_camera ON camera_credentials (camera_id, created_at);
CREATE UNIQUE INDEX camera_credentials_one_a_camera ON camera_credentials (camera_id) WHERE revoked_at IS NULL;

-- Whether images of a camera are expected, and whether they are late.
CREATE TABLE camera_health (
  camera_id TEXT PRIMARY KEY REFERENCES cameras (id) ON DELETE CASCADE,
  -- Time of the next check: null while no images are expected, 0 for at once.
  check_at INTEGER,
  -- Since when images are expected under the present settings. Null while none are expected, or before the first check.
  watched_since INTEGER,
  silence TEXT CHECK (silence IN ('offline', 'camera-fault')),
  silent_since INTEGER,
  -- When people were notified that the camera is silent.
  notified_at INTEGER,
  -- When the camera came back, until people are notified of it.
  recovered_at INTEGER,
  -- Grows with every change of the facts of a check: a decision from older facts is not stored.
  revision INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX camera_health_due ON camera_health (check_at) WHERE check_at IS NOT NULL;

CREATE TRIGGER camera_health_begins AFTER INSERT ON cameras BEGIN
  INSERT INTO camera_health (camera_id) VALUES (NEW.id);
END;
-- A change of the expectations makes the camera due at once. An image that arrives as expected does not.
CREATE TRIGGER camera_health_settings AFTER UPDATE OF is_paused, capture_interval_minutes, capture_window, time_zone, location_id, retired_at ON cameras
WHEN NEW.is_paused IS NOT OLD.is_paused OR NEW.capture_interval_minutes IS NOT OLD.capture_interval_minutes
  OR NEW.capture_window IS NOT OLD.capture_window OR NEW.time_zone IS NOT OLD.time_zone
  OR NEW.location_id IS NOT OLD.location_id OR NEW.retired_at IS NOT OLD.retired_at BEGIN
  UPDATE camera_health SET check_at = 0, watched_since = NULL, revision = revision + 1 WHERE camera_id = NEW.id;
END;
CREATE TRIGGER camera_health_paired AFTER INSERT ON camera_credentials BEGIN
  UPDATE camera_health SET check_at = 0, watched_since = NULL, revision = revision + 1 WHERE camera_id = NEW.camera_id;
END;
CREATE TRIGGER camera_health_unpaired AFTER UPDATE OF revoked_at ON camera_credentials BEGIN
  UPDATE camera_health SET check_at = 0, watched_since = NULL, revision = revision + 1 WHERE camera_id = NEW.camera_id;
END;
CREATE TRIGGER camera_health_location AFTER UPDATE OF deleted_at ON locations
WHEN (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) BEGIN
  UPDATE camera_health SET check_at = 0, watched_since = NULL, revision = revision + 1
  WHERE camera_id IN (SELECT id FROM cameras WHERE location_id = NEW.id);
END;
CREATE TRIGGER camera_health_entitlement AFTER UPDATE OF cameras ON organizations WHEN NEW.cameras <> OLD.cameras BEGIN
  UPDATE camera_health SET check_at = 0, watched_since = NULL, revision = revision + 1
  WHERE camera_id IN (SELECT id FROM cameras WHERE organization_id = NEW.id);
END;
CREATE TRIGGER camera_health_heard AFTER UPDATE OF last_seen_at ON cameras WHEN NEW.last_seen_at IS NOT OLD.last_seen_at BEGIN
  UPDATE camera_health SET check_at = 0, revision = revision + 1 WHERE camera_id = NEW.id AND silence = 'offline';
END;
-- An image that arrives as expected writes nothing here.
CREATE TRIGGER camera_health_accepted AFTER UPDATE OF last_accepted_at ON cameras WHEN NEW.last_accepted_at IS NOT OLD.last_accepted_at BEGIN
  UPDATE camera_health SET check_at = 0, revision = revision + 1
  WHERE camera_id = NEW.id AND (notified_at IS NOT NULL OR silence IS NOT NULL);
END;

-- Why and when a camera took no images. They are the causes of gaps in its archive.
CREATE TABLE camera_conditions (
  camera_id TEXT NOT NULL REFERENCES cameras (id) ON DELETE CASCADE,
  -- `window` is a capture window that was in effect: outside of it no images were due.
  kind TEXT NOT NULL CHECK (kind IN ('paused', 'window', 'offline', 'camera-fault')),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  -- { errorCode } of a camera fault, { captureWindow, timeZone } of a window.
  detail TEXT NOT NULL DEFAULT '{}',
  PRIMARY KEY (camera_id, kind, started_at)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX camera_conditions_one_open ON camera_conditions (camera_id, kind) WHERE ended_at IS NULL;

-- Receipts of what deletions of locations removed of cameras. They outlive both.
CREATE TABLE camera_cleanups (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  location_id TEXT NOT NULL,
  location_name TEXT NOT NULL,
  camera_id TEXT NOT NULL,
  camera_name TEXT NOT NULL,
  -- Whether the camera was at the location and was retired. Otherwise only its earlier images there were removed.
  retired INTEGER NOT NULL CHECK (retired IN (0, 1)),
  requested_at INTEGER NOT NULL,
  captures_removed INTEGER NOT NULL DEFAULT 0,
  -- Size of the original images, bytes.
  bytes_removed INTEGER NOT NULL DEFAULT 0,
  finished_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX camera_cleanups_of_organization ON camera_cleanups (organization_id, id);
CREATE UNIQUE INDEX camera_cleanups_of_location ON camera_cleanups (location_id, camera_id);
