import { z } from "@hono/zod-openapi";
import { and, eq } from "drizzle-orm";
import type { MembershipFact, SessionCaller, TokenLimits, UserCaller } from "../../platform/caller";
import { capabilityMapSchema, ROLES, type Role } from "../../platform/capabilities";
import type { Context } from "../../platform/context";
import { beginDirectoryChange, type Change } from "../../platform/db/change";
import { selectBoth } from "../../platform/db/database";
import { inSet } from "../../platform/db/statements";
import { DomainError } from "../../platform/errors";
import { orNull } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import type { ReaderLanguage } from "../../platform/languages/languages";
import { toUtcOrNull, utcSchema } from "../../platform/time";
import { auditStatement } from "../audit";
import { RECENT_SIGN_IN_MS } from "../limits";
import { copyAfter } from "../people";
import { holds, requireSession, requireUser } from "../require";
import { readAcross } from "../routing";
import { endOtherSessions } from "../sessions";
import { organizations, passwordResets, users } from "../tables";
import { displayNameSchema, languageSchema, presentUser, type UserRow, userSchema } from "../user";
import { checkNewPassword, currentPasswordSchema, hashPassword, newPasswordSchema, verifyPassword } from "./password";
import { endPasskeyChallenges } from "./proof";
import { clearFailedSignIns, limitSignIn } from "./rate-limits";

export const profileChangeSchema = z
  .strictObject({
    displayName: displayNameSchema.optional(),
    language: languageSchema.nullable().optional().openapi({
      description:
        "The language of notifications, mails and labels for you. If it is null, the language of your browser is used.",
    }),
    password: z.strictObject({ current: currentPasswordSchema, new: newPasswordSchema }).optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), "change at least one field")
  .openapi("ProfileUpdate");

const membershipSchema = z
  .object({ organizationId: idSchema, organizationName: z.string(), role: z.enum(ROLES) })
  .openapi("Membership");

export const profileSchema = z
  .object({
    user: userSchema,
    isAdmin: z
      .boolean()
      .openapi({ description: "Whether the credential of this request acts as a platform administrator." }),
    credential: z.object({
      kind: z.enum(["session", "pat", "external"]),
      id: idSchema
        .nullable()
        .openapi({ description: "Id of the session or token. Null for a token of an external issuer." }),
      expiresAtUtc: utcSchema.nullable(),
    }),
    memberships: z.array(membershipSchema),
    needsSecondFactor: z.array(membershipSchema).openapi({
      description:
        "Memberships of which this credential gives nothing: their organizations require a passkey, or a second factor after the password. Sign in with one.",
    }),
    tokenLimits: z
      .object({ organizationIds: z.array(idSchema).nullable(), capabilities: orNull(capabilityMapSchema) })
      .nullable()
      .openapi({ description: "The restrictions of the personal access token. Null for every other credential." }),
  })
  .openapi("Profile");

export function presentProfile({
  user,
  caller,
  memberships,
  needsSecondFactor,
  limits,
}: Profile): z.infer<typeof profileSchema> {
  const id = caller.kind === "session" ? caller.sessionId : caller.kind === "pat" ? caller.tokenId : null;
  return {
    user: presentUser(user),
    isAdmin: caller.isAdmin,
    credential: { kind: caller.kind, id, expiresAtUtc: toUtcOrNull(caller.expiresAt) },
    memberships,
    needsSecondFactor,
    tokenLimits: limits && {
      organizationIds: limits.organizationIds && [...limits.organizationIds],
      capabilities: limits.ceiling,
    },
  };
}

interface NamedMembership {
  organizationId: string;
  organizationName: string;
  role: Role;
}

interface Profile {
  user: UserRow;
  caller: UserCaller;
  memberships: NamedMembership[];
  /** Memberships that the credential does not open, because their organizations require more of its sign-in. */
  needsSecondFactor: NamedMembership[];
  /** The restrictions of the personal access token. Null for every other credential. */
  limits: TokenLimits | null;
}

/** Reads the caller's account, credential and visible memberships. @throws DomainError 401. */
export async function readProfile(context: Context): Promise<Profile> {
  const caller = requireUser(context);
  const { directory } = context;
  const { facts } = caller;
  const seen = (those: readonly MembershipFact[]) => {
    const withThose = { ...caller, facts: { ...facts, memberships: those } };
    return those.filter(({ organizationId }) =>
      holds(withThose, "OrganizationView", { tenantId: organizationId, organizationId }),
    );
  };
  const [visible, barred] = [seen(facts.memberships), seen(facts.barred ?? [])];
  const ofUser = directory.select().from(users).where(eq(users.id, caller.userId));
  const ids = new Set([...visible, ...barred].map((m) => m.organizationId));
  const namesIn = (there: Context) => {
    const { memberships, barred = [] } = requireUser(there).facts;
    const named = [...memberships, ...barred].flatMap((m) => (ids.has(m.organizationId) ? [m.organizationId] : []));
    return there.workspace
      .select({ id: organizations.id, name: organizations.name })
      .from(organizations)
      .where(inSet(organizations.id, named));
  };
  const [[user], named] =
    context.databases.names.length === 1
      ? await selectBoth(context, ofUser, namesIn(context))
      : await Promise.all([ofUser, readAcross(context, async (there) => namesIn(there)).then((all) => all.flat())]);
  if (user === undefined) throw new Error("a caller has no user");
  const names = new Map(named.map(({ id, name }) => [id, name]));
  const withName = ({ organizationId, role }: MembershipFact): NamedMembership => ({
    organizationId,
    organizationName: names.get(organizationId) ?? "",
    role,
  });
  // In the order of the organizations' creation, wherever they are.
  const listed = (those: readonly MembershipFact[]) =>
    those.map(withName).sort((a, b) => (a.organizationId < b.organizationId ? -1 : 1));
  const [memberships, needsSecondFactor] = [listed(visible), listed(barred)];
  return { user, caller, memberships, needsSecondFactor, limits: caller.kind === "pat" ? facts.limits : null };
}

interface ProfileChange {
  displayName?: string | undefined;
  language?: ReaderLanguage | null | undefined;
  password?: { current: string; new: string } | undefined;
}

/**
 * Changes the caller's name, language or password. A new password needs the current one, which counts as an attempt to sign in,
 * and ends every other session. @throws DomainError 401, 403, 422, 429.
 */
export async function changeProfile(
  context: Context,
  { displayName, language, password }: ProfileChange,
): Promise<void> {
  const caller = requireSession(context);
  const { directory } = context;
  const change = beginDirectoryChange(context);
  if (displayName !== undefined)
    change.add(
      directory.update(users).set({ displayName, namedAt: context.now }).where(eq(users.id, caller.userId)),
      auditStatement(context, { ...aboutSelf(caller), action: "user.renamed" }),
    );
  if (displayName !== undefined) copyAfter(context, change, caller.userId);
  if (language !== undefined)
    change.add(
      directory.update(users).set({ language }).where(eq(users.id, caller.userId)),
      auditStatement(context, { ...aboutSelf(caller), action: "user.language-changed", details: { language } }),
    );
  if (password !== undefined) await changePassword(context, change, caller, password);
  await change.commit();
}

async function changePassword(
  context: Context,
  change: Change<"directory">,
  caller: SessionCaller,
  password: { current: string; new: string },
): Promise<void> {
  const { directory } = context;
  const [user] = await directory.select().from(users).where(eq(users.id, caller.userId));
  if (user === undefined) throw new Error("a caller has no user");
  await limitSignIn(context, user.email, user.id);
  const wrong = new DomainError("rule-violated", "The current password is wrong.");
  if (!(await verifyPassword(password.current, user.passwordHash))) throw wrong;
  checkNewPassword(password.new, user.email);
  change
    .add(
      directory
        .update(users)
        .set({ passwordHash: await hashPassword(password.new) })
        .where(and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash ?? ""))),
    )
    .guardChanged(wrong)
    .announce({ type: "access-changed", userIds: [user.id] })
    .add(
      endOtherSessions(context, user.id, caller.sessionId),
      directory.delete(passwordResets).where(eq(passwordResets.userId, user.id)),
      endPasskeyChallenges(context, user.id),
      auditStatement(context, { ...aboutSelf(caller), action: "password.changed" }),
    );
  await clearFailedSignIns(context, change, user.email);
}

const aboutSelf = ({ userId }: SessionCaller) => ({ organizationId: null, subjectType: "user", subjectId: userId });

/**
 * Confirms that the caller is the person: by the password, which counts as an attempt to sign in, or by a fresh sign-in at the
 * issuer. @returns the account, if a password has confirmed it. @throws DomainError forbidden, rule-violated, rate-limited
 */
export async function confirmAccount(
  context: Context,
  caller: UserCaller,
  password: string | undefined,
): Promise<UserRow | null> {
  if (caller.kind === "external") {
    if (caller.signedInAt !== null && caller.signedInAt > context.now - RECENT_SIGN_IN_MS) return null;
    throw new DomainError(
      "rule-violated",
      "Sign in at the issuer again, and send the request with the new token at once.",
    );
  }
  const [user] = await context.directory.select().from(users).where(eq(users.id, caller.userId));
  if (user === undefined) return null;
  await limitSignIn(context, user.email, user.id);
  if (!(await verifyPassword(password ?? "", user.passwordHash)))
    throw new DomainError("rule-violated", "The password is wrong.");
  return user;
}
