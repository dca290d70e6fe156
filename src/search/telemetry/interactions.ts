import { z } from "@hono/zod-openapi";
import { eq, sql } from "drizzle-orm";
import { requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { idSchema, newId } from "../../platform/ids";
import { DAY } from "../../platform/time";
import { RESULT_TYPES } from "../reach";
import { searchImpressions, searchInteractions } from "../tables";
import { foldedTerm } from "./term";

const RESULT_ACTIONS = ["ResultClick", "PreviewOpen", "DocumentOpen", "Download", "SnippetCopy"] as const;

export const interactionBody = z
  .strictObject({
    searchId: idSchema,
    action: z.enum([...RESULT_ACTIONS, "QueryReformulated"]),
    resultId: z.string().max(200).optional(),
    resultType: z.enum(RESULT_TYPES).optional(),
    rankPosition: z.int().min(1).optional(),
    dwellMilliseconds: z.int().min(0).max(DAY).optional(),
    reformulatedTerm: z.string().optional().openapi({ description: "Required with QueryReformulated." }),
  })
  .openapi("SearchInteraction");
export type InteractionRequest = z.infer<typeof interactionBody>;

/** Interactions that are kept of one search; more tell nothing new. */
const MOST_KEPT = 200;

const refused = (detail: string): DomainError => new DomainError("rule-violated", detail);

/**
 * Records what the caller did with a result of a search of its own.
 * @throws DomainError 404 for a search of somebody else, 422 for what that search did not return.
 */
export async function recordInteraction(context: Context, request: InteractionRequest): Promise<void> {
  const caller = requireUser(context);
  const { db, now } = context;
  const [impression] = await db.select().from(searchImpressions).where(eq(searchImpressions.id, request.searchId));
  if (impression === undefined || impression.userId !== caller.userId) throw notFound();
  const rankPosition = checkedPosition(request, impression);
  const row = {
    id: newId(),
    searchId: request.searchId,
    action: request.action,
    resultId: request.resultId ?? null,
    rankPosition,
    dwellMs: request.dwellMilliseconds ?? null,
    reformulatedTerm: request.reformulatedTerm === undefined ? null : foldedTerm(request.reformulatedTerm),
    createdAt: now,
  };
  const kept = sql`SELECT count(*) FROM ${searchInteractions} WHERE search_id = ${request.searchId}`;
  await beginChange(context)
    .add(
      sql`INSERT INTO ${searchInteractions}
          (id, search_id, action, result_id, rank_position, dwell_ms, reformulated_term, created_at)
        SELECT ${row.id}, ${row.searchId}, ${row.action}, ${row.resultId}, ${row.rankPosition}, ${row.dwellMs},
          ${row.reformulatedTerm}, ${row.createdAt} WHERE (${kept}) < ${MOST_KEPT}`,
    )
    .commit();
}

/** Where the search placed the result; null for a reformulation. */
function checkedPosition(
  { action, resultId, resultType, rankPosition, reformulatedTerm }: InteractionRequest,
  { results, firstPosition }: { results: readonly string[]; firstPosition: number },
): number | null {
  if (action === "QueryReformulated") {
    if (reformulatedTerm === undefined) throw refused("Send the new query as `reformulatedTerm`.");
    if (resultId === undefined) return null;
  } else if (resultId === undefined) throw refused("Send the `resultId` of the result this is about.");
  const index = results.indexOf(resultId);
  if (index < 0) throw refused("This search did not return that result. Send the `resultId` as the response gave it.");
  const position = firstPosition + index;
  if (rankPosition !== undefined && rankPosition !== position)
    throw refused(`That result stood at position ${position}. Send the \`rankPosition\` as the response gave it.`);
  if (resultType !== undefined && !resultId.startsWith(`${resultType.toLowerCase()}:`))
    throw refused("That result is of another type. Send the `resultType` as the response gave it.");
  return position;
}
