import { env } from "cloudflare:workers";
import { z } from "zod";
import { hashRefreshToken, newRefreshToken, signAccessToken } from "../../src/access/sessions/session-tokens";
import { passwordResets, refreshTokens, sessions } from "../../src/access/tables";
import { randomHex, sha256Hex } from "../../src/platform/crypto/bytes";
import { openDatabases } from "../../src/platform/db/database";
import { newId } from "../../src/platform/ids";
import { settingsOf } from "../../src/platform/settings";
import { type CallOptions, call, expectJson } from "./call";
import { mintPerson, type Person } from "./factories";

export const sessionTokens = z.object({
  accessToken: z.string(),
  expiresAtUtc: z.string(),
  refreshToken: z.string(),
  user: z.object({
    id: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    displayName: z.string(),
    isAdmin: z.boolean(),
  }),
});
export type SessionTokens = z.infer<typeof sessionTokens>;

/** Writes a live session of a user directly into the database. @returns its tokens. */
export async function mintSession(
  userId: string,
  overrides: Partial<typeof sessions.$inferInsert> = {},
): Promise<{ id: string; token: string; refreshToken: string }> {
  const now = Date.now();
  const row = {
    id: newId(),
    userId,
    createdAt: now,
    lastUsedAt: now,
    expiresAt: now + 24 * 3_600_000,
    userAgent: "test",
    ip: "unknown",
    ...overrides,
  };
  const { directory } = openDatabases(env.DB);
  const refreshToken = newRefreshToken();
  const secretHash = await hashRefreshToken(refreshToken);
  await directory.insert(sessions).values(row);
  await directory
    .insert(refreshTokens)
    .values({ secretHash, sessionId: row.id, createdAt: now, expiresAt: row.expiresAt });
  const claims = { userId, sessionId: row.id, expiresAt: now + 15 * 60_000 };
  return { id: row.id, token: await signAccessToken(settingsOf(env), claims, now), refreshToken };
}

/** Creates a user with a session. `token` is the session's access token. */
export async function mintSignedIn(): Promise<Person & { sessionId: string }> {
  const person = await mintPerson();
  const { id, token } = await mintSession(person.userId);
  return { ...person, token, sessionId: id };
}

/** An address in an unused network, so that a test has its own rate limits. */
export const freshIp = (): string => `2001:db8:${randomHex(2)}:${randomHex(2)}::1`;

export const PASSWORD = "correct horse battery";

/** Writes a reset link of a user directly into the database. @returns its token. */
export async function mintReset(
  userId: string,
  overrides: Partial<typeof passwordResets.$inferInsert> = {},
): Promise<string> {
  const [token, now] = [randomHex(32), Date.now()];
  const row = {
    secretHash: await sha256Hex(token),
    userId,
    isMailed: true,
    createdAt: now,
    expiresAt: now + 3_600_000,
  };
  await openDatabases(env.DB)
    .directory.insert(passwordResets)
    .values({ ...row, ...overrides });
  return token;
}

/** Registers a user through the API. */
export async function register(
  given: { email?: string; password?: string; displayName?: string; invitation?: string } = {},
  options: CallOptions = {},
): Promise<SessionTokens> {
  const body = { email: `${newId()}@people.test`, password: PASSWORD, displayName: "Ada", ...given };
  const headers = { "cf-connecting-ip": freshIp(), ...options.headers };
  return expectJson(sessionTokens, 201, "POST", "/v1/auth/register", { ...options, body, headers });
}

/** Tries to sign in through the API. */
export const tryLogin = (email: string, password: string, ip = freshIp()): Promise<Response> =>
  call("POST", "/v1/auth/login", { body: { email, password }, headers: { "cf-connecting-ip": ip } });

export const tryRefresh = (refreshToken: string, more: { isSingleUse?: boolean } = {}): Promise<Response> =>
  call("POST", "/v1/auth/refresh", { body: { refreshToken, ...more }, headers: { "cf-connecting-ip": freshIp() } });

/** The status of `GET /v1/auth/me` with a token: 200 while it is valid. */
export const statusOf = async (token: string): Promise<number> => (await call("GET", "/v1/auth/me", { token })).status;
