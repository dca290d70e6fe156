import type { DatabaseSync } from "node:sqlite";
import { DEFAULT_LANGUAGE } from "../../src/search/text/languages";
import {
  bodyField,
  NAME_MARK,
  nameWords,
  SAMPLE_MARK,
  sampledTerms,
  samplesOf,
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
  const fileName = corpus.words(4);
  const texts = corpus.passages(passages);
  const { id, passageIds } = addDocument(db, place, fileName, texts);
  const posted = (terms: string) =>
    terms
      .replaceAll(WORD_MARK, `${tenantKey}d`)
      .replaceAll(NAME_MARK, `${tenantKey}w`)
      .replaceAll(SAMPLE_MARK, String(tenantKey));
  const title = titleField(fileName, DEFAULT_LANGUAGE);
  const bodies = texts.map((text) => bodyField(text, DEFAULT_LANGUAGE));
  const entry = db.prepare(
    `INSERT INTO search_entries (tenant_key, scopes, type, resource_id, version, title, live, title_length, row_count, body_length, indexed_at)
     VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, 0)`,
  );
  const scopes = JSON.stringify([tenantKey]);
  const card = Number(entry.run(tenantKey, scopes, "document", id, 0, fileName, title.length, 1, 0).lastInsertRowid);
  const length = bodies.reduce((sum, body) => sum + body.length, 0);
  const text = Number(
    entry.run(tenantKey, scopes, "text", id, 1, fileName, title.length, passages, length).lastInsertRowid,
  );
  const terms = db.prepare("INSERT INTO search_terms (rowid, title, body, name) VALUES (?, ?, ?, ?)");
  const rows = db.prepare("INSERT INTO search_rows (id, entry_key, body_length) VALUES (?, ?, ?)");
  terms.run(
    -card,
    posted(title.terms + sampledTerms(fileName, DEFAULT_LANGUAGE, samplesOf(id), "d")),
    "",
    posted(nameWords(fileName)),
  );
  rows.run(-card, card, 0);
  for (const [i, passageId] of passageIds.entries()) {
    const sampled = (sample: string) => sampledTerms(sample, DEFAULT_LANGUAGE, samplesOf(`${id}.${i}`), "d");
    const body = (bodies[i]?.terms ?? "") + sampled(texts[i] ?? "");
    terms.run(passageId, posted(title.terms + sampled(fileName)), posted(body), "");
    rows.run(passageId, text, bodies[i]?.length ?? 0);
  }
}
