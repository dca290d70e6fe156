import { and, eq, sql } from "drizzle-orm";
import { type AccessFacts, type Caller, NO_LIMITS, type UserCaller } from "../../platform/caller";
import type { Context } from "../../platform/context";
import { beginDirectoryChange } from "../../platform/db/change";
import { rowsOf } from "../../platform/db/database";
import { reusable } from "../../platform/db/statements";
import { newWorkspaceId } from "../../platform/ids";
import { giveSharesAfter, revokeUserCredentials } from "../accounts";
import { type Actor, auditStatement } from "../audit";
import { copyAfter, identityHash } from "../people";
import { loadFactsOf } from "../permission";
import { deletedIdentities, users } from "../tables";
import { choosePlace, insertWorkspace } from "../workspaces";
import { readHolder } from "./holders";
import { type ExternalIdentity, type Issuer, verifyExternal } from "./issuers";

type Bound = Pick<User, "id" | "language" | "claimsAt">;

/** Finds an account by the external identity that is bound to it. */
const fromBoundAccount = sql`FROM ${users} WHERE ${users.externalIssuer} = ${sql.placeholder("issuer")}
  AND ${users.externalSubject} = ${sql.placeholder("subject")}`;
const readBoundAccount = reusable<"issuer" | "subject">(
  () => sql`SELECT ${users.id} AS id, ${users.language} AS language, ${users.claimsAt} AS claimsAt ${fromBoundAccount}`,
);

/** Whether the account of this identity was deleted after the token was made. */
async function isOfDeleted({ directory }: Context, { issuer, subject, issuedAt }: ExternalIdentity): Promise<boolean> {
  const [row] = await directory
    .select()
    .from(deletedIdentities)
    .where(eq(deletedIdentities.hash, await identityHash(issuer, subject)));
  return row !== undefined && (issuedAt ?? 0) <= row.deletedAt;
}

/** The account of an identity with its access facts, or the reason why it has none. */
async function userOf(
  context: Context,
  identity: ExternalIdentity,
): Promise<(Bound & { facts: AccessFacts }) | "taken" | "revoked"> {
  const { issuer, subject } = identity;
  const read = readBoundAccount({ issuer, subject });
  const { found, factsOf } = await readHolder(context, `${issuer} ${subject}`, read, context.now);
  const [row] = rowsOf<Bound>(found);
  if (row === undefined && (await isOfDeleted(context, identity))) return "revoked";
  const account = row ?? (await accountOf(context, identity));
  if (account === null) return "taken";
  const { id, language, claimsAt } = account;
  return { id, language, claimsAt, facts: await factsOf(id, NO_LIMITS) };
}

/**
 * Finds the caller of a JWT of an external issuer. Only `ADMIN_EMAILS` makes it a platform administrator: the account's
 * own `isAdmin` does not count.
 */
export async function authenticateExternal(context: Context, issuer: Issuer, bearer: string): Promise<Caller> {
  const { now, settings } = context;
  const identity = await verifyExternal(issuer, bearer, now);
  if (typeof identity === "string") return { kind: "anonymous", refusal: identity };
  const user = await userOf(context, identity);
  if (typeof user === "string") return { kind: "anonymous", refusal: user };
  const caller: UserCaller = {
    kind: "external",
    issuer: issuer.issuer,
    signedInAt: identity.signedInAt,
    claimed: { roles: identity.roles, issuedAt: identity.issuedAt, followedAt: user.claimsAt },
    userId: user.id,
    isAdmin: settings.ADMIN_EMAILS.includes(identity.email),
    expiresAt: identity.expiresAt,
    language: user.language,
    facts: user.facts,
  };
  if (!(await context.followClaims(context, caller))) return caller;
  return { ...caller, facts: await loadFactsOf(context, user.id, NO_LIMITS, now) };
}

type User = typeof users.$inferSelect;

/**
 * The account that is bound to an identity. At the first request, the verified address finds the account, which is then
 * bound. Null if the address belongs to another identity, or to an administrator: an issuer cannot make administrators.
 *
 * Another person may have registered an unverified address, to wait for its owner. So the first proof removes the
 * password, sessions and tokens: then the account belongs to the person that the issuer names.
 */
async function accountOf(context: Context, identity: ExternalIdentity): Promise<User | null> {
  const { directory, settings } = context;
  const { issuer, subject, email } = identity;
  const bound = async () =>
    (
      await directory
        .select()
        .from(users)
        .where(and(eq(users.externalIssuer, issuer), eq(users.externalSubject, subject)))
    )[0];
  const [known] = await directory.select().from(users).where(eq(users.email, email));
  if (known === undefined) await createAccount(context, identity);
  else {
    const isFree = known.externalIssuer === null && (!known.isAdmin || settings.ADMIN_EMAILS.includes(email));
    if (!isFree) return (await bound()) ?? null;
    await claimAccount(context, identity, known.id);
  }
  const account = await bound();
  if (account !== undefined) return account;
  // Another request registered the address just before the insert. The proof takes that account over.
  return known === undefined ? accountOf(context, identity) : null;
}

/**
 * Notes when the token was made whose claims are followed now. An older token never undoes what a newer one did.
 * @param issuedAt milliseconds since the epoch
 * @returns whether no newer token was followed
 */
export async function noteClaims(context: Context, userId: string, issuedAt: number): Promise<boolean> {
  const { directory } = context;
  const isNewest = sql`coalesce(${users.claimsAt}, 0) <= ${issuedAt}`;
  const [noted] = await beginDirectoryChange({ ...context, idempotency: null })
    .add(
      directory
        .update(users)
        .set({ claimsAt: issuedAt })
        .where(and(eq(users.id, userId), isNewest)),
    )
    .commit();
  return (noted?.meta.changes ?? 0) > 0;
}

const about = (userId: string) => ({
  organizationId: null,
  subjectType: "user",
  subjectId: userId,
  actor: { userId, kind: "external", credentialId: null } satisfies Actor,
});

async function createAccount(context: Context, identity: ExternalIdentity): Promise<void> {
  const { directory, now } = context;
  const { issuer, subject, email, displayName } = identity;
  const id = newWorkspaceId();
  const bound = { externalIssuer: issuer, externalSubject: subject, emailVerifiedAt: now };
  const change = beginDirectoryChange({ ...context, idempotency: null }).add(
    directory
      .insert(users)
      .values({ id, email, displayName, createdAt: now, ...bound })
      .onConflictDoNothing(),
    auditStatement(context, {
      ...about(id),
      action: "user.registered",
      details: { issuer, subject },
      when: sql`changes() > 0`,
    }),
    insertWorkspace(context, id, await choosePlace(context)),
  );
  giveSharesAfter(change, id, sql`EXISTS (SELECT 1 FROM ${users} WHERE ${users.id} = ${id})`);
  copyAfter(context, change, id);
  await change.commit();
}

async function claimAccount(context: Context, identity: ExternalIdentity, userId: string): Promise<void> {
  const { directory, now } = context;
  const { issuer, subject } = identity;
  const free = sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND external_issuer IS NULL)
    AND NOT EXISTS (SELECT 1 FROM users WHERE external_issuer = ${issuer} AND external_subject = ${subject})`;
  const change = beginDirectoryChange({ ...context, idempotency: null });
  giveSharesAfter(change, userId, free);
  await change
    .add(
      auditStatement(context, { ...about(userId), action: "user.proven", details: { issuer, subject }, when: free }),
      ...revokeUserCredentials(context, userId, free),
      directory
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
