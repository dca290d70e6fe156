-- Deleted resources that can be restored, of the kinds that `trash` does not take. One row for each deletion, as there.
CREATE TABLE trash_entries (
  -- Ids sort by the time of deletion.
  id TEXT PRIMARY KEY,
  -- 'report' or 'report-template'. The service checks it, so that a later kind needs no other table.
  kind TEXT NOT NULL,
  -- The deleted resource.
  resource_id TEXT NOT NULL UNIQUE,
  -- Its path. A template has no cluster and no location.
  tenant_id TEXT NOT NULL,
  organization_id TEXT,
  cluster_id TEXT,
  location_id TEXT,
  -- Its name for people.
  name TEXT NOT NULL,
  -- Null if no person deleted it.
  deleted_by TEXT,
  deleted_at INTEGER NOT NULL,
  -- End of the recovery window.
  purge_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX trash_entries_of_tenant ON trash_entries (tenant_id, kind, id);
CREATE INDEX trash_entries_of_cluster ON trash_entries (cluster_id, kind, id) WHERE cluster_id IS NOT NULL;
CREATE INDEX trash_entries_of_location ON trash_entries (location_id, kind, id) WHERE location_id IS NOT NULL;
CREATE INDEX trash_entries_to_purge ON trash_entries (purge_at);
-- Who deleted it. Null in rows of earlier versions.
ALTER TABLE trash ADD COLUMN deleted_by TEXT;

-- Set by its deletion. From then on it is invisible, first in the trash and then during its removal.
ALTER TABLE reports ADD COLUMN deleted_at INTEGER;

-- A row is deleted with its resource, and moves with its location.
CREATE TRIGGER trash_entries_end_with_report AFTER DELETE ON reports BEGIN
  DELETE FROM trash_entries WHERE resource_id = OLD.id;
END;
CREATE TRIGGER trash_entries_end_with_template AFTER DELETE ON report_templates BEGIN
  DELETE FROM trash_entries WHERE resource_id = OLD.id;
END;
CREATE TRIGGER trash_entries_follow_location AFTER UPDATE OF cluster_id ON locations
WHEN OLD.cluster_id <> NEW.cluster_id BEGIN
  UPDATE trash_entries SET cluster_id = NEW.cluster_id WHERE location_id = NEW.id;
END;
-- The row of a deleted template is deleted with its last report, unless the template can be restored.
DROP TRIGGER report_templates_end_with_reports;
CREATE TRIGGER report_templates_end_with_reports AFTER DELETE ON reports BEGIN
  DELETE FROM report_templates WHERE id = OLD.template_id AND deleted_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM reports WHERE template_id = OLD.template_id)
    AND NOT EXISTS (SELECT 1 FROM trash_entries WHERE resource_id = OLD.template_id);
END;

-- Who saved the present revision. Null: its creator, or unknown in rows of earlier versions.
ALTER TABLE report_templates ADD COLUMN updated_by TEXT;
-- The earlier revisions of templates. The present one is the row of the template.
CREATE TABLE report_template_revisions (
  template_id TEXT NOT NULL REFERENCES report_templates (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  display_name TEXT NOT NULL,
  -- Null if it is not known.
  saved_by TEXT,
  saved_at INTEGER NOT NULL,
  -- Bytes of the sources.
  size_bytes INTEGER NOT NULL,
  html_layout_template TEXT NOT NULL,
  css_stylesheet_template TEXT NOT NULL,
  css_media_type TEXT NOT NULL,
  content_template_json TEXT NOT NULL,
  body_field_path TEXT,
  PRIMARY KEY (template_id, revision)
) STRICT, WITHOUT ROWID;
