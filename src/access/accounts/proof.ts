import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import type { Statement } from "../../platform/db/database";
import { DomainError } from "../../platform/errors";
import { endOtherSessions } from "../sessions";
import { accessTokens, users } from "../tables";

/** What a proof of an address does to the account that waited for it: whoever set it up is put out, where `when` holds. */
export const revokeUserCredentials = (context: Context, userId: string, when: SQL): Statement[] => [
  context.db
    .update(accessTokens)
    .set({ revokedAt: context.now })
    .where(and(eq(accessTokens.userId, userId), isNull(accessTokens.revokedAt), when)),
  endOtherSessions(context, userId, null, when),
];

/** Marks the address of an account as verified: its holder has brought what was mailed there. */
export const markVerified = ({ db, now }: Context, userId: string): Statement =>
  db
    .update(users)
    .set({ emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, ${now})` })
    .where(eq(users.id, userId));

const isUnverified = () => and(isNull(users.emailVerifiedAt), eq(users.isAdmin, false));

/** The account that somebody has set up with an address nobody has proven, or null. Never an administrator's. */
export async function findUnverifiedAccount({ db }: Context, email: string): Promise<string | null> {
  const [row] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.email, email), isUnverified()));
  return row?.id ?? null;
}

/** Gives such an account to the person who has proven its address, as though they had registered it. */
export function takeOverAccount(
  context: Context,
  change: Change,
  userId: string,
  given: { displayName: string; passwordHash: string },
): void {
  const waits = sql`EXISTS (SELECT 1 FROM ${users} WHERE ${and(eq(users.id, userId), isUnverified())})`;
  change
    .guard(waits, new DomainError("already-exists", "There is an account with this address. Sign in instead."))
    .add(...revokeUserCredentials(context, userId, sql`1`))
    .add(
      context.db
        .update(users)
        .set({ ...given, emailVerifiedAt: context.now })
        .where(eq(users.id, userId)),
    )
    .announce({ type: "access-changed", userIds: [userId] });
}
