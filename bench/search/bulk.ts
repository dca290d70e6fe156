import type { DatabaseSync } from "node:sqlite";
import { sectionField } from "../../src/search/indexing/sections";
import { DEFAULT_LANGUAGE, setOf } from "../../src/search/text/languages";
import {
  NAME_MARK,
  nameWords,
  SAMPLE_MARK,
  sampledTerms,
  sampleOf,
  titleField,
  WORD_MARK,
} from "../../src/search/text/terms";
import { type Corpus, PASSAGES_PER_DOCUMENT } from "./corpus.ts";
import { addDocument, addOrganization, addPlace, type Place } from "./rows.ts";

export interface BuiltOrganization {
  organizationId: string;
  places: Place[];
}

/** Writes an organization with about this many passages, and its index in the form that the jobs produce. */
export function buildOrganization(
  db: DatabaseSync,
  corpus: Corpus,
  passages: number,
  locations: number,
): BuiltOrganization {
  db.exec("BEGIN");
  const organizationId = addOrganization(db);
  const tenantKey = Number(
    db.prepare("INSERT INTO search_scopes (scope_id) VALUES (?)").run(organizationId).lastInsertRowid,
  );
  const places = Array.from({ length: locations }, () => addPlace(db, organizationId));
  for (let left = passages, n = 0; left > 0; left -= PASSAGES_PER_DOCUMENT, n += 1) {
    const place = places[n % places.length];
    if (place !== undefined) indexedDocument(db, corpus, tenantKey, place, Math.min(left, PASSAGES_PER_DOCUMENT));
  }
  db.exec("COMMIT");
  return { organizationId, places };
}

function indexedDocument(db: DatabaseSync, corpus: Corpus, tenantKey: number, place: Place, passages: number): void {
  const title = corpus.words(4);
  const { id, sections } = addDocument(db, place, title, corpus.passages(passages));
  const posted = (terms: string) =>
    terms
      .replaceAll(WORD_MARK, `${tenantKey}d`)
      .replaceAll(NAME_MARK, `${tenantKey}w`)
      .replaceAll(SAMPLE_MARK, String(tenantKey));
  const named = titleField(title, DEFAULT_LANGUAGE);
  const rows = sections.map((section) => ({
    ...section,
    ...sectionField({ documentId: id, title, ...section }, null),
  }));
  const entry = (type: string, version: number, sizes: readonly number[], languages: number): number => {
    db.prepare(
      `INSERT INTO search_groups (tenant_key, place_id, type) VALUES (?, ?, ?) ON CONFLICT (place_id, type) DO NOTHING`,
    ).run(tenantKey, place.locationId, type);
    const key = db
      .prepare(
        `INSERT INTO search_entries (group_key, scopes, type, resource_id, version, title, live, title_length, row_count, passage_count, body_length, languages, indexed_at)
         SELECT key, ?, type, ?, ?, ?, 0, ?, ?, ?, ?, ?, 0 FROM search_groups WHERE place_id = ? AND type = ?`,
      )
      .run(
        JSON.stringify([tenantKey]),
        ...[id, version, title, named.length, ...sizes, languages],
        ...[place.locationId, type],
      ).lastInsertRowid;
    db.prepare("UPDATE search_entries SET live = 1 WHERE key = ?").run(key);
    return Number(key);
  };
  const card = entry("document", 0, [1, 1, 0], setOf(DEFAULT_LANGUAGE));
  const words = rows.reduce((sum, { length }) => sum + length, 0);
  const spoken = rows.reduce((set, row) => set | row.languages, 0);
  const text = entry("text", 1, [rows.length, passages, words], spoken);
  const terms = db.prepare("INSERT INTO search_terms (rowid, title, body, name) VALUES (?, ?, ?, ?)");
  const insert = db.prepare(
    "INSERT INTO search_rows (id, entry_key, resource_key, group_key, title_length, body_length, term_count, passage_count, ends) SELECT ?, key, ?, group_key, ?, ?, ?, ?, ? FROM search_entries WHERE key = ?",
  );
  const sampledTitle = sampledTerms(title, DEFAULT_LANGUAGE, sampleOf(id), "d");
  terms.run(-card, posted(named.terms + sampledTitle), "", posted(nameWords(title)));
  insert.run(-card, card, named.length, 0, 0, 0, "[]", card);
  for (const row of rows) {
    terms.run(row.id, posted(named.terms + row.titleSample), posted(row.terms), "");
    insert.run(row.id, card, named.length, row.length, row.termCount, row.passageCount, JSON.stringify(row.ends), text);
  }
}
