import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginDirectoryChange, type Change } from "../../platform/db/change";
import { DomainError, type SecondStep } from "../../platform/errors";
import { clearFailedSignIns, limitPasskeySignIn, limitSignIn } from "../accounts";
import { auditStatement } from "../audit";
import { PASSKEY_CHALLENGE_LIFETIME_MS } from "../limits";
import {
  type AuthenticationResponse,
  endChallenge,
  findPasskey,
  hashChallenge,
  newChallenge,
  type Purpose,
  relyingParty,
  takeChallenge,
  usePasskey,
  userHandleOf,
  verifyAuthentication,
} from "../passkeys";
import { openSession, type SessionTokens } from "../sessions";
import { passkeyChallenges, passkeys, recoveryCodes, users } from "../tables";
import type { UserRow } from "../user";
import { hashRecoveryCode } from "./codes";

/** One answer for an unknown or ended ticket, an unknown passkey, a wrong code and every failed check. */
const refused = (): DomainError =>
  new DomainError("invalid-credentials", "The sign-in was not confirmed, or it has ended. Enter your password again.");

const wrongPassword = (): DomainError =>
  new DomainError("invalid-credentials", "The e-mail address or the password is wrong.");

const purposeOf = (userId: string): Purpose => ({ purpose: "second-factor", userId });

/**
 * Begins the second step of a sign-in whose password was right. The ticket is the challenge that a passkey signs. It is bound to the
 * person, and works once. @throws DomainError invalid-credentials if the password has changed meanwhile
 */
export async function beginSecondStep(context: Context, userId: string, isCurrent: SQL): Promise<SecondStep> {
  const own = await context.directory
    .select({ id: passkeys.credentialId, transports: passkeys.transports })
    .from(passkeys)
    .where(eq(passkeys.userId, userId));
  const only = { holds: isCurrent, refusal: wrongPassword() };
  const ticket = await newChallenge({ ...context, idempotency: null }, purposeOf(userId), { only });
  return {
    ticket,
    passkey: {
      challenge: ticket,
      rpId: relyingParty(context),
      timeout: PASSKEY_CHALLENGE_LIFETIME_MS,
      userVerification: "required",
      allowCredentials: own.map((one) => ({ type: "public-key", ...one })),
    },
  };
}

/** The person of a ticket that has not ended. */
async function personOf({ directory, now }: Context, ticketHash: string): Promise<UserRow | undefined> {
  const [found] = await directory
    .select({ user: users })
    .from(passkeyChallenges)
    .innerJoin(users, eq(users.id, passkeyChallenges.userId))
    .where(
      and(
        eq(passkeyChallenges.challengeHash, ticketHash),
        eq(passkeyChallenges.purpose, "second-factor"),
        gt(passkeyChallenges.expiresAt, now),
      ),
    );
  return found?.user;
}

/** What a person confirms a sign-in with. */
export type Confirmation = { response: AuthenticationResponse } | { recoveryCode: string };

/** Adds to `change` the use of a passkey of the person. @returns whether it has signed the ticket */
async function confirmWithPasskey(
  context: Context,
  change: Change<"directory">,
  { user, ticket, response }: { user: UserRow; ticket: string; response: AuthenticationResponse },
): Promise<boolean> {
  const found = await findPasskey(context, response.id);
  const handle = response.response.userHandle ?? userHandleOf(user.id);
  if (found?.user.id !== user.id || handle !== userHandleOf(user.id)) return false;
  const verified = await verifyAuthentication(context, response, found.passkey);
  if (verified?.challenge !== ticket) return false;
  usePasskey(context, change, found.passkey, verified, refused());
  return true;
}

async function confirmWithCode(
  context: Context,
  change: Change<"directory">,
  { id }: UserRow,
  typed: string,
): Promise<void> {
  const codeHash = await hashRecoveryCode(id, typed);
  change
    .add(
      context.directory
        .delete(recoveryCodes)
        .where(and(eq(recoveryCodes.codeHash, codeHash), eq(recoveryCodes.userId, id))),
    )
    .guardChanged(refused())
    .job("mail-second-factor", { userId: id, about: "code-used" });
}

/**
 * Ends a sign-in whose password was right, with a passkey of the person or one of their recovery codes. Each try counts as an attempt
 * to sign in, and ends the ticket. @throws DomainError invalid-credentials, rate-limited.
 */
export async function finishSignIn(
  context: Context,
  ticket: string,
  confirmation: Confirmation,
  isKept?: boolean,
): Promise<{ user: UserRow; tokens: SessionTokens }> {
  const ticketHash = await hashChallenge(ticket);
  const user = await personOf(context, ticketHash);
  if (user === undefined) {
    await limitPasskeySignIn(context);
    // The first request of an `Idempotency-Key` has taken the ticket, and its repeat gets the same answer.
    await beginDirectoryChange(context).guard(sql`0`, refused()).commit();
    throw refused();
  }
  await limitSignIn(context, user.email, user.id);
  const purpose = purposeOf(user.id);
  const isCode = "recoveryCode" in confirmation;
  const change = beginDirectoryChange(context)
    .add(takeChallenge(context, ticketHash, purpose))
    .guardChanged(refused());
  try {
    if (isCode) await confirmWithCode(context, change, user, confirmation.recoveryCode);
    else if (!(await confirmWithPasskey(context, change, { user, ticket, ...confirmation }))) throw refused();
    const secondFactor = isCode ? "recovery-code" : "passkey";
    const { actor, tokens } = await openSession(context, change, user.id, { secondFactor, isKept });
    const used = { organizationId: null, subjectType: "user", subjectId: user.id, actor };
    if (isCode) change.add(auditStatement(context, { ...used, action: "recovery-code.used" }));
    await clearFailedSignIns(context, change, user.email);
    await change.commit();
    return { user, tokens };
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.code === "invalid-credentials")
      await endChallenge(context, ticket, purpose);
    throw thrown;
  }
}
