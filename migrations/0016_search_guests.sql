-- The languages of a group were computed from its counts at each read. A trigger stores them, which is a write only where a
-- language comes or goes.
ALTER TABLE search_groups DROP COLUMN languages;
ALTER TABLE search_groups ADD COLUMN languages INTEGER NOT NULL DEFAULT 0;
UPDATE search_groups SET languages = ((english_count > 0) << 0) | ((german_count > 0) << 1) | ((french_count > 0) << 2) | ((spanish_count > 0) << 3) | ((italian_count > 0) << 4) | ((dutch_count > 0) << 5) | ((swedish_count > 0) << 6) | ((norwegian_count > 0) << 7) | ((danish_count > 0) << 8) | ((finnish_count > 0) << 9) | ((portuguese_count > 0) << 10) | ((romanian_count > 0) << 11) | ((hungarian_count > 0) << 12) | ((turkish_count > 0) << 13) | ((greek_count > 0) << 14) | ((russian_count > 0) << 15) | ((arabic_count > 0) << 16) | ((hebrew_count > 0) << 17) | ((persian_count > 0) << 18);
CREATE TRIGGER search_groups_spoken AFTER UPDATE OF english_count, german_count, french_count, spanish_count, italian_count, dutch_count, swedish_count, norwegian_count,
  danish_count, finnish_count, portuguese_count, romanian_count, hungarian_count, turkish_count, greek_count, russian_count,
  arabic_count, hebrew_count, persian_count
ON search_groups WHEN NEW.languages <> (((NEW.english_count > 0) << 0) | ((NEW.german_count > 0) << 1) | ((NEW.french_count > 0) << 2) | ((NEW.spanish_count > 0) << 3) | ((NEW.italian_count > 0) << 4) | ((NEW.dutch_count > 0) << 5) | ((NEW.swedish_count > 0) << 6) | ((NEW.norwegian_count > 0) << 7) | ((NEW.danish_count > 0) << 8) | ((NEW.finnish_count > 0) << 9) | ((NEW.portuguese_count > 0) << 10) | ((NEW.romanian_count > 0) << 11) | ((NEW.hungarian_count > 0) << 12) | ((NEW.turkish_count > 0) << 13) | ((NEW.greek_count > 0) << 14) | ((NEW.russian_count > 0) << 15) | ((NEW.arabic_count > 0) << 16) | ((NEW.hebrew_count > 0) << 17) | ((NEW.persian_count > 0) << 18)) BEGIN
  UPDATE search_groups SET languages = ((english_count > 0) << 0) | ((german_count > 0) << 1) | ((french_count > 0) << 2) | ((spanish_count > 0) << 3) | ((italian_count > 0) << 4) | ((dutch_count > 0) << 5) | ((swedish_count > 0) << 6) | ((norwegian_count > 0) << 7) | ((danish_count > 0) << 8) | ((finnish_count > 0) << 9) | ((portuguese_count > 0) << 10) | ((romanian_count > 0) << 11) | ((hungarian_count > 0) << 12) | ((turkish_count > 0) << 13) | ((greek_count > 0) << 14) | ((russian_count > 0) << 15) | ((arabic_count > 0) << 16) | ((hebrew_count > 0) << 17) | ((persian_count > 0) << 18) WHERE key = NEW.key;
END;

-- Guests with more than 32 grants in an organization have an index of their own there: what they may see is posted once more, under a
-- scope of the guest (`<user>/<organization>`), so a word needs one lookup instead of one for each grant. The job `index-guests`
-- builds it. An organization has at most 16.
CREATE TABLE search_guests (
  -- The scope.
  key INTEGER PRIMARY KEY,
  user_id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  -- 1 while the postings, targets and sums agree with the grants. A trigger sets 0 when a change makes them differ.
  current INTEGER NOT NULL DEFAULT 0 CHECK (current IN (0, 1)),
  -- The number of such changes. A job that began before one of them does not complete the index.
  revision INTEGER NOT NULL DEFAULT 1,
  -- When the first of its grants ends: from then on the index is not used.
  valid_until INTEGER,
  -- The job that builds it, and until when no other job does.
  taken_by TEXT,
  taken_until INTEGER NOT NULL DEFAULT 0,
  UNIQUE (user_id, organization_id)
) STRICT;
CREATE INDEX search_guests_of_organization ON search_guests (organization_id);
CREATE INDEX search_guests_to_build ON search_guests (taken_until) WHERE current = 0;
CREATE INDEX search_guests_to_renew ON search_guests (valid_until) WHERE valid_until IS NOT NULL;

-- The resources whose contents are posted under the scope of a guest: the targets of the guest's grants.
CREATE TABLE search_guest_targets (
  target_id TEXT NOT NULL,
  guest_key INTEGER NOT NULL,
  -- The kinds of resources that the grant leads to, by their letters in terms.
  kinds TEXT NOT NULL,
  -- 0 until all contents are posted, 1 afterwards; 2 after the end of the grant, until no content is posted any more.
  state INTEGER NOT NULL DEFAULT 0 CHECK (state IN (0, 1, 2)),
  PRIMARY KEY (target_id, guest_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX search_guest_targets_of_guest ON search_guest_targets (guest_key, target_id);
CREATE INDEX search_guest_targets_to_post ON search_guest_targets (guest_key, target_id) WHERE state <> 1;

-- The sums of the groups that a guest may see, and of documents that were granted themselves, by types of entries.
CREATE TABLE search_guest_sums (
  guest_key INTEGER NOT NULL,
  type TEXT NOT NULL,
  tenant_key INTEGER NOT NULL,
  row_count INTEGER NOT NULL DEFAULT 0,
  passage_count INTEGER NOT NULL DEFAULT 0,
  title_length INTEGER NOT NULL DEFAULT 0,
  body_length INTEGER NOT NULL DEFAULT 0,
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
  portuguese_count INTEGER NOT NULL DEFAULT 0,
  romanian_count INTEGER NOT NULL DEFAULT 0,
  hungarian_count INTEGER NOT NULL DEFAULT 0,
  turkish_count INTEGER NOT NULL DEFAULT 0,
  greek_count INTEGER NOT NULL DEFAULT 0,
  russian_count INTEGER NOT NULL DEFAULT 0,
  arabic_count INTEGER NOT NULL DEFAULT 0,
  hebrew_count INTEGER NOT NULL DEFAULT 0,
  persian_count INTEGER NOT NULL DEFAULT 0,
  languages INTEGER NOT NULL GENERATED ALWAYS AS (
    ((english_count > 0) << 0) | ((german_count > 0) << 1) | ((french_count > 0) << 2) | ((spanish_count > 0) << 3) | ((italian_count > 0) << 4) | ((dutch_count > 0) << 5) | ((swedish_count > 0) << 6) | ((norwegian_count > 0) << 7) | ((danish_count > 0) << 8) | ((finnish_count > 0) << 9) | ((portuguese_count > 0) << 10) | ((romanian_count > 0) << 11) | ((hungarian_count > 0) << 12) | ((turkish_count > 0) << 13) | ((greek_count > 0) << 14) | ((russian_count > 0) << 15) | ((arabic_count > 0) << 16) | ((hebrew_count > 0) << 17) | ((persian_count > 0) << 18)
  ) VIRTUAL,
  PRIMARY KEY (guest_key, type)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER grants_open_guest AFTER INSERT ON grants
WHEN NEW.organization_id IS NOT NULL
  AND (SELECT count(*) FROM (SELECT 1 FROM grants WHERE user_id = NEW.user_id AND organization_id = NEW.organization_id LIMIT 33)) > 32
  AND (EXISTS (SELECT 1 FROM search_guests WHERE user_id = NEW.user_id AND organization_id = NEW.organization_id)
    OR (SELECT count(*) FROM search_guests WHERE organization_id = NEW.organization_id) < 16) BEGIN
  INSERT INTO search_scopes (scope_id) VALUES (NEW.user_id || '/' || NEW.organization_id) ON CONFLICT (scope_id) DO NOTHING;
  INSERT INTO search_guests (key, user_id, organization_id)
    SELECT key, NEW.user_id, NEW.organization_id FROM search_scopes WHERE scope_id = NEW.user_id || '/' || NEW.organization_id
    ON CONFLICT (key) DO NOTHING;
END;
CREATE TRIGGER grants_given_to_guest AFTER INSERT ON grants WHEN NEW.organization_id IS NOT NULL BEGIN
  UPDATE search_guests SET current = 0, revision = revision + 1
  WHERE user_id = NEW.user_id AND organization_id = NEW.organization_id;
END;
CREATE TRIGGER grants_changed_of_guest AFTER UPDATE ON grants WHEN NEW.organization_id IS NOT NULL BEGIN
  UPDATE search_guests SET current = 0, revision = revision + 1
  WHERE user_id = NEW.user_id AND organization_id = NEW.organization_id;
END;
CREATE TRIGGER grants_taken_from_guest AFTER DELETE ON grants WHEN OLD.organization_id IS NOT NULL BEGIN
  UPDATE search_guests SET current = 0, revision = revision + 1
  WHERE user_id = OLD.user_id AND organization_id = OLD.organization_id;
END;

-- A change of places is rare. It changes which groups the guests of the organization may see.
CREATE TRIGGER clusters_changed_for_guests AFTER UPDATE OF deleted_at ON clusters WHEN NEW.deleted_at IS NOT OLD.deleted_at BEGIN
  UPDATE search_guests SET current = 0, revision = revision + 1 WHERE organization_id = NEW.organization_id;
END;
CREATE TRIGGER clusters_purged_for_guests AFTER DELETE ON clusters BEGIN
  UPDATE search_guests SET current = 0, revision = revision + 1 WHERE organization_id = OLD.organization_id;
END;
CREATE TRIGGER locations_changed_for_guests AFTER UPDATE OF cluster_id, deleted_at ON locations WHEN NEW.cluster_id <> OLD.cluster_id OR NEW.deleted_at IS NOT OLD.deleted_at BEGIN
  UPDATE search_guests SET current = 0, revision = revision + 1 WHERE organization_id = NEW.organization_id;
END;
CREATE TRIGGER locations_purged_for_guests AFTER DELETE ON locations BEGIN
  UPDATE search_guests SET current = 0, revision = revision + 1 WHERE organization_id = OLD.organization_id;
END;

-- The contents of places change often, so their sums follow. A deleted place is in no sum.
CREATE TRIGGER search_groups_summed AFTER UPDATE OF row_count, passage_count, title_length, body_length, english_count, german_count, french_count, spanish_count, italian_count,
  dutch_count, swedish_count, norwegian_count, danish_count, finnish_count, portuguese_count, romanian_count, hungarian_count,
  turkish_count, greek_count, russian_count, arabic_count, hebrew_count, persian_count ON search_groups
WHEN EXISTS (SELECT 1 FROM search_guests WHERE organization_id = (SELECT scope_id FROM search_scopes WHERE key = NEW.tenant_key)) BEGIN
  UPDATE search_guest_sums SET row_count = row_count + NEW.row_count - OLD.row_count, passage_count = passage_count + NEW.passage_count - OLD.passage_count,
    title_length = title_length + NEW.title_length - OLD.title_length,
    body_length = body_length + NEW.body_length - OLD.body_length,
    english_count = english_count + NEW.english_count - OLD.english_count,
    german_count = german_count + NEW.german_count - OLD.german_count,
    french_count = french_count + NEW.french_count - OLD.french_count,
    spanish_count = spanish_count + NEW.spanish_count - OLD.spanish_count,
    italian_count = italian_count + NEW.italian_count - OLD.italian_count,
    dutch_count = dutch_count + NEW.dutch_count - OLD.dutch_count,
    swedish_count = swedish_count + NEW.swedish_count - OLD.swedish_count,
    norwegian_count = norwegian_count + NEW.norwegian_count - OLD.norwegian_count,
    danish_count = danish_count + NEW.danish_count - OLD.danish_count,
    finnish_count = finnish_count + NEW.finnish_count - OLD.finnish_count,
    portuguese_count = portuguese_count + NEW.portuguese_count - OLD.portuguese_count,
    romanian_count = romanian_count + NEW.romanian_count - OLD.romanian_count,
    hungarian_count = hungarian_count + NEW.hungarian_count - OLD.hungarian_count,
    turkish_count = turkish_count + NEW.turkish_count - OLD.turkish_count,
    greek_count = greek_count + NEW.greek_count - OLD.greek_count,
    russian_count = russian_count + NEW.russian_count - OLD.russian_count,
    arabic_count = arabic_count + NEW.arabic_count - OLD.arabic_count,
    hebrew_count = hebrew_count + NEW.hebrew_count - OLD.hebrew_count,
    persian_count = persian_count + NEW.persian_count - OLD.persian_count
  WHERE type = NEW.type AND guest_key IN (
    SELECT t.guest_key FROM search_guest_targets t
    WHERE t.target_id IN (
        SELECT l.id FROM locations l JOIN clusters c ON c.id = l.cluster_id
        WHERE l.id = NEW.place_id AND l.deleted_at IS NULL AND c.deleted_at IS NULL
        UNION ALL
        SELECT c.id FROM locations l JOIN clusters c ON c.id = l.cluster_id
        WHERE l.id = NEW.place_id AND l.deleted_at IS NULL AND c.deleted_at IS NULL
        UNION ALL
        SELECT c.id FROM clusters c WHERE c.id = NEW.place_id AND c.deleted_at IS NULL)
      AND instr(t.kinds, iif(NEW.type = 'text', 'd', substr(NEW.type, 1, 1))) > 0);
END;
-- The sums of a document that was granted itself are computed again.
CREATE TRIGGER search_entries_changed_for_guests AFTER UPDATE OF live, group_key, title_length, row_count, passage_count, body_length, languages
ON search_entries WHEN (OLD.live = 1 OR NEW.live = 1)
  AND (OLD.live, OLD.group_key, OLD.title_length, OLD.row_count, OLD.passage_count, OLD.body_length, OLD.languages)
    <> (NEW.live, NEW.group_key, NEW.title_length, NEW.row_count, NEW.passage_count, NEW.body_length, NEW.languages)
  AND NEW.type IN ('document', 'text') BEGIN
  UPDATE search_guests SET current = 0, revision = revision + 1
  WHERE key IN (SELECT guest_key FROM search_guest_targets WHERE target_id = NEW.resource_id);
END;
CREATE TRIGGER search_entries_removed_for_guests AFTER DELETE ON search_entries
WHEN OLD.live = 1 AND OLD.type IN ('document', 'text') BEGIN
  UPDATE search_guests SET current = 0, revision = revision + 1
  WHERE key IN (SELECT guest_key FROM search_guest_targets WHERE target_id = OLD.resource_id);
END;

CREATE TRIGGER organizations_without_guests AFTER DELETE ON organizations BEGIN
  DELETE FROM search_guests WHERE organization_id = OLD.id;
END;
CREATE TRIGGER search_guests_closed AFTER DELETE ON search_guests BEGIN
  DELETE FROM search_guest_targets WHERE guest_key = OLD.key;
  DELETE FROM search_guest_sums WHERE guest_key = OLD.key;
  DELETE FROM search_scopes WHERE key = OLD.key;
END;

-- Guests who have many grants already.
INSERT INTO search_scopes (scope_id)
  SELECT user_id || '/' || organization_id FROM (
    SELECT user_id, organization_id, row_number() OVER (PARTITION BY organization_id ORDER BY count(*) DESC) AS nth FROM grants
    WHERE organization_id IS NOT NULL GROUP BY user_id, organization_id HAVING count(*) > 32) WHERE nth <= 16;
INSERT INTO search_guests (key, user_id, organization_id)
  SELECT key, substr(scope_id, 1, instr(scope_id, '/') - 1), substr(scope_id, instr(scope_id, '/') + 1) FROM search_scopes
  WHERE instr(scope_id, '/') > 0;
