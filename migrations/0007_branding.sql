-- The branding of an organization. No row means an empty branding at revision 1.
CREATE TABLE organization_branding (
  organization_id TEXT PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
  brand_name TEXT,
  slogan TEXT,
  -- `#rgb`, `#rrggbb` or `#rrggbbaa`.
  primary_color TEXT,
  secondary_color TEXT,
  accent_color TEXT,
  -- Whether the page of a share link shows the name and the logo.
  shown_on_share_links INTEGER NOT NULL DEFAULT 0 CHECK (shown_on_share_links IN (0, 1)),
  revision INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The current file of each slot, with its previews.
CREATE TABLE branding_assets (
  -- No cascade: an organization with stored files cannot be deleted.
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  slot TEXT NOT NULL CHECK (slot IN ('logo', 'banner')),
  object_key TEXT NOT NULL,
  file_name TEXT NOT NULL,
  content_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  checksum_sha256 TEXT NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  small_key TEXT NOT NULL,
  medium_key TEXT NOT NULL,
  -- The media type of both previews.
  preview_type TEXT NOT NULL,
  uploaded_by TEXT,
  uploaded_at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, slot)
) STRICT, WITHOUT ROWID;
