import { type SQL, sql } from "drizzle-orm";
import { documentTags, tags } from "../../documents/tables";
import { literal } from "../../platform/db/statements";
import { type AccessScopeForm, isInPlaces, visibleRows } from "../access-scope";
import {
  MAX_BODY_WORDS,
  MAX_GROUPED_POSTINGS,
  MAX_PHRASE_VARIANTS,
  MAX_PREFIX_POSTINGS,
  MAX_READ_POSTINGS,
  MAX_READ_STOP_POSTINGS,
  MAX_STOP_POSTINGS,
  MAX_WORDS,
} from "../limits";
import type { Query, QueryTerm, QueryWord } from "../query";
import { AFTER_STEM, completedStems, PART_END, STEM_END } from "../text";

/** Maximum numbers of what one query reads. */
export interface ReadLimits {
  /** Occurrences of the words that begin with one typed word. */
  ofBeginning: number;
  /** Occurrences in all places, for a query in chosen places. */
  read: number;
  /** Occurrences that are grouped. Each needs memory. */
  grouped: number;
  /** Written variants of a phrase. */
  variants: number;
}
export const READ_LIMITS: ReadLimits = {
  ofBeginning: MAX_PREFIX_POSTINGS,
  read: MAX_READ_POSTINGS,
  grouped: MAX_GROUPED_POSTINGS,
  variants: MAX_PHRASE_VARIANTS,
};
/** The numbers for a query of function words alone. */
const STOP_LIMITS: ReadLimits = {
  ...READ_LIMITS,
  ofBeginning: MAX_STOP_POSTINGS,
  read: MAX_READ_STOP_POSTINGS,
  grouped: MAX_STOP_POSTINGS,
};

export const limitsOf = ({ hasOnlyStopWords, phrasesAreWords }: Query): ReadLimits =>
  hasOnlyStopWords && !phrasesAreWords ? STOP_LIMITS : READ_LIMITS;

/** The parts of a query that the text of its statements depends on. */
export interface QueryForm {
  words: number;
  /** The number of words that match as beginnings. */
  beginnings: number;
  phrases: readonly PhraseForm[];
  phrasesAreWords: boolean;
  excludes: boolean;
  /** Whether documents must or must not have some tags. */
  tagged: boolean;
}

interface PhraseForm {
  terms: number;
  /** Whether the last term is a beginning. */
  open: boolean;
}

export const formOf = ({ words, phrases, phrasesAreWords, excluded, tags: asked }: Query): QueryForm => ({
  words: words.length,
  beginnings: words.filter(({ prefix }) => prefix).length,
  phrases: phrases.map((terms) => ({ terms: terms.length, open: terms.at(-1)?.beginning === true })),
  phrasesAreWords,
  excludes: excluded.length > 0,
  tagged: asked.length > 0,
});

/*
 * Counts of all words of a query are added in one pass. Some words share an integer, which is a lane: each has the bits
 * that its count in the longest body needs. Counts are in halves of an occurrence: a word counts 2, and a word that only
 * begins with the typed one counts 1.
 */

/** The bits that a word and a beginning add to a count. */
const [WHOLE_WORD, BEGINNING] = [1, 0];
/** The number of units that a whole word counts. */
export const UNITS_OF_WORD = 2 ** WHOLE_WORD;
/** The most that one occurrence counts for a word: as the whole word, and as a beginning in four spellings. */
const MAX_UNITS = UNITS_OF_WORD + 4 * 2 ** BEGINNING;
const BITS = Math.ceil(Math.log2(MAX_UNITS * MAX_BODY_WORDS + 1));
const WORDS_OF_LANE = Math.floor(62 / BITS);

export const laneOf = (word: number): number => Math.floor(word / WORDS_OF_LANE);
export const lanesOf = ({ words }: QueryForm): number[] =>
  Array.from({ length: Math.max(1, Math.ceil(words / WORDS_OF_LANE)) }, (_, lane) => lane);

/*
 * An occurrence is one integer: the offset of its term, and the code of what it counts. The code has a lane and the position
 * of the bit that is added to the lane. The offset of a term in a title is -1, so such an occurrence is negative.
 */
const SHIFT_BITS = 6;
const CODE_BITS = SHIFT_BITS + Math.ceil(Math.log2(MAX_WORDS / WORDS_OF_LANE));
const codeOf = (word: number, counts: typeof WHOLE_WORD | typeof BEGINNING): number =>
  laneOf(word) * 2 ** SHIFT_BITS + BITS * (word % WORDS_OF_LANE) + counts;
const occurrenceAt = (offset: SQL, code: SQL): SQL => sql`${offset} * ${literal(2 ** CODE_BITS)} + ${code}`;
const offsetOf = (occurrence: SQL): SQL => sql`(${occurrence} >> ${literal(CODE_BITS)})`;

/** The count of a word, of the column of its lane. */
export const countOf = (word: number, column: SQL): SQL =>
  sql`(${column} >> ${literal(BITS * (word % WORDS_OF_LANE))} & ${literal(2 ** BITS - 1)})`;

/** Columns `name0`, `name1`, … with the sum of the `occurrences` of each lane. NULL counts nothing. */
export const laneSums = (form: QueryForm, name: string, occurrence: SQL): SQL => {
  const units = sql`1 << (${occurrence} & ${literal(2 ** SHIFT_BITS - 1)})`;
  const laneAt = sql`((${occurrence} & ${literal(2 ** CODE_BITS - 1)}) >> ${literal(SHIFT_BITS)})`;
  const lanes = lanesOf(form);
  const sums = lanes.map((lane) => {
    const ofLane = lanes.length === 1 ? units : sql`(${units}) * (${laneAt} = ${literal(lane)})`;
    return sql`coalesce(sum(${ofLane}), 0) AS ${sql.raw(`${name}${lane}`)}`;
  });
  return sql.join(sums, sql`, `);
};

/** The names of the columns `name0`, `name1`, … */
export const laneNames = (form: QueryForm, name: string): string[] => lanesOf(form).map((lane) => name + lane);
/** Columns `name0`, `name1`, … as they are. */
export const laneColumns = (form: QueryForm, name: string): SQL => sql.raw(laneNames(form, name).join(", "));

/** No word begins with this character. It ends the range of all words with the same beginning. */
const LAST_CHARACTER = "\u{10ffff}";

const quoted = (text: string): SQL => sql.raw(`'${text}'`);
const given = (name: string): SQL => sql`json_each(${sql.placeholder(name)})`;
const phraseAt = (at: number): string => `phrase${at}`;

/** The stems of each word: its own stems, and for a prefix the shorter stems of possible completions. */
const exactStems = (words: readonly QueryWord[]) =>
  words.flatMap(({ stems, surface, prefix }, i) => [
    ...stems.map(({ stem, languages }) => [stem, languages, codeOf(i, WHOLE_WORD)] as const),
    ...(prefix ? completedStems(surface) : [])
      .map(({ stem, languages }) => {
        const own = stems.find((known) => known.stem === stem)?.languages ?? 0;
        return [stem, languages & ~own, codeOf(i, BEGINNING)] as const;
      })
      .filter(([, languages]) => languages !== 0),
  ]);

/** The prefixes of terms in all spellings, each with the stem in its range that counts as the whole word. */
const prefixRanges = (words: readonly QueryWord[]) =>
  words
    .map((word, i) => ({ ...word, i }))
    .filter(({ prefix }) => prefix)
    .flatMap(({ stems, spellings, i }, at) =>
      spellings.map(({ surface, languages }) => {
        const own = stems.find(({ stem }) => stem.startsWith(surface));
        return [own?.stem ?? surface, languages, codeOf(i, BEGINNING), surface, at] as const;
      }),
    );

/** The values of the parameters of all queries of this module. */
export function valuesOf({ words, phrases, excluded, tags: asked }: Query): Record<string, string> {
  const stemsOf = (terms: readonly QueryTerm[]): string =>
    JSON.stringify(
      terms.flatMap(({ stems, beginning }, position) =>
        stems.map(({ stem, languages }) => [stem, languages, position, ...(beginning ? [stem + LAST_CHARACTER] : [])]),
      ),
    );
  return {
    stems: JSON.stringify(exactStems(words)),
    beginnings: JSON.stringify(prefixRanges(words)),
    ...Object.fromEntries(phrases.map((terms, at) => [phraseAt(at), stemsOf(terms)])),
    excluded: stemsOf(excluded),
    tags: JSON.stringify(asked.map(({ word, excluded }) => [word, excluded ? 0 : 1])),
  };
}

/**
 * The ranges of terms of stems under each of `prefixes`: `low` to `high` contains all forms of one stem. They are
 * computed once, because SQLite compares every instance with them. `stems` names a parameter with an array of `[stem,
 * languages, …]`; `columns` reads its other fields. Only the languages of visible texts count. With PART_END, the parts of
 * compounds are left out: they have no position in a text.
 */
const rangesOf = (stems: string, columns: SQL, end = AFTER_STEM): SQL => sql`
  SELECT prefixes.scope AS scope, prefix || (w.value ->> 0) || ${quoted(STEM_END)} AS low,
    prefix || (w.value ->> 0) || ${quoted(end)} AS high, ${columns}
  FROM prefixes CROSS JOIN ${given(stems)} w WHERE spoken & (w.value ->> 1)`;

/**
 * The occurrences `v` of the terms of `rangesOf` as `p`, or of all words with a beginning where `[stem, languages, position, end]` was
 * given. The ranges are computed before the occurrences are read.
 */
const occurrencesOf = (stems: string, columns: SQL, where: SQL, end = AFTER_STEM): SQL => sql`
  WITH p AS MATERIALIZED (SELECT position, iif(ending IS NULL, low, beginning) AS low, coalesce(ending, high) AS high
    FROM (${rangesOf(stems, sql`w.value ->> 2 AS position, prefix || (w.value ->> 0) AS beginning, prefix || (w.value ->> 3) AS ending`, end)}))
  SELECT ${columns} FROM p CROSS JOIN search_term_instances v ON v.term >= p.low AND v.term < p.high WHERE ${where}`;

/** The position of the passage with the term at `offset` in the section `of`, a table with `ends` and `passage_count`; NULL after its passages. */
const positionIn = (of: SQL, offset: SQL): SQL =>
  sql`(SELECT e.key % ${of}.passage_count FROM json_each(${of}.ends) e WHERE e.value > ${offset} LIMIT 1)`;

/** The position of a passage in its section, by the offset of one of its terms. Scopes have equal copies of the terms. */
const positionOf = (row: SQL, offset: SQL): SQL =>
  sql`coalesce((SELECT ${positionIn(sql`x`, sql`${offset} % x.term_count`)} FROM search_rows x WHERE x.id = ${row}), 0)`;

/** A text after all terms, so a range that begins with it has none. */
const AFTER_ALL = sql.raw("char(1114111)");

/**
 * The named queries over `access` that the other queries of this module read. `spoken` is a query of `(languages)`: the
 * set of the languages of visible texts. The ranges of each list end with an empty one of a negative scope, for its mark.
 */
export function termQueries({ beginnings, phrases, excludes }: QueryForm, spoken: SQL, limits: ReadLimits): SQL {
  const marked = sql.raw(JSON.stringify(Array.from({ length: beginnings }, (_, at) => at)));
  const queries = [
    sql`prefixes AS MATERIALIZED (SELECT DISTINCT scope, scope || kind AS prefix, (${spoken}) AS spoken FROM access)`,
    sql`terms AS MATERIALIZED (${rangesOf("stems", sql`w.value ->> 2 AS code`)} UNION ALL SELECT -1, ${AFTER_ALL}, ${AFTER_ALL}, 0)`,
    sql`beginnings AS MATERIALIZED (${rangesOf(
      "beginnings",
      sql`w.value ->> 4 AS at, w.value ->> 2 AS code,
        prefix || (w.value ->> 3) AS beginning, prefix || (w.value ->> 3) || ${AFTER_ALL} AS ending`,
    )} UNION ALL SELECT -2 - value, ${AFTER_ALL}, ${AFTER_ALL}, value, 0, ${AFTER_ALL}, ${AFTER_ALL} FROM json_each('${marked}'))`,
  ];
  for (const [at, phrase] of phrases.entries())
    queries.push(sql`${phraseRows(at)} AS MATERIALIZED (${rowsOfPhrase(phrase, at, limits.variants)})`);
  // The passages with an excluded term. A title, and a row without passages, is excluded as a whole: its position is -1.
  if (excludes)
    queries.push(sql`excluded AS MATERIALIZED (
      ${occurrencesOf("excluded", sql`DISTINCT v.doc AS row, iif(v.col = 'title' OR v.doc < 0, -1, ${positionOf(sql`v.doc`, sql`v.offset`)}) AS position`, sql`1`)})`);
  return sql.join(queries, sql`, `);
}

/** The offset of a term in the text of its row, or -1 in the title. */
const positionInText = sql`iif(v.col = 'title', -1, v.offset)`;

/** Whether a row is an occurrence or a mark. A range without terms has neither. */
const isReal = sql`(v.doc IS NOT NULL OR scope < 0)`;

/** The postings of terms that begin with a word, in order of terms, up to a number for each word, and then a mark. */
const prefixPostings = (at: number, limit: number): SQL => sql`
  SELECT * FROM (SELECT v.doc AS row, b.scope, ${occurrenceAt(positionInText, sql`b.code`)} AS occurrence FROM beginnings b
    LEFT JOIN search_term_instances v ON v.term BETWEEN b.beginning AND b.ending AND (v.term < b.low OR v.term >= b.high)
    WHERE b.at = ${literal(at)} AND ${isReal} LIMIT ${literal(limit + 1)})`;

const outsideExcluded = sql`row IS NULL OR row NOT IN (SELECT row FROM excluded WHERE position < 0)
  AND (row NOT IN (SELECT row FROM excluded) OR occurrence < 0
    OR (row, ${positionOf(sql`row`, offsetOf(sql`occurrence`))}) NOT IN (SELECT row, position FROM excluded))`;

/** The number of lists of `postings`. Each ends with a mark. */
const listsOf = ({ beginnings, phrases, phrasesAreWords }: QueryForm): number =>
  phrasesAreWords ? phrases.length : 1 + beginnings;

/** Whether nothing was left out: `marks` is the number of marks among the occurrences. */
export const isComplete = (form: QueryForm, marks: SQL): SQL => {
  const phrases = form.phrasesAreWords
    ? []
    : form.phrases.map((_, at) => sql` AND EXISTS (SELECT 1 FROM ${phraseRows(at)} WHERE scope < 0)`);
  return sql`${marks} = ${literal(listsOf(form))}${sql.join(phrases)}`;
};

/**
 * The occurrences of the words, as `(row, scope, occurrence)`, up to `limits`. In chosen places, only visible rows count for the number
 * that is grouped. Each list ends with a mark, a row with a negative scope alone, so all lists were read to their ends if no mark
 * is missing. No term is the end of a range, and with BETWEEN SQLite reads the term of an occurrence once. The limit also lets SQLite
 * sort three columns, and not all columns from which they are computed.
 */
export function postings(form: QueryForm, access: AccessScopeForm, limits: ReadLimits): SQL {
  const { beginnings, phrases, phrasesAreWords, excludes } = form;
  const all = phrasesAreWords
    ? phrases.map(
        (_, at) => sql`
        SELECT row, scope, iif(scope < 0, NULL, ${literal(codeOf(at, WHOLE_WORD))}) AS occurrence FROM ${phraseRows(at)}`,
      )
    : [
        sql`SELECT v.doc AS row, scope, ${occurrenceAt(positionInText, sql`code`)} AS occurrence
          FROM terms LEFT JOIN search_term_instances v ON v.term BETWEEN terms.low AND terms.high WHERE ${isReal}`,
        ...Array.from({ length: beginnings }, (_, at) => prefixPostings(at, limits.ofBeginning)),
      ];
  const first = (from: SQL, limit: number) => sql`SELECT * FROM (${from}) LIMIT ${literal(limit + listsOf(form))}`;
  const every = sql.join(all, sql` UNION ALL `);
  const visible = isInPlaces(access)
    ? visibleRows(access, sql`(${first(every, limits.read)})`, sql`f.row AS row, f.scope AS scope, occurrence`)
    : every;
  const grouped = first(visible, limits.grouped);
  return excludes && !phrasesAreWords ? sql`SELECT * FROM (${grouped}) WHERE ${outsideExcluded}` : grouped;
}

/** The occurrences in the text of a row, as a JSON array without its brackets; NULL without any. A group of occurrences of a row. */
export const listOfOccurrences = sql`group_concat(iif(occurrence < 0, NULL, occurrence))`;

/**
 * Named queries that find the passages with the phrases of a query. They are empty without phrases. `chosen` is a named query of `(row, …)`.
 * Where phrases are words, `phrase_cells` has each of them as an occurrence; else `phrase_cells0`, … have one phrase each.
 */
export function phraseQueries({ phrases, phrasesAreWords, excludes }: QueryForm, chosen: SQL): SQL {
  const cells = phrases.map((phrase, at) => phrasePassages(phrase, at, chosen));
  if (!phrasesAreWords) return sql.join(cells.map((cell, at) => sql`${phraseCells(at)} AS MATERIALIZED (${cell}), `));
  const counted = cells.map(
    (cell, at) => sql`SELECT row, position, ${literal(codeOf(at, WHOLE_WORD))} AS occurrence FROM (${cell})`,
  );
  const kept = excludes ? sql`WHERE (row, position) NOT IN (SELECT row, position FROM excluded)` : sql``;
  return sql`phrase_cells AS MATERIALIZED (SELECT * FROM (${sql.join(counted, sql` UNION ALL `)}) ${kept}), `;
}
const phraseCells = (at: number): SQL => sql.raw(`phrase_cells${at}`);

/**
 * The occurrences in the passages of the rows of `from`, as `(position, occurrence)` after the named `columns` of `from`, which is a query
 * of `(row, occurrences, …)`. `position` is NULL for a row without `occurrences`, and in passages without a phrase of the query.
 */
export function occurrencesInPassages(form: QueryForm, from: SQL, columns: readonly string[]): SQL {
  const { phrases, phrasesAreWords } = form;
  const own = sql.raw(columns.map((column) => `c.${column} AS ${column}`).join(", "));
  if (phrasesAreWords)
    return sql`SELECT ${own}, p.position AS position, p.occurrence AS occurrence
      FROM ${from} c LEFT JOIN phrase_cells p ON p.row = c.row AND c.occurrences IS NOT NULL`;
  // LIMIT -1 keeps SQLite from reading the JSON again at each use of an occurrence.
  const single = sql`SELECT ${own}, o.value AS occurrence, ${offsetOf(sql`o.value`)} % x.term_count AS offset, x.ends, x.passage_count
    FROM ${from} c CROSS JOIN search_rows x ON x.id = c.row LEFT JOIN json_each('[' || c.occurrences || ']') o LIMIT -1`;
  const all = sql`SELECT ${own}, occurrence, iif(occurrence IS NULL, NULL, coalesce(${positionIn(sql`c`, sql`c.offset`)}, 0)) AS found_at FROM (${single}) c`;
  const within = phrases.map((_, at) => sql`(row, found_at) IN (SELECT row, position FROM ${phraseCells(at)})`);
  const position = phrases.length === 0 ? sql`found_at` : sql`iif(${sql.join(within, sql` AND `)}, found_at, NULL)`;
  // LIMIT -1 keeps SQLite from looking for the phrases again for each lane.
  return sql`SELECT *, ${position} AS position FROM (${all})${phrases.length === 0 ? sql`` : sql` LIMIT -1`}`;
}

/** The first term of a range in the index, without reading its occurrences. */
const firstTerm = (from: SQL, before: SQL): SQL =>
  sql`(SELECT v.term FROM search_term_instances v WHERE v.term >= ${from} AND v.term < ${before} LIMIT 1)`;

const matches = (variant: SQL, open: SQL): SQL => sql`search_terms MATCH '"' || ${variant} || iif(${open}, '" *', '"')`;

const phraseRows = (at: number): SQL => sql.raw(`phrase_rows${at}`);

/**
 * The rows of one phrase, as `(row, scope)`, and a mark if all its variants were looked up. Its terms are next to each other in
 * one field. The index finds only phrases of written terms. So each position of the phrase gets every form of its stem that occurs, from left to right,
 * and a variant is dropped as soon as its first terms occur nowhere. Common words and long phrases stay cheap.
 */
function rowsOfPhrase({ terms, open }: PhraseForm, at: number, limit: number): SQL {
  const last = literal(terms - 1);
  const isOpen = open ? sql`position = ${last}` : sql`0`;
  return sql`
      WITH RECURSIVE positions AS MATERIALIZED (${rangesOf(phraseAt(at), sql`w.value ->> 2 AS position, prefix || (w.value ->> 0) AS beginning`, PART_END)}),
      forms (scope, position, high, term) AS (
        SELECT scope, position, high, iif(${isOpen}, beginning, ${firstTerm(sql`low`, sql`high`)}) FROM positions
        UNION ALL
        SELECT scope, position, high, ${firstTerm(sql`forms.term || char(1)`, sql`high`)} FROM forms WHERE term IS NOT NULL AND NOT ${isOpen}),
      written AS MATERIALIZED (SELECT scope, position, term, substr(term, length(scope) + 1, 1) AS kind FROM forms WHERE term IS NOT NULL),
      variants (scope, kind, position, text) AS (
        SELECT scope, kind, position, term FROM written WHERE position = 0
        UNION ALL
        SELECT v.scope, v.kind, n.position, v.text || ' ' || n.term
        FROM variants v JOIN written n ON n.scope = v.scope AND n.kind = v.kind AND n.position = v.position + 1
        WHERE EXISTS (SELECT 1 FROM search_terms WHERE ${matches(sql`v.text || ' ' || n.term`, open ? sql`n.position = ${last}` : sql`0`)})
        ORDER BY 3 DESC LIMIT ${literal(limit + 1)}),
      found AS MATERIALIZED (SELECT scope, position, text FROM variants)
    SELECT f.rowid AS row, found.scope AS scope FROM found CROSS JOIN search_terms f
      WHERE position = ${last} AND f.${matches(sql`found.text`, open ? sql`1` : sql`0`)}
    UNION ALL SELECT NULL, ${literal(-1 - at)} WHERE (SELECT count(*) FROM found) <= ${literal(limit)}`;
}

/** The passages of some rows in which a phrase begins, as `(row, position)`. */
const phrasePassages = ({ terms }: PhraseForm, at: number, chosen: SQL): SQL => sql`
  SELECT row, ${positionOf(sql`row`, sql`start`)} AS position FROM (
    ${occurrencesOf(phraseAt(at), sql`v.doc AS row, v.offset - p.position AS start`, sql`v.doc IN (SELECT row FROM ${chosen}) AND v.col = 'body'`, PART_END)}
    GROUP BY v.doc, start HAVING count(DISTINCT p.position) = ${literal(terms)})`;

/** The conditions on a row from the phrases and exclusions of a query. */
export function conditions({ phrases, phrasesAreWords, excludes, tagged }: QueryForm): SQL {
  const all = phrasesAreWords
    ? []
    : phrases.map((_, at) => sql`row IN (SELECT row FROM ${phraseRows(at)} WHERE scope >= 0)`);
  if (excludes)
    all.push(sql`row NOT IN (SELECT x.row FROM excluded x CROSS JOIN search_rows s ON s.id = x.row
      GROUP BY x.row HAVING min(position) < 0 OR count(*) >= s.passage_count)`);
  // Each tag of the query is looked up among the few tags of the document.
  if (tagged)
    all.push(sql`NOT EXISTS (SELECT 1 FROM json_each(${sql.placeholder("tags")}) w WHERE w.value ->> 1 <> EXISTS (
      SELECT 1 FROM search_entries e CROSS JOIN ${documentTags} AS d ON d.document_id = e.resource_id
      CROSS JOIN ${tags} AS t ON t.id = d.tag_id AND t.word = w.value ->> 0 WHERE e.key = resource_key))`);
  return all.length === 0 ? sql`1` : sql.join(all, sql` AND `);
}
