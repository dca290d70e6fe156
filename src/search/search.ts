import { z } from "@hono/zod-openapi";
import { requireUser } from "../access";
import type { Context } from "../platform/context";
import { sha256Hex } from "../platform/crypto/bytes";
import { readCursor, toPage } from "../platform/db/cursor";
import { DomainError } from "../platform/errors";
import { newId } from "../platform/ids";
import { type AccessScope, accessScopeOf } from "./access-scope";
import { searchRateLimit } from "./limits";
import { matcherOf, presentHit } from "./present";
import { parseQuery, type Query } from "./query";
import { type After, afterHit, type Hit, rank } from "./ranking";
import type { SearchRequest, SearchResponse } from "./schemas";
import { correctTerm } from "./spelling";
import { recordImpression } from "./telemetry";

/** Sort key of the last result, its rank position, and a hash of the request. */
const cursorShape = z.tuple([z.number(), z.int(), z.string(), z.int(), z.int(), z.string()]);

/** Searches everything that the caller may see now. The best results come first. @throws DomainError 400, 401, 429. */
export async function search(context: Context, request: SearchRequest): Promise<SearchResponse> {
  const caller = requireUser(context);
  searchRateLimit.consume(caller.userId, context.now);
  const { term, scope, limit } = request;
  const asked = (await sha256Hex(JSON.stringify([term, scope]))).slice(0, 16);
  const cursor = readCursor(request.cursor, cursorShape);
  if (cursor !== null && cursor[5] !== asked)
    throw new DomainError(
      "invalid-cursor",
      "This cursor belongs to another search. Send it with the same term and scope.",
    );
  const [score, place, resource, passageId, shown] = cursor ?? [];
  const after: After | null = cursor === null ? null : ([score, place, resource, passageId] as After);

  const { query, hits, correctedTerm } = await rankCorrected(context, accessScopeOf(caller, scope), request, after);
  const matcher = matcherOf(query);
  const first = (shown ?? 0) + 1;
  const page = toPage(
    hits,
    limit,
    (hit) => [...afterHit(hit), first - 1 + limit, asked],
    (hit) => hit,
  );
  const results = page.items.map((hit, i) => presentHit(hit, first + i, matcher));
  const response = { searchId: newId(), results, nextCursor: page.nextCursor, correctedTerm };
  await recordImpression(context, caller, scope, term, response);
  return response;
}

/** Ranks the results of the term. A word that occurs nowhere is replaced by a similar word that does. */
async function rankCorrected(
  context: Context,
  access: AccessScope | null,
  { term, limit }: SearchRequest,
  after: After | null,
): Promise<{ query: Query; hits: Hit[]; correctedTerm: string | null }> {
  const query = parseQuery(term);
  if (access === null) return { query, hits: [], correctedTerm: null };
  const ranking = await rank(context, access, query, limit + 1, after);
  const correctedTerm = await correctTerm(context, access, term, query, ranking);
  if (correctedTerm === null) return { query, hits: ranking.hits, correctedTerm };
  const corrected = parseQuery(correctedTerm);
  const { hits } = await rank(context, access, corrected, limit + 1, after);
  return { query: corrected, hits, correctedTerm };
}
