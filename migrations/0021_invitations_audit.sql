-- The audit trail by what was done and by who did it, newest first.
CREATE INDEX audit_of_action ON audit_entries (organization_id, action, id);
CREATE INDEX audit_of_actor ON audit_entries (organization_id, actor_user_id, id);

-- The hash of a second secret, which only the mailed link carries: who brings it reads the address's mail.
ALTER TABLE invitations ADD COLUMN mailed_hash TEXT;
CREATE UNIQUE INDEX invitations_by_mailed_hash ON invitations (mailed_hash) WHERE mailed_hash IS NOT NULL;
