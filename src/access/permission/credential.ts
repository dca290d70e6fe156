import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import {
  type AccessFacts,
  type CredentialRef,
  NO_LIMITS,
  type Refusal,
  type TokenLimits,
  UNPROVEN,
  type UserCaller,
} from "../../platform/caller";
import type { CapabilityMap } from "../../platform/capabilities";
import type { Context } from "../../platform/context";
import { type Composed, type DirectoryDatabase, rowsOf, runBatch } from "../../platform/db/database";
import { reusable } from "../../platform/db/statements";
import type { ReaderLanguage } from "../../platform/languages/languages";
import { accessTokens, sessions, users } from "../tables";
import { factsOfUser, loadFactsOf } from "./load";

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

/** The reference to a person as the audience of a notification. */
export const userRef = (userId: string): CredentialRef => ({ kind: "user", id: userId, userId, expiresAt: null });

/** The row of a session or token, with `isAdmin` and the language of its user. */
export interface CredentialRow {
  id: string;
  userId: string;
  isAdmin: number;
  language: ReaderLanguage | null;
  expiresAt: number | null;
  revokedAt: number | null;
  /** Whether a passkey or a second factor has opened the session, or the session that made the token. */
  isProven: number;
}

export interface TokenRow extends CredentialRow {
  secretHash: string;
  lastUsedAt: number | null;
  organizationIds: string | null;
  ceiling: string | null;
}

const isProvenSession = sql`(${sessions.method} = 'passkey' OR ${sessions.secondFactor} IS NOT NULL)`;
const ofSession = sql`${sessions.id} AS id, ${sessions.userId} AS userId, ${sessions.expiresAt} AS expiresAt,
  ${sessions.revokedAt} AS revokedAt, ${isProvenSession} AS isProven, ${users.isAdmin} AS isAdmin, ${users.language} AS language
  FROM ${sessions} JOIN ${users} ON ${users.id} = ${sessions.userId}`;
const ofToken = sql`${accessTokens.id} AS id, ${accessTokens.userId} AS userId, ${accessTokens.expiresAt} AS expiresAt,
  ${accessTokens.revokedAt} AS revokedAt, ${accessTokens.secretHash} AS secretHash, ${accessTokens.lastUsedAt} AS lastUsedAt,
  ${accessTokens.organizationIds} AS organizationIds, ${accessTokens.capabilities} AS ceiling, ${accessTokens.isProven} AS isProven,
  ${users.isAdmin} AS isAdmin, ${users.language} AS language
  FROM ${accessTokens} JOIN ${users} ON ${users.id} = ${accessTokens.userId}`;

/** Reads sessions as `CredentialRow`s. */
const selectSessions = (where: SQL): SQL => sql`SELECT ${ofSession} WHERE ${where}`;

/** Reads personal access tokens as `TokenRow`s. */
const selectTokens = (where: SQL): SQL => sql`SELECT ${ofToken} WHERE ${where}`;

/** The limits in the row of a session: the same object for all that are alike. */
export const limitsOfSession = ({ isProven }: Pick<CredentialRow, "isProven">): TokenLimits =>
  isProven === 1 ? NO_LIMITS : UNPROVEN;

type TokenLimitsRow = Pick<TokenRow, "organizationIds" | "ceiling" | "isProven">;

/** The limits in a token's row. */
export const limitsOf = ({ organizationIds, ceiling, isProven }: TokenLimitsRow): TokenLimits => ({
  isProven: isProven === 1,
  organizationIds: organizationIds === null ? null : (JSON.parse(organizationIds) as string[]),
  ceiling: ceiling === null ? null : (JSON.parse(ceiling) as CapabilityMap),
});

/** The reason why a credential has ended, or null if it has not. */
export function refusalOf(row: Pick<CredentialRow, "expiresAt" | "revokedAt">, now: number): Refusal | null {
  if (row.revokedAt !== null) return "revoked";
  return row.expiresAt !== null && row.expiresAt <= now ? "expired" : null;
}

/** Reads one session as a `CredentialRow`. */
export const readSession = reusable<"id">(() => selectSessions(sql`${sessions.id} = ${sql.placeholder("id")}`));
/** Reads one personal access token as a `TokenRow`. */
export const readToken = reusable<"id">(() => selectTokens(sql`${accessTokens.id} = ${sql.placeholder("id")}`));

/** The current access of a credential, and its end. */
interface LiveCredential {
  facts: AccessFacts;
  /** When it expires, milliseconds since the epoch: earlier than before, if the owner changed a token's end. Null: never. */
  expiresAt: number | null;
  /** The language that its person has chosen; null without a choice, and for a credential of another service. */
  language: ReaderLanguage | null;
}

/**
 * Loads the current access facts of a credential that was presented earlier, in one batch.
 * @param now milliseconds since the epoch.
 * @returns null if the credential has ended.
 * @throws if one of the databases does not answer
 */
export async function loadCredential(
  databases: Pick<Context, "directory" | "databases">,
  ref: CredentialRef,
  now: number,
): Promise<LiveCredential | null> {
  const live = await readCredential(databases, ref, now);
  // A caller that finds no access in these facts ends a connection. So it must have the facts of all databases.
  for (const failure of live?.facts.missing?.values() ?? []) throw failure;
  return live;
}

async function readCredential(
  databases: Pick<Context, "directory" | "databases">,
  ref: CredentialRef,
  now: number,
): Promise<LiveCredential | null> {
  const { kind, id, userId, expiresAt } = ref;
  if (expiresAt !== null && expiresAt <= now) return null;
  switch (kind) {
    case "session": {
      const { found, facts } = await factsOfUser(databases, [readSession({ id })], userId, now);
      const [row] = rowsOf<CredentialRow>(found[0]);
      if (row === undefined || refusalOf(row, now) !== null) return null;
      return {
        facts: facts(limitsOfSession(row)),
        expiresAt: earlierEnd(row.expiresAt, expiresAt),
        language: row.language,
      };
    }
    case "pat": {
      const { found, facts } = await factsOfUser(databases, [readToken({ id })], userId, now);
      const [row] = rowsOf<TokenRow>(found[0]);
      if (row === undefined || refusalOf(row, now) !== null) return null;
      return { facts: facts(limitsOf(row)), expiresAt: earlierEnd(row.expiresAt, expiresAt), language: row.language };
    }
    case "external":
    case "user":
      return { facts: await loadFactsOf(databases, userId, NO_LIMITS, now), expiresAt, language: null };
  }
}

/** When a credential expires (milliseconds since the epoch, null: never), or the reason why it has ended. */
export type CredentialEnd = { expiresAt: number | null } | { ended: Refusal };

const oneOf = (set: string) => sql`IN (SELECT value FROM json_each(${sql.placeholder(set)}))`;
const readSessions = reusable<"sessionIds">(() => selectSessions(sql`${sessions.id} ${oneOf("sessionIds")}`));
const readTokens = reusable<"tokenIds">(() => selectTokens(sql`${accessTokens.id} ${oneOf("tokenIds")}`));

/** The ids of the credentials of one kind, in order, as the JSON list that a statement takes. */
const idsOf = (refs: readonly CredentialRef[], kind: CredentialRef["kind"]): string =>
  JSON.stringify(refs.flatMap((ref) => (ref.kind === kind ? ref.id : [])));

/** The earlier of two times in milliseconds. Null means never. */
const earlierEnd = (a: number | null, b: number | null): number | null => {
  const end = Math.min(a ?? Infinity, b ?? Infinity);
  return end === Infinity ? null : end;
};

/** The current state of each credential, in the same order. One batch reads them all. */
export async function loadCredentialEnds(
  directory: DirectoryDatabase,
  refs: readonly CredentialRef[],
  now: number,
): Promise<CredentialEnd[]> {
  const [sessionRows, tokenRows] = await runBatch(directory, [
    readSessions({ sessionIds: idsOf(refs, "session") }),
    readTokens({ tokenIds: idsOf(refs, "pat") }),
  ]);
  const rows = new Map<string, CredentialRow>();
  for (const row of rowsOf<CredentialRow>(sessionRows)) rows.set(credentialKey({ kind: "session", id: row.id }), row);
  for (const row of rowsOf<CredentialRow>(tokenRows)) rows.set(credentialKey({ kind: "pat", id: row.id }), row);
  return refs.map((ref) => {
    if (ref.expiresAt !== null && ref.expiresAt <= now) return { ended: "expired" };
    if (ref.kind !== "session" && ref.kind !== "pat") return { expiresAt: ref.expiresAt };
    const row = rows.get(credentialKey(ref));
    const ended = row === undefined || row.userId !== ref.userId ? "unknown" : refusalOf(row, now);
    return ended === null ? { expiresAt: earlierEnd(row?.expiresAt ?? null, ref.expiresAt) } : { ended };
  });
}

/*
 * Most of a thousand listeners have sessions and unrestricted tokens. So these queries group credentials that differ only in
 * their ids. They answer with places in the given list instead of ids, joined with commas: a place is a few characters, and needs no
 * lookup by an id.
 */
const isLive = (ends: SQLWrapper, revoked: SQLWrapper) =>
  sql`${revoked} IS NULL AND (${ends} IS NULL OR ${ends} > ${sql.placeholder("now")})`;
const liveSessions = reusable<"sessionIds" | "now">(
  () => sql`SELECT ${isProvenSession} AS isProven, group_concat(given.key) AS places FROM json_each(${sql.placeholder("sessionIds")}) AS given
    CROSS JOIN ${sessions} WHERE ${sessions.id} = given.value AND ${isLive(sessions.expiresAt, sessions.revokedAt)} GROUP BY isProven`,
);
const liveTokens = reusable<"tokenIds" | "now">(
  () => sql`SELECT ${accessTokens.organizationIds} AS organizationIds, ${accessTokens.capabilities} AS ceiling,
    ${accessTokens.isProven} AS isProven, group_concat(given.key) AS places FROM json_each(${sql.placeholder("tokenIds")}) AS given
    CROSS JOIN ${accessTokens} WHERE ${accessTokens.id} = given.value AND ${isLive(accessTokens.expiresAt, accessTokens.revokedAt)}
    GROUP BY ${accessTokens.organizationIds}, ${accessTokens.capabilities}, ${accessTokens.isProven}`,
);

/**
 * The statements of the directory that say which of many credentials have not ended. Their number does not depend on the
 * number of credentials.
 * @param now milliseconds since the epoch.
 */
export const readLiveCredentials = (refs: readonly CredentialRef[], now: number): Composed[] => [
  liveSessions({ sessionIds: idsOf(refs, "session"), now }),
  liveTokens({ tokenIds: idsOf(refs, "pat"), now }),
];

/** The numbers in a list that a statement has joined with commas. */
export const placesIn = (joined: string | null): number[] => (joined === null ? [] : joined.split(",").map(Number));

/**
 * The restrictions of each credential, in their order; null for one that has ended. @param results the results of
 * `readLiveCredentials` with the same credentials and `now`
 */
export function liveLimitsIn(
  results: readonly D1Result[],
  refs: readonly CredentialRef[],
  now: number,
): (TokenLimits | null)[] {
  const known: Record<"session" | "pat", TokenLimits[]> = { session: [], pat: [] };
  for (const row of rowsOf<Pick<CredentialRow, "isProven"> & { places: string }>(results[0]))
    for (const place of placesIn(row.places)) known.session[place] = limitsOfSession(row);
  for (const row of rowsOf<TokenLimitsRow & { places: string }>(results[1])) {
    const limits = limitsOf(row);
    for (const place of placesIn(row.places)) known.pat[place] = limits;
  }
  const next = { session: 0, pat: 0 };
  return refs.map(({ kind, expiresAt }) => {
    const isRow = kind === "session" || kind === "pat";
    const limits = isRow ? known[kind][next[kind]++] : NO_LIMITS;
    return expiresAt !== null && expiresAt <= now ? null : (limits ?? null);
  });
}
