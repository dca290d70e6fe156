import { sql } from "drizzle-orm";
import { rowsOf, runBatch } from "../platform/db/database";
import { literal, reusable, reusableForms } from "../platform/db/statements";
import { type AccessScopeForm, accessScopeRows, visibleGroupsAndEntries, visibleRows } from "./access-scope";
import { MAX_CORRECTIONS, MAX_LISTED_WORDS, MAX_NEAR_WORDS } from "./limits";
import { inEachPlace, type SearchPlace } from "./places";
import type { Query, QueryWord } from "./query";
import type { Ranking } from "./ranking";
import { AFTER_STEM, ALL_LANGUAGES, isListed, STEM_END, stemsOf, termOf, wordOfTerm, wordsOf } from "./text";
import { type PlacedRow, writtenForms } from "./written";

/** Length from which a word is corrected, and from which two edits are allowed. */
const MIN_LENGTH = 4;
const MIN_LENGTH_FOR_TWO_EDITS = 8;

type Word = ReturnType<typeof wordOfTerm>;
interface Near {
  word: Word;
  distance: number;
}

const editsOf = (word: string): number => (word.length >= MIN_LENGTH_FOR_TWO_EDITS ? 2 : 1);

const mayBeMisspelt = ({ surface }: QueryWord): boolean => surface.length >= MIN_LENGTH && /^\p{L}+$/u.test(surface);

/**
 * Replaces each word that occurs nowhere by the nearest word that occurs. Both have the same first letter and differ by
 * one edit, or by two from eight letters on. Among equally near words the more frequent wins, then alphabetical order.
 * A correction has the accents and capital letters of the documents. Only occurrences that the caller may see count.
 * Null when nothing changes.
 */
export async function correctTerm(
  places: readonly SearchPlace[],
  term: string,
  query: Query,
  { known, total }: Pick<Ranking, "known" | "total">,
): Promise<string | null> {
  const unknown = query.words.filter((word, i) => !known.has(i) && mayBeMisspelt(word)).slice(0, MAX_CORRECTIONS);
  if (unknown.length === 0) return null;
  // Ranking does not see a word whose occurrences are all excluded, or were not read.
  const mayOccur = query.excluded.length > 0 || !total.isExact;
  const read = await inEachPlace(places, (place) => readNear(place, unknown, mayOccur));
  const [listed, forms] = [once(read.map((found) => found.listed)), once(read.map((found) => found.forms))];
  const near = new Map(unknown.map((word) => [word, nearest(word.surface, listed)]));
  const candidates = [...near.values()].flat().map(({ word }) => word);
  const words = [...candidates, ...forms];
  const visible = added(await inEachPlace(places, (place, at) => readVisible(place, at, words)));
  const occurs = (word: QueryWord): boolean =>
    visible.has(word.surface) || forms.some(({ surface }) => visible.has(surface) && mayBeFormOf(word, surface));
  const chosen = new Map<string, string>();
  for (const [word, found] of near) {
    if (occurs(word)) continue;
    const [best] = found
      .map(({ word: { surface }, distance }) => ({ surface, distance, count: visible.get(surface)?.count ?? 0 }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => a.distance - b.distance || b.count - a.count || (a.surface < b.surface ? -1 : 1));
    if (best !== undefined) chosen.set(word.surface, best.surface);
  }
  if (chosen.size === 0) return null;
  const written = await writtenForms(
    places,
    new Map([...chosen.values()].map((surface) => [surface, visible.get(surface)?.rows ?? []])),
  );
  return replaceWords(term, new Map([...chosen].map(([typed, surface]) => [typed, written(surface)])));
}

/** Whether a written word has a stem of a word of the query, or begins with it where it is a beginning. */
const mayBeFormOf = ({ stems, spellings, prefix }: QueryWord, surface: string): boolean =>
  stemsOf([{ surface, languages: ALL_LANGUAGES }]).some(({ stem }) => stems.some((asked) => asked.stem === stem)) ||
  (prefix && spellings.some((spelling) => surface.startsWith(spelling.surface)));

const readListed = reusable<string>(
  () => sql`
    WITH access AS MATERIALIZED (${accessScopeRows})
    SELECT DISTINCT substr(l.term, length(scope || kind) + 1) AS "term"
    FROM access CROSS JOIN json_each(${sql.placeholder("letters")}) w
    CROSS JOIN search_term_list l ON l.term >= scope || kind || w.value AND l.term < scope || kind || w.value || char(1114111)
    LIMIT ${literal(MAX_LISTED_WORDS)}`,
);

/** The forms of some stems, and words with some beginnings: ranges of terms, without the scope and kind. */
const readForms = reusable<string>(
  () => sql`
    WITH access AS MATERIALIZED (${accessScopeRows})
    SELECT DISTINCT substr(l.term, length(scope || kind) + 1) AS "term"
    FROM access CROSS JOIN json_each(${sql.placeholder("ranges")}) w
    CROSS JOIN search_term_list l ON l.term >= scope || kind || (w.value ->> 0) AND l.term < scope || kind || (w.value ->> 1)
    LIMIT ${literal(MAX_NEAR_WORDS)}`,
);

const rangesOf = ({ stems, spellings, prefix }: QueryWord): [low: string, high: string][] => [
  ...stems.map(({ stem }): [string, string] => [stem + STEM_END, stem + AFTER_STEM]),
  ...(prefix ? spellings.map(({ surface }): [string, string] => [surface, `${surface}\u{10ffff}`]) : []),
];

/** Written words of the index that have the first letter of one of these words, and with `withForms` the forms of these words. */
async function readNear(
  { context: { workspace }, access: { values } }: SearchPlace,
  words: readonly QueryWord[],
  withForms: boolean,
): Promise<{ listed: Word[]; forms: Word[] }> {
  const letters = JSON.stringify([...new Set(words.map(({ surface: [first = ""] }) => first))]);
  const ranges = JSON.stringify(words.flatMap(rangesOf));
  const results = await runBatch(workspace, [
    readListed({ ...values, letters }),
    ...(withForms ? [readForms({ ...values, ranges })] : []),
  ]);
  const [listed = [], forms = []] = results.map((result) =>
    rowsOf<{ term: string }>(result)
      .map(({ term }) => wordOfTerm(term))
      .filter(isListed),
  );
  return { listed, forms };
}

/** Candidates for a word with their distance. The nearest come first. */
function nearest(word: string, listed: readonly Word[]): Near[] {
  const limit = editsOf(word);
  return listed
    .filter(({ surface }) => surface[0] === word[0] && Math.abs(surface.length - word.length) <= limit)
    .map((near) => ({ word: near, distance: editDistance(word, near.surface, limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.word.surface < b.word.surface ? -1 : 1))
    .slice(0, MAX_NEAR_WORDS);
}

const countVisible = reusableForms<AccessScopeForm>(
  (form) => sql`
    WITH access AS MATERIALIZED (${accessScopeRows}), ${visibleGroupsAndEntries(form)},
    prefixes AS MATERIALIZED (SELECT DISTINCT scope, scope || kind AS prefix FROM access),
    occurring AS MATERIALIZED (
      SELECT DISTINCT w.value ->> 1 AS word, v.doc AS row, scope
      FROM prefixes CROSS JOIN json_each(${sql.placeholder("terms")}) w
      CROSS JOIN search_term_instances v ON v.term = prefixes.prefix || (w.value ->> 0))
    SELECT word AS "word", count(*) AS "count", min(row) AS "first", max(row) AS "last"
    FROM (${visibleRows(form, sql`occurring`, sql`f.word, f.row`)}) GROUP BY word`,
);

/** The number of visible rows that contain a word, and two of them in each place. */
interface Visible {
  count: number;
  rows: readonly PlacedRow[];
}

/** Words of several places, each once. */
const once = (lists: readonly Word[][]): Word[] =>
  lists.length === 1 ? (lists[0] ?? []) : [...new Map(lists.flat().map((word) => [termOf(word), word])).values()];

/** What is visible in all places together. */
function added(places: readonly Map<string, Visible>[]): Map<string, Visible> {
  const sums = new Map<string, Visible>();
  for (const [word, { count, rows }] of places.flatMap((found) => [...found])) {
    const sum = sums.get(word) ?? { count: 0, rows: [] };
    sums.set(word, { count: sum.count + count, rows: [...sum.rows, ...rows] });
  }
  return sums;
}

/** The visible rows of each written word. Words without a row are absent. */
async function readVisible(
  { context: { workspace }, access: { form, values } }: SearchPlace,
  place: number,
  words: readonly Word[],
): Promise<Map<string, Visible>> {
  if (words.length === 0) return new Map();
  // A word has several terms where languages stem it in different ways.
  const terms = JSON.stringify(words.map((word) => [termOf(word), word.surface]));
  const [result] = await runBatch(workspace, [countVisible(form, { ...values, terms })]);
  const rows = rowsOf<{ word: string; count: number; first: number; last: number }>(result);
  return new Map(
    rows.map(({ word, count, first, last }) => [word, { count, rows: [first, last].map((row) => ({ place, row })) }]),
  );
}

function replaceWords(term: string, corrections: ReadonlyMap<string, string>): string {
  let [text, at] = ["", 0];
  for (const { surface, start, end } of wordsOf(term)) {
    const correction = corrections.get(surface);
    if (correction === undefined) continue;
    text += term.slice(at, start) + correction;
    at = end;
  }
  return text + term.slice(at);
}

/**
 * Edits between two words: insertions, deletions, replacements and swaps of neighbours (optimal
 * string alignment); anything above `limit` is `limit + 1`.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    if (Math.min(...row) > limit) return limit + 1;
    [before, last] = [last, row];
  }
  return Math.min(last[b.length] ?? 0, limit + 1);
}
