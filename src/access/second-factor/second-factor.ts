import { and, count, eq, exists, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginDirectoryChange, type Change } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { clearFailedSignIns, confirmAccount, endPasskeyChallenges, endSecondFactor } from "../accounts";
import { auditStatement } from "../audit";
import { RECOVERY_CODES_PER_USER } from "../limits";
import { requireSession } from "../require";
import { endOtherSessions } from "../sessions";
import { passkeys, recoveryCodes, users } from "../tables";
import type { UserRow } from "../user";
import { hashRecoveryCode, newRecoveryCode } from "./codes";

/** The second factor of an account. */
export interface SecondFactorState {
  /** Milliseconds since the epoch; null if it is off. */
  since: number | null;
  recoveryCodesLeft: number;
}

/** Reads the second factor of the caller. @throws DomainError 401, 403. */
export async function readSecondFactor(context: Context): Promise<SecondFactorState> {
  const { userId } = requireSession(context);
  const { directory } = context;
  const [row] = await directory
    .select({ since: users.secondFactorAt, recoveryCodesLeft: count(recoveryCodes.codeHash) })
    .from(users)
    .leftJoin(recoveryCodes, eq(recoveryCodes.userId, users.id))
    .where(eq(users.id, userId))
    .groupBy(users.id);
  if (row === undefined) throw new Error("a caller has no user");
  return row;
}

/** Confirms the person by the password, which counts as an attempt to sign in. */
async function confirm(context: Context, password: string): Promise<UserRow & { sessionId: string }> {
  const caller = requireSession(context);
  const user = await confirmAccount(context, caller, password);
  if (user === null) throw new Error("a session has no account");
  return { ...user, sessionId: caller.sessionId };
}

/** Adds new recovery codes to `change`, in place of those that the person has. */
async function replaceCodes(
  { directory, now }: Context,
  change: Change<"directory">,
  userId: string,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES_PER_USER }, newRecoveryCode);
  const rows = codes.map(async (code) => ({ codeHash: await hashRecoveryCode(userId, code), userId, createdAt: now }));
  change.add(
    directory.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId)),
    directory.insert(recoveryCodes).values(await Promise.all(rows)),
  );
  return codes;
}

const about = (userId: string) => ({ organizationId: null, subjectType: "user", subjectId: userId });
const isOf = (userId: string, condition: SQL) => and(eq(users.id, userId), condition);

/**
 * Asks for a passkey after the password from now on. Every other session of the person ends, because only the password opened it.
 * @returns the recovery codes, which only this answer has
 * @throws DomainError 401, 403, conflict if it is on, rule-violated without a passkey or with a wrong password, rate-limited.
 */
export async function switchOn(context: Context, password: string): Promise<string[]> {
  const { id, email, sessionId } = await confirm(context, password);
  const { directory, now } = context;
  const hasPasskey = exists(directory.select({ one: sql`1` }).from(passkeys).where(eq(passkeys.userId, id)));
  const change = beginDirectoryChange(context)
    .guard(hasPasskey, new DomainError("rule-violated", "Add a passkey first."))
    .add(
      directory
        .update(users)
        .set({ secondFactorAt: now })
        .where(isOf(id, isNull(users.secondFactorAt))),
    )
    .guardChanged(new DomainError("conflict", "Your sign-in asks for a passkey after the password already."));
  const codes = await replaceCodes(context, change, id);
  change
    .add(
      endOtherSessions(context, id, sessionId),
      auditStatement(context, { ...about(id), action: "second-factor.switched-on" }),
    )
    .announce({ type: "access-changed", userIds: [id] })
    .job("mail-second-factor", { userId: id, about: "on" });
  await clearFailedSignIns(context, change, email);
  await change.commit();
  return codes;
}

/**
 * Replaces the recovery codes of the caller. The earlier ones work no more.
 * @returns the recovery codes, which only this answer has
 * @throws DomainError 401, 403, not-found if the second factor is off, rule-violated, rate-limited.
 */
export async function replaceRecoveryCodes(context: Context, password: string): Promise<string[]> {
  const { id, email } = await confirm(context, password);
  const isOn = context.directory
    .select({ one: sql`1` })
    .from(users)
    .where(isOf(id, isNotNull(users.secondFactorAt)));
  const change = beginDirectoryChange(context).guard(exists(isOn), notFound());
  const codes = await replaceCodes(context, change, id);
  change.add(auditStatement(context, { ...about(id), action: "second-factor.codes-replaced" }));
  change.job("mail-second-factor", { userId: id, about: "codes-replaced" });
  await clearFailedSignIns(context, change, email);
  await change.commit();
  return codes;
}

/**
 * Asks for nothing after the password any more. The recovery codes end, and so do sign-ins that wait for their second step.
 * @throws DomainError 401, 403, not-found if it is off, rule-violated, rate-limited.
 */
export async function switchOff(context: Context, password: string): Promise<void> {
  const { id, email } = await confirm(context, password);
  const change = beginDirectoryChange(context)
    .add(...endSecondFactor(context, id, sql`1`))
    .guardChanged(notFound())
    .add(
      endPasskeyChallenges(context, id),
      auditStatement(context, { ...about(id), action: "second-factor.switched-off" }),
    );
  change.job("mail-second-factor", { userId: id, about: "off" });
  await clearFailedSignIns(context, change, email);
  await change.commit();
}
