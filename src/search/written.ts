import { sql } from "drizzle-orm";
import { z } from "zod";
import { documents, textSections } from "../documents/tables";
import { rowsOf, runBatch } from "../platform/db/database";
import { reusable } from "../platform/db/statements";
import { annotations, clusters, locations } from "../workspace/tables";
import { inEachPlace, type SearchPlace } from "./places";
import { searchEntries, searchRows } from "./tables";
import { DEFAULT_LANGUAGE, wordsOf } from "./text";

/** The texts of rows of the index: the title, then the passages, or the fields of a place or an annotation. */
const readTexts = reusable<"rows">(
  () => sql`
  SELECT e.title AS "title", coalesce((SELECT group_concat(value, char(10)) FROM json_each(s.texts)), d.path,
    l.description || char(10) || coalesce(l.address, ''), c.description, a.kind || char(10) || a.body, '') AS "body"
  FROM json_each(${sql.placeholder("rows")}) w CROSS JOIN ${searchRows} x ON x.id = w.value
  CROSS JOIN ${searchEntries} e ON e.key = x.entry_key
  LEFT JOIN ${textSections} s ON s.id = x.id
  LEFT JOIN ${documents} d ON e.type = 'document' AND d.id = e.resource_id
  LEFT JOIN ${locations} l ON e.type = 'location' AND l.id = e.resource_id
  LEFT JOIN ${clusters} c ON e.type = 'cluster' AND c.id = e.resource_id
  LEFT JOIN ${annotations} a ON e.type = 'annotation' AND a.id = e.resource_id`,
);
const textsSchema = z.array(z.object({ title: z.string(), body: z.string() }));

/**
 * The weight of an occurrence as evidence for the spelling of a word: less at the beginning of a sentence, and in
 * capital letters.
 */
const [TELLING, DOUBTFUL] = [10, 1];

const BEGINS_SENTENCE = /(?:^|[.!?:;•*–—|/\n-])["'„“«(\s]*$/u;
const isDoubtful = (form: string, before: string): boolean =>
  BEGINS_SENTENCE.test(before) || (form.length > 1 && form === form.toUpperCase() && form !== form.toLowerCase());

/** Characters before a word that show whether it begins a sentence. */
const LOOK_BEHIND = 8;

/** A row of the index of one of several places. */
export interface PlacedRow {
  /** The number of the place. */
  place: number;
  row: number;
}

/**
 * The forms of folded words as the documents write them, with their accents and capital letters: the most frequent one of
 * some visible rows that contain the word. Of two equally frequent ones it is the first by code units, so the databases of
 * the rows do not matter. A word that none of their texts has is returned as it is.
 * @param rows for each folded word, rows of the index that the caller may see
 * @param read texts that were read already
 */
export async function writtenForms(
  places: readonly SearchPlace[],
  rows: ReadonlyMap<string, readonly PlacedRow[]>,
  read: readonly string[] = [],
): Promise<(surface: string) => string> {
  const wanted = [...rows.values()].flat();
  const texts = await inEachPlace(places, async ({ context: { workspace } }, at) => {
    const there = [...new Set(wanted.flatMap(({ place, row }) => (place === at ? [row] : [])))];
    if (there.length === 0) return [];
    const [result] = await runBatch(workspace, [readTexts({ rows: JSON.stringify(there) })]);
    return textsSchema.parse(rowsOf(result));
  });
  const found = texts.flat();
  const weights = new Map<string, Map<string, number>>([...rows.keys()].map((surface) => [surface, new Map()]));
  const initials = new Set([...rows.keys()].map((surface) => surface.charAt(0)));
  for (const text of [...read, ...found.flatMap(({ title, body }) => [title, body])])
    for (const { surface, start, end } of wordsOf(text, DEFAULT_LANGUAGE, initials)) {
      const forms = weights.get(surface);
      if (forms === undefined) continue;
      const form = text.slice(start, end).normalize("NFC");
      const weight = isDoubtful(form, text.slice(Math.max(0, start - LOOK_BEHIND), start)) ? DOUBTFUL : TELLING;
      forms.set(form, (forms.get(form) ?? 0) + weight);
    }
  return (surface) => {
    const [best] = [...(weights.get(surface) ?? [])].sort(([a, of], [b, other]) => other - of || (a < b ? -1 : 1));
    return best?.[0] ?? surface;
  };
}
