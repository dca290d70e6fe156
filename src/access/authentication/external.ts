import { sql } from "drizzle-orm";
import { type AccessFacts, type Caller, NO_LIMITS } from "../../platform/caller";
import type { Context } from "../../platform/context";
import { rowsOf } from "../../platform/db/database";
import { reusable } from "../../platform/db/reusable";
import { accountOf } from "../external/account";
import type { Issuer } from "../external/key-sets";
import { type ExternalIdentity, verifyExternal } from "../external/verify";
import { factsAfter, loadFacts } from "../permission/load";
import { users } from "../tables";

/** An account is found by the identity that it is bound to; till there is one it is made or claimed first. */
const bound = sql`FROM ${users} WHERE ${users.externalIssuer} = ${sql.placeholder("issuer")}
  AND ${users.externalSubject} = ${sql.placeholder("subject")}`;
const readBound = reusable<"issuer" | "subject">(() => sql`SELECT ${users.id} AS id ${bound}`);
const factsOfBound = factsAfter<"issuer" | "subject">(() => sql`SELECT ${users.id} ${bound}`);

/** The account of an identity and what it may do; null where its address is somebody else's already. */
async function userOf(
  context: Context,
  identity: ExternalIdentity,
): Promise<{ id: string; facts: AccessFacts } | null> {
  const { db, now } = context;
  const { issuer, subject } = identity;
  const { found, facts } = await factsOfBound(db, [readBound({ issuer, subject })], { issuer, subject, now });
  const [row] = rowsOf<{ id: string }>(found[0]);
  if (row !== undefined) return { id: row.id, facts: facts(row.id, NO_LIMITS) };
  const account = await accountOf(context, identity);
  return account && { id: account.id, facts: await loadFacts(db, account.id, NO_LIMITS, now) };
}

/**
 * Who presents this JWT of an outside issuer. It acts as a platform admin by `ADMIN_EMAILS` alone, which is read here
 * alone and each time: what the account itself is does not count.
 */
export async function authenticateExternal(context: Context, issuer: Issuer, bearer: string): Promise<Caller> {
  const { now, settings } = context;
  const identity = await verifyExternal(issuer, bearer, now);
  if (typeof identity === "string") return { kind: "anonymous", refusal: identity };
  const user = await userOf(context, identity);
  if (user === null) return { kind: "anonymous", refusal: "taken" };
  return {
    kind: "external",
    issuer: issuer.issuer,
    userId: user.id,
    isAdmin: settings.ADMIN_EMAILS.includes(identity.email),
    expiresAt: identity.expiresAt,
    facts: user.facts,
  };
}
