-- How far the files inside a version have become documents (JSON); NULL: nobody asked for it.
ALTER TABLE document_versions ADD COLUMN contained_files TEXT;
