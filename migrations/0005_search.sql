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

-- The live entries of one type in one place. People see all of them or none, except documents by grants of their own. The sums
-- give the statistics of ranking without a look at each entry. Triggers keep them.
CREATE TABLE search_groups (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The tenant's scope.
  tenant_key INTEGER NOT NULL,
  -- The location; for clusters, the cluster itself.
  place_id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('cluster', 'location', 'annotation', 'document', 'text')),
  row_count INTEGER NOT NULL DEFAULT 0,
  passage_count INTEGER NOT NULL DEFAULT 0,
  -- Words of the titles of all rows, and of all bodies.
  title_length INTEGER NOT NULL DEFAULT 0,
  body_length INTEGER NOT NULL DEFAULT 0,
  -- Entries with words in each language, in the order of the bits of search_entries.languages. The last entry that leaves takes
  -- its languages with it.
  english_count INTEGER NOT NULL DEFAULT 0,
  german_count INTEGER NOT NULL DEFAULT 0,
  french_count INTEGER NOT NULL DEFAULT 0,
  spanish_count INTEGER NOT NULL DEFAULT 0,
  italian_count INTEGER NOT NULL DEFAULT 0,
  dutch_count INTEGER NOT NULL DEFAULT 0,
  swedish_count INTEGER NOT NULL DEFAULT 0,
  norwegian_count INTEGER NOT NULL DEFAULT 0,
  danish_count INTEGER NOT NULL DEFAULT 0,
  finnish_count INTEGER NOT NULL DEFAULT 0,
  -- The languages with entries, one bit for each.
  languages INTEGER NOT NULL GENERATED ALWAYS AS (
    (english_count > 0) | ((german_count > 0) << 1) | ((french_count > 0) << 2) | ((spanish_count > 0) << 3) |
    ((italian_count > 0) << 4) | ((dutch_count > 0) << 5) | ((swedish_count > 0) << 6) | ((norwegian_count > 0) << 7) |
    ((danish_count > 0) << 8) | ((finnish_count > 0) << 9)
  ) VIRTUAL,
  UNIQUE (place_id, type)
) STRICT;

-- One index entry: the fields of a cluster, location, annotation or document, or one version of a document's text.
CREATE TABLE search_entries (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  group_key INTEGER NOT NULL,
  -- JSON array of the scopes of its terms, in ascending order.
  scopes TEXT NOT NULL DEFAULT '[]',
  type TEXT NOT NULL CHECK (type IN ('cluster', 'location', 'annotation', 'document', 'text')),
  resource_id TEXT NOT NULL,
  -- The version of the text; 0 for other entries.
  version INTEGER NOT NULL DEFAULT 0,
  -- The title from which its terms were made.
  title TEXT NOT NULL,
  -- 0 while a new text is written. Meanwhile the previous text is searched. 2 while its document is in the trash.
  live INTEGER NOT NULL CHECK (live IN (0, 1, 2)),
  -- Number of words of the title, of rows, of passages, and of words of all bodies.
  title_length INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
  passage_count INTEGER NOT NULL,
  body_length INTEGER NOT NULL,
  -- The languages in which its words were stemmed, one bit for each. A query is stemmed in those of visible entries.
  languages INTEGER NOT NULL DEFAULT 1,
  -- The job that writes it. An older job that finds another id here stops.
  run TEXT,
  indexed_at INTEGER NOT NULL,
  UNIQUE (resource_id, type, version)
) STRICT;
CREATE INDEX search_entries_hidden ON search_entries (group_key) WHERE live <> 1;

-- The rows of a moved entry are in its new group.
CREATE TRIGGER search_entries_regrouped AFTER UPDATE OF group_key ON search_entries WHEN OLD.group_key <> NEW.group_key BEGIN
  UPDATE search_rows SET group_key = NEW.group_key WHERE id = -NEW.key OR id IN (
    SELECT id FROM text_sections WHERE document_id = NEW.resource_id AND version = NEW.version AND NEW.type = 'text');
END;

-- A job that writes an entry again without a change leaves the row of its group alone.
CREATE TRIGGER search_entries_counted AFTER UPDATE OF live, group_key, title_length, row_count, passage_count, body_length, languages
ON search_entries WHEN (OLD.live = 1 OR NEW.live = 1)
  AND (OLD.live, OLD.group_key, OLD.title_length, OLD.row_count, OLD.passage_count, OLD.body_length, OLD.languages)
    <> (NEW.live, NEW.group_key, NEW.title_length, NEW.row_count, NEW.passage_count, NEW.body_length, NEW.languages) BEGIN
  UPDATE search_groups SET row_count = row_count - OLD.row_count, passage_count = passage_count - OLD.passage_count,
    title_length = title_length - OLD.title_length * OLD.row_count, body_length = body_length - OLD.body_length,
    english_count = english_count - (OLD.languages & 1), german_count = german_count - (OLD.languages >> 1 & 1),
    french_count = french_count - (OLD.languages >> 2 & 1), spanish_count = spanish_count - (OLD.languages >> 3 & 1),
    italian_count = italian_count - (OLD.languages >> 4 & 1), dutch_count = dutch_count - (OLD.languages >> 5 & 1),
    swedish_count = swedish_count - (OLD.languages >> 6 & 1), norwegian_count = norwegian_count - (OLD.languages >> 7 & 1),
    danish_count = danish_count - (OLD.languages >> 8 & 1), finnish_count = finnish_count - (OLD.languages >> 9 & 1)
  WHERE key = OLD.group_key AND OLD.live = 1;
  UPDATE search_groups SET row_count = row_count + NEW.row_count, passage_count = passage_count + NEW.passage_count,
    title_length = title_length + NEW.title_length * NEW.row_count, body_length = body_length + NEW.body_length,
    english_count = english_count + (NEW.languages & 1), german_count = german_count + (NEW.languages >> 1 & 1),
    french_count = french_count + (NEW.languages >> 2 & 1), spanish_count = spanish_count + (NEW.languages >> 3 & 1),
    italian_count = italian_count + (NEW.languages >> 4 & 1), dutch_count = dutch_count + (NEW.languages >> 5 & 1),
    swedish_count = swedish_count + (NEW.languages >> 6 & 1), norwegian_count = norwegian_count + (NEW.languages >> 7 & 1),
    danish_count = danish_count + (NEW.languages >> 8 & 1), finnish_count = finnish_count + (NEW.languages >> 9 & 1)
  WHERE key = NEW.group_key AND NEW.live = 1;
END;
CREATE TRIGGER search_entries_uncounted AFTER DELETE ON search_entries WHEN OLD.live = 1 BEGIN
  UPDATE search_groups SET row_count = row_count - OLD.row_count, passage_count = passage_count - OLD.passage_count,
    title_length = title_length - OLD.title_length * OLD.row_count, body_length = body_length - OLD.body_length,
    english_count = english_count - (OLD.languages & 1), german_count = german_count - (OLD.languages >> 1 & 1),
    french_count = french_count - (OLD.languages >> 2 & 1), spanish_count = spanish_count - (OLD.languages >> 3 & 1),
    italian_count = italian_count - (OLD.languages >> 4 & 1), dutch_count = dutch_count - (OLD.languages >> 5 & 1),
    swedish_count = swedish_count - (OLD.languages >> 6 & 1), norwegian_count = norwegian_count - (OLD.languages >> 7 & 1),
    danish_count = danish_count - (OLD.languages >> 8 & 1), finnish_count = finnish_count - (OLD.languages >> 9 & 1)
  WHERE key = OLD.group_key;
END;

-- Rows of search_terms: a text has one row for each section, with the id of the section. Every other entry has one row, with
-- minus its key.
CREATE TABLE search_rows (
  id INTEGER PRIMARY KEY,
  entry_key INTEGER NOT NULL,
  -- The entry of its resource: for a text, that of its document.
  resource_key INTEGER NOT NULL,
  -- The group of its entry and the number of words of its title, so that ranking reads one row for each match.
  group_key INTEGER NOT NULL,
  title_length INTEGER NOT NULL,
  body_length INTEGER NOT NULL,
  -- Number of terms of the body in one scope, samples included; and a JSON array of the numbers of terms at which the passages
  -- of a section end. In a section with compounds, the parts of the compounds of each passage follow, with their ends.
  term_count INTEGER NOT NULL,
  passage_count INTEGER NOT NULL,
  ends TEXT NOT NULL
) STRICT;

-- Terms have the form `<scope><kind><stem>_<form>`, and each scope has its own copy. The kind is a letter, so a search reads only
-- the terms of the kinds that the user may see. The form is the word as it was written. Spelling and suggestions use it as their
-- list of words. A stop word has the term `<scope><kind>_<word>_`, such as `_the_`, at its place in the text. Only phrases look
-- these terms up; ranking, spelling and suggestions never read them. A part of a compound has the form `_`: ranking finds it like a form
-- of its word, phrases, spelling and suggestions never do. With `ascii`, every character above U+007F belongs to a
-- term. Bodies are the first column, because FTS5 stores no column number for it. `name` repeats the words of titles of all
-- entries but texts, for suggestions while a user types. Some rows have their words once more as `<scope><sample><kind><stem>_<form>`:
-- where many words begin with the typed letters, suggestions count in a sample of the rows.
CREATE VIRTUAL TABLE search_terms USING fts5 (
  body, title, name, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
-- The job merge-index merges two segments of similar size, not only four.
INSERT INTO search_terms (search_terms, rank) VALUES ('usermerge', 2);
CREATE VIRTUAL TABLE search_term_instances USING fts5vocab (search_terms, instance);
CREATE VIRTUAL TABLE search_term_list USING fts5vocab (search_terms, row);

-- Deleted resources leave the index in the same statement.
CREATE TRIGGER text_sections_unindexed AFTER DELETE ON text_sections BEGIN
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
  DELETE FROM search_groups WHERE place_id = OLD.id;
END;
CREATE TRIGGER clusters_unindexed AFTER DELETE ON clusters BEGIN
  DELETE FROM search_entries WHERE resource_id = OLD.id;
  DELETE FROM search_groups WHERE place_id = OLD.id;
END;
-- A deleted document is hidden in the same statement, a restored one is found again, and a moved one is in its new place.
CREATE TRIGGER documents_hidden AFTER UPDATE OF deleted_at ON documents BEGIN
  UPDATE search_entries SET live = 2 WHERE resource_id = NEW.id AND live = 1 AND NEW.deleted_at IS NOT NULL;
  UPDATE search_entries SET live = 1 WHERE resource_id = NEW.id AND live = 2 AND NEW.deleted_at IS NULL;
END;
CREATE TRIGGER documents_regrouped AFTER UPDATE OF location_id ON documents WHEN OLD.location_id <> NEW.location_id BEGIN
  INSERT INTO search_groups (tenant_key, place_id, type)
    SELECT g.tenant_key, NEW.location_id, g.type FROM search_entries e JOIN search_groups g ON g.key = e.group_key
    WHERE e.resource_id = NEW.id ON CONFLICT (place_id, type) DO NOTHING;
  UPDATE search_entries SET group_key = (SELECT g.key FROM search_groups g WHERE g.place_id = NEW.location_id AND g.type = search_entries.type)
  WHERE resource_id = NEW.id;
END;
CREATE TRIGGER organizations_unindexed AFTER DELETE ON organizations BEGIN
  DELETE FROM search_scopes WHERE scope_id = OLD.id;
END;

-- Searches and interactions with their results. Terms are kept for SEARCH_TERMS_DAYS.
CREATE TABLE search_impressions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
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
