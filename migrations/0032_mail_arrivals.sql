-- The mail address of a location. Mails that come to it become documents.
CREATE TABLE mail_addresses (
  location_id TEXT PRIMARY KEY REFERENCES locations (id) ON DELETE CASCADE,
  tenant_id TEXT NOT NULL,
  organization_id TEXT,
  -- The part before the @. It is random, and begins with the number of the workspace.
  local_part TEXT NOT NULL,
  is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1)),
  -- The folder of the documents; '' is the root.
  path TEXT NOT NULL,
  -- JSON list of addresses and domains. Empty: people who may add documents at the location.
  senders TEXT NOT NULL,
  -- JSON list of kinds of attachments; null: all.
  kinds TEXT,
  -- Largest mail, bytes; null: the limit of the service.
  max_bytes INTEGER,
  -- The person with whose rights the documents are added.
  acts_for TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX mail_addresses_by_local_part ON mail_addresses (local_part);
CREATE INDEX mail_addresses_of_tenant ON mail_addresses (tenant_id, location_id);

-- Mails that came to the address of a location.
CREATE TABLE mail_arrivals (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  location_id TEXT NOT NULL REFERENCES locations (id) ON DELETE CASCADE,
  -- SHA-256 of what a repeated delivery of the mail has in common; '' of a mail that was refused before it was read.
  digest TEXT NOT NULL,
  sender TEXT NOT NULL,
  subject TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'filed', 'refused')),
  -- Why it was refused, or filed without its attachments.
  reason TEXT,
  -- What the reason names: the attachment that was refused, or the limit.
  named TEXT,
  -- Number of documents that it became, and the document of the mail itself.
  documents INTEGER NOT NULL DEFAULT 0,
  document_id TEXT,
  -- The object with the mail until it is filed or refused.
  raw_key TEXT,
  -- The folder, the kinds and the person of the address when the mail came.
  path TEXT NOT NULL,
  kinds TEXT,
  acts_for TEXT NOT NULL,
  -- The address that gets an answer if the mail is refused, and the Message-ID that it answers. Null: nobody.
  answer_to TEXT,
  message_id TEXT,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT, WITHOUT ROWID;
-- A repeated delivery of a mail that was taken makes nothing.
CREATE UNIQUE INDEX mail_arrivals_once ON mail_arrivals (location_id, digest) WHERE status <> 'refused';
CREATE INDEX mail_arrivals_of_location ON mail_arrivals (location_id, id);
CREATE INDEX mail_arrivals_of_tenant ON mail_arrivals (tenant_id, id);
CREATE INDEX mail_arrivals_finished ON mail_arrivals (finished_at) WHERE finished_at IS NOT NULL;
