CREATE TABLE report_templates (
  id TEXT PRIMARY KEY,
  -- Its owner: an organization or a user. organization_id is null exactly for a user's template.
  tenant_id TEXT NOT NULL,
  organization_id TEXT REFERENCES organizations (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  display_name TEXT NOT NULL,
  -- '' means the default wrapper.
  html_layout_template TEXT NOT NULL,
  css_stylesheet_template TEXT NOT NULL,
  css_media_type TEXT NOT NULL,
  content_template_json TEXT NOT NULL,
  body_field_path TEXT,
  revision INTEGER NOT NULL DEFAULT 1,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Set when it was deleted while reports use it. It is then hidden and unchanged, only for these reports.
  deleted_at INTEGER,
  CHECK (organization_id IS NULL OR organization_id = tenant_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX report_templates_by_key ON report_templates (tenant_id, key) WHERE deleted_at IS NULL;
CREATE INDEX report_templates_of_tenant ON report_templates (tenant_id, id);
CREATE INDEX report_templates_of_organization ON report_templates (organization_id) WHERE organization_id IS NOT NULL;

-- Reports with their drafts. Their PDFs are documents of the location's library.
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
  -- The latest PDF: its document and version, its job and its time.
  pdf_document_id TEXT,
  pdf_version INTEGER,
  pdf_job_id TEXT,
  pdf_generated_at INTEGER,
  -- When the room of the report was first opened. The room exists from then on.
  room_opened_at INTEGER,
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
-- The row of a deleted template is deleted with its last report.
CREATE TRIGGER report_templates_end_with_reports AFTER DELETE ON reports BEGIN
  DELETE FROM report_templates WHERE id = OLD.template_id AND deleted_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM reports WHERE template_id = OLD.template_id);
END;

-- Requested PDFs. A row has the id of its job.
CREATE TABLE report_jobs (
  id TEXT PRIMARY KEY,
  report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
  tenant_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  progress_done INTEGER NOT NULL DEFAULT 0,
  progress_total INTEGER NOT NULL DEFAULT 0,
  error_code TEXT,
  error_detail TEXT,
  -- SHA-256 of all inputs of the PDF: an unchanged report gets its existing job.
  input_digest TEXT NOT NULL,
  -- The draft, template, branding and pictures at the time of the request; null after the end of the job.
  snapshot TEXT,
  -- Missing pictures, as JSON.
  missing_images TEXT,
  -- Elements that do not fit the paper, as JSON.
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
-- Each request of a PDF counts the waiting PDFs of its tenant. With this index, the cost depends only on waiting ones.
CREATE INDEX report_jobs_open ON report_jobs (tenant_id) WHERE status IN ('queued', 'running');

-- Pictures of documents, scaled for reports. They are made once and kept as long as their document version.
CREATE TABLE report_images (
  document_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- The longest edge for which it was scaled, pixels.
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

-- The users in the room of a report, so that a loss of access finds them. Rows that remain after a crash expire.
CREATE TABLE report_room_members (
  report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  location_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (report_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX report_room_members_of_user ON report_room_members (user_id);
CREATE INDEX report_room_members_of_location ON report_room_members (location_id);

-- The delta from each revision of a draft back to the one before, so that a write with an older base can be merged.
CREATE TABLE report_changes (
  report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  delta TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (report_id, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX report_changes_by_age ON report_changes (report_id, created_at);
