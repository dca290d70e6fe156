import { and, eq, gt } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/bytes";
import type { Change } from "../../platform/db/change";
import { consumeRateLimit, isWithinRate, networkOf, resetRateLimit } from "../../platform/http/rate-limit";
import {
  PASSKEY_CHALLENGES_PER_NETWORK,
  REGISTRATIONS_PER_ADDRESS,
  REGISTRATIONS_PER_NETWORK,
  RESET_MAILS_PER_ADDRESS,
  RESETS_PER_NETWORK,
  SIGN_INS_PER_ACCOUNT,
  SIGN_INS_PER_ACCOUNT_AND_NETWORK,
  SIGN_INS_PER_NETWORK,
} from "../limits";
import { sessions } from "../tables";

const networkIn = ({ origin }: Context): string => networkOf(origin?.ip ?? "unknown");
const accountKey = async (email: string): Promise<string> => (await sha256Hex(`account\n${email}`)).slice(0, 32);
const accountAndNetworkBucket = async (context: Context, email: string): Promise<string> =>
  `sign-in:account-network:${await sha256Hex(`${email}\n${networkIn(context)}`)}`;

/**
 * Counts one attempt to sign in. The limit over all networks applies only to networks that have no session of the
 * account, so failed attempts elsewhere never block a network where the person is signed in.
 * @throws DomainError rate-limited.
 */
export async function limitSignIn(context: Context, email: string, userId: string | null): Promise<void> {
  await consumeRateLimit(context, `sign-in:network:${networkIn(context)}`, SIGN_INS_PER_NETWORK, "sign-in");
  await consumeRateLimit(context, await accountAndNetworkBucket(context, email), SIGN_INS_PER_ACCOUNT_AND_NETWORK);
  if (await isKnownAddress(context, userId)) return;
  await consumeRateLimit(context, `sign-in:account:${await accountKey(email)}`, SIGN_INS_PER_ACCOUNT);
}

/** Counts one attempt to sign in with a passkey, which names no account. @throws DomainError rate-limited. */
export async function limitPasskeySignIn(context: Context): Promise<void> {
  await consumeRateLimit(context, `sign-in:network:${networkIn(context)}`, SIGN_INS_PER_NETWORK, "sign-in");
}

/** Counts one challenge for a sign-in with a passkey. @throws DomainError rate-limited. */
export async function limitPasskeyChallenges(context: Context): Promise<void> {
  const bucket = `passkey-challenge:network:${networkIn(context)}`;
  await consumeRateLimit(context, bucket, PASSKEY_CHALLENGES_PER_NETWORK, "passkey-challenge");
}

/** Adds to `change` the reset of the limit of this network and account, because the password was correct. */
export async function clearFailedSignIns(context: Context, change: Change<"directory">, email: string): Promise<void> {
  change.add(resetRateLimit(context, await accountAndNetworkBucket(context, email)));
}

/** Counts one attempt to register. @throws DomainError rate-limited. */
export async function limitRegistration(context: Context, email: string): Promise<void> {
  await consumeRateLimit(context, `register:network:${networkIn(context)}`, REGISTRATIONS_PER_NETWORK, "register");
  await consumeRateLimit(context, `register:account:${await accountKey(email)}`, REGISTRATIONS_PER_ADDRESS);
}

/** Counts one request for a reset link, or one use of a link. @throws DomainError rate-limited. */
export async function limitResets(context: Context): Promise<void> {
  await consumeRateLimit(context, `reset:network:${networkIn(context)}`, RESETS_PER_NETWORK, "password-reset");
}

/** Counts one reset link for an address, whether it has an account or not. @returns whether the limit allows the mail. */
export const canMailReset = async (context: Context, email: string): Promise<boolean> =>
  isWithinRate(context, `reset:account:${await accountKey(email)}`, RESET_MAILS_PER_ADDRESS);

/** Whether the account has a session from this network. It runs for unknown accounts too, so both cost the same. */
async function isKnownAddress({ directory, origin, now }: Context, userId: string | null): Promise<boolean> {
  const [known] = await directory
    .select({ id: sessions.id })
    .from(sessions)
    .where(
      and(eq(sessions.userId, userId ?? ""), eq(sessions.ip, origin?.ip ?? "unknown"), gt(sessions.expiresAt, now)),
    )
    .limit(1);
  return known !== undefined;
}
