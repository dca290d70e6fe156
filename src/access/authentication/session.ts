import type { CredentialRef } from "../../platform/caller";
import { type Caller, NO_LIMITS, type Refusal } from "../../platform/caller";
import type { Context } from "../../platform/context";
import { rowsOf } from "../../platform/db/database";
import { type CredentialRow, endOf } from "../permission/credential";
import { factsOfUser } from "../permission/load";
import { readSession } from "../permission/load-credential";
import { readAccessToken } from "../sessions/access-token";

/** The session that this row is, if it is this user's and lives; the refusal otherwise. */
function believe(row: CredentialRow | undefined, userId: string, now: number): CredentialRow | Refusal {
  if (row === undefined || row.userId !== userId) return "unknown";
  return endOf(row, now) ?? row;
}

/** Who presents this access token of a session. The session is read each time: an ended one is dead at once. */
export async function authenticateSession({ db, now, settings }: Context, bearer: string): Promise<Caller> {
  const claims = await readAccessToken(settings, bearer, now);
  if (typeof claims === "string") return { kind: "anonymous", refusal: claims };
  const { userId, sessionId, expiresAt } = claims;
  // Both ids are signed by us, so what the user may do is asked together with the session.
  const { found, facts } = await factsOfUser(db, [readSession({ id: sessionId })], userId, now);
  const row = believe(rowsOf<CredentialRow>(found[0])[0], userId, now);
  if (typeof row === "string") return { kind: "anonymous", refusal: row };
  return { kind: "session", sessionId, userId, isAdmin: row.isAdmin === 1, expiresAt, facts: facts(userId, NO_LIMITS) };
}

/** The session that an access token of ours names, by its signature alone: it may have ended since. Null for another. */
export async function credentialOfSession({ now, settings }: Context, bearer: string): Promise<CredentialRef | null> {
  const claims = await readAccessToken(settings, bearer, now);
  if (typeof claims === "string") return null;
  const { userId, sessionId, expiresAt } = claims;
  return { kind: "session", id: sessionId, userId, expiresAt };
}
