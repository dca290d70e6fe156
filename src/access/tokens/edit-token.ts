import { and, eq, isNull, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { auditStatement } from "../audit";
import { requireSession } from "../require";
import { accessTokens } from "../tables";
import { readToken } from "./read-token";
import { checkTokenLimits } from "./rules";
import type { TokenEdit, TokenRow } from "./schemas";

/**
 * Changes a token's name or limits; they count from the next request on.
 * @throws DomainError 401, 403, 404, 409, 412, 422.
 */
export async function editToken(
  context: Context,
  tokenId: string,
  { expiresAtUtc: expiresAt, ...rest }: TokenEdit,
  precondition: Precondition,
): Promise<TokenRow> {
  const { facts } = requireSession(context);
  const { db, now } = context;
  const row = await readToken(context, tokenId);
  checkPrecondition(precondition, row.revision);
  const asked = { ...rest, ...(expiresAt === undefined ? {} : { expiresAt }) };
  const changes = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  // A limit that stays as it is is not judged again: a token outlives its owner's memberships.
  const kept = new Set(row.organizationIds);
  const added = asked.organizationIds?.filter((id) => !kept.has(id)) ?? null;
  checkTokenLimits(facts, { organizationIds: added, expiresAt: asked.expiresAt ?? null }, now);
  await beginChange(context)
    .add(
      db
        .update(accessTokens)
        .set({ ...changes, revision: sql`${accessTokens.revision} + 1` })
        .where(
          and(eq(accessTokens.id, row.id), eq(accessTokens.revision, row.revision), isNull(accessTokens.revokedAt)),
        ),
    )
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId: null,
        action: "token.changed",
        subjectType: "token",
        subjectId: row.id,
        details: changes,
      }),
    )
    .announce({ type: "access-changed", userIds: [row.userId] })
    .commit();
  return readToken(context, tokenId);
}
