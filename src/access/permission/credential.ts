import { type SQL, sql } from "drizzle-orm";
import type { CredentialRef, Refusal, TokenLimits, UserCaller } from "../../platform/caller";
import type { CapabilityMap } from "../../platform/capabilities";
import { accessTokens, sessions, users } from "../tables";

export const credentialKey = ({ kind, id }: Pick<CredentialRef, "kind" | "id">): string => `${kind}:${id}`;

export function credentialRefOf(caller: UserCaller): CredentialRef {
  const { kind, userId, expiresAt } = caller;
  return {
    kind,
    userId,
    expiresAt,
    id: kind === "session" ? caller.sessionId : kind === "pat" ? caller.tokenId : userId,
  };
}

/** The same for a person, as the audience of a notification. */
export const userRef = (userId: string): CredentialRef => ({ kind: "user", id: userId, userId, expiresAt: null });

/** A session or a token as its row has it, with what its user is. */
export interface CredentialRow {
  id: string;
  userId: string;
  isAdmin: number;
  expiresAt: number | null;
  revokedAt: number | null;
}

export interface TokenRow extends CredentialRow {
  secretHash: string;
  lastUsedAt: number | null;
  organizationIds: string | null;
  ceiling: string | null;
}

const ofSession = sql`${sessions.id} AS id, ${sessions.userId} AS userId, ${sessions.expiresAt} AS expiresAt,
  ${sessions.revokedAt} AS revokedAt, ${users.isAdmin} AS isAdmin
  FROM ${sessions} JOIN ${users} ON ${users.id} = ${sessions.userId}`;
const ofToken = sql`${accessTokens.id} AS id, ${accessTokens.userId} AS userId, ${accessTokens.expiresAt} AS expiresAt,
  ${accessTokens.revokedAt} AS revokedAt, ${accessTokens.secretHash} AS secretHash, ${accessTokens.lastUsedAt} AS lastUsedAt,
  ${accessTokens.organizationIds} AS organizationIds, ${accessTokens.capabilities} AS ceiling, ${users.isAdmin} AS isAdmin
  FROM ${accessTokens} JOIN ${users} ON ${users.id} = ${accessTokens.userId}`;

/** Reads sessions as `CredentialRow`s. */
export const selectSessions = (where: SQL): SQL => sql`SELECT ${ofSession} WHERE ${where}`;

/** Reads personal access tokens as `TokenRow`s. */
export const selectTokens = (where: SQL): SQL => sql`SELECT ${ofToken} WHERE ${where}`;

/** What of a token's row cuts its owner's access. */
export const limitsOf = ({ organizationIds, ceiling }: Pick<TokenRow, "organizationIds" | "ceiling">): TokenLimits => ({
  organizationIds: organizationIds === null ? null : (JSON.parse(organizationIds) as string[]),
  ceiling: ceiling === null ? null : (JSON.parse(ceiling) as CapabilityMap),
});

/** Why a credential no longer counts; null while it does. */
export function endOf(row: Pick<CredentialRow, "expiresAt" | "revokedAt">, now: number): Refusal | null {
  if (row.revokedAt !== null) return "revoked";
  return row.expiresAt !== null && row.expiresAt <= now ? "expired" : null;
}
