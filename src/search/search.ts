import { z } from "@hono/zod-openapi";
import { requireUser } from "../access";
import type { Context } from "../platform/context";
import { sha256Hex } from "../platform/crypto/bytes";
import { readCursor, toPage } from "../platform/db/cursor";
import { DomainError } from "../platform/errors";
import { InstanceLimiter } from "../platform/http/rate-limit";
import { newId } from "../platform/ids";
import { SEARCHES_PER_USER } from "./limits";
import { inEachPlace, type SearchPlace, withSearchPlaces } from "./places";
import { matcherOf, presentHit } from "./present";
import { parseQuery, type Query } from "./query";
import { type After, afterHit, type Ranking, rank, type Wanted } from "./ranking";
import type { SearchRequest, SearchResponse } from "./schemas";
import { correctTerm } from "./spelling";
import { withTags } from "./tags";
import { recordImpression } from "./telemetry";

/** Sort key of the last result, its rank position, and a hash of the request. */
const cursorShape = z.tuple([z.number(), z.int(), z.string(), z.int(), z.string()]);

export const searchRateLimit = new InstanceLimiter("search", SEARCHES_PER_USER);

/** Searches everything that the caller may see now. The best results come first. @throws DomainError 400, 401, 429. */
export async function search(context: Context, request: SearchRequest): Promise<SearchResponse> {
  const caller = requireUser(context);
  searchRateLimit.consume(context, caller.userId);
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
  const { query, hits, total, correctedTerm } = await withSearchPlaces(context, caller, scope, documentId, (places) =>
    rankCorrected(places, term, correct, wanted),
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
  places: readonly SearchPlace[],
  term: string,
  correct: boolean,
  wanted: Wanted,
): Promise<Omit<Ranking, "known"> & { query: Query; correctedTerm: string | null }> {
  const query = parseQuery(term);
  if (places.length === 0) return { query, hits: [], total: { count: 0, isExact: true }, correctedTerm: null };
  const ranking = await rankIn(places, query, wanted);
  const correctedTerm = correct ? await correctTerm(places, term, query, ranking) : null;
  if (correctedTerm === null) return { query, ...ranking, correctedTerm };
  const corrected = withGuesses(parseQuery(correctedTerm), query, ranking.known);
  return { query: corrected, ...(await rankIn(places, corrected, wanted)), correctedTerm };
}

/** Weight of a word that was guessed, beside 1 for a word that was typed. */
const GUESSED_WEIGHT = 0.85;

/**
 * A corrected query in which guessed words weigh less than typed ones: a text with a typed word is more probably the wanted one. A word
 * with a stem of a typed word that occurs was not guessed alone.
 */
function withGuesses(corrected: Query, { words: typed }: Query, known: ReadonlySet<number>): Query {
  const occurring = new Set(typed.flatMap(({ stems }, at) => (known.has(at) ? stems.map(({ stem }) => stem) : [])));
  const words = corrected.words.map((word) =>
    word.stems.some(({ stem }) => occurring.has(stem)) ? word : { ...word, weight: word.weight * GUESSED_WEIGHT },
  );
  return { ...corrected, words };
}

/** Ranks in each place. A workspace is in one place, so the best hits of all places are in the order of one ranking. */
async function rankIn(places: readonly SearchPlace[], query: Query, wanted: Wanted): Promise<Ranking> {
  const rankings = await inEachPlace(places, async ({ context, access }) =>
    rank(context, access, await withTags(context, query), wanted),
  );
  const [only, ...others] = rankings;
  if (only !== undefined && others.length === 0) return only;
  return {
    hits: rankings
      .flatMap(({ hits }) => hits)
      .sort((a, b) => b.score - a.score || a.rank - b.rank || (a.resource < b.resource ? -1 : 1))
      .slice(0, wanted.limit),
    known: new Set(rankings.flatMap(({ known }) => [...known])),
    total: {
      count: rankings.reduce((sum, { total }) => sum + total.count, 0),
      isExact: rankings.every(({ total }) => total.isExact),
    },
  };
}
