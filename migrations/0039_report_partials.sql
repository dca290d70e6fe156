-- Parts that templates of an organization share, such as heads and feet: `{{> letterhead}}`.
CREATE TABLE report_partials (
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- A JSON array: the partials that its source names. Null: none.
  partials TEXT,
  revision INTEGER NOT NULL DEFAULT 1,
  created_by TEXT,
  -- Who saved the present revision. Null: its creator.
  updated_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (organization_id, name)
) STRICT, WITHOUT ROWID;

-- A JSON array: the partials that the sources of a template name. Null: none.
ALTER TABLE report_templates ADD COLUMN partials TEXT;
-- Finds the templates that use a partial, without their long sources.
CREATE INDEX report_templates_with_partials ON report_templates (tenant_id, partials) WHERE partials IS NOT NULL;
