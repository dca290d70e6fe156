-- SHA-256 of an export's evidence.json, which SHA256SUMS also lists; null until the export is ready.
ALTER TABLE camera_exports ADD COLUMN evidence_sha256 TEXT;
