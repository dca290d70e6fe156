import { and, eq, exists, isNotNull, not, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginDirectoryChange } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { type Person, personColumns } from "../people";
import { endedRegistrations, users } from "../tables";

/*
 * A registration by invitation holds the invitation in its workspace, and makes the account in the directory. The
 * directory decides how it ends: either the account or the end of its registration commits, never both.
 */

/** Condition: the registration has not been ended. The account is made only under it. */
export const isOngoing = (registrationId: string): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${endedRegistrations} WHERE ${endedRegistrations.id} = ${registrationId})`;

export interface Registration {
  id: string;
  /** The account that it makes. */
  userId: string;
  /** Whether only an account with a verified address counts, because the mailed link of the invitation was used. */
  mustBeVerified: boolean;
}

/**
 * Decides a registration whose request may have stopped. A registration without an account ends: it cannot make one any more.
 * @returns the person, or null if the registration has ended
 */
export async function decideRegistration(
  context: Context,
  { id, userId, mustBeVerified }: Registration,
): Promise<Person | null> {
  const { directory, now } = context;
  const isMade = and(eq(users.id, userId), mustBeVerified ? isNotNull(users.emailVerifiedAt) : undefined);
  const readPerson = () => directory.select(personColumns).from(users).where(isMade);
  const [found] = await readPerson();
  if (found !== undefined) return found;
  const made = new DomainError("conflict", "The account was made in the meantime.");
  const account = directory.select({ one: sql`1` }).from(users).where(isMade);
  try {
    await beginDirectoryChange({ ...context, idempotency: null })
      .guard(sql`${not(exists(account))}`, made)
      .add(directory.insert(endedRegistrations).values({ id, endedAt: now }).onConflictDoNothing())
      .commit();
    return null;
  } catch (thrown) {
    if (thrown !== made) throw thrown;
  }
  const [person] = await readPerson();
  if (person === undefined) throw new Error("an account is gone");
  return person;
}
