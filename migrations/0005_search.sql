-- The search index. It can be rebuilt completely from the other tables.

-- The scopes of terms, by short numbers: each tenant, and each shared cluster, location and document.
-- A user with only a grant looks up only the terms of the shared resource.
CREATE TABLE search_scopes (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The organization, the owner of a personal workspace, or the shared resource.
  scope_id TEXT NOT NULL UNIQUE,
  -- 1 when all contents of a shared resource are posted under it. It has no meaning for a tenant.
  posted INTEGER NOT NULL DEFAULT 0 CHECK (posted IN (0, 1))
) STRICT;
CREATE TRIGGER grants_open_scope AFTER INSERT ON grants BEGIN
  INSERT INTO search_scopes (scope_id) VALUES (NEW.target_id) ON CONFLICT (scope_id) DO NOTHING;
END;
CREATE TRIGGER grants_close_scope AFTER DELETE ON grants
WHEN NOT EXISTS (SELECT 1 FROM grants WHERE target_id = OLD.target_id) BEGIN
  DELETE FROM search_scopes WHERE scope_id = OLD.target_id;
END;

-- One index entry: the fields of a cluster, location, annotation or document, or one version of a document's text.
CREATE TABLE search_entries (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The tenant's scope.
  tenant_key INTEGER NOT NULL,
  -- JSON array of the scopes of its terms, in ascending order.
  scopes TEXT NOT NULL DEFAULT '[]',
  type TEXT NOT NULL CHECK (type IN ('cluster', 'location', 'annotation', 'document', 'text')),
  resource_id TEXT NOT NULL,
  -- The version of the text; 0 for other entries.
  version INTEGER NOT NULL DEFAULT 0,
  -- The title from which its terms were made.
  title TEXT NOT NULL,
  -- 0 while a new text is written. Meanwhile the previous text is searched.
  live INTEGER NOT NULL CHECK (live IN (0, 1)),
  -- Number of words of the title, of rows, and of words of all bodies.
  title_length INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
  body_length INTEGER NOT NULL,
  -- The languages in which its words were stemmed, one bit for each. A query is stemmed in those of visible entries.
  languages INTEGER NOT NULL DEFAULT 1,
  -- The job that writes it. An older job that finds another id here stops.
  run TEXT,
  indexed_at INTEGER NOT NULL,
  UNIQUE (resource_id, type, version)
) STRICT;

-- Rows of search_terms: a text has one row for each passage, with the id of the passage. Every other entry has one row, with
-- minus its key.
CREATE TABLE search_rows (
  id INTEGER PRIMARY KEY,
  entry_key INTEGER NOT NULL,
  body_length INTEGER NOT NULL
) STRICT;

-- Terms have the form `<scope><kind><stem>_<form>`, and each scope has its own copy. The kind is a letter, so a search reads only
-- the terms of the kinds that the user may see. The form is the word as it was written. Spelling and suggestions use it as their
-- list of words. A stop word has the term `<scope><kind>_<word>_`, such as `_the_`, at its place in the text. Only phrases look
-- these terms up; ranking, spelling and suggestions never read them. With `ascii`, every character above U+007F belongs to a
-- term. Bodies are the first column, because FTS5 stores no column number for it. `name` repeats the words of titles of all
-- entries but texts, for suggestions while a user types. Some rows have their words once more as `<scope><sample><kind><stem>_<form>`:
-- where many words begin with the typed letters, suggestions count in a sample of the rows.
CREATE VIRTUAL TABLE search_terms USING fts5 (
  body, title, name, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
CREATE VIRTUAL TABLE search_term_instances USING fts5vocab (search_terms, instance);
CREATE VIRTUAL TABLE search_term_list USING fts5vocab (search_terms, row);

-- Deleted resources leave the index in the same statement.
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

-- Searches and interactions with their results. Terms are kept for SEARCH_TERMS_DAYS.
CREATE TABLE search_impressions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- In lower case and with single spaces, so that equal searches count together.
  term TEXT NOT NULL,
  corrected_term TEXT,
  result_count INTEGER NOT NULL,
  -- JSON array of the results in order, each with its id and those of its passages. The first has the rank first_position.
  results TEXT NOT NULL,
  first_position INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX search_impressions_age ON search_impressions (created_at);

-- The organizations whose insights include a search.
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
