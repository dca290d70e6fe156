-- An invitation can carry a grant instead of a membership: on which resource, what it gives, and its end. All are NULL for a membership.
ALTER TABLE invitations ADD COLUMN target TEXT CHECK (target IN ('cluster', 'location', 'document'));
ALTER TABLE invitations ADD COLUMN target_id TEXT;
ALTER TABLE invitations ADD COLUMN capabilities TEXT;
ALTER TABLE invitations ADD COLUMN grant_expires_at INTEGER;
CREATE INDEX invitations_of_target ON invitations (target_id, id) WHERE target_id IS NOT NULL;

-- A waiting share ends together with its resource, as a grant does.
CREATE TRIGGER invitations_end_with_cluster AFTER DELETE ON clusters BEGIN
  DELETE FROM invitations WHERE target_id = OLD.id;
END;
CREATE TRIGGER invitations_end_with_location AFTER DELETE ON locations BEGIN
  DELETE FROM invitations WHERE target_id = OLD.id;
END;
CREATE TRIGGER invitations_end_with_document AFTER DELETE ON documents BEGIN
  DELETE FROM invitations WHERE target_id = OLD.id;
END;
