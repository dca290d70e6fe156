import { z } from "@hono/zod-openapi";
import { and, desc, eq, gt, isNotNull, isNull, lt, ne, notExists, or, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginDirectoryChange, type Change } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import type { Statement } from "../../platform/db/database";
import { DomainError, notFound } from "../../platform/errors";
import { idSchema, newId } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { type Actor, type AuditEntry, auditStatement } from "../audit";
import { ACCESS_TOKEN_LIFETIME_MS, REFRESH_RETRY_GRACE_MS, SESSION_LIFETIME_MS } from "../limits";
import { requireSession } from "../require";
import { refreshTokens, SECOND_FACTORS, SIGN_IN_METHODS, sessions, users } from "../tables";
import { presentUser, type UserRow, userSchema } from "../user";
import { hashRefreshToken, newRefreshToken, refreshTokenForm, signAccessToken, successorOf } from "./session-tokens";

export const sessionTokensSchema = z
  .object({
    accessToken: z
      .string()
      .openapi({ description: "Send it as `Authorization: Bearer …`. It expires after 15 minutes." }),
    expiresAtUtc: utcSchema,
    refreshToken: z.string().openapi({
      description:
        "Use it for one refresh. The session ends after 30 days without a refresh. Empty if the token is in the cookie.",
    }),
    user: userSchema,
  })
  .openapi("SessionTokens");

export const sessionSchema = z
  .object({
    id: idSchema,
    current: z.boolean(),
    createdAtUtc: utcSchema,
    lastUsedAtUtc: utcSchema.openapi({ description: "Time of the last sign-in or refresh." }),
    expiresAtUtc: utcSchema,
    userAgent: z.string(),
    ip: z.string(),
    method: z.enum(SIGN_IN_METHODS).openapi({ description: "How the session was opened." }),
    secondFactor: z
      .enum(SECOND_FACTORS)
      .nullable()
      .openapi({ description: "What confirmed the sign-in after the password. Null: nothing was asked for." }),
    isKept: z.boolean().openapi({ description: "Whether the browser keeps the session after it is closed." }),
  })
  .openapi("Session");
type SessionView = z.infer<typeof sessionSchema>;

export const presentTokens = (user: UserRow, tokens: SessionTokens): z.infer<typeof sessionTokensSchema> => ({
  accessToken: tokens.accessToken,
  expiresAtUtc: toUtc(tokens.expiresAt),
  refreshToken: tokens.refreshToken,
  user: presentUser(user),
});

const presentSession = (row: typeof sessions.$inferSelect, currentId: string): SessionView => ({
  id: row.id,
  current: row.id === currentId,
  createdAtUtc: toUtc(row.createdAt),
  lastUsedAtUtc: toUtc(row.lastUsedAt),
  expiresAtUtc: toUtc(row.expiresAt),
  userAgent: row.userAgent,
  ip: row.ip,
  method: row.method,
  secondFactor: row.secondFactor,
  isKept: row.isKept,
});

/** The tokens of a session, for the client. */
export interface SessionTokens {
  sessionId: string;
  /** Whether the browser keeps the session after it is closed. */
  isKept: boolean;
  accessToken: string;
  /** When the access token expires, milliseconds since the epoch. */
  expiresAt: number;
  refreshToken: string;
}

export type SignInMethod = (typeof SIGN_IN_METHODS)[number];
export type SecondFactor = (typeof SECOND_FACTORS)[number];

interface OpenedSession {
  id: string;
  /** The person, as the actor of the other audit rows of the change. */
  actor: Actor;
  tokens: SessionTokens;
}

interface NewSession {
  /** How the person has signed in; with the password unless given. */
  method?: SignInMethod;
  /** What has confirmed it after the password; nothing was asked for unless given. */
  secondFactor?: SecondFactor;
  /** Whether the browser keeps it after it is closed. */
  isKept?: boolean | undefined;
}

/** Adds a new session of a person to `change`. */
export async function openSession(
  context: Context,
  change: Change<"directory">,
  userId: string,
  { method = "password", secondFactor, isKept = false }: NewSession,
): Promise<OpenedSession> {
  const { directory, now, origin } = context;
  const id = newId();
  const refreshToken = newRefreshToken();
  const expiresAt = now + SESSION_LIFETIME_MS;
  const actor: Actor = { userId, kind: "session", credentialId: id };
  const how = { method, ...(secondFactor && { secondFactor }) };
  const from = { userAgent: origin?.userAgent ?? "", ip: origin?.ip ?? "unknown" };
  change.add(
    directory
      .insert(sessions)
      .values({ id, userId, createdAt: now, lastUsedAt: now, expiresAt, ...how, isKept, ...from }),
    directory
      .insert(refreshTokens)
      .values({ secretHash: await hashRefreshToken(refreshToken), sessionId: id, createdAt: now, expiresAt }),
    auditStatement(context, {
      organizationId: null,
      action: "session.created",
      subjectType: "session",
      subjectId: id,
      details: how,
      actor,
    }),
  );
  return { id, actor, tokens: { refreshToken, isKept, ...(await newAccessToken(context, userId, id)) } };
}

/** Signs a new access token of a session. */
async function newAccessToken(
  { settings, now }: Pick<Context, "settings" | "now">,
  userId: string,
  sessionId: string,
): Promise<Pick<SessionTokens, "sessionId" | "accessToken" | "expiresAt">> {
  const expiresAt = Math.floor((now + ACCESS_TOKEN_LIFETIME_MS) / 1_000) * 1_000;
  const accessToken = await signAccessToken(settings, { userId, sessionId, expiresAt }, now);
  return { sessionId, accessToken, expiresAt };
}

/** Lists the caller's sessions that have not ended, newest first. @throws DomainError 401, 403. */
export async function listSessions(
  context: Context,
  { limit, cursor }: PageQuery,
): Promise<{ items: SessionView[]; nextCursor: string | null }> {
  const caller = requireSession(context);
  const after = readCursor(cursor, z.tuple([z.uuid()]));
  const rows = await context.directory
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.userId, caller.userId),
        isNull(sessions.revokedAt),
        gt(sessions.expiresAt, context.now),
        after === null ? undefined : lt(sessions.id, after[0]),
      ),
    )
    .orderBy(desc(sessions.id))
    .limit(limit + 1);
  return toPage(
    rows,
    limit,
    (row) => [row.id],
    (row) => presentSession(row, caller.sessionId),
  );
}

const unknownToken = () =>
  new DomainError("invalid-credentials", "This refresh token belongs to no session. Sign in again.");
const endedSession = () => new DomainError("credential-revoked", "This session has ended. Sign in again.");

/**
 * Exchanges a refresh token for a new pair of tokens and extends the session. Within `REFRESH_RETRY_GRACE_MS` a used token
 * gives the same successor. A later use ends the session, because two parties hold the token.
 * @param isSingleUse takes a token that nobody has used and deletes it, so it gives no successor again
 * @param isKept whether the browser keeps the session from now on; as before unless given
 * @throws DomainError invalid-credentials, credential-revoked.
 */
export async function refreshSession(
  context: Context,
  token: string,
  { isSingleUse = false, isKept }: { isSingleUse?: boolean | undefined; isKept?: boolean | undefined } = {},
): Promise<{ user: UserRow; tokens: SessionTokens }> {
  const { directory, now, settings } = context;
  if (!refreshTokenForm.test(token)) throw unknownToken();
  const secretHash = await hashRefreshToken(token);
  const [row] = await directory
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
  const successorUsed = directory
    .select({ one: sql`1` })
    .from(refreshTokens)
    .where(and(eq(refreshTokens.secretHash, successorHash), isNotNull(refreshTokens.usedAt)));
  const expiresAt = now + SESSION_LIFETIME_MS;
  const reuse = new DomainError("credential-revoked", "This refresh token was used before. Sign in again.");
  const given = eq(refreshTokens.secretHash, secretHash);
  const inGrace = or(isNull(refreshTokens.usedAt), gt(refreshTokens.usedAt, now - REFRESH_RETRY_GRACE_MS));
  const use = isSingleUse
    ? directory.delete(refreshTokens).where(and(given, isNull(refreshTokens.usedAt)))
    : directory
        .update(refreshTokens)
        .set({ usedAt: sql`coalesce(${refreshTokens.usedAt}, ${now})` })
        .where(and(given, inGrace, notExists(successorUsed)));
  // If two parties take a token that works once at the same time, the second party finds none.
  const refusal = isSingleUse && row.token.usedAt === null ? unknownToken() : reuse;
  const change = beginDirectoryChange(context)
    .add(use)
    .guardChanged(refusal)
    .add(
      directory
        .update(sessions)
        .set({ lastUsedAt: now, expiresAt, ...(isKept !== undefined && { isKept }) })
        .where(and(eq(sessions.id, session.id), isNull(sessions.revokedAt), gt(sessions.expiresAt, now))),
    )
    .guardChanged(endedSession())
    .add(
      directory
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
  const shown = { refreshToken, isKept: isKept ?? session.isKept };
  return { user, tokens: { ...shown, ...(await newAccessToken(context, user.id, session.id)) } };
}

async function endAfterReuse(context: Context, session: typeof sessions.$inferSelect): Promise<void> {
  const { directory, now } = context;
  await beginDirectoryChange({ ...context, idempotency: null })
    .add(
      directory
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

/** Ends one session of the caller. @throws DomainError 401, 403, 404. */
export async function endSession(context: Context, sessionId: string): Promise<void> {
  const { userId, sessionId: own } = requireSession(context);
  const { directory, now } = context;
  const live = and(isNull(sessions.revokedAt), gt(sessions.expiresAt, now));
  await beginDirectoryChange(context)
    .add(
      directory
        .update(sessions)
        .set({ revokedAt: now })
        .where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId), live)),
    )
    .guardChanged(notFound())
    .announce({ type: "access-changed", userIds: [userId] })
    .add(sessionEnded(context, sessionId, sessionId === own ? "signed-out" : "ended-by-owner"))
    .commit();
}

/** Ends every session of the caller except the one that asks. @throws DomainError 401, 403. */
export async function endOwnOtherSessions(context: Context): Promise<void> {
  const { userId, sessionId } = requireSession(context);
  await beginDirectoryChange(context)
    .add(
      endOtherSessions(context, userId, sessionId),
      auditStatement(context, {
        organizationId: null,
        action: "sessions.ended",
        subjectType: "user",
        subjectId: userId,
        details: { reason: "ended-by-owner" },
        when: sql`changes() > 0`,
      }),
    )
    .announce({ type: "access-changed", userIds: [userId] })
    .commit();
}

/** Whether the session of a refresh token has not ended. */
export async function findLiveSession({ directory, now }: Context, token: string): Promise<boolean> {
  const [found] = await directory
    .select({ id: sessions.id })
    .from(refreshTokens)
    .innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
    .where(
      and(
        eq(refreshTokens.secretHash, await hashRefreshToken(token)),
        isNull(sessions.revokedAt),
        gt(sessions.expiresAt, now),
      ),
    );
  return found !== undefined;
}

/**
 * Ends the session of a refresh token. It does nothing, without an error, if there is no such session.
 * @param except the session that stays
 */
export async function endSessionOfRefreshToken(context: Context, token: string, except?: string): Promise<void> {
  const { directory, now } = context;
  const [row] = await directory
    .select({ id: sessions.id, userId: sessions.userId })
    .from(refreshTokens)
    .innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
    .where(eq(refreshTokens.secretHash, await hashRefreshToken(token)));
  if (row === undefined || row.id === except) return;
  const actor = { userId: row.userId, kind: "session" as const, credentialId: row.id };
  await beginDirectoryChange(context)
    .add(
      directory
        .update(sessions)
        .set({ revokedAt: now })
        .where(and(eq(sessions.id, row.id), isNull(sessions.revokedAt))),
      sessionEnded(context, row.id, "signed-out", { actor, when: sql`changes() > 0` }),
    )
    .announce({ type: "access-changed", userIds: [row.userId] })
    .commit();
}

/** The statement that ends every session of a person except one (null: every session), if `when` holds. */
export const endOtherSessions = (
  { directory, now }: Context,
  userId: string,
  except: string | null,
  when?: SQL,
): Statement<"directory"> => {
  const others = except === null ? undefined : ne(sessions.id, except);
  return directory
    .update(sessions)
    .set({ revokedAt: now })
    .where(and(eq(sessions.userId, userId), isNull(sessions.revokedAt), others, when));
};

/** The statement that writes the audit row of an ended session. */
const sessionEnded = (
  context: Context,
  sessionId: string,
  reason: "signed-out" | "ended-by-owner" | "refresh-token-reused",
  more: Pick<AuditEntry, "actor" | "when"> = {},
): Statement<"directory"> =>
  auditStatement(context, {
    organizationId: null,
    action: "session.ended",
    subjectType: "session",
    subjectId: sessionId,
    details: { reason },
    ...more,
  });
