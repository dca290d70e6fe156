import { and, eq, isNull } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { auditStatement } from "../audit";
import { requireSession } from "../require";
import { accessTokens } from "../tables";

/** Revokes one of the caller's tokens: dead from the next request on. @throws DomainError 401, 403, 404. */
export async function revokeToken(context: Context, tokenId: string): Promise<void> {
  const { userId } = requireSession(context);
  const { db, now } = context;
  await beginChange(context)
    .add(
      db
        .update(accessTokens)
        .set({ revokedAt: now })
        .where(and(eq(accessTokens.id, tokenId), eq(accessTokens.userId, userId), isNull(accessTokens.revokedAt))),
    )
    .guardChanged(notFound())
    .announce({ type: "access-changed", userIds: [userId] })
    .add(
      auditStatement(context, {
        organizationId: null,
        action: "token.revoked",
        subjectType: "token",
        subjectId: tokenId,
      }),
    )
    .commit();
}
