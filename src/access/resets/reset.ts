import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { Context } from "../../context";
import { sha256Hex } from "../../platform/crypto/hash";
import { beginChange } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { forgetFailures, limitResets } from "../accounts/limits";
import { checkNewPassword, hashPassword } from "../accounts/password";
import { markVerified, putOut } from "../accounts/proof";
import { auditStatement } from "../audit";
import { endOtherSessions } from "../sessions/end-session";
import { passwordResets, users } from "../tables";

const ended = () =>
  new DomainError("reset-ended", "This link was used or has expired. Ask for a new one where you sign in.");

/**
 * Sets a new password through a one-use link, and ends every session and every other link. A mailed link proves the
 * address, too: then whoever had set the account up before that proof loses their tokens as well.
 * @throws DomainError reset-ended, rule-violated, rate-limited.
 */
export async function resetPassword(context: Context, token: string, password: string): Promise<void> {
  const { db, now } = context;
  await limitResets(context);
  const secretHash = await sha256Hex(token);
  const usable = and(eq(passwordResets.secretHash, secretHash), gt(passwordResets.expiresAt, now));
  const [found] = await db
    .select({ userId: users.id, email: users.email, isMailed: passwordResets.isMailed })
    .from(passwordResets)
    .innerJoin(users, eq(users.id, passwordResets.userId))
    .where(and(usable, isNull(users.externalIssuer)));
  if (found === undefined) throw ended();
  const { userId, email, isMailed } = found;
  checkNewPassword(password, email);
  const passwordHash = await hashPassword(password);
  const unproven = sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND email_verified_at IS NULL)`;
  const change = beginChange(context)
    .add(db.delete(passwordResets).where(usable))
    .guardChanged(ended())
    .add(
      db
        .update(users)
        .set({ passwordHash })
        .where(and(eq(users.id, userId), isNull(users.externalIssuer))),
    )
    .guardChanged(ended())
    .add(
      db.delete(passwordResets).where(eq(passwordResets.userId, userId)),
      ...(isMailed ? [...putOut(context, userId, unproven), markVerified(context, userId)] : []),
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
  await forgetFailures(context, change, email);
  await change.commit();
}
