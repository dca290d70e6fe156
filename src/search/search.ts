import { z } from "@hono/zod-openapi";
import { requireUser } from "../access";
import type { Context } from "../platform/context";
import { sha256Hex } from "../platform/crypto/bytes";
import { readCursor, toPage } from "../platform/db/cursor";
import { DomainError } from "../platform/errors";
import { InstanceLimiter } from "../platform/http/rate-limit";
import { newId } from "../platform/ids";
import { type AccessScope, withAccessScope } from "./access-scope";
import { SEARCHES_PER_USER } from "./limits";
import { matcherOf, presentHit } from "./present";
import { parseQuery, type Query } from "./query";
import { type After, afterHit, type Ranking, rank, type Wanted } from "./ranking";
import type { SearchRequest, SearchResponse } from "./schemas";
import { correctTerm } from "./spelling";
import { withTags } from "./tags";
import { recordImpression } from "./telemetry";

/** Sort key of the last result, its rank position, and a hash of the request. */
const cursorShape = z.tuple([z.number(), z.int(), z.string(), z.int(), z.string()]);

export const searchRateLimit = new InstanceLimiter(SEARCHES_PER_USER);

/** Searches everything that the caller may see now. The best results come first. @throws DomainError 400, 401, 429. */
export async function search(context: Context, request: SearchRequest): Promise<SearchResponse> {
  const caller = requireUser(context);
  searchRateLimit.consume(caller.userId, context.now);
  const { term, scope, limit, correct = true, documentId = null } = request;
  const asked = (await sha256Hex(JSON.stringify([term, scope, correct, documentId]))).slice(0, 16);
  const cursor = readCursor(request.cursor, cursorShape);
  if (cursor !== null && cursor[4] !== asked)
    throw new DomainError(
      "invalid-cursor",
      "This cursor belongs to another search. Send it with the same term and scope.",
    );
  const [score, rank, resource, shown] = cursor ?? [];
  const after: After | null = cursor === null ? null : ([score, rank, resource] as After);

  const wanted = { limit: limit + 1, after, documentId };
  const { query, hits, total, correctedTerm } = await withAccessScope(context, caller, scope, (access) =>
    rankCorrected(context, access, term, correct, wanted),
  );
  const matcher = matcherOf(query);
  const first = (shown ?? 0) + 1;
  const page = toPage(
    hits,
    limit,
    (hit) => [...afterHit(hit), first - 1 + limit, asked],
    (hit) => hit,
  );
  const results = page.items.map((hit, i) => presentHit(caller, hit, first + i, matcher));
  const response = { searchId: newId(), results, nextCursor: page.nextCursor, total, correctedTerm };
  await recordImpression(context, caller, request, response);
  return response;
}

/** Ranks the results of the term. A word that occurs nowhere is replaced by a similar word that does. */
async function rankCorrected(
  context: Context,
  access: AccessScope | null,
  term: string,
  correct: boolean,
  wanted: Wanted,
): Promise<Omit<Ranking, "known"> & { query: Query; correctedTerm: string | null }> {
  const query = await withTags(context, parseQuery(term));
  if (access === null) return { query, hits: [], total: { count: 0, isExact: true }, correctedTerm: null };
  const ranking = await rank(context, access, query, wanted);
  const correctedTerm = correct ? await correctTerm(context, access, term, query, ranking) : null;
  if (correctedTerm === null) return { query, ...ranking, correctedTerm };
  const corrected = await withTags(context, parseQuery(correctedTerm));
  return { query: corrected, ...(await rank(context, access, corrected, wanted)), correctedTerm };
}
