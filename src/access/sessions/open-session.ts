import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { newId } from "../../platform/ids";
import { type Actor, auditStatement } from "../audit";
import { refreshTokens, sessions } from "../tables";
import { ACCESS_TOKEN_MS, signAccessToken } from "./access-token";
import { hashRefreshToken, newRefreshToken, SESSION_MS } from "./refresh-token";

/** What a client keeps of its session. */
export interface SessionTokens {
  accessToken: string;
  /** When the access token ends, milliseconds since the epoch. */
  expiresAt: number;
  refreshToken: string;
}

export interface OpenedSession {
  id: string;
  /** The person as the actor of what else this change does. */
  actor: Actor;
  tokens: SessionTokens;
}

/** Adds a new session of a person to the change that signs them in. */
export async function openSession(context: Context, change: Change, userId: string): Promise<OpenedSession> {
  const { db, now, origin } = context;
  const id = newId();
  const refreshToken = newRefreshToken();
  const expiresAt = now + SESSION_MS;
  const actor: Actor = { userId, kind: "session", credentialId: id };
  const from = { userAgent: origin?.userAgent ?? "", ip: origin?.ip ?? "unknown" };
  change.add(
    db.insert(sessions).values({ id, userId, createdAt: now, lastUsedAt: now, expiresAt, ...from }),
    db
      .insert(refreshTokens)
      .values({ secretHash: await hashRefreshToken(refreshToken), sessionId: id, createdAt: now, expiresAt }),
    auditStatement(context, {
      organizationId: null,
      action: "session.created",
      subjectType: "session",
      subjectId: id,
      actor,
    }),
  );
  return { id, actor, tokens: { refreshToken, ...(await newAccessToken(context, userId, id)) } };
}

/** A fresh access token of a session. */
export async function newAccessToken(
  { settings, now }: Pick<Context, "settings" | "now">,
  userId: string,
  sessionId: string,
): Promise<Pick<SessionTokens, "accessToken" | "expiresAt">> {
  const expiresAt = Math.floor((now + ACCESS_TOKEN_MS) / 1_000) * 1_000;
  return { accessToken: await signAccessToken(settings, { userId, sessionId, expiresAt }, now), expiresAt };
}
