import { sql } from "drizzle-orm";
import type { CredentialRef } from "../../platform/caller";
import { type AccessFacts, NO_LIMITS } from "../../platform/caller";
import { type Database, rowsOf } from "../../platform/db/database";
import { reusable } from "../../platform/db/reusable";
import { accessTokens, sessions } from "../tables";
import { type CredentialRow, endOf, limitsOf, selectSessions, selectTokens, type TokenRow } from "./credential";
import { factsOfUser, loadFacts } from "./load";

/** Reads one session as a `CredentialRow`. */
export const readSession = reusable<"id">(() => selectSessions(sql`${sessions.id} = ${sql.placeholder("id")}`));
/** Reads one personal access token as a `TokenRow`. */
export const readToken = reusable<"id">(() => selectTokens(sql`${accessTokens.id} = ${sql.placeholder("id")}`));

/** What a credential may do now, and until when. */
export interface LiveCredential {
  facts: AccessFacts;
  /** When it ends by itself, milliseconds: as it was presented or sooner, if a token's end was moved; null never. */
  expiresAt: number | null;
}

const sooner = (a: number | null, b: number | null): number | null => (a === null || (b !== null && b < a) ? b : a);

/** Today's facts about a credential that was presented earlier, in one batch; null when it is dead by now. */
export async function loadCredential(db: Database, ref: CredentialRef, now: number): Promise<LiveCredential | null> {
  const { kind, id, userId, expiresAt } = ref;
  if (expiresAt !== null && expiresAt <= now) return null;
  switch (kind) {
    case "session": {
      const { found, facts } = await factsOfUser(db, [readSession({ id })], userId, now);
      const [row] = rowsOf<CredentialRow>(found[0]);
      if (row === undefined || endOf(row, now) !== null) return null;
      return { facts: facts(userId, NO_LIMITS), expiresAt: sooner(row.expiresAt, expiresAt) };
    }
    case "pat": {
      const { found, facts } = await factsOfUser(db, [readToken({ id })], userId, now);
      const [row] = rowsOf<TokenRow>(found[0]);
      if (row === undefined || endOf(row, now) !== null) return null;
      return { facts: facts(userId, limitsOf(row)), expiresAt: sooner(row.expiresAt, expiresAt) };
    }
    case "external":
    case "user":
      return { facts: await loadFacts(db, userId, NO_LIMITS, now), expiresAt };
  }
}
