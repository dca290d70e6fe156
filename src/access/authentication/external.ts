import { sql } from "drizzle-orm";
import type { Context } from "../../context";
import { rowsOf } from "../../platform/db/database";
import { reusable } from "../../platform/db/reusable";
import type { Caller } from "../caller";
import { accountOf } from "../external/account";
import type { Issuer } from "../external/key-sets";
import { type ExternalIdentity, verifyExternal } from "../external/verify";
import { type AccessFacts, NO_LIMITS } from "../permission/facts";
import { factsAfter, loadFacts } from "../permission/load";
import { users } from "../tables";

/** An account counts as its address's once an issuer has proven that; till then it is claimed first. */
const provenByEmail = sql`FROM ${users} WHERE ${users.email} = ${sql.placeholder("email")} AND ${users.externalIssuer} IS NOT NULL`;
const readProven = reusable<"email">(() => sql`SELECT ${users.id} AS id, ${users.isAdmin} AS isAdmin ${provenByEmail}`);
const factsOfProven = factsAfter<"email">(() => sql`SELECT ${users.id} ${provenByEmail}`);

/** The account of a proven address and what it may do; made or claimed when the address is new. */
async function userOf(context: Context, issuer: Issuer, identity: ExternalIdentity): Promise<ExternalUser> {
  const { db, now } = context;
  const { email } = identity;
  const { found, facts } = await factsOfProven(db, [readProven({ email })], { email, now });
  const [row] = rowsOf<{ id: string; isAdmin: number }>(found[0]);
  if (row !== undefined) return { id: row.id, isAdmin: row.isAdmin === 1, facts: facts(row.id, NO_LIMITS) };
  const { id, isAdmin } = await accountOf(context, issuer.issuer, identity);
  return { id, isAdmin, facts: await loadFacts(db, id, NO_LIMITS, now) };
}

interface ExternalUser {
  id: string;
  isAdmin: boolean;
  facts: AccessFacts;
}

/**
 * Who presents this JWT of an outside issuer. `ADMIN_EMAILS` is read here alone, and each time: only
 * an issuer's proof makes such an address a platform admin, and only while it is listed.
 */
export async function authenticateExternal(context: Context, issuer: Issuer, bearer: string): Promise<Caller> {
  const { now, settings } = context;
  const identity = await verifyExternal(issuer, bearer, now);
  if (typeof identity === "string") return { kind: "anonymous", refusal: identity };
  const { id, isAdmin, facts } = await userOf(context, issuer, identity);
  return {
    kind: "external",
    issuer: issuer.issuer,
    userId: id,
    isAdmin: isAdmin || settings.ADMIN_EMAILS.includes(identity.email),
    expiresAt: identity.expiresAt,
    facts,
  };
}
