import { and, eq } from "drizzle-orm";
import type { SessionCaller } from "../../platform/caller";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { auditStatement } from "../audit";
import { requireSession } from "../require";
import { endOtherSessions } from "../sessions/end-session";
import { passwordResets, users } from "../tables";
import { forgetFailures, limitSignIn } from "./limits";
import { checkNewPassword, hashPassword, verifyPassword } from "./password";

export interface ProfileChange {
  displayName?: string | undefined;
  password?: { current: string; new: string } | undefined;
}

/**
 * Changes one's name or password. A new password needs the present one, at the sign-in limits, and
 * ends every other session. @throws DomainError 401, 403, 422, 429.
 */
export async function changeProfile(context: Context, { displayName, password }: ProfileChange): Promise<void> {
  const caller = requireSession(context);
  const { db } = context;
  const change = beginChange(context);
  if (displayName !== undefined)
    change.add(
      db.update(users).set({ displayName }).where(eq(users.id, caller.userId)),
      auditStatement(context, { ...aboutSelf(caller), action: "user.renamed" }),
    );
  if (password !== undefined) await changePassword(context, change, caller, password);
  await change.commit();
}

async function changePassword(
  context: Context,
  change: Change,
  caller: SessionCaller,
  password: { current: string; new: string },
): Promise<void> {
  const { db } = context;
  const [user] = await db.select().from(users).where(eq(users.id, caller.userId));
  if (user === undefined) throw new Error("a caller has no user");
  await limitSignIn(context, user.email, user.id);
  const wrong = new DomainError("rule-violated", "The present password is not right.");
  if (!(await verifyPassword(password.current, user.passwordHash))) throw wrong;
  checkNewPassword(password.new, user.email);
  change
    .add(
      db
        .update(users)
        .set({ passwordHash: await hashPassword(password.new) })
        .where(and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash ?? ""))),
    )
    .guardChanged(wrong)
    .announce({ type: "access-changed", userIds: [user.id] })
    .add(
      endOtherSessions(context, user.id, caller.sessionId),
      db.delete(passwordResets).where(eq(passwordResets.userId, user.id)),
      auditStatement(context, { ...aboutSelf(caller), action: "password.changed" }),
    );
  await forgetFailures(context, change, user.email);
}

const aboutSelf = ({ userId }: SessionCaller) => ({ organizationId: null, subjectType: "user", subjectId: userId });
