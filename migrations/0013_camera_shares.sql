-- Share links, which show cameras of one location to people without an account. Only the SHA-256 of a link's secret is stored.
CREATE TABLE camera_shares (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  location_id TEXT NOT NULL REFERENCES locations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- The cameras in display order, as a JSON list of ids.
  camera_ids TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  -- A PHC string of scrypt. Null: the link has no passcode.
  passcode_hash TEXT,
  -- Only images that were taken in this time are shown.
  shown_from INTEGER,
  shown_until INTEGER,
  hides_metadata INTEGER NOT NULL DEFAULT 1,
  shows_gap_causes INTEGER NOT NULL DEFAULT 1,
  revision INTEGER NOT NULL DEFAULT 1,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX camera_shares_of_location ON camera_shares (location_id, id);
CREATE INDEX camera_shares_of_organization ON camera_shares (organization_id, id);
CREATE INDEX camera_shares_revoked ON camera_shares (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX camera_shares_expiry ON camera_shares (expires_at) WHERE expires_at IS NOT NULL;
