-- What a workspace shows of a person: a copy of the account in the directory. It has no hash and no rights, and signs nobody in.
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  display_name TEXT NOT NULL,
  -- When the person took this name; an older copy does not replace a newer one.
  named_at INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE organizations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  -- Entitlements, which a platform administrator sets.
  cameras INTEGER NOT NULL CHECK (cameras IN (0, 1)),
  external_shares INTEGER NOT NULL CHECK (external_shares IN (0, 1)),
  document_storage_bytes INTEGER NOT NULL,
  jobs_per_month INTEGER NOT NULL,
  max_retention_days INTEGER NOT NULL,
  -- Whether the text of scanned pages is recognized. An owner decides.
  recognizes_scans INTEGER NOT NULL DEFAULT 1 CHECK (recognizes_scans IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX organizations_by_name ON organizations (name COLLATE NOCASE, id);

CREATE TABLE memberships (
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'guest')),
  overrides TEXT NOT NULL DEFAULT '{}',
  revision INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_of_user ON memberships (user_id, organization_id);

CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  overrides TEXT NOT NULL DEFAULT '{}',
  secret_hash TEXT NOT NULL UNIQUE,
  -- The hash of a second secret, which only the mailed link contains. Its holder reads the mail of the address.
  mailed_hash TEXT,
  invited_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  -- The registration that holds it. A job redeems or releases it if the registration stops in between.
  registration_id TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_of_organization ON invitations (organization_id, id);
CREATE UNIQUE INDEX invitations_by_mailed_hash ON invitations (mailed_hash) WHERE mailed_hash IS NOT NULL;
CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_expiry ON invitations (expires_at);

CREATE TABLE clusters (
  id TEXT PRIMARY KEY,
  -- The organization or the owner of the personal workspace. organization_id is null exactly in a personal workspace.
  tenant_id TEXT NOT NULL,
  organization_id TEXT REFERENCES organizations (id),
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  metadata TEXT NOT NULL DEFAULT '{}',
  revision INTEGER NOT NULL DEFAULT 1,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Set by its deletion. From then on it is invisible, first in the trash and then during its removal.
  deleted_at INTEGER,
  CHECK (organization_id IS NULL OR organization_id = tenant_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX clusters_of_tenant ON clusters (tenant_id, id);
CREATE INDEX clusters_of_organization ON clusters (organization_id) WHERE organization_id IS NOT NULL;

CREATE TABLE locations (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  organization_id TEXT REFERENCES organizations (id),
  cluster_id TEXT NOT NULL REFERENCES clusters (id),
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  address TEXT,
  latitude REAL,
  longitude REAL,
  -- IANA name, for the dates of its reports; null is UTC.
  time_zone TEXT,
  metadata TEXT NOT NULL DEFAULT '{}',
  revision INTEGER NOT NULL DEFAULT 1,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  -- The cluster that was deleted together with it. Its restoration restores this location too. Null if it was deleted separately.
  deleted_with TEXT,
  CHECK (organization_id IS NULL OR organization_id = tenant_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX locations_of_tenant ON locations (tenant_id, id);
CREATE INDEX locations_of_organization ON locations (organization_id) WHERE organization_id IS NOT NULL;
CREATE INDEX locations_of_cluster ON locations (cluster_id, id);

-- Deleted resources that can be restored, one row for each deletion. A restoration, a purge and the end of the recovery
-- window each delete the row, so only one of them succeeds.
CREATE TABLE trash (
  -- Ids sort by the time of deletion.
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('document', 'location', 'cluster')),
  -- The deleted resource.
  resource_id TEXT NOT NULL UNIQUE,
  -- Its path: the ids of the resource itself and of its containers are set.
  tenant_id TEXT NOT NULL,
  organization_id TEXT,
  cluster_id TEXT NOT NULL,
  location_id TEXT,
  document_id TEXT,
  -- Its name for people.
  name TEXT NOT NULL,
  deleted_at INTEGER NOT NULL,
  -- End of the recovery window.
  purge_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX trash_of_tenant ON trash (tenant_id, kind, id);
CREATE INDEX trash_of_cluster ON trash (cluster_id, kind, id);
CREATE INDEX trash_of_location ON trash (location_id, kind, id);
CREATE INDEX trash_of_document ON trash (document_id, kind, id);
CREATE INDEX trash_to_purge ON trash (purge_at);
-- A row is deleted with its resource, and moves with its location.
CREATE TRIGGER trash_ends_with_cluster AFTER DELETE ON clusters BEGIN
  DELETE FROM trash WHERE resource_id = OLD.id;
END;
CREATE TRIGGER trash_ends_with_location AFTER DELETE ON locations BEGIN
  DELETE FROM trash WHERE resource_id = OLD.id;
END;
CREATE TRIGGER trash_follows_location AFTER UPDATE OF cluster_id ON locations
WHEN OLD.cluster_id <> NEW.cluster_id BEGIN
  UPDATE trash SET cluster_id = NEW.cluster_id WHERE location_id = NEW.id;
END;

-- The capabilities of one user on one cluster, location or document.
CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  target TEXT NOT NULL CHECK (target IN ('cluster', 'location', 'document')),
  target_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  organization_id TEXT,
  capabilities TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  granted_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  UNIQUE (target_id, user_id)
) STRICT, WITHOUT ROWID;
-- All columns of a user's grants that each request reads, in their grouping order. SQLite needs no sort and no row lookup.
CREATE INDEX grants_covered ON grants (user_id, organization_id, target, capabilities, target_id, expires_at);
CREATE INDEX grants_of_tenant ON grants (tenant_id, user_id);
CREATE INDEX grants_expiry ON grants (expires_at) WHERE expires_at IS NOT NULL;

-- A grant is deleted together with its resource.
CREATE TRIGGER grants_end_with_cluster AFTER DELETE ON clusters BEGIN
  DELETE FROM grants WHERE target_id = OLD.id;
END;
CREATE TRIGGER grants_end_with_location AFTER DELETE ON locations BEGIN
  DELETE FROM grants WHERE target_id = OLD.id;
END;

CREATE TABLE annotations (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  organization_id TEXT,
  cluster_id TEXT NOT NULL,
  location_id TEXT NOT NULL REFERENCES locations (id),
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL DEFAULT '',
  -- GeoJSON-like: { latitude, longitude, altitude? } or { x, y, z? } in the location's coordinates.
  position TEXT,
  metadata TEXT NOT NULL DEFAULT '{}',
  revision INTEGER NOT NULL DEFAULT 1,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX annotations_of_location ON annotations (location_id, id);
CREATE INDEX annotations_of_tenant ON annotations (tenant_id, id);
CREATE INDEX annotations_of_cluster ON annotations (cluster_id, id);

-- The contents of a location move with it to another cluster. A trigger does this for every statement.
CREATE TRIGGER annotations_follow_location AFTER UPDATE OF cluster_id ON locations
WHEN OLD.cluster_id <> NEW.cluster_id BEGIN
  UPDATE annotations SET cluster_id = NEW.cluster_id WHERE location_id = NEW.id;
END;

-- Jobs that count against the monthly limit of an organization. A month is written as `2026-11`, in UTC.
CREATE TABLE job_usage (
  tenant_id TEXT NOT NULL,
  month TEXT NOT NULL,
  jobs INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, month)
) STRICT, WITHOUT ROWID;

-- Bytes in use and reserved. The triggers below count them for every statement.
CREATE TABLE storage_usage (
  tenant_id TEXT PRIMARY KEY,
  used_bytes INTEGER NOT NULL DEFAULT 0,
  reserved_bytes INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- The same for each location. The contents of a deleted location are not counted.
CREATE TABLE location_storage (
  location_id TEXT PRIMARY KEY REFERENCES locations (id) ON DELETE CASCADE,
  tenant_id TEXT NOT NULL,
  -- Stored objects. Images of cameras are counted apart, because each of them would write a second row of its tenant.
  used_bytes INTEGER NOT NULL DEFAULT 0,
  image_bytes INTEGER NOT NULL DEFAULT 0,
  -- Of `used_bytes`, all versions of documents, and of these the versions that are not the newest.
  document_bytes INTEGER NOT NULL DEFAULT 0,
  older_bytes INTEGER NOT NULL DEFAULT 0,
  -- Deleted documents, which are not counted above.
  trash_bytes INTEGER NOT NULL DEFAULT 0,
  counted INTEGER NOT NULL CHECK (counted IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX location_storage_of_tenant ON location_storage (tenant_id);
CREATE TRIGGER location_storage_begins AFTER INSERT ON locations BEGIN
  INSERT INTO location_storage (location_id, tenant_id, counted) VALUES (NEW.id, NEW.tenant_id, NEW.deleted_at IS NULL);
END;
CREATE TRIGGER location_storage_follows AFTER UPDATE OF deleted_at ON locations
WHEN (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) BEGIN
  UPDATE location_storage SET counted = NEW.deleted_at IS NULL WHERE location_id = NEW.id;
END;
CREATE TRIGGER location_storage_counted AFTER UPDATE OF used_bytes, counted ON location_storage BEGIN
  INSERT INTO storage_usage (tenant_id, used_bytes)
  VALUES (NEW.tenant_id, NEW.counted * (NEW.used_bytes + NEW.image_bytes) - OLD.counted * (OLD.used_bytes + OLD.image_bytes))
  ON CONFLICT (tenant_id) DO UPDATE SET used_bytes = used_bytes + excluded.used_bytes;
END;

-- Every stored object but those of images, which their frames list: together the expected contents of the bucket. A row is
-- deleted only after its object.
CREATE TABLE stored_objects (
  key TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  -- The location of its document; null if it belongs to none. A trigger sets it.
  location_id TEXT,
  -- 0 for previews, which are not counted.
  charged_bytes INTEGER NOT NULL,
  -- Set while its document is deleted: then it is not counted.
  in_trash INTEGER NOT NULL DEFAULT 0 CHECK (in_trash IN (0, 1)),
  created_at INTEGER NOT NULL,
  -- Set when its owner was deleted. The purge job deletes the object, then the row.
  purge_after INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX stored_objects_to_purge ON stored_objects (purge_after) WHERE purge_after IS NOT NULL;
CREATE INDEX stored_objects_of_tenant ON stored_objects (tenant_id);
CREATE TRIGGER stored_objects_counted AFTER INSERT ON stored_objects WHEN NEW.charged_bytes <> 0 BEGIN
  INSERT INTO storage_usage (tenant_id, used_bytes) VALUES (NEW.tenant_id, NEW.charged_bytes)
  ON CONFLICT (tenant_id) DO UPDATE SET used_bytes = used_bytes + excluded.used_bytes;
END;
CREATE TRIGGER stored_objects_moved AFTER UPDATE OF location_id, in_trash ON stored_objects
WHEN OLD.location_id IS NOT NEW.location_id OR OLD.in_trash <> NEW.in_trash BEGIN
  UPDATE storage_usage SET used_bytes = used_bytes
    - iif(OLD.location_id IS NULL AND OLD.in_trash = 0, OLD.charged_bytes, 0)
    + iif(NEW.location_id IS NULL AND NEW.in_trash = 0, NEW.charged_bytes, 0) WHERE tenant_id = NEW.tenant_id;
  UPDATE location_storage SET used_bytes = used_bytes - OLD.charged_bytes, document_bytes = document_bytes - OLD.charged_bytes
    WHERE location_id = OLD.location_id AND OLD.in_trash = 0;
  UPDATE location_storage SET used_bytes = used_bytes + NEW.charged_bytes, document_bytes = document_bytes + NEW.charged_bytes
    WHERE location_id = NEW.location_id AND NEW.in_trash = 0;
  UPDATE location_storage SET trash_bytes = trash_bytes - OLD.charged_bytes WHERE location_id = OLD.location_id AND OLD.in_trash = 1;
  UPDATE location_storage SET trash_bytes = trash_bytes + NEW.charged_bytes WHERE location_id = NEW.location_id AND NEW.in_trash = 1;
END;
CREATE TRIGGER stored_objects_uncounted AFTER DELETE ON stored_objects WHEN OLD.in_trash = 0 AND OLD.charged_bytes <> 0 BEGIN
  UPDATE storage_usage SET used_bytes = used_bytes - OLD.charged_bytes WHERE tenant_id = OLD.tenant_id AND OLD.location_id IS NULL;
  UPDATE location_storage SET used_bytes = used_bytes - OLD.charged_bytes WHERE location_id = OLD.location_id;
END;
CREATE TRIGGER stored_objects_left_trash AFTER DELETE ON stored_objects WHEN OLD.in_trash = 1 AND OLD.charged_bytes <> 0 BEGIN
  UPDATE location_storage SET trash_bytes = trash_bytes - OLD.charged_bytes WHERE location_id = OLD.location_id;
END;

-- Uploads of people: reserve, PUT to a staging key, verify, publish under the final key. An image of a camera takes the same
-- way in a row of its own.
CREATE TABLE uploads (
  id TEXT PRIMARY KEY,
  purpose TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  organization_id TEXT,
  -- The location of its target; null for a target without a location. The deletion of the location ends the upload.
  location_id TEXT,
  -- Its target (a document or a slot). All uploads of a target are cancelled together.
  target_id TEXT NOT NULL,
  -- Data that its purpose needs to publish it. The feature of the purpose parses it.
  subject TEXT NOT NULL,
  staging_key TEXT NOT NULL,
  content_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  checksum_sha256 TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'verifying', 'completed', 'rejected', 'expired')),
  rejection_code TEXT,
  rejection_detail TEXT,
  -- The job that is verifying it.
  verify_job_id TEXT,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  -- End of the reservation.
  expires_at INTEGER NOT NULL,
  -- Expiry of the last signed address: until then its holder can still upload an object.
  url_expires_at INTEGER NOT NULL,
  finished_at INTEGER,
  -- When the staging object was last deleted.
  cleaned_at INTEGER,
  -- The purpose of an upload decides how long it is kept after its end.
  forget_after INTEGER
) STRICT, WITHOUT ROWID;
-- The status is in no index: its changes write only the row.
CREATE INDEX uploads_open ON uploads (expires_at) WHERE finished_at IS NULL;
CREATE INDEX uploads_to_clean ON uploads (url_expires_at) WHERE finished_at IS NOT NULL AND cleaned_at IS NULL;
CREATE INDEX uploads_to_forget ON uploads (forget_after) WHERE forget_after IS NOT NULL;
CREATE INDEX uploads_of_target ON uploads (target_id, finished_at);
CREATE INDEX uploads_of_tenant ON uploads (tenant_id, finished_at);
CREATE TRIGGER uploads_reserved AFTER INSERT ON uploads WHEN NEW.status IN ('pending', 'verifying') BEGIN
  INSERT INTO storage_usage (tenant_id, reserved_bytes) VALUES (NEW.tenant_id, NEW.size_bytes)
  ON CONFLICT (tenant_id) DO UPDATE SET reserved_bytes = reserved_bytes + NEW.size_bytes;
END;
CREATE TRIGGER uploads_released AFTER UPDATE OF status ON uploads
WHEN OLD.status IN ('pending', 'verifying') AND NEW.status NOT IN ('pending', 'verifying') BEGIN
  UPDATE storage_usage SET reserved_bytes = reserved_bytes - OLD.size_bytes WHERE tenant_id = OLD.tenant_id;
END;
CREATE TRIGGER uploads_deleted AFTER DELETE ON uploads WHEN OLD.status IN ('pending', 'verifying') BEGIN
  UPDATE storage_usage SET reserved_bytes = reserved_bytes - OLD.size_bytes WHERE tenant_id = OLD.tenant_id;
END;
