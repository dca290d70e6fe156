import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Statement } from "../../platform/db/database";
import { reusableForms } from "../../platform/db/reusable";
import { literal } from "../../platform/db/sets";
import { detailJoins, titleColumn } from "../details";
import { LETTERS } from "../kinds";
import { type Reach, type ReachForm, reachedRows } from "../reach";
import { ENTRY_TYPES } from "../tables";
import type { Word } from "../text/words";
import { isVisibleEntry } from "../visible";

/** Names suggested at most. */
const MOST_TITLES = 5;

const rowSchema = z.object({ type: z.enum(ENTRY_TYPES), resource: z.string(), title: z.string() });
export type NamedThing = z.infer<typeof rowSchema>;

/** The letters of names, by those of words. */
const nameLetter = sql.raw(
  `CASE letter ${Object.values(LETTERS)
    .map(({ word, name }) => `WHEN '${word}' THEN '${name}'`)
    .join(" ")} END`,
);

const readNames = reusableForms<ReachForm>(
  (form) => sql`
    WITH reach AS MATERIALIZED (${reachedRows}),
    found AS MATERIALIZED (
      SELECT DISTINCT e.type AS type, e.resource_id AS resource, 0 AS passage
      FROM reach CROSS JOIN search_terms f CROSS JOIN search_entries e ON e.key = -f.rowid
      WHERE f.search_terms MATCH replace(${sql.placeholder("match")}, '~', scope || ${nameLetter})
        AND e.type <> 'text' AND ${isVisibleEntry(form)}
      LIMIT ${literal(MOST_TITLES)})
    SELECT r.type AS "type", resource AS "resource", ${titleColumn} FROM found r ${detailJoins}`,
);

/** Reads visible clusters, locations, annotations and documents whose title holds all these words, the last as a beginning. */
export function namedThings({ form, values }: Reach, words: readonly Word[], last: Word): Statement {
  // No word holds a quote.
  const match = [...words.map(({ surface }) => `"~${surface}" AND`), `"~${last.surface}" *`].join(" ");
  return readNames(form, { ...values, match });
}

const rowsSchema = z.array(rowSchema);
export const readNamedThings = (rows: readonly unknown[]): NamedThing[] => rowsSchema.parse(rows);
