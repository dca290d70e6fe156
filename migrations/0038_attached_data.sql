-- Whether the PDFs of a template's reports have the fields that their pages show in them, as a JSON file.
ALTER TABLE report_templates ADD COLUMN attaches_data INTEGER NOT NULL DEFAULT 0 CHECK (attaches_data IN (0, 1));
ALTER TABLE report_template_revisions ADD COLUMN attaches_data INTEGER NOT NULL DEFAULT 0 CHECK (attaches_data IN (0, 1));
