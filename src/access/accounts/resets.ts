import { z } from "@hono/zod-openapi";
import { and, eq, gt, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { randomHex, sha256Hex } from "../../platform/crypto/bytes";
import { beginDirectoryChange } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { complete, type JobHandler } from "../../platform/jobs/handlers";
import { DEFAULT_LANGUAGE } from "../../platform/languages/languages";
import { readerLanguage } from "../../platform/languages/reader";
import { passwordResetPath } from "../../platform/paths";
import { HOUR } from "../../platform/time";
import { auditStatement } from "../audit";
import { RESET_LIFETIME_MS } from "../limits";
import { MESSAGES } from "../messages";
import { endOtherSessions } from "../sessions";
import { passwordResets, users } from "../tables";
import { emailSchema } from "../user";
import { checkNewPassword, hashPassword, newPasswordSchema } from "./password";
import { endPasskeyChallenges, giveSharesAfter, markVerified, revokeUserCredentials } from "./proof";
import { canMailReset, clearFailedSignIns, limitResets } from "./rate-limits";

export const resetRequestSchema = z.strictObject({ email: emailSchema }).openapi("PasswordResetRequest");

export const resetSchema = z
  .strictObject({
    token: z.string().min(1).max(200).openapi({ description: "The part of the link after `#`." }),
    password: newPasswordSchema,
  })
  .openapi("PasswordReset");

/** The link that a person opens. Browsers do not send the fragment, so no server logs it. `scripts/admin.mjs` has a copy. */
const resetLink = ({ settings }: Pick<Context, "settings">, token: string): string =>
  settings.PUBLIC_BASE_URL + passwordResetPath(token);

/**
 * Mails a reset link, if the address has an account that signs in with a password. An administrator whose address is not
 * verified gets no mail: the mailbox may belong to another person.
 */
export const mailPasswordReset: JobHandler<"mail-password-reset"> = {
  async run(context, { payload: { email, language } }) {
    const { directory, mailer, now } = context;
    const isProven = or(isNotNull(users.emailVerifiedAt), eq(users.isAdmin, false));
    const [user] = await directory
      .select({ id: users.id, language: users.language })
      .from(users)
      .where(and(eq(users.email, email), isNull(users.externalIssuer), isProven));
    if (mailer === null || user === undefined) return complete();
    const token = randomHex(32);
    const texts = MESSAGES[user.language ?? language ?? DEFAULT_LANGUAGE];
    const mail = texts.passwordReset(RESET_LIFETIME_MS / HOUR, resetLink(context, token));
    if (!(await mailer({ to: email, ...mail }))) throw new Error("the mail service did not take the mail");
    const row = { secretHash: await sha256Hex(token), userId: user.id, isMailed: true, createdAt: now };
    return complete(
      beginDirectoryChange(context).add(
        directory.insert(passwordResets).values({ ...row, expiresAt: now + RESET_LIFETIME_MS }),
      ),
    );
  },
};

/**
 * Requests a reset link. Known and unknown addresses get the same answer after the same statements: a job looks for the
 * account later. Without a mail service nothing is sent.
 * @throws DomainError rate-limited.
 */
export async function requestPasswordReset(context: Context, email: string): Promise<void> {
  await limitResets(context);
  if (context.mailer === null || !(await canMailReset(context, email))) return;
  const change = beginDirectoryChange(context);
  change.job("mail-password-reset", { email, language: readerLanguage(context) });
  await change.commit();
}

const ended = () =>
  new DomainError("reset-ended", "This link was used or has expired. Request a new link on the sign-in page.");

/**
 * Sets a new password with a reset link, which works once. Every session and every other link of the account ends. A
 * mailed link also verifies the address. If the address was unverified before, its personal access tokens end too.
 * @throws DomainError reset-ended, rule-violated, rate-limited.
 */
export async function resetPassword(context: Context, token: string, password: string): Promise<void> {
  const { directory, now } = context;
  await limitResets(context);
  const secretHash = await sha256Hex(token);
  const usable = and(eq(passwordResets.secretHash, secretHash), gt(passwordResets.expiresAt, now));
  const [found] = await directory
    .select({ userId: users.id, email: users.email, isMailed: passwordResets.isMailed })
    .from(passwordResets)
    .innerJoin(users, eq(users.id, passwordResets.userId))
    .where(and(usable, isNull(users.externalIssuer)));
  if (found === undefined) throw ended();
  const { userId, email, isMailed } = found;
  checkNewPassword(password, email);
  const passwordHash = await hashPassword(password);
  const unproven = sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND email_verified_at IS NULL)`;
  const change = beginDirectoryChange(context)
    .add(directory.delete(passwordResets).where(usable))
    .guardChanged(ended())
    .add(
      directory
        .update(users)
        .set({ passwordHash })
        .where(and(eq(users.id, userId), isNull(users.externalIssuer))),
    )
    .guardChanged(ended())
    .add(directory.delete(passwordResets).where(eq(passwordResets.userId, userId)));
  if (isMailed) giveSharesAfter(change, userId);
  change
    .add(
      ...(isMailed ? [...revokeUserCredentials(context, userId, unproven), markVerified(context, userId)] : []),
      endPasskeyChallenges(context, userId),
      endOtherSessions(context, userId, null),
      auditStatement(context, {
        organizationId: null,
        action: "password.reset",
        subjectType: "user",
        subjectId: userId,
        details: { link: isMailed ? "mailed" : "operator" },
      }),
    )
    .announce({ type: "access-changed", userIds: [userId] });
  await clearFailedSignIns(context, change, email);
  await change.commit();
}
