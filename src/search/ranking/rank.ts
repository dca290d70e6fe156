import { z } from "zod";
import type { Context } from "../../platform/context";
import { rowsOf, runBatch } from "../../platform/db/database";
import type { AccessScope } from "../access-scope";
import { type Detail, detailOf, detailRow } from "../details";
import type { Query } from "../query";
import { ENTRY_TYPES, type EntryType } from "../tables";
import { type After, rankingOf } from "./statement";

const hitSchema = detailRow.extend({
  score: z.number(),
  /** The order of types among equal scores. */
  rank: z.int(),
  type: z.enum(ENTRY_TYPES),
  /** Id of the cluster, location, annotation or document. */
  resource: z.string(),
  /** The id of the best matching passage; negative without a passage. */
  passageId: z.int(),
});

/** One hit with its sort key and its fields. */
export interface Hit {
  score: number;
  rank: number;
  type: EntryType;
  resource: string;
  passageId: number;
  detail: Detail;
}

export interface Ranking {
  hits: Hit[];
  /** Indexes of the words of the query that occur in a visible resource. */
  known: ReadonlySet<number>;
}

export const afterHit = (hit: Hit): After => [hit.score, hit.rank, hit.resource, hit.passageId];

/** Every row contains the known words. A query without hits returns one row without a score. */
const knownSchema = z.array(z.object({ known: z.string(), score: z.number().nullable() }));
const wordsSchema = z.array(z.int());
const hitsSchema = z.array(hitSchema);

/**
 * The best `limit` hits among visible entries, ordered by score, type and id. Only visible entries influence the order.
 * A document has the score of its best passage.
 */
export async function rank(
  { db }: Context,
  access: AccessScope,
  query: Query,
  limit: number,
  after: After | null,
): Promise<Ranking> {
  if (query.words.length === 0) return { hits: [], known: new Set() };
  const [result] = await runBatch(db, [rankingOf(access, query, limit, after)]);
  const found = rowsOf<unknown>(result);
  const [first] = knownSchema.parse(found.slice(0, 1));
  const known = new Set(wordsSchema.parse(JSON.parse(first?.known ?? "[]")));
  const hits = first === undefined || first.score === null ? [] : hitsSchema.parse(found);
  return {
    hits: hits.map(({ score, rank: place, type, resource, passageId, ...row }) => ({
      ...{ score, rank: place, type, resource, passageId },
      detail: detailOf(type, resource, row),
    })),
    known,
  };
}
