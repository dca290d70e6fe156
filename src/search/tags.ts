import { and, eq } from "drizzle-orm";
import { requireUser } from "../access";
import { tags } from "../documents/tables";
import type { Context } from "../platform/context";
import { inSet } from "../platform/db/statements";
import type { Query } from "./query";
import { ALL_LANGUAGES, tagStem } from "./text";

/**
 * Makes a tag the word of a query that has no other word, so that `tag:inspection` alone finds its documents. A query with
 * words finds documents by them, and its tags only limit them.
 */
export async function withTags(context: Context, query: Query): Promise<Query> {
  const first = query.tags.find(({ excluded }) => !excluded);
  if (first === undefined || query.words.length > 0) return query;
  const { facts, userId } = requireUser(context);
  const owners = [...facts.memberships, ...facts.grants].flatMap(({ organizationId }) => organizationId ?? []);
  const rows = await context.workspace
    .select({ id: tags.id })
    .from(tags)
    .where(and(inSet(tags.tenantId, [...new Set([userId, ...owners])]), eq(tags.word, first.word)));
  if (rows.length === 0) return query;
  const stems = rows.map(({ id }) => ({ stem: tagStem(id), languages: ALL_LANGUAGES }));
  const word = { surface: "", spellings: [], stems, weight: 1, prefix: false, start: 0, end: 0 };
  return { ...query, words: [word], hasOnlyStopWords: false };
}
