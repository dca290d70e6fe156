-- SHA-256 of an export's evidence.json, which SHA256SUMS covers, too; null until it is ready.
ALTER TABLE camera_exports ADD COLUMN evidence_sha256 TEXT;
