import { and, eq, gt, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import type { Statement } from "../../platform/db/database";
import { notFound } from "../../platform/errors";
import { type AuditEntry, auditStatement } from "../audit";
import { requireSession } from "../require";
import { refreshTokens, sessions } from "../tables";
import { hashRefreshToken } from "./refresh-token";

/** Ends one session of the caller. @throws DomainError 401, 403, 404. */
export async function endSession(context: Context, sessionId: string): Promise<void> {
  const { userId, sessionId: own } = requireSession(context);
  const { db, now } = context;
  const live = and(isNull(sessions.revokedAt), gt(sessions.expiresAt, now));
  await beginChange(context)
    .add(
      db
        .update(sessions)
        .set({ revokedAt: now })
        .where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId), live)),
    )
    .guardChanged(notFound())
    .announce({ type: "access-changed", userIds: [userId] })
    .add(sessionEnded(context, sessionId, sessionId === own ? "signed-out" : "ended-by-owner"))
    .commit();
}

/** Ends the session a refresh token belongs to, if it is one of a live session: says nothing either way. */
export async function endSessionOfRefreshToken(context: Context, token: string): Promise<void> {
  const { db, now } = context;
  const [row] = await db
    .select({ id: sessions.id, userId: sessions.userId })
    .from(refreshTokens)
    .innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
    .where(eq(refreshTokens.secretHash, await hashRefreshToken(token)));
  if (row === undefined) return;
  const actor = { userId: row.userId, kind: "session" as const, credentialId: row.id };
  await beginChange(context)
    .add(
      db
        .update(sessions)
        .set({ revokedAt: now })
        .where(and(eq(sessions.id, row.id), isNull(sessions.revokedAt))),
      sessionEnded(context, row.id, "signed-out", { actor, when: sql`changes() > 0` }),
    )
    .announce({ type: "access-changed", userIds: [row.userId] })
    .commit();
}

/** The statement that ends every live session of a person but one (null: every one), where `when` holds. */
export const endOtherSessions = (
  { db, now }: Context,
  userId: string,
  except: string | null,
  when?: SQL,
): Statement => {
  const others = except === null ? undefined : ne(sessions.id, except);
  return db
    .update(sessions)
    .set({ revokedAt: now })
    .where(and(eq(sessions.userId, userId), isNull(sessions.revokedAt), others, when));
};

/** The audit row of a session's end. */
export const sessionEnded = (
  context: Context,
  sessionId: string,
  reason: "signed-out" | "ended-by-owner" | "refresh-token-reused",
  more: Pick<AuditEntry, "actor" | "when"> = {},
): Statement =>
  auditStatement(context, {
    organizationId: null,
    action: "session.ended",
    subjectType: "session",
    subjectId: sessionId,
    details: { reason },
    ...more,
  });
