import { and, eq, isNull, sql } from "drizzle-orm";
import type { Context } from "../../context";
import { beginChange } from "../../platform/db/change";
import { newId } from "../../platform/ids";
import { putOut } from "../accounts/proof";
import { type Actor, auditStatement } from "../audit";
import { users } from "../tables";
import type { ExternalIdentity } from "./verify";

type User = typeof users.$inferSelect;

/**
 * The account of an address that an issuer has verified; made when there is none.
 *
 * An account that existed before its first proof may have been set up by somebody else, to wait for
 * the address's owner. So the first proof takes its password, sessions and tokens away: from then
 * on it belongs to whom the issuer says.
 */
export async function accountOf(context: Context, issuer: string, identity: ExternalIdentity): Promise<User> {
  const { db } = context;
  const byEmail = () => db.select().from(users).where(eq(users.email, identity.email));
  const [known] = await byEmail();
  if (known?.externalIssuer != null) return known;
  if (known === undefined) await createAccount(context, issuer, identity);
  else await claimAccount(context, issuer, known.id);
  const [user] = await byEmail();
  if (user === undefined) throw new Error("an account was not made");
  // Somebody else registered the address just before the insert: the proof still comes first.
  return user.externalIssuer === null ? accountOf(context, issuer, identity) : user;
}

const actorOf = (userId: string): Actor => ({ userId, kind: "external", credentialId: null });
const about = (userId: string) => ({
  organizationId: null,
  subjectType: "user",
  subjectId: userId,
  actor: actorOf(userId),
});

async function createAccount(context: Context, issuer: string, identity: ExternalIdentity): Promise<void> {
  const { db, now } = context;
  const id = newId();
  const row = {
    id,
    email: identity.email,
    emailVerifiedAt: now,
    externalIssuer: issuer,
    displayName: identity.displayName,
    createdAt: now,
  };
  await beginChange({ ...context, idempotency: null })
    .add(
      db.insert(users).values(row).onConflictDoNothing(),
      auditStatement(context, {
        ...about(id),
        action: "user.registered",
        details: { issuer },
        when: sql`changes() > 0`,
      }),
    )
    .commit();
}

async function claimAccount(context: Context, issuer: string, userId: string): Promise<void> {
  const { db, now } = context;
  const unclaimed = sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND external_issuer IS NULL)`;
  await beginChange({ ...context, idempotency: null })
    .add(
      auditStatement(context, { ...about(userId), action: "user.proven", details: { issuer }, when: unclaimed }),
      ...putOut(context, userId, unclaimed),
      db
        .update(users)
        .set({
          externalIssuer: issuer,
          emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, ${now})`,
          passwordHash: null,
        })
        .where(and(eq(users.id, userId), isNull(users.externalIssuer))),
    )
    .announce({ type: "access-changed", userIds: [userId] })
    .commit();
}
