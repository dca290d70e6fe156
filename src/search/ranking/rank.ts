import { z } from "zod";
import type { Context } from "../../platform/context";
import { rowsOf, runBatch } from "../../platform/db/database";
import type { AccessScope } from "../access-scope";
import { type Detail, detailOf, detailRow, type Source } from "../details";
import type { Query } from "../query";
import { ENTRY_TYPES, type EntryType } from "../tables";
import type { LanguageSet } from "../text";
import { limitsOf, type ReadLimits } from "./postings";
import { type After, rankingOf, type Wanted } from "./statement";

/** One row of a group: a passage, or a section without one. The first one is the best. */
const rowSchema = detailRow.extend({
  score: z.number(),
  /** The order of types among equal scores. */
  rank: z.int(),
  type: z.enum(ENTRY_TYPES),
  /** Id of the cluster, location, annotation or document. */
  resource: z.string(),
  row: z.int(),
  position: z.int().nullable(),
  passageScore: z.number(),
  /** 1 if the passage contains a word of the query. */
  holds: z.int(),
  /** The number of such passages of the resource. */
  passages: z.int(),
});
type Row = z.infer<typeof rowSchema>;

/** A passage of a document that contains words of the query. */
interface FoundPassage {
  score: number;
  text: string;
  source: Source;
  languages: LanguageSet;
}

/** One resource with its sort key, its fields, and the best passages of a document. */
export interface Hit {
  score: number;
  rank: number;
  type: EntryType;
  resource: string;
  detail: Detail;
  passages: FoundPassage[];
  /** The number of passages of the document that contain words of the query. */
  passageCount: number;
}

export interface Ranking {
  hits: Hit[];
  /** Indexes of the words of the query that occur in a visible resource. */
  known: ReadonlySet<number>;
  total: { count: number; isExact: boolean };
}

export const afterHit = (hit: Hit): After => [hit.score, hit.rank, hit.resource];

/** Every row contains the known words and the counts. A query without hits returns one row without a score. */
const headSchema = z.object({
  known: z.string(),
  total: z.int(),
  isExact: z.int(),
  score: z.number().nullable(),
});
const rowsSchema = z.array(rowSchema);

/**
 * The best hits among visible entries, ordered by score, type and id. Only visible entries influence the order. Each
 * resource is one hit; a document has the score of its best section, which has its title too, or else of its card.
 */
export async function rank(
  { workspace }: Context,
  access: AccessScope,
  query: Query,
  wanted: Wanted,
  limits: ReadLimits = limitsOf(query),
): Promise<Ranking> {
  const nothing: Ranking = { hits: [], known: new Set(), total: { count: 0, isExact: true } };
  if (query.words.length === 0) return nothing;
  const [result] = await runBatch(workspace, [rankingOf(access, query, wanted, limits)]);
  const found = rowsOf<unknown>(result);
  if (found.length === 0) return nothing;
  const { known, score, total, isExact } = headSchema.parse(found[0]);
  const groups = score === null ? [] : [...Map.groupBy(rowsSchema.parse(found), ({ resource }) => resource).values()];
  return {
    hits: groups.flatMap(hitOf),
    known: new Set([...known].flatMap((digit, word) => (digit === "1" ? [word] : []))),
    total: { count: total, isExact: isExact === 1 },
  };
}

/** A hit of the rows of its group, the best passage first. */
function hitOf(rows: readonly Row[]): Hit[] {
  const [first] = rows;
  if (first === undefined) return [];
  const { score, rank, type, resource, passages } = first;
  const shown = rows.flatMap((row) => {
    const { source, text } = detailOf("text", resource, row);
    return row.holds === 1 && row.position !== null && source !== null && text !== null
      ? [{ score: row.passageScore, text, source, languages: row.languages }]
      : [];
  });
  const detail = detailOf(type, resource, first);
  const [best] = shown;
  if (best !== undefined) Object.assign(detail, { text: best.text, source: best.source, languages: best.languages });
  // Without a passage that contains a word, a document that is found by its title has no position.
  else if (type === "document") detail.source = { documentId: resource, pageNumber: null, chunkIndex: null };
  return [{ score, rank, type, resource, detail, passages: shown, passageCount: passages }];
}
