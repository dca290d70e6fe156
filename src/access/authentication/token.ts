import { and, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { Caller, CredentialRef, Refusal } from "../../platform/caller";
import type { Context } from "../../platform/context";
import { sameSecret, sha256Hex } from "../../platform/crypto/hash";
import { rowsOf, runBatch } from "../../platform/db/database";
import { describeFailure, log } from "../../platform/log";
import { MINUTE } from "../../platform/time";
import { endOf, limitsOf, type TokenRow } from "../permission/credential";
import { factsAfter } from "../permission/load";
import { readToken } from "../permission/load-credential";
import { accessTokens } from "../tables";

/** Wire form of a personal access token: `svcpat1.<id without hyphens>.<64 hex>`. */
export const TOKEN_PREFIX = "svcpat1";
const WIRE_FORM = /^svcpat1\.([0-9a-f]{32})\.([0-9a-f]{64})$/;

/** An id without hyphens back to its usual form. */
const withHyphens = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

export const writeToken = (id: string, secret: string): string => `${TOKEN_PREFIX}.${id.replaceAll("-", "")}.${secret}`;

/** How exactly `last_used_at` is kept: one write in this time, after the answer. */
const LAST_USED_EXACTNESS = 5 * MINUTE;

function noteUse({ db, now, background }: Context, tokenId: string, lastUsedAt: number | null): void {
  const stale = now - LAST_USED_EXACTNESS;
  if (lastUsedAt !== null && lastUsedAt > stale) return;
  const unnoted = or(isNull(accessTokens.lastUsedAt), lt(accessTokens.lastUsedAt, stale + 1));
  background(
    db
      .update(accessTokens)
      .set({ lastUsedAt: now })
      .where(and(eq(accessTokens.id, tokenId), unnoted))
      .run()
      .catch((thrown) => log("warn", "token.use-not-noted", { tokenId, ...describeFailure(thrown) })),
  );
}

const factsOfOwner = factsAfter<"id" | "secretHash">(
  () => sql`SELECT ${accessTokens.userId} FROM ${accessTokens}
    WHERE ${accessTokens.id} = ${sql.placeholder("id")} AND ${accessTokens.secretHash} = ${sql.placeholder("secretHash")}`,
);

/** The id and the secret's hash of what looks like a token; null otherwise. */
async function readBearer(bearer: string): Promise<{ id: string; secretHash: string } | null> {
  const [, hex, secret] = WIRE_FORM.exec(bearer) ?? [];
  return hex === undefined || secret === undefined
    ? null
    : { id: withHyphens(hex), secretHash: await sha256Hex(secret) };
}

/** The token that this row is, if its secret was presented and it lives; the refusal otherwise. */
function believe(context: Context, row: TokenRow | undefined, secretHash: string): TokenRow | Refusal {
  if (row === undefined || !sameSecret(row.secretHash, secretHash)) return "unknown";
  const refusal = endOf(row, context.now);
  if (refusal !== null) return refusal;
  noteUse(context, row.id, row.lastUsedAt);
  return row;
}

/** Who presents this personal access token, with its limits as they stand now. */
export async function authenticateToken(context: Context, bearer: string): Promise<Caller> {
  const { db, now } = context;
  const read = await readBearer(bearer);
  if (read === null) return { kind: "anonymous", refusal: "malformed" };
  const { id, secretHash } = read;
  // One round trip: a wrong secret loads no facts, and the right one is believed by the comparison below alone.
  const { found, facts } = await factsOfOwner(db, [readToken({ id })], { id, secretHash, now });
  const row = believe(context, rowsOf<TokenRow>(found[0])[0], secretHash);
  if (typeof row === "string") return { kind: "anonymous", refusal: row };
  const limits = limitsOf(row);
  return {
    kind: "pat",
    tokenId: row.id,
    userId: row.userId,
    isAdmin: row.isAdmin === 1 && limits.organizationIds === null && limits.ceiling === null,
    expiresAt: row.expiresAt,
    facts: facts(row.userId, limits),
  };
}

/** The personal access token that is presented, without what it may do; null when it is none that lives. */
export async function credentialOfToken(context: Context, bearer: string): Promise<CredentialRef | null> {
  const read = await readBearer(bearer);
  if (read === null) return null;
  const [found] = await runBatch(context.db, [readToken({ id: read.id })]);
  const row = believe(context, rowsOf<TokenRow>(found)[0], read.secretHash);
  return typeof row === "string" ? null : { kind: "pat", id: row.id, userId: row.userId, expiresAt: row.expiresAt };
}
