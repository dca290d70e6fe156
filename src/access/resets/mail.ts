import { and, eq, isNotNull, isNull, or } from "drizzle-orm";
import { randomHex, sha256Hex } from "../../platform/crypto/hash";
import { beginChange } from "../../platform/db/change";
import { done, type JobHandler } from "../../platform/jobs/handlers";
import { passwordResets, users } from "../tables";
import { RESET_LIFETIME_MS, resetLink } from "./token";

/**
 * Mails a link to an address that has an account with a password. Accounts of an outside issuer have none, and nobody
 * becomes an administrator by mail to an address that was never proven.
 */
export const mailPasswordReset: JobHandler<"mail-password-reset"> = {
  async run(context, { payload: { email } }) {
    const { db, mailer, now } = context;
    const isProven = or(isNotNull(users.emailVerifiedAt), eq(users.isAdmin, false));
    const [user] = await db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.email, email), isNull(users.externalIssuer), isProven));
    if (mailer === null || user === undefined) return done();
    const token = randomHex(32);
    const text = `Somebody, perhaps you, asked for a new password of your account.

Open this link within an hour to set one:
${resetLink(context, token)}

If it was not you, do nothing: your password stays as it is.
`;
    if (!(await mailer({ to: email, subject: "Set a new password", text })))
      throw new Error("the mail service did not take the mail");
    const row = { secretHash: await sha256Hex(token), userId: user.id, isMailed: true, createdAt: now };
    return done(
      beginChange(context).add(db.insert(passwordResets).values({ ...row, expiresAt: now + RESET_LIFETIME_MS })),
    );
  },
};
