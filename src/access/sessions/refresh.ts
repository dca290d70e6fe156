import { and, eq, gt, isNotNull, isNull, notExists, or, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { refreshTokens, sessions, users } from "../tables";
import { sessionEnded } from "./end-session";
import { newAccessToken, type SessionTokens } from "./open-session";
import { hashRefreshToken, RETRY_GRACE_MS, refreshTokenForm, SESSION_MS, successorOf } from "./refresh-token";

type User = typeof users.$inferSelect;

const unknownToken = () =>
  new DomainError("invalid-credentials", "This refresh token is not one of a session. Sign in again.");
const endedSession = () => new DomainError("credential-revoked", "This session has ended. Sign in again.");

/**
 * Exchanges a refresh token for a new pair and lets the session slide. A token that was used comes
 * back the same way within its grace; after that its return ends the session, since two hold it.
 * @throws DomainError 401.
 */
export async function refreshSession(context: Context, token: string): Promise<{ user: User; tokens: SessionTokens }> {
  const { db, now, settings } = context;
  if (!refreshTokenForm.test(token)) throw unknownToken();
  const secretHash = await hashRefreshToken(token);
  const [row] = await db
    .select({ token: refreshTokens, session: sessions, user: users })
    .from(refreshTokens)
    .innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(refreshTokens.secretHash, secretHash));
  if (row === undefined) throw unknownToken();
  const { session, user } = row;
  if (session.revokedAt !== null || session.expiresAt <= now || row.token.expiresAt <= now) throw endedSession();

  const refreshToken = await successorOf(settings, token);
  const successorHash = await hashRefreshToken(refreshToken);
  const successorUsed = db
    .select({ one: sql`1` })
    .from(refreshTokens)
    .where(and(eq(refreshTokens.secretHash, successorHash), isNotNull(refreshTokens.usedAt)));
  const expiresAt = now + SESSION_MS;
  const reuse = new DomainError("credential-revoked", "This refresh token was used before. Sign in again.");
  const change = beginChange(context)
    .add(
      db
        .update(refreshTokens)
        .set({ usedAt: sql`coalesce(${refreshTokens.usedAt}, ${now})` })
        .where(
          and(
            eq(refreshTokens.secretHash, secretHash),
            or(isNull(refreshTokens.usedAt), gt(refreshTokens.usedAt, now - RETRY_GRACE_MS)),
            notExists(successorUsed),
          ),
        ),
    )
    .guardChanged(reuse)
    .add(
      db
        .update(sessions)
        .set({ lastUsedAt: now, expiresAt })
        .where(and(eq(sessions.id, session.id), isNull(sessions.revokedAt), gt(sessions.expiresAt, now))),
    )
    .guardChanged(endedSession())
    .add(
      db
        .insert(refreshTokens)
        .values({ secretHash: successorHash, sessionId: session.id, createdAt: now, expiresAt })
        .onConflictDoNothing(),
    );
  try {
    await change.commit();
  } catch (thrown) {
    if (thrown === reuse) await endAfterReuse(context, session);
    throw thrown;
  }
  return { user, tokens: { refreshToken, ...(await newAccessToken(context, user.id, session.id)) } };
}

async function endAfterReuse(context: Context, session: typeof sessions.$inferSelect): Promise<void> {
  const { db, now } = context;
  await beginChange({ ...context, idempotency: null })
    .add(
      db
        .update(sessions)
        .set({ revokedAt: now })
        .where(and(eq(sessions.id, session.id), isNull(sessions.revokedAt))),
      sessionEnded(context, session.id, "refresh-token-reused", {
        actor: { userId: session.userId, kind: "session", credentialId: session.id },
        when: sql`changes() > 0`,
      }),
    )
    .announce({ type: "access-changed", userIds: [session.userId] })
    .commit();
}
