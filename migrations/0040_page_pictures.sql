-- The pages of a HEIC or TIFF file whose pictures were drawn: from 1 to this number. Their keys follow from it.
ALTER TABLE document_versions ADD COLUMN page_pictures INTEGER NOT NULL DEFAULT 0;
