import type { Context } from "../../platform/context";
import { beginDirectoryChange } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { limitPasskeyChallenges, limitPasskeySignIn } from "../accounts";
import { PASSKEY_CHALLENGE_LIFETIME_MS } from "../limits";
import { openSession, type SessionTokens } from "../sessions";
import type { UserRow } from "../user";
import { challengeIn, endChallenge, hashChallenge, newChallenge, type Purpose, takeChallenge } from "./challenges";
import { findPasskey, usePasskey, userHandleOf } from "./passkeys";
import type { AuthenticationResponse, RequestOptions } from "./schemas";
import { relyingParty, verifyAuthentication } from "./verify";

/** One answer for an unknown passkey, an ended challenge and every failed check. */
const refused = (): DomainError =>
  new DomainError("invalid-credentials", "This passkey does not sign in here, or the request has ended. Try again.");

const ANYONE: Purpose = { purpose: "sign-in", userId: null };

/**
 * A challenge for a sign-in. It names no passkeys, so the answer says nothing about accounts: the authenticator offers the passkeys
 * that it has for the service. @throws DomainError rate-limited.
 */
export async function beginPasskeySignIn(context: Context): Promise<RequestOptions> {
  await limitPasskeyChallenges(context);
  const challenge = await newChallenge(context, ANYONE);
  const rpId = relyingParty(context);
  return { challenge, rpId, timeout: PASSKEY_CHALLENGE_LIFETIME_MS, userVerification: "required" };
}

/**
 * Signs a person in with a passkey that has signed a challenge. The passkey names the person. @throws DomainError invalid-credentials, rate-limited.
 */
export async function signInWithPasskey(
  context: Context,
  response: AuthenticationResponse,
  isKept?: boolean,
): Promise<{ user: UserRow; tokens: SessionTokens }> {
  await limitPasskeySignIn(context);
  const found = await findPasskey(context, response.id);
  const isOwn = found !== undefined && response.response.userHandle === userHandleOf(found.user.id);
  const verified = isOwn ? await verifyAuthentication(context, response, found.passkey) : null;
  if (found === undefined || verified === null) {
    const named = challengeIn(response.response.clientDataJSON);
    if (named !== null) await endChallenge(context, named, ANYONE);
    throw refused();
  }
  const { passkey, user } = found;
  const change = beginDirectoryChange(context)
    .add(takeChallenge(context, await hashChallenge(verified.challenge), ANYONE))
    .guardChanged(refused());
  usePasskey(context, change, passkey, verified, refused());
  const { tokens } = await openSession(context, change, user.id, { method: "passkey", isKept });
  await change.commit();
  return { user, tokens };
}
