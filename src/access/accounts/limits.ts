import { and, eq, gt } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/bytes";
import type { Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { consumeRateLimit, networkOf, type RateLimit, resetRateLimit } from "../../platform/http/rate-limit";
import { HOUR, MINUTE } from "../../platform/time";
import { sessions } from "../tables";

/** Tight: one stranger at one account. A right password clears it. */
export const SIGN_INS_PER_ACCOUNT_AND_NETWORK: RateLimit = { limit: 10, windowMs: 15 * MINUTE };
/** Loose: all strangers together at one account. */
export const SIGN_INS_PER_ACCOUNT: RateLimit = { limit: 100, windowMs: 15 * MINUTE };
/** One network at all accounts: an office behind one address must fit. */
export const SIGN_INS_PER_NETWORK: RateLimit = { limit: 150, windowMs: 15 * MINUTE };
export const REGISTRATIONS_PER_NETWORK: RateLimit = { limit: 30, windowMs: HOUR };
export const REGISTRATIONS_PER_ADDRESS: RateLimit = { limit: 10, windowMs: HOUR };

export const RESETS_PER_NETWORK: RateLimit = { limit: 30, windowMs: HOUR };
/** Links one address is mailed: nobody's mail is flooded by strangers. */
export const RESET_MAILS_PER_ADDRESS: RateLimit = { limit: 5, windowMs: HOUR };

const networkIn = ({ origin }: Context): string => networkOf(origin?.ip ?? "unknown");
const accountKey = async (email: string): Promise<string> => (await sha256Hex(`account\n${email}`)).slice(0, 32);
const accountAndNetworkBucket = async (context: Context, email: string): Promise<string> =>
  `sign-in:account-network:${await sha256Hex(`${email}\n${networkIn(context)}`)}`;

/**
 * Counts one try of a password. Somebody else's failures elsewhere never block a person where that
 * person is already signed in: the limit over all networks is for networks new to the account.
 * @throws DomainError rate-limited.
 */
export async function limitSignIn(context: Context, email: string, userId: string | null): Promise<void> {
  await consumeRateLimit(context, `sign-in:network:${networkIn(context)}`, SIGN_INS_PER_NETWORK);
  await consumeRateLimit(context, await accountAndNetworkBucket(context, email), SIGN_INS_PER_ACCOUNT_AND_NETWORK);
  if (await isKnownAddress(context, userId)) return;
  await consumeRateLimit(context, `sign-in:account:${await accountKey(email)}`, SIGN_INS_PER_ACCOUNT);
}

/** Clears the tight limit once the password was right, with the change that follows from it. */
export async function clearFailedSignIns(context: Context, change: Change, email: string): Promise<void> {
  change.add(resetRateLimit(context, await accountAndNetworkBucket(context, email)));
}

/** Counts one try to register. @throws DomainError rate-limited. */
export async function limitRegistration(context: Context, email: string): Promise<void> {
  await consumeRateLimit(context, `register:network:${networkIn(context)}`, REGISTRATIONS_PER_NETWORK);
  await consumeRateLimit(context, `register:account:${await accountKey(email)}`, REGISTRATIONS_PER_ADDRESS);
}

/** Counts one use of a link that resets a password, or one try to be mailed one. @throws DomainError rate-limited. */
export async function limitResets(context: Context): Promise<void> {
  await consumeRateLimit(context, `reset:network:${networkIn(context)}`, RESETS_PER_NETWORK);
}

/** Counts one link for an address, whether it has an account or not. @returns whether it may be mailed another. */
export async function canMailReset(context: Context, email: string): Promise<boolean> {
  try {
    await consumeRateLimit(context, `reset:account:${await accountKey(email)}`, RESET_MAILS_PER_ADDRESS);
    return true;
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.code === "rate-limited") return false;
    throw thrown;
  }
}

/** Runs for unknown accounts too, so that both take the same statements. */
async function isKnownAddress({ db, origin, now }: Context, userId: string | null): Promise<boolean> {
  const [known] = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(
      and(eq(sessions.userId, userId ?? ""), eq(sessions.ip, origin?.ip ?? "unknown"), gt(sessions.expiresAt, now)),
    )
    .limit(1);
  return known !== undefined;
}
