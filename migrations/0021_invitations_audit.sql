-- The audit trail by action and by actor, newest first.
CREATE INDEX audit_of_action ON audit_entries (organization_id, action, id);
CREATE INDEX audit_of_actor ON audit_entries (organization_id, actor_user_id, id);

-- The hash of a second secret, which only the mailed link contains. Its holder reads the mail of the address.
ALTER TABLE invitations ADD COLUMN mailed_hash TEXT;
CREATE UNIQUE INDEX invitations_by_mailed_hash ON invitations (mailed_hash) WHERE mailed_hash IS NOT NULL;
