-- Size of a part, for an upload whose bytes are sent in parts; null for one that is sent in one request.
ALTER TABLE uploads ADD COLUMN part_bytes INTEGER CHECK (part_bytes > 0);
