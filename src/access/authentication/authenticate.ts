import { sql } from "drizzle-orm";
import type { MiddlewareHandler } from "hono";
import { decodeJwt } from "jose";
import { type Caller, type CredentialRef, isUser, type Refusal } from "../../platform/caller";
import type { AppEnv, Context } from "../../platform/context";
import { sameSecret, sha256Hex } from "../../platform/crypto/bytes";
import { secretTokens } from "../../platform/crypto/tokens";
import { type DirectoryDatabase, rowsOf, runBatch, type WorkspaceDatabase } from "../../platform/db/database";
import { isHere } from "../../platform/db/residence";
import type { TableOf } from "../../platform/db/sides";
import { describeFailure, log, noteCaller } from "../../platform/log";
import { MINUTE } from "../../platform/time";
import { MAX_BEARER_LENGTH } from "../limits";
import {
  type CredentialRow,
  credentialRefOf,
  factsOfUser,
  limitsOf,
  limitsOfSession,
  readSession,
  readToken,
  refusalOf,
  type TokenRow,
} from "../permission";
import { readAccessToken } from "../sessions";
import { accessTokens } from "../tables";
import { authenticateExternal } from "./external";
import { readHolder } from "./holders";

/** The issuer that a JWT names, before any check; null if the bearer is no JWT. It only selects the verification. */
function issuerOf(bearer: string): string | null {
  try {
    return decodeJwt(bearer).iss ?? null;
  } catch {
    return null;
  }
}

/**
 * Finds the caller that a bearer token belongs to. For an invalid token it returns an anonymous caller with the reason.
 * @throws DomainError unavailable if the keys of an external issuer cannot be fetched.
 */
export async function callerOf(context: Context, bearer: string): Promise<Caller> {
  if (bearer.length > MAX_BEARER_LENGTH) return { kind: "anonymous", refusal: "malformed" };
  if (bearer.startsWith(`${accessTokenForm.prefix}.`)) return authenticateToken(context, bearer);
  const iss = issuerOf(bearer);
  if (iss === null) return { kind: "anonymous", refusal: "malformed" };
  const { PUBLIC_BASE_URL, OIDC_ISSUERS } = context.settings;
  if (iss === PUBLIC_BASE_URL) return authenticateSession(context, bearer);
  const issuer = OIDC_ISSUERS.find((known) => known.issuer === iss);
  if (issuer !== undefined) return authenticateExternal(context, issuer, bearer);
  return { kind: "anonymous", refusal: "unknown" };
}

/** A credential with a valid signature or secret. `isLive` says whether its row was read: if not, it may have ended. */
export interface Presented {
  credential: CredentialRef;
  isLive: boolean;
}

/**
 * The credential of a bearer token, without its access. The hub reads the state and access of many credentials later.
 * Null for an invalid token. @throws DomainError unavailable if the keys of an external issuer cannot be fetched.
 */
export async function credentialOf(context: Context, bearer: string): Promise<Presented | null> {
  if (bearer.length > MAX_BEARER_LENGTH) return null;
  const presented = (credential: CredentialRef | null, isLive: boolean) => credential && { credential, isLive };
  if (bearer.startsWith(`${accessTokenForm.prefix}.`)) return presented(await credentialOfToken(context, bearer), true);
  if (issuerOf(bearer) === context.settings.PUBLIC_BASE_URL)
    return presented(await credentialOfSession(context, bearer), false);
  const caller = await callerOf(context, bearer);
  return presented(isUser(caller) ? credentialRefOf(caller) : null, true);
}

/** Sets the caller of this request from its Authorization header. */
export const authenticate: MiddlewareHandler<AppEnv> = async (c, next) => {
  const header = c.req.header("authorization");
  if (header !== undefined) {
    const [, bearer] = /^Bearer +(\S+)$/i.exec(header) ?? [];
    const context = c.get("context");
    const caller: Caller =
      bearer === undefined ? { kind: "anonymous", refusal: "malformed" } : await callerOf(context, bearer);
    noteCaller(caller.kind);
    c.set("context", { ...context, caller });
  }
  await next();
};

/** The row, if it is a session of this user that has not ended; otherwise the reason of the refusal. */
function checkSession(row: CredentialRow | undefined, userId: string, now: number): CredentialRow | Refusal {
  if (row === undefined || row.userId !== userId) return "unknown";
  return refusalOf(row, now) ?? row;
}

/** Finds the caller of a session's access token. It reads the session each time, so an ended session counts at once. */
async function authenticateSession(context: Context, bearer: string): Promise<Caller> {
  const { now, settings } = context;
  const claims = await readAccessToken(settings, bearer, now);
  if (typeof claims === "string") return { kind: "anonymous", refusal: claims };
  const { userId, sessionId, expiresAt } = claims;
  // The service signed both ids, so one round trip reads the session and the user's access.
  const { found, facts } = await factsOfUser(context, [readSession({ id: sessionId })], userId, now);
  const row = checkSession(rowsOf<CredentialRow>(found[0])[0], userId, now);
  if (typeof row === "string") return { kind: "anonymous", refusal: row };
  const { isAdmin, language } = row;
  const of = { userId, isAdmin: isAdmin === 1, expiresAt, language };
  return { kind: "session", sessionId, ...of, facts: facts(limitsOfSession(row)) };
}

/** The session that an access token of this service names, or null. Only the signature is checked: it may have ended. */
async function credentialOfSession({ now, settings }: Context, bearer: string): Promise<CredentialRef | null> {
  const claims = await readAccessToken(settings, bearer, now);
  if (typeof claims === "string") return null;
  const { userId, sessionId, expiresAt } = claims;
  return { kind: "session", id: sessionId, userId, expiresAt };
}

/** The form of a personal access token: `svcpat1.<id without hyphens>.<64 hex digits>`. */
const accessTokenForm = secretTokens("svcpat1");
export const writeToken = accessTokenForm.write;

/** Resolution of `last_used_at`, milliseconds: at most one write in this time, after the answer. */
const LAST_USED_RESOLUTION_MS = 5 * MINUTE;

/** A table of credentials, and the database that has it. */
type CredentialTable =
  | { database: DirectoryDatabase; table: TableOf<"directory"> }
  | { database: WorkspaceDatabase; table: TableOf<"workspace">; tenantId: string };

/** Records in the background that a credential of `table` was used, at most once in `LAST_USED_RESOLUTION_MS`. */
export function recordUse(
  { now, background }: Pick<Context, "now" | "background">,
  { database, table, ...of }: CredentialTable,
  { id, lastUsedAt }: { id: string; lastUsedAt: number | null },
): void {
  const stale = now - LAST_USED_RESOLUTION_MS;
  if (lastUsedAt !== null && lastUsedAt > stale) return;
  const statement = sql`UPDATE ${table} SET last_used_at = ${now}
    WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at <= ${stale})
    ${"tenantId" in of ? sql`AND ${isHere(sql`${of.tenantId}`)}` : sql``}`;
  background(
    runBatch(database, [statement]).catch((thrown) =>
      log("warn", "credential.use-not-recorded", { id, ...describeFailure(thrown) }),
    ),
  );
}

/** Reads the id and hashes the secret of a personal access token. Null for another form. */
async function readBearer(bearer: string): Promise<{ id: string; secretHash: string } | null> {
  const read = accessTokenForm.read(bearer);
  return read && { id: read.id, secretHash: await sha256Hex(read.secret) };
}

/** The row, if the secret matches and the token has not ended; otherwise the reason of the refusal. */
function checkToken(context: Context, row: TokenRow | undefined, secretHash: string): TokenRow | Refusal {
  if (row === undefined || !sameSecret(row.secretHash, secretHash)) return "unknown";
  const refusal = refusalOf(row, context.now);
  if (refusal !== null) return refusal;
  recordUse(context, { database: context.directory, table: accessTokens }, row);
  return row;
}

/** Finds the caller of a personal access token, with the token's current restrictions. */
async function authenticateToken(context: Context, bearer: string): Promise<Caller> {
  const read = await readBearer(bearer);
  if (read === null) return { kind: "anonymous", refusal: "malformed" };
  const { id, secretHash } = read;
  const { found, factsOf } = await readHolder(context, id, readToken({ id }), context.now);
  const row = checkToken(context, rowsOf<TokenRow>(found)[0], secretHash);
  if (typeof row === "string") return { kind: "anonymous", refusal: row };
  const limits = limitsOf(row);
  return {
    kind: "pat",
    tokenId: row.id,
    userId: row.userId,
    isAdmin: row.isAdmin === 1 && limits.organizationIds === null && limits.ceiling === null,
    expiresAt: row.expiresAt,
    language: row.language,
    facts: await factsOf(row.userId, limits),
  };
}

/** The credential of a personal access token, without its access. Null if it is unknown or has ended. */
async function credentialOfToken(context: Context, bearer: string): Promise<CredentialRef | null> {
  const read = await readBearer(bearer);
  if (read === null) return null;
  const [found] = await runBatch(context.directory, [readToken({ id: read.id })]);
  const row = checkToken(context, rowsOf<TokenRow>(found)[0], read.secretHash);
  return typeof row === "string" ? null : { kind: "pat", id: row.id, userId: row.userId, expiresAt: row.expiresAt };
}
