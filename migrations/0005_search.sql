-- The search index. All of it can be built again from the tables it describes.

-- What terms are posted under, by a short number: each tenant, and each cluster, location and document that is shared.
-- Whoever holds a grant alone looks up the terms of what was shared with them, and of nothing else.
CREATE TABLE search_scopes (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The organization, the owner of a personal workspace, or the thing that is shared.
  scope_id TEXT NOT NULL UNIQUE,
  -- 1 once everything in a shared thing is posted under it; of no meaning for a tenant.
  posted INTEGER NOT NULL DEFAULT 0 CHECK (posted IN (0, 1))
) STRICT;
CREATE TRIGGER grants_open_scope AFTER INSERT ON grants BEGIN
  INSERT INTO search_scopes (scope_id) VALUES (NEW.target_id) ON CONFLICT (scope_id) DO NOTHING;
END;
CREATE TRIGGER grants_close_scope AFTER DELETE ON grants
WHEN NOT EXISTS (SELECT 1 FROM grants WHERE target_id = OLD.target_id) BEGIN
  DELETE FROM search_scopes WHERE scope_id = OLD.target_id;
END;

-- One indexed thing: a cluster, location, annotation or document by its own fields, or one version of a document's text.
CREATE TABLE search_entries (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The tenant's scope.
  tenant_key INTEGER NOT NULL,
  -- JSON array of the scopes its terms are posted under, in ascending order.
  scopes TEXT NOT NULL DEFAULT '[]',
  type TEXT NOT NULL CHECK (type IN ('cluster', 'location', 'annotation', 'document', 'text')),
  resource_id TEXT NOT NULL,
  -- Of the text; 0 for everything else.
  version INTEGER NOT NULL DEFAULT 0,
  -- The title its terms were made from.
  title TEXT NOT NULL,
  -- 0 while it is being written, a text beside the one that is searched.
  live INTEGER NOT NULL CHECK (live IN (0, 1)),
  -- Words of the title, rows, and words of their bodies in all.
  title_length INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
  body_length INTEGER NOT NULL,
  -- The job that writes it; an older one that finds another here stops.
  run TEXT,
  indexed_at INTEGER NOT NULL,
  UNIQUE (resource_id, type, version)
) STRICT;

-- Rows of search_terms: a text has one for each passage, under the passage's id; every other entry one, under minus its key.
CREATE TABLE search_rows (
  id INTEGER PRIMARY KEY,
  entry_key INTEGER NOT NULL,
  body_length INTEGER NOT NULL
) STRICT;

-- Terms are `<scope><kind><stem>_<form>`, once for each scope. The kind is a letter, so that no kind of thing somebody may not
-- see is read for those they may; the form says how the word was written, so that the terms are the list of words for spelling
-- and suggestions too. Under `ascii` every character above U+007F belongs to a term. Bodies stand in the first column, the one
-- that costs nothing to name; names are the words of titles again, of all entries but texts, to be found while they are typed.
CREATE VIRTUAL TABLE search_terms USING fts5 (
  body, title, name, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
CREATE VIRTUAL TABLE search_term_instances USING fts5vocab (search_terms, instance);
CREATE VIRTUAL TABLE search_term_list USING fts5vocab (search_terms, row);

-- What is gone leaves the index in the same statement, whoever deletes it.
CREATE TRIGGER passages_unindexed AFTER DELETE ON passages BEGIN
  DELETE FROM search_terms WHERE rowid = OLD.id;
  DELETE FROM search_rows WHERE id = OLD.id;
END;
CREATE TRIGGER search_entries_unindexed AFTER DELETE ON search_entries WHEN OLD.type <> 'text' BEGIN
  DELETE FROM search_terms WHERE rowid = -OLD.key;
  DELETE FROM search_rows WHERE id = -OLD.key;
END;
CREATE TRIGGER documents_unindexed AFTER DELETE ON documents BEGIN
  DELETE FROM search_entries WHERE resource_id = OLD.id;
END;
CREATE TRIGGER annotations_unindexed AFTER DELETE ON annotations BEGIN
  DELETE FROM search_entries WHERE resource_id = OLD.id;
END;
CREATE TRIGGER locations_unindexed AFTER DELETE ON locations BEGIN
  DELETE FROM search_entries WHERE resource_id = OLD.id;
END;
CREATE TRIGGER clusters_unindexed AFTER DELETE ON clusters BEGIN
  DELETE FROM search_entries WHERE resource_id = OLD.id;
END;
CREATE TRIGGER organizations_unindexed AFTER DELETE ON organizations BEGIN
  DELETE FROM search_scopes WHERE scope_id = OLD.id;
END;

-- What people searched for and what they did with the answer; terms are kept for a time that is a setting.
CREATE TABLE search_impressions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Folded and spaced alike, so that equal searches count together.
  term TEXT NOT NULL,
  corrected_term TEXT,
  result_count INTEGER NOT NULL,
  -- JSON array of the result ids in order; the first stands at first_position.
  results TEXT NOT NULL,
  first_position INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX search_impressions_of_user ON search_impressions (user_id);
CREATE INDEX search_impressions_age ON search_impressions (created_at);

-- The organizations a search counts for.
CREATE TABLE search_impression_organizations (
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  search_id TEXT NOT NULL REFERENCES search_impressions (id) ON DELETE CASCADE,
  PRIMARY KEY (organization_id, created_at, search_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX search_impression_organizations_of_search ON search_impression_organizations (search_id);

CREATE TABLE search_interactions (
  id TEXT PRIMARY KEY,
  search_id TEXT NOT NULL REFERENCES search_impressions (id) ON DELETE CASCADE,
  action TEXT NOT NULL,
  result_id TEXT,
  rank_position INTEGER,
  dwell_ms INTEGER,
  reformulated_term TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX search_interactions_of_search ON search_interactions (search_id, action);
