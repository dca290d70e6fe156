import { eq, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { isUniqueViolation } from "../../platform/db/failures";
import { DomainError } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { auditStatement } from "../audit";
import { openSession, type SessionTokens } from "../sessions/open-session";
import { users } from "../tables";
import type { InvitationRedeemer } from "./invitation";
import { limitRegistration } from "./limits";
import { checkNewPassword, hashPassword } from "./password";
import { findUnproven, takeOver } from "./proof";
import type { UserRow } from "./user";

export interface Registration {
  email: string;
  password: string;
  displayName: string;
  invitation?: string | undefined;
}

/** Refuses who may not register at all, before anything is said about an address. */
function checkOpen({ settings }: Context, invitation: string | undefined): void {
  if (settings.REGISTRATION === "closed")
    throw new DomainError("registration-closed", "Nobody can register here. Ask the operator for an account.");
  if (settings.REGISTRATION === "invite" && invitation === undefined)
    throw new DomainError("registration-closed", "Registering needs an invitation. Ask a member to invite you.");
}

/**
 * Registers a person and signs them in. An invitation adds its membership in the same change, and verifies the
 * address if its mailed link is used; then an account that somebody else set up with that address is theirs too. That an address is taken cannot be hidden where a sign-in follows at once, so it
 * is said plainly, but only to who may register, at a limited rate, and after the same work.
 * @throws DomainError 403, 409 already-exists, 410, 422, 429.
 */
export async function register(
  context: Context,
  redeemer: InvitationRedeemer,
  given: Registration,
): Promise<{ user: UserRow; tokens: SessionTokens }> {
  checkOpen(context, given.invitation);
  const { db, now, settings } = context;
  const { email, displayName, invitation } = given;
  await limitRegistration(context, email);
  checkNewPassword(given.password, email);
  const passwordHash = await hashPassword(given.password);
  const invited = invitation === undefined ? null : await redeemer.find(context, invitation);
  if (invited !== null && invited.email !== email)
    throw new DomainError("rule-violated", "Register with the address that this invitation was sent to.");

  const waiting = invited?.provesAddress ? await findUnproven(context, email) : null;
  const id = waiting ?? newId();
  const isFirst = sql<boolean>`(SELECT min(id) FROM users) IS NULL`;
  const row = {
    id,
    email,
    displayName,
    passwordHash,
    emailVerifiedAt: invited?.provesAddress ? now : null,
    createdAt: now,
  };
  const change = beginChange(context);
  if (waiting !== null) takeOver(context, change, waiting, { displayName, passwordHash });
  // One statement decides who is the first, so that of any number of registrations one is.
  else change.add(db.insert(users).values({ ...row, isAdmin: settings.FIRST_USER_IS_ADMIN ? isFirst : false }));
  const { actor, tokens } = await openSession(context, change, id);
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
  invited?.redeem(change, id);
  try {
    await change.commit();
  } catch (thrown) {
    if (!isUniqueViolation(thrown, "users.email")) throw thrown;
    throw new DomainError("already-exists", "There is an account with this address. Sign in instead.");
  }
  const [user] = await db.select().from(users).where(eq(users.id, id));
  if (user === undefined) throw new Error("a registered user has no row");
  return { user, tokens };
}
