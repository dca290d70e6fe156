-- The languages that the recognition of scans reads, a JSON list of BCP 47 codes; NULL: German and English.
ALTER TABLE organizations ADD COLUMN recognition_languages TEXT;

-- Pages that are read again keep their passages, which are below this index, until then.
ALTER TABLE unread_pages ADD COLUMN replaced_before INTEGER NOT NULL DEFAULT 0;
