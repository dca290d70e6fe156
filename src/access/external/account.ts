import { and, eq, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { newId } from "../../platform/ids";
import { putOut } from "../accounts/proof";
import { type Actor, auditStatement } from "../audit";
import { users } from "../tables";
import type { ExternalIdentity } from "./verify";

type User = typeof users.$inferSelect;

/**
 * The account that an identity is bound to; bound now when it comes for the first time, by its verified address. Null
 * where that address is another identity's, or an administrator's: an issuer gives no administration.
 *
 * An account that existed before its first proof may have been set up by somebody else, to wait for
 * the address's owner. So the first proof takes its password, sessions and tokens away: from then
 * on it belongs to whom the issuer says.
 */
export async function accountOf(context: Context, identity: ExternalIdentity): Promise<User | null> {
  const { db, settings } = context;
  const { issuer, subject, email } = identity;
  const bound = async () =>
    (
      await db
        .select()
        .from(users)
        .where(and(eq(users.externalIssuer, issuer), eq(users.externalSubject, subject)))
    )[0];
  const [known] = await db.select().from(users).where(eq(users.email, email));
  if (known === undefined) await createAccount(context, identity);
  else {
    const isFree = known.externalIssuer === null && (!known.isAdmin || settings.ADMIN_EMAILS.includes(email));
    if (!isFree) return (await bound()) ?? null;
    await claimAccount(context, identity, known.id);
  }
  const account = await bound();
  if (account !== undefined) return account;
  // Somebody else registered the address just before the insert: the proof still comes first.
  return known === undefined ? accountOf(context, identity) : null;
}

const about = (userId: string) => ({
  organizationId: null,
  subjectType: "user",
  subjectId: userId,
  actor: { userId, kind: "external", credentialId: null } satisfies Actor,
});

async function createAccount(context: Context, identity: ExternalIdentity): Promise<void> {
  const { db, now } = context;
  const { issuer, subject, email, displayName } = identity;
  const id = newId();
  const bound = { externalIssuer: issuer, externalSubject: subject, emailVerifiedAt: now };
  await beginChange({ ...context, idempotency: null })
    .add(
      db
        .insert(users)
        .values({ id, email, displayName, createdAt: now, ...bound })
        .onConflictDoNothing(),
      auditStatement(context, {
        ...about(id),
        action: "user.registered",
        details: { issuer, subject },
        when: sql`changes() > 0`,
      }),
    )
    .commit();
}

async function claimAccount(context: Context, identity: ExternalIdentity, userId: string): Promise<void> {
  const { db, now } = context;
  const { issuer, subject } = identity;
  const free = sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND external_issuer IS NULL)
    AND NOT EXISTS (SELECT 1 FROM users WHERE external_issuer = ${issuer} AND external_subject = ${subject})`;
  await beginChange({ ...context, idempotency: null })
    .add(
      auditStatement(context, { ...about(userId), action: "user.proven", details: { issuer, subject }, when: free }),
      ...putOut(context, userId, free),
      db
        .update(users)
        .set({
          externalIssuer: issuer,
          externalSubject: subject,
          emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, ${now})`,
          passwordHash: null,
        })
        .where(and(eq(users.id, userId), free)),
    )
    .announce({ type: "access-changed", userIds: [userId] })
    .commit();
}
