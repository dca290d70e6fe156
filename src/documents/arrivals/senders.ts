import { levelAt, userRef, WRITE } from "../../access";
import { users } from "../../access/tables";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/statements";
import { type LocationRow, loadAccessAtLocation, locationPath } from "../../workspace";
import type { MailAddressRow } from "./addresses";

/** Which of these people may add documents at a location now: the rule of uploads. */
async function uploadersOf(
  context: Context,
  location: LocationRow,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { held } = await loadAccessAtLocation(context, userIds.map(userRef), location.id, [], Date.now());
  const place = locationPath(location);
  return new Set(
    userIds.filter((_, i) => {
      const facts = held[i]?.facts;
      return facts !== undefined && levelAt(facts, "Documents", place) >= WRITE;
    }),
  );
}

/** Whether a person may add documents at a location now. */
export const mayAdd = async (context: Context, location: LocationRow, userId: string): Promise<boolean> =>
  (await uploadersOf(context, location, [userId])).has(userId);

const isListed = (senders: readonly string[], address: string): boolean =>
  senders.includes(address) || senders.includes(address.slice(address.lastIndexOf("@") + 1));

/**
 * Judges the sender of a mail, by the envelope and by `From`: both must be allowed. @returns why the mail is refused; null if it
 * is not.
 */
export async function judgeSenders(
  context: Context,
  { senders, actsFor }: MailAddressRow,
  location: LocationRow,
  addresses: readonly string[],
): Promise<"sender-not-allowed" | "person-left" | null> {
  const known =
    senders.length > 0
      ? []
      : // Everybody can register any address, so only verified ones count.
        (
          await context.directory
            .select({ id: users.id, email: users.email, verifiedAt: users.emailVerifiedAt })
            .from(users)
            .where(inSet(users.email, addresses))
        ).filter(({ verifiedAt }) => verifiedAt !== null);
  const uploaders = await uploadersOf(context, location, [actsFor, ...known.map(({ id }) => id)]);
  const isAllowed = (address: string): boolean =>
    senders.length > 0
      ? isListed(senders, address)
      : known.some(({ id, email }) => email === address && uploaders.has(id));
  if (!addresses.every(isAllowed)) return "sender-not-allowed";
  return uploaders.has(actsFor) ? null : "person-left";
}
