-- More languages are stemmed. Entries that exist have none of them until they are indexed again.
DROP TRIGGER search_entries_counted;
DROP TRIGGER search_entries_uncounted;
ALTER TABLE search_groups DROP COLUMN languages;
ALTER TABLE search_groups ADD COLUMN portuguese_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE search_groups ADD COLUMN romanian_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE search_groups ADD COLUMN hungarian_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE search_groups ADD COLUMN turkish_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE search_groups ADD COLUMN greek_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE search_groups ADD COLUMN russian_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE search_groups ADD COLUMN arabic_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE search_groups ADD COLUMN hebrew_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE search_groups ADD COLUMN persian_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE search_groups ADD COLUMN languages INTEGER NOT NULL GENERATED ALWAYS AS (
  ((english_count > 0) << 0) | ((german_count > 0) << 1) | ((french_count > 0) << 2) | ((spanish_count > 0) << 3) | ((italian_count > 0) << 4) | ((dutch_count > 0) << 5) | ((swedish_count > 0) << 6) | ((norwegian_count > 0) << 7) | ((danish_count > 0) << 8) | ((finnish_count > 0) << 9) | ((portuguese_count > 0) << 10) | ((romanian_count > 0) << 11) | ((hungarian_count > 0) << 12) | ((turkish_count > 0) << 13) | ((greek_count > 0) << 14) | ((russian_count > 0) << 15) | ((arabic_count > 0) << 16) | ((hebrew_count > 0) << 17) | ((persian_count > 0) << 18)
) VIRTUAL;

-- A job that writes an entry again without a change leaves the row of its group alone.
CREATE TRIGGER search_entries_counted AFTER UPDATE OF live, group_key, title_length, row_count, passage_count, body_length, languages
ON search_entries WHEN (OLD.live = 1 OR NEW.live = 1)
  AND (OLD.live, OLD.group_key, OLD.title_length, OLD.row_count, OLD.passage_count, OLD.body_length, OLD.languages)
    <> (NEW.live, NEW.group_key, NEW.title_length, NEW.row_count, NEW.passage_count, NEW.body_length, NEW.languages) BEGIN
  UPDATE search_groups SET row_count = row_count - OLD.row_count, passage_count = passage_count - OLD.passage_count,
    title_length = title_length - OLD.title_length * OLD.row_count, body_length = body_length - OLD.body_length,
    english_count = english_count - (OLD.languages >> 0 & 1),
    german_count = german_count - (OLD.languages >> 1 & 1),
    french_count = french_count - (OLD.languages >> 2 & 1),
    spanish_count = spanish_count - (OLD.languages >> 3 & 1),
    italian_count = italian_count - (OLD.languages >> 4 & 1),
    dutch_count = dutch_count - (OLD.languages >> 5 & 1),
    swedish_count = swedish_count - (OLD.languages >> 6 & 1),
    norwegian_count = norwegian_count - (OLD.languages >> 7 & 1),
    danish_count = danish_count - (OLD.languages >> 8 & 1),
    finnish_count = finnish_count - (OLD.languages >> 9 & 1),
    portuguese_count = portuguese_count - (OLD.languages >> 10 & 1),
    romanian_count = romanian_count - (OLD.languages >> 11 & 1),
    hungarian_count = hungarian_count - (OLD.languages >> 12 & 1),
    turkish_count = turkish_count - (OLD.languages >> 13 & 1),
    greek_count = greek_count - (OLD.languages >> 14 & 1),
    russian_count = russian_count - (OLD.languages >> 15 & 1),
    arabic_count = arabic_count - (OLD.languages >> 16 & 1),
    hebrew_count = hebrew_count - (OLD.languages >> 17 & 1),
    persian_count = persian_count - (OLD.languages >> 18 & 1)
  WHERE key = OLD.group_key AND OLD.live = 1;
  UPDATE search_groups SET row_count = row_count + NEW.row_count, passage_count = passage_count + NEW.passage_count,
    title_length = title_length + NEW.title_length * NEW.row_count, body_length = body_length + NEW.body_length,
    english_count = english_count + (NEW.languages >> 0 & 1),
    german_count = german_count + (NEW.languages >> 1 & 1),
    french_count = french_count + (NEW.languages >> 2 & 1),
    spanish_count = spanish_count + (NEW.languages >> 3 & 1),
    italian_count = italian_count + (NEW.languages >> 4 & 1),
    dutch_count = dutch_count + (NEW.languages >> 5 & 1),
    swedish_count = swedish_count + (NEW.languages >> 6 & 1),
    norwegian_count = norwegian_count + (NEW.languages >> 7 & 1),
    danish_count = danish_count + (NEW.languages >> 8 & 1),
    finnish_count = finnish_count + (NEW.languages >> 9 & 1),
    portuguese_count = portuguese_count + (NEW.languages >> 10 & 1),
    romanian_count = romanian_count + (NEW.languages >> 11 & 1),
    hungarian_count = hungarian_count + (NEW.languages >> 12 & 1),
    turkish_count = turkish_count + (NEW.languages >> 13 & 1),
    greek_count = greek_count + (NEW.languages >> 14 & 1),
    russian_count = russian_count + (NEW.languages >> 15 & 1),
    arabic_count = arabic_count + (NEW.languages >> 16 & 1),
    hebrew_count = hebrew_count + (NEW.languages >> 17 & 1),
    persian_count = persian_count + (NEW.languages >> 18 & 1)
  WHERE key = NEW.group_key AND NEW.live = 1;
END;
CREATE TRIGGER search_entries_uncounted AFTER DELETE ON search_entries WHEN OLD.live = 1 BEGIN
  UPDATE search_groups SET row_count = row_count - OLD.row_count, passage_count = passage_count - OLD.passage_count,
    title_length = title_length - OLD.title_length * OLD.row_count, body_length = body_length - OLD.body_length,
    english_count = english_count - (OLD.languages >> 0 & 1),
    german_count = german_count - (OLD.languages >> 1 & 1),
    french_count = french_count - (OLD.languages >> 2 & 1),
    spanish_count = spanish_count - (OLD.languages >> 3 & 1),
    italian_count = italian_count - (OLD.languages >> 4 & 1),
    dutch_count = dutch_count - (OLD.languages >> 5 & 1),
    swedish_count = swedish_count - (OLD.languages >> 6 & 1),
    norwegian_count = norwegian_count - (OLD.languages >> 7 & 1),
    danish_count = danish_count - (OLD.languages >> 8 & 1),
    finnish_count = finnish_count - (OLD.languages >> 9 & 1),
    portuguese_count = portuguese_count - (OLD.languages >> 10 & 1),
    romanian_count = romanian_count - (OLD.languages >> 11 & 1),
    hungarian_count = hungarian_count - (OLD.languages >> 12 & 1),
    turkish_count = turkish_count - (OLD.languages >> 13 & 1),
    greek_count = greek_count - (OLD.languages >> 14 & 1),
    russian_count = russian_count - (OLD.languages >> 15 & 1),
    arabic_count = arabic_count - (OLD.languages >> 16 & 1),
    hebrew_count = hebrew_count - (OLD.languages >> 17 & 1),
    persian_count = persian_count - (OLD.languages >> 18 & 1)
  WHERE key = OLD.group_key;
END;
