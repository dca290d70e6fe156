import { z } from "@hono/zod-openapi";
import { and, eq, exists, isNull, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginDirectoryChange } from "../../platform/db/change";
import { isUniqueViolation } from "../../platform/db/failures";
import { DomainError, type SecondStep } from "../../platform/errors";
import { newWorkspaceId } from "../../platform/ids";
import { auditStatement } from "../audit";
import { copyAfter, type Person } from "../people";
import { cookieSchema, openSession, type SessionTokens } from "../sessions";
import { users } from "../tables";
import { displayNameSchema, emailSchema, type UserRow } from "../user";
import { choosePlace, insertWorkspace } from "../workspaces";
import { checkNewPassword, currentPasswordSchema, hashPassword, newPasswordSchema, verifyPassword } from "./password";
import { findUnverifiedAccount, giveSharesAfter, takeOverAccount } from "./proof";
import { clearFailedSignIns, limitRegistration, limitSignIn } from "./rate-limits";
import { isOngoing } from "./registrations";

export const registrationSchema = z
  .strictObject({
    email: emailSchema,
    password: newPasswordSchema,
    displayName: displayNameSchema,
    invitation: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .openapi({ description: "The token from the link of an invitation." }),
    cookie: cookieSchema,
  })
  .openapi("Registration");
type Registration = Omit<z.infer<typeof registrationSchema>, "cookie">;

export const loginSchema = z
  .strictObject({ email: emailSchema, password: currentPasswordSchema, cookie: cookieSchema })
  .openapi("Login");

/** An invitation that can be used now. */
interface OpenInvitation {
  /** The address that it was created for. */
  email: string;
  /** Whether the secret was sent only to the address. Then its use verifies the address. */
  provesAddress: boolean;
  /** Holds it for the account that is about to be made. @returns the id of the registration. @throws DomainError invitation-ended. */
  reserve(userId: string): Promise<string>;
  /** Makes the account of the registration a member. */
  redeem(registrationId: string, person: Person): Promise<void>;
  /** Ends the reservation, because no account was made. */
  release(registrationId: string): Promise<void>;
}

/** Finds invitations for the registration. The workspace implements it, and the app passes it to the routes. */
export interface InvitationRedeemer {
  /** @throws DomainError invitation-ended for an unknown, used or expired invitation. */
  find(context: Context, token: string): Promise<OpenInvitation>;
}

/** Begins the second step of a sign-in. The passkeys implement it, and the routes pass it. */
export interface SecondStepMaker {
  /** @param isCurrent SQL: whether the password that was checked is still the one of the account. */
  begin(context: Context, userId: string, isCurrent: SQL): Promise<SecondStep>;
}

/** Refuses a registration that the settings do not allow. It runs before any check of the address. */
function requireOpenRegistration({ settings }: Context, invitation: string | undefined): void {
  if (settings.REGISTRATION === "closed")
    throw new DomainError("registration-closed", "Nobody can register here. Ask the operator for an account.");
  if (settings.REGISTRATION === "invite" && invitation === undefined)
    throw new DomainError("registration-closed", "Registering needs an invitation. Ask a member to invite you.");
}

const tookTooLong = (): DomainError =>
  new DomainError("invitation-ended", "The registration took too long. Open the invitation again.");

/**
 * Registers a person and signs them in. An invitation is reserved, and redeemed after the account is made. If its mailed link is
 * used, it also verifies the address, and the person takes over an unverified account that somebody else set up with
 * that address. Registration signs in at once, so it cannot hide that an address has an account. The answer says so only
 * to a person who may register, at a limited rate, and after the same work.
 * @throws DomainError 403, 409 already-exists, 410, 422, 429.
 */
export async function register(
  context: Context,
  redeemer: InvitationRedeemer,
  given: Registration,
  isKept?: boolean,
): Promise<{ user: UserRow; tokens: SessionTokens }> {
  requireOpenRegistration(context, given.invitation);
  const { directory, now, settings } = context;
  const { email, displayName, invitation } = given;
  await limitRegistration(context, email);
  checkNewPassword(given.password, email);
  const passwordHash = await hashPassword(given.password);
  const invited = invitation === undefined ? null : await redeemer.find(context, invitation);
  if (invited !== null && invited.email !== email)
    throw new DomainError("rule-violated", "Register with the address that this invitation was sent to.");

  const waiting = invited?.provesAddress ? await findUnverifiedAccount(context, email) : null;
  const id = waiting ?? newWorkspaceId();
  const isFirst = sql<boolean>`(SELECT min(id) FROM users) IS NULL
    AND (SELECT min(workspace_id) FROM removals) IS NULL`;
  const row = {
    id,
    email,
    displayName,
    passwordHash,
    emailVerifiedAt: invited?.provesAddress ? now : null,
    createdAt: now,
  };
  const registrationId = (await invited?.reserve(id)) ?? null;
  const change = beginDirectoryChange(context);
  if (registrationId !== null) change.guard(isOngoing(registrationId), tookTooLong());
  if (waiting !== null) takeOverAccount(context, change, waiting, { displayName, passwordHash });
  // One statement decides who is first, so exactly one of several concurrent registrations becomes the administrator.
  else
    change.add(
      directory.insert(users).values({ ...row, isAdmin: settings.FIRST_USER_IS_ADMIN ? isFirst : false }),
      insertWorkspace(context, id, await choosePlace(context)),
    );
  if (invited?.provesAddress) giveSharesAfter(change, id, sql`1`);
  const { actor, tokens } = await openSession(context, change, id, { isKept });
  const audit = { organizationId: null, subjectType: "user", subjectId: id, actor };
  const isAdmin = sql`(SELECT is_admin FROM users WHERE id = ${id})`;
  change.add(
    auditStatement(context, {
      ...audit,
      action: waiting === null ? "user.registered" : "user.proven",
      details: { invited: invited !== null },
    }),
    auditStatement(context, { ...audit, action: "admin.granted", details: { reason: "first-user" }, when: isAdmin }),
  );
  copyAfter(context, change, id);
  const person = { id, email, displayName, namedAt: waiting === null ? 0 : now };
  if (invited !== null && registrationId !== null) change.afterCommit(() => invited.redeem(registrationId, person));
  try {
    await change.commit();
  } catch (thrown) {
    const isRefused = thrown instanceof DomainError || isUniqueViolation(thrown, "users.email");
    if (isRefused && registrationId !== null) await invited?.release(registrationId);
    if (!isUniqueViolation(thrown, "users.email")) throw thrown;
    throw new DomainError("already-exists", "There is an account with this address. Sign in instead.");
  }
  const [user] = await directory.select().from(users).where(eq(users.id, id));
  if (user === undefined) throw new Error("a registered user has no row");
  return { user, tokens };
}

const wrong = () => new DomainError("invalid-credentials", "The e-mail address or the password is wrong.");

/**
 * Signs a person in with a password. An unknown address, an account without a password and a wrong password get the
 * same answer after the same statements and the same hash. If the account has a second factor, the right password begins the
 * second step: failed sign-ins still count, until that step succeeds.
 * @throws DomainError invalid-credentials, second-factor-required, rate-limited.
 */
export async function login(
  context: Context,
  secondStep: SecondStepMaker,
  { email, password }: { email: string; password: string },
  isKept?: boolean,
): Promise<{ user: UserRow; tokens: SessionTokens }> {
  const { directory } = context;
  const [user] = await directory.select().from(users).where(eq(users.email, email));
  await limitSignIn(context, email, user?.id ?? null);
  const right = await verifyPassword(password, user?.passwordHash ?? null);
  if (user === undefined || !right) throw wrong();

  // If the password or the second factor changes during the check, the old password opens no session.
  const unchanged = and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash ?? ""));
  const found = (condition: SQL | undefined): SQL =>
    exists(directory.select({ one: sql`1` }).from(users).where(condition));
  if (user.secondFactorAt !== null)
    throw new DomainError("second-factor-required", "Confirm the sign-in with a passkey or a recovery code.", {
      secondStep: await secondStep.begin(context, user.id, found(unchanged)),
    });
  const change = beginDirectoryChange(context);
  const { tokens } = await openSession(context, change, user.id, { isKept });
  change.guard(found(and(unchanged, isNull(users.secondFactorAt))), wrong());
  await clearFailedSignIns(context, change, email);
  await change.commit();
  return { user, tokens };
}
