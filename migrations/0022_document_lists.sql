-- What lists of documents are sorted by. The service writes these columns; `sort-documents` fills them for older rows.
-- The file name in natural order: without case and accents, numbers by their value. '' until the job has filled the row.
ALTER TABLE documents ADD COLUMN sort_name TEXT NOT NULL DEFAULT '';
-- Of the latest version: what sort of file it is, and its size.
ALTER TABLE documents ADD COLUMN kind TEXT NOT NULL DEFAULT 'other' CHECK (kind IN
  ('pdf', 'text', 'spreadsheet', 'presentation', 'mail', 'picture', 'film', 'sound', 'archive', 'other'));
ALTER TABLE documents ADD COLUMN size_bytes INTEGER NOT NULL DEFAULT 0;
-- created_by without a null, so that a page can begin after it.
ALTER TABLE documents ADD COLUMN added_by TEXT GENERATED ALWAYS AS (ifnull(created_by, '')) VIRTUAL;

CREATE INDEX documents_by_name ON documents (location_id, sort_name, id) WHERE deleted_at IS NULL;
CREATE INDEX documents_by_folder ON documents (location_id, path, sort_name, id) WHERE deleted_at IS NULL;
CREATE INDEX documents_by_kind ON documents (location_id, kind, sort_name, id) WHERE deleted_at IS NULL;
CREATE INDEX documents_by_size ON documents (location_id, size_bytes, id) WHERE deleted_at IS NULL;
CREATE INDEX documents_by_change ON documents (location_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX documents_by_person ON documents (location_id, added_by, sort_name, id) WHERE deleted_at IS NULL;
CREATE INDEX documents_unsorted ON documents (sort_name, id) WHERE sort_name = '';

-- The tags of a workspace.
CREATE TABLE tags (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  organization_id TEXT,
  name TEXT NOT NULL,
  -- The letters and digits of the name, folded. A search names a tag by it.
  word TEXT NOT NULL,
  color TEXT NOT NULL CHECK (color IN
    ('grey', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink', 'brown')),
  revision INTEGER NOT NULL DEFAULT 1,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tags_by_word ON tags (tenant_id, word);

CREATE INDEX tags_of_tenant ON tags (tenant_id, id);

CREATE TABLE document_tags (
  document_id TEXT NOT NULL REFERENCES documents (id),
  tag_id TEXT NOT NULL REFERENCES tags (id),
  PRIMARY KEY (document_id, tag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_tags_of_tag ON document_tags (tag_id, document_id);
CREATE TRIGGER document_tags_end_with_document AFTER DELETE ON documents BEGIN
  DELETE FROM document_tags WHERE document_id = OLD.id;
END;
CREATE TRIGGER document_tags_end_with_tag AFTER DELETE ON tags BEGIN
  DELETE FROM document_tags WHERE tag_id = OLD.id;
END;
