-- A deleted organization waits for the recovery window. Nobody but its owners and an operator sees it, and they can restore it.
ALTER TABLE organizations ADD COLUMN deleted_at INTEGER;
ALTER TABLE organizations ADD COLUMN deleted_by TEXT;
-- The end of the recovery window.
ALTER TABLE organizations ADD COLUMN purge_at INTEGER;
-- When its removal began. From then on nothing restores it.
ALTER TABLE organizations ADD COLUMN removal_at INTEGER;
CREATE INDEX organizations_to_remove ON organizations (purge_at) WHERE purge_at IS NOT NULL;

-- Set when the account is deleted: the row has no name and no address any more, and stays for the ids that refer to it.
ALTER TABLE people ADD COLUMN deleted_at INTEGER;
-- A copy of the account that arrives late changes nothing. A request that began before the deletion gives the person no membership and no grant.
CREATE TRIGGER people_stay_deleted BEFORE UPDATE ON people WHEN OLD.deleted_at IS NOT NULL BEGIN
  SELECT RAISE(IGNORE);
END;
CREATE TRIGGER memberships_of_the_living BEFORE INSERT ON memberships
WHEN (SELECT deleted_at FROM people WHERE id = NEW.user_id) IS NOT NULL BEGIN
  SELECT RAISE(IGNORE);
END;
CREATE TRIGGER grants_of_the_living BEFORE INSERT ON grants
WHEN (SELECT deleted_at FROM people WHERE id = NEW.user_id) IS NOT NULL BEGIN
  SELECT RAISE(IGNORE);
END;
CREATE TRIGGER workspaces_of_the_living BEFORE INSERT ON residents
WHEN (SELECT deleted_at FROM people WHERE id = NEW.workspace_id) IS NOT NULL BEGIN
  SELECT RAISE(IGNORE);
END;

-- The searches of a person, which end with the account.
CREATE INDEX search_impressions_of_user ON search_impressions (user_id);

-- The receipts of removed workspaces. They are in the directory, because the workspace is gone.
CREATE TABLE removals (
  -- The organization, or the deleted person of a personal workspace.
  workspace_id TEXT PRIMARY KEY,
  -- The name of the organization; null for a personal workspace.
  name TEXT,
  deleted_at INTEGER NOT NULL,
  deleted_by TEXT,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  -- JSON array: kind, number and bytes of what there was when the removal began.
  contents TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The last owners of removed organizations, who can read the receipts.
CREATE TABLE removal_owners (
  user_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  PRIMARY KEY (user_id, workspace_id)
) STRICT, WITHOUT ROWID;

-- Identities of issuers whose accounts were deleted, as hashes. A token from before makes no new account.
CREATE TABLE deleted_identities (
  hash TEXT PRIMARY KEY,
  deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
