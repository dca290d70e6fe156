import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Statement } from "../../platform/db/database";
import { reusableForms } from "../../platform/db/reusable";
import { literal } from "../../platform/db/sets";
import { completedStems } from "../query/completions";
import { type Reach, type ReachForm, reachedRows } from "../reach";
import { STEM_END, wordOfTerm } from "../text/terms";
import { isListed } from "../text/words";
import { isVisibleEntry } from "../visible";

/** Terms looked at, the first of the alphabet, and visible rows in which the things that hold each are counted. */
const CANDIDATES = 24;
const MOST_COUNTED = 8;

const rowsSchema = z.array(z.object({ term: z.string(), places: z.int() }));

const readCandidates = reusableForms<ReachForm>(
  (form) => sql`
  WITH reach AS MATERIALIZED (${reachedRows}),
  listed AS MATERIALIZED (
    SELECT each.letter, each.way, each.id, each.scope, w.value AS term FROM (
      SELECT reach.*, (
        SELECT json_group_array(term) FROM (
          SELECT substr(l.term, length(scope || letter) + 1) AS term FROM search_term_list l
          WHERE l.term >= scope || letter || beginning.value AND l.term < scope || letter || beginning.value || char(1114111)
          LIMIT ${literal(CANDIDATES)})) AS terms
      FROM reach CROSS JOIN json_each(${sql.placeholder("beginnings")}) beginning
    ) each CROSS JOIN json_each(each.terms) w),
  candidates AS MATERIALIZED (SELECT DISTINCT term FROM listed ORDER BY term LIMIT ${literal(CANDIDATES)})
  SELECT term AS "term", (
    SELECT count(DISTINCT resource) FROM (
      SELECT e.resource_id AS resource FROM listed reach
      CROSS JOIN search_term_instances v ON v.term = reach.scope || reach.letter || reach.term
      CROSS JOIN search_rows r ON r.id = v.doc CROSS JOIN search_entries e ON e.key = r.entry_key
      WHERE reach.term = candidates.term AND ${isVisibleEntry(form)} LIMIT ${literal(MOST_COUNTED)})) AS "places"
  FROM candidates`,
);

/**
 * Reads terms that may be what a word becomes, and in how many visible things each stands: those that begin like it,
 * and forms of the shorter stems it may be the beginning of.
 */
export const candidateWords = ({ form, values }: Reach, typed: string): Statement =>
  readCandidates(form, {
    ...values,
    beginnings: JSON.stringify([typed, ...completedStems(typed).map((stem) => stem + STEM_END)]),
  });

/** Words that begin like this and occur in something visible, those in more things first. */
export function matchingWords(rows: readonly unknown[], typed: string): string[] {
  return rowsSchema
    .parse(rows)
    .map(({ term, places }) => ({ ...wordOfTerm(term), places }))
    .filter((w) => w.places > 0 && w.surface !== typed && w.surface.startsWith(typed) && isListed(w))
    .sort((a, b) => b.places - a.places || (a.surface < b.surface ? -1 : 1))
    .map(({ surface }) => surface);
}
