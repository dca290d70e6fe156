import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { type AnyChange, beginDirectoryChange, type Change } from "../../platform/db/change";
import type { Statement } from "../../platform/db/database";
import { DomainError } from "../../platform/errors";
import { complete, type JobHandler } from "../../platform/jobs/handlers";
import { describeFailure, log } from "../../platform/log";
import { endOtherSessions } from "../sessions";
import { accessTokens, passkeyChallenges, passkeys, recoveryCodes, users } from "../tables";

/** Ends what a proof of the person has begun: no passkey is added by an earlier password. */
export const endPasskeyChallenges = ({ directory }: Context, userId: string): Statement<"directory"> =>
  directory.delete(passkeyChallenges).where(eq(passkeyChallenges.userId, userId));

/** Ends the second factor of an account with its recovery codes, if `when` holds. */
export const endSecondFactor = ({ directory }: Context, userId: string, when: SQL): Statement<"directory">[] => [
  directory.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, userId), when)),
  directory
    .update(users)
    .set({ secondFactorAt: null })
    .where(and(eq(users.id, userId), isNotNull(users.secondFactorAt), when)),
];

/** Revokes every token, passkey, recovery code and session of an account, if `when` holds: a person who had not proven its address created them. */
export const revokeUserCredentials = (context: Context, userId: string, when: SQL): Statement<"directory">[] => [
  context.directory
    .update(accessTokens)
    .set({ revokedAt: context.now })
    .where(and(eq(accessTokens.userId, userId), isNull(accessTokens.revokedAt), when)),
  context.directory.delete(passkeys).where(and(eq(passkeys.userId, userId), when)),
  ...endSecondFactor(context, userId, when),
  endPasskeyChallenges(context, userId),
  endOtherSessions(context, userId, null, when),
];

/** Marks the address of an account as verified, because a person used a secret that was mailed to it. */
export const markVerified = ({ directory, now }: Context, userId: string): Statement<"directory"> =>
  directory
    .update(users)
    .set({ emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, ${now})` })
    .where(eq(users.id, userId));

const isUnproven = (userId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${users} WHERE ${and(eq(users.id, userId), isNull(users.emailVerifiedAt))})`;

/**
 * Queues what follows the first proof of an address: the person gets the shares that have waited for it. Add it before the statement
 * that marks the address. @param when the condition of the proof; by default, that the address is not verified
 */
export function giveSharesAfter(change: Change<"directory">, userId: string, when = isUnproven(userId)): void {
  change.job("give-waiting-shares", { userId }, { dedupeKey: `give-waiting-shares:${userId}`, when });
}

/** The change that marks the address of an account as verified. */
function proof(context: Context, userId: string): Change<"directory"> {
  const change = beginDirectoryChange(context);
  giveSharesAfter(change, userId);
  return change.add(markVerified(context, userId));
}

/**
 * Marks the address of a person as verified who has used the mailed link of an invitation. The job is one of the invitation's
 * workspace, so it ends after the change of the directory, not within it.
 */
export const verifyAddress: JobHandler<"verify-address"> = {
  async run(context, { payload: { userId } }) {
    await proof(context, userId).commit();
    return complete();
  },
};

/** Verifies the address of a person after `change`, which is a change of a workspace: at once, or by a job if the worker stops before. */
export function verifyAfter(context: Context, change: AnyChange, userId: string): void {
  change.job("verify-address", { userId });
  change.afterCommit(async () => {
    const verified = proof({ ...context, idempotency: null }, userId);
    await verified.commit().catch((thrown) => log("warn", "address.not-verified", describeFailure(thrown)));
  });
}

const isUnverified = () => and(isNull(users.emailVerifiedAt), eq(users.isAdmin, false));

/** Finds the id of an account with an unverified address, or null. It never finds an administrator's account. */
export async function findUnverifiedAccount({ directory }: Context, email: string): Promise<string | null> {
  const [row] = await directory
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.email, email), isUnverified()));
  return row?.id ?? null;
}

/** Gives an unverified account to the person who has proven its address, as if that person had registered it. */
export function takeOverAccount(
  context: Context,
  change: Change<"directory">,
  userId: string,
  given: { displayName: string; passwordHash: string },
): void {
  const waits = sql`EXISTS (SELECT 1 FROM ${users} WHERE ${and(eq(users.id, userId), isUnverified())})`;
  change
    .guard(waits, new DomainError("already-exists", "There is an account with this address. Sign in instead."))
    .add(...revokeUserCredentials(context, userId, sql`1`))
    .add(
      context.directory
        .update(users)
        .set({ ...given, namedAt: context.now, emailVerifiedAt: context.now })
        .where(eq(users.id, userId)),
    )
    .announce({ type: "access-changed", userIds: [userId] });
}
