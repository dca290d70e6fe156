CREATE TABLE report_templates (
  id TEXT PRIMARY KEY,
  -- The organization that owns it, or the person; organization_id is null exactly for a person's own.
  tenant_id TEXT NOT NULL,
  organization_id TEXT REFERENCES organizations (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  display_name TEXT NOT NULL,
  -- '' stands for the default wrapper.
  html_layout_template TEXT NOT NULL,
  css_stylesheet_template TEXT NOT NULL,
  css_media_type TEXT NOT NULL,
  content_template_json TEXT NOT NULL,
  body_field_path TEXT,
  revision INTEGER NOT NULL DEFAULT 1,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Set when it was deleted while reports use it: hidden and frozen, it lives on for them alone.
  deleted_at INTEGER,
  CHECK (organization_id IS NULL OR organization_id = tenant_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX report_templates_by_key ON report_templates (tenant_id, key) WHERE deleted_at IS NULL;
CREATE INDEX report_templates_of_tenant ON report_templates (tenant_id, id);
CREATE INDEX report_templates_of_organization ON report_templates (organization_id) WHERE organization_id IS NOT NULL;

-- Drafts. Their PDFs are documents of the location's library.
CREATE TABLE reports (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  organization_id TEXT,
  cluster_id TEXT NOT NULL,
  location_id TEXT NOT NULL REFERENCES locations (id),
  template_id TEXT NOT NULL REFERENCES report_templates (id),
  title TEXT NOT NULL,
  content_json TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  -- The latest PDF: a version of a document, the job that made it, and when.
  pdf_document_id TEXT,
  pdf_version INTEGER,
  pdf_job_id TEXT,
  pdf_generated_at INTEGER,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX reports_of_location ON reports (location_id, id);
CREATE INDEX reports_of_tenant ON reports (tenant_id, id);
CREATE INDEX reports_of_cluster ON reports (cluster_id, id);
CREATE INDEX reports_of_template ON reports (template_id);

CREATE TRIGGER reports_follow_location AFTER UPDATE OF cluster_id ON locations
WHEN OLD.cluster_id <> NEW.cluster_id BEGIN
  UPDATE reports SET cluster_id = NEW.cluster_id WHERE location_id = NEW.id;
END;
-- A deleted template goes with the last report that was made with it.
CREATE TRIGGER report_templates_end_with_reports AFTER DELETE ON reports BEGIN
  DELETE FROM report_templates WHERE id = OLD.template_id AND deleted_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM reports WHERE template_id = OLD.template_id);
END;

-- What was asked to be made into a PDF; the row has the id of the job that does it.
CREATE TABLE report_jobs (
  id TEXT PRIMARY KEY,
  report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
  tenant_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  progress_done INTEGER NOT NULL DEFAULT 0,
  progress_total INTEGER NOT NULL DEFAULT 0,
  error_code TEXT,
  error_detail TEXT,
  -- SHA-256 of everything the PDF depends on: an unchanged draft gets the job that is there.
  input_digest TEXT NOT NULL,
  -- Draft, template, branding and pictures as they stood when it was asked for; null once it has ended.
  snapshot TEXT,
  -- Pictures that were not there, as JSON.
  missing_images TEXT,
  -- What the paper did not take as it is, as JSON.
  warnings TEXT,
  document_id TEXT,
  document_version INTEGER,
  requested_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX report_jobs_of_report ON report_jobs (report_id, input_digest);
CREATE UNIQUE INDEX report_jobs_waiting ON report_jobs (report_id, input_digest) WHERE status IN ('queued', 'running');
CREATE INDEX report_jobs_of_tenant ON report_jobs (tenant_id, id);
CREATE INDEX report_jobs_of_document ON report_jobs (document_id) WHERE document_id IS NOT NULL;

-- Pictures of documents scaled for reports: made once, kept as long as the version they are of.
CREATE TABLE report_images (
  document_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- Longest edge it was made for, pixels.
  edge INTEGER NOT NULL,
  object_key TEXT NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (document_id, version, edge)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER report_images_end_with_version AFTER DELETE ON document_versions BEGIN
  UPDATE stored_objects SET purge_after = unixepoch() * 1000
    WHERE purge_after IS NULL AND key IN
      (SELECT object_key FROM report_images WHERE document_id = OLD.document_id AND version = OLD.version);
  DELETE FROM report_images WHERE document_id = OLD.document_id AND version = OLD.version;
END;
