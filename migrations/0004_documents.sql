CREATE TABLE documents (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  organization_id TEXT,
  cluster_id TEXT NOT NULL,
  location_id TEXT NOT NULL REFERENCES locations (id),
  -- The folder below documents/, without slashes at its ends; '' is the root of the library.
  path TEXT NOT NULL,
  file_name TEXT NOT NULL,
  -- 0 until the first version is complete. Until then the document is invisible.
  latest_version INTEGER NOT NULL DEFAULT 0,
  next_version INTEGER NOT NULL DEFAULT 1,
  -- The version whose passages are shown, and the version whose passages are in the index.
  text_version INTEGER NOT NULL DEFAULT 0,
  text_status TEXT NOT NULL DEFAULT 'pending' CHECK (text_status IN
    ('pending', 'indexed', 'empty', 'encrypted', 'damaged', 'unsupported', 'unknown-charset', 'too-large', 'failed',
    'recognizing', 'recognized', 'illegible', 'recognition-off', 'recognition-limit')),
  text_detail TEXT,
  page_count INTEGER,
  -- The text of scanned pages: its main language (BCP 47) and the mean confidence of its words, 0 to 100.
  recognized_language TEXT,
  recognized_confidence INTEGER,
  revision INTEGER NOT NULL DEFAULT 1,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX documents_by_path ON documents (location_id, path, file_name) WHERE deleted_at IS NULL;
CREATE INDEX documents_of_tenant ON documents (tenant_id, id);
CREATE INDEX documents_of_cluster ON documents (cluster_id, id);
CREATE INDEX documents_of_location ON documents (location_id, id);
CREATE INDEX documents_unrecognized ON documents (tenant_id, id)
  WHERE text_status IN ('recognition-off', 'recognition-limit');

CREATE TRIGGER grants_end_with_document AFTER DELETE ON documents BEGIN
  DELETE FROM grants WHERE target_id = OLD.id;
END;
CREATE TRIGGER trash_ends_with_document AFTER DELETE ON documents BEGIN
  DELETE FROM trash WHERE resource_id = OLD.id;
END;
CREATE TRIGGER documents_follow_location AFTER UPDATE OF cluster_id ON locations
WHEN OLD.cluster_id <> NEW.cluster_id BEGIN
  UPDATE documents SET cluster_id = NEW.cluster_id WHERE location_id = NEW.id;
END;

CREATE TABLE document_versions (
  document_id TEXT NOT NULL REFERENCES documents (id),
  version INTEGER NOT NULL,
  object_key TEXT NOT NULL,
  -- The document's name when this version was uploaded.
  file_name TEXT NOT NULL,
  content_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  checksum_sha256 TEXT NOT NULL,
  -- Previews of a picture: status, keys and sizes.
  derivative_status TEXT NOT NULL DEFAULT 'none' CHECK (derivative_status IN ('none', 'pending', 'ready', 'failed')),
  -- The reason why there are no previews, for people.
  derivative_detail TEXT,
  small_key TEXT,
  medium_key TEXT,
  width INTEGER,
  height INTEGER,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (document_id, version)
) STRICT, WITHOUT ROWID;

-- Bytes count at the location of their document while the document is not deleted.
CREATE TRIGGER document_versions_located AFTER INSERT ON document_versions BEGIN
  UPDATE stored_objects SET location_id = (SELECT location_id FROM documents WHERE id = NEW.document_id)
  WHERE key = NEW.object_key;
END;
CREATE TRIGGER documents_storage_follows AFTER UPDATE OF location_id, deleted_at ON documents
WHEN OLD.location_id <> NEW.location_id OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) BEGIN
  UPDATE stored_objects SET location_id = NEW.location_id, in_trash = NEW.deleted_at IS NOT NULL
  WHERE key IN (SELECT object_key FROM document_versions WHERE document_id = NEW.id);
END;
-- The bytes of versions that are not the newest, at the location of their document while it is not deleted.
CREATE TRIGGER document_versions_older AFTER INSERT ON document_versions
WHEN NEW.version < (SELECT latest_version FROM documents WHERE id = NEW.document_id) BEGIN
  UPDATE location_storage SET older_bytes = older_bytes + NEW.size_bytes
    WHERE location_id = (SELECT location_id FROM documents WHERE id = NEW.document_id AND deleted_at IS NULL);
END;
CREATE TRIGGER documents_older_versions_follow AFTER UPDATE OF latest_version, location_id, deleted_at ON documents
WHEN EXISTS (SELECT 1 FROM document_versions WHERE document_id = NEW.id AND version < NEW.latest_version)
  AND (OLD.latest_version <> NEW.latest_version OR OLD.location_id <> NEW.location_id
    OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)) BEGIN
  UPDATE location_storage SET older_bytes = older_bytes - (SELECT coalesce(sum(size_bytes), 0) FROM document_versions
    WHERE document_id = OLD.id AND version < OLD.latest_version) WHERE location_id = OLD.location_id AND OLD.deleted_at IS NULL;
  UPDATE location_storage SET older_bytes = older_bytes + (SELECT coalesce(sum(size_bytes), 0) FROM document_versions
    WHERE document_id = NEW.id AND version < NEW.latest_version) WHERE location_id = NEW.location_id AND NEW.deleted_at IS NULL;
END;

-- The text of documents in reading order. A section has some consecutive passages of one page. Search ranks it and previews
-- show it.
CREATE TABLE text_sections (
  id INTEGER PRIMARY KEY,
  document_id TEXT NOT NULL REFERENCES documents (id),
  version INTEGER NOT NULL,
  -- Counts from 1; null if the format has no pages.
  page INTEGER,
  -- The index of its first passage. Passages count from 0 within the document.
  chunk_index INTEGER NOT NULL,
  -- JSON array of the texts of its passages.
  texts TEXT NOT NULL,
  UNIQUE (document_id, version, chunk_index)
) STRICT;

-- Consecutive pages of a version that wait for text recognition. Each page has room for some passages, so that the text
-- joins the text around it in reading order.
CREATE TABLE unread_pages (
  document_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- Count from 1.
  first_page INTEGER NOT NULL,
  last_page INTEGER NOT NULL,
  -- The index of the first passage.
  passage INTEGER NOT NULL,
  PRIMARY KEY (document_id, version, first_page)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER unread_pages_end_with_document AFTER DELETE ON documents BEGIN
  DELETE FROM unread_pages WHERE document_id = OLD.id;
END;

-- The pages of a version on which text recognition has ended.
CREATE TABLE recognized_pages (
  document_id TEXT NOT NULL REFERENCES documents (id),
  version INTEGER NOT NULL,
  page INTEGER NOT NULL,
  -- blank: nothing to recognize. The last three: the page could not be read.
  outcome TEXT NOT NULL CHECK (outcome IN ('recognized', 'blank', 'deadline', 'crashed', 'broken')),
  -- The object with the words and their boxes; null if no text could be read.
  object_key TEXT,
  words INTEGER NOT NULL,
  -- The mean of its words, 0 to 100.
  confidence INTEGER NOT NULL,
  -- BCP 47; null if unknown.
  language TEXT,
  passages INTEGER NOT NULL,
  PRIMARY KEY (document_id, version, page)
) STRICT, WITHOUT ROWID;
