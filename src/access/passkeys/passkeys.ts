import { z } from "@hono/zod-openapi";
import { and, count, desc, eq, exists, isNotNull, lt, notExists, or, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginDirectoryChange, type Change } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { isUniqueViolation } from "../../platform/db/failures";
import { DomainError, notFound } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { toUtc, toUtcOrNull } from "../../platform/time";
import { clearFailedSignIns, confirmAccount } from "../accounts";
import { auditStatement } from "../audit";
import { MAX_PASSKEYS_PER_USER, PASSKEY_CHALLENGE_LIFETIME_MS } from "../limits";
import { requireSession } from "../require";
import { passkeys, users } from "../tables";
import { endChallenge, hashChallenge, newChallenge, takeChallenge } from "./challenges";
import type { CreationOptions, passkeySchema, RegistrationResponse } from "./schemas";
import { ALGORITHMS, relyingParty, verifyRegistration } from "./verify";

export type PasskeyRow = typeof passkeys.$inferSelect;

/** The name of the service in the window of the browser. */
const SERVICE_NAME = "Document workspace";

export const presentPasskey = (row: PasskeyRow): z.infer<typeof passkeySchema> => ({
  id: row.id,
  name: row.name,
  isBackedUp: row.isBackedUp,
  createdAtUtc: toUtc(row.createdAt),
  lastUsedAtUtc: toUtcOrNull(row.lastUsedAt),
});

const encoder = new TextEncoder();

/** The handle by which an authenticator knows a person: the bytes of the text of their id, base64url. */
export const userHandleOf = (userId: string): string =>
  encoder.encode(userId).toBase64({ alphabet: "base64url", omitPadding: true });

const tooMany = (): DomainError =>
  new DomainError("rule-violated", `You have ${MAX_PASSKEYS_PER_USER} passkeys. Remove one that you no longer use.`);

const lastOfSecondFactor = (): DomainError =>
  new DomainError(
    "rule-violated",
    "Your sign-in asks for a passkey after the password, and this is your last one. Add another one, or switch that off first.",
  );

const unverified = (): DomainError =>
  new DomainError("rule-violated", "The passkey could not be verified, or its request has ended. Try again.");

/**
 * Confirms the person by the password, which counts as an attempt to sign in, and gives a challenge for a new passkey.
 * @throws DomainError 401, 403, rule-violated, rate-limited.
 */
export async function beginPasskey(context: Context, password: string): Promise<CreationOptions> {
  const caller = requireSession(context);
  const { userId } = caller;
  const { directory } = context;
  const user = await confirmAccount(context, caller, password);
  if (user === null) throw new Error("a session has no account");
  const own = await directory.select().from(passkeys).where(eq(passkeys.userId, userId));
  if (own.length >= MAX_PASSKEYS_PER_USER) throw tooMany();
  return {
    challenge: await newChallenge(context, { purpose: "add", userId }, { confirmed: user.email }),
    rp: { id: relyingParty(context), name: SERVICE_NAME },
    user: { id: userHandleOf(userId), name: user.email, displayName: user.displayName },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: PASSKEY_CHALLENGE_LIFETIME_MS,
    excludeCredentials: own.map(({ credentialId, transports }) => ({
      type: "public-key",
      id: credentialId,
      transports,
    })),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  };
}

/**
 * Adds a passkey that has signed the challenge of `beginPasskey`.
 * @throws DomainError 401, 403, rule-violated if a check fails, the challenge has ended or the limit is reached.
 */
export async function addPasskey(
  context: Context,
  { name, response }: { name: string; response: RegistrationResponse },
): Promise<PasskeyRow> {
  const { userId } = requireSession(context);
  const { directory, now } = context;
  const verified = await verifyRegistration(context, response);
  if (verified === null) throw unverified();
  const { challenge, ...registered } = verified;
  const { transports } = response.response;
  const row: PasskeyRow = { id: newId(), userId, name, ...registered, transports, createdAt: now, lastUsedAt: null };
  const held = directory.select({ held: count() }).from(passkeys).where(eq(passkeys.userId, userId));
  const change = beginDirectoryChange(context)
    .add(takeChallenge(context, await hashChallenge(challenge), { purpose: "add", userId }))
    .guardChanged(unverified())
    .guard(sql`(${held}) < ${MAX_PASSKEYS_PER_USER}`, tooMany())
    .add(
      directory.insert(passkeys).values(row),
      auditStatement(context, {
        organizationId: null,
        action: "passkey.added",
        subjectType: "passkey",
        subjectId: row.id,
        details: { name },
      }),
    );
  change.job("mail-second-factor", { userId, about: "passkey-added" });
  try {
    await change.commit();
  } catch (thrown) {
    if (!isUniqueViolation(thrown, "passkeys.credential_id")) throw thrown;
    await endChallenge(context, challenge, { purpose: "add", userId });
    throw unverified();
  }
  return row;
}

const ownPasskey = (userId: string, id: string) => and(eq(passkeys.id, id), eq(passkeys.userId, userId));

/** Reads one of the caller's passkeys. @throws DomainError 401, 403, 404. */
export async function readPasskey(context: Context, id: string): Promise<PasskeyRow> {
  const { userId } = requireSession(context);
  const [row] = await context.directory.select().from(passkeys).where(ownPasskey(userId, id));
  if (row === undefined) throw notFound();
  return row;
}

/** Lists the caller's passkeys, newest first. @throws DomainError 401, 403. */
export async function listPasskeys(context: Context, { limit, cursor }: PageQuery) {
  const { userId } = requireSession(context);
  const after = readCursor(cursor, z.tuple([z.uuid()]));
  const rows = await context.directory
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.userId, userId), after === null ? undefined : lt(passkeys.id, after[0])))
    .orderBy(desc(passkeys.id))
    .limit(limit + 1);
  return toPage(rows, limit, (row) => [row.id], presentPasskey);
}

/** Gives one of the caller's passkeys another name. @throws DomainError 401, 403, 404. */
export async function renamePasskey(context: Context, id: string, name: string): Promise<PasskeyRow> {
  const { userId } = requireSession(context);
  await beginDirectoryChange(context)
    .add(context.directory.update(passkeys).set({ name }).where(ownPasskey(userId, id)))
    .guardChanged(notFound())
    .add(
      auditStatement(context, {
        organizationId: null,
        action: "passkey.renamed",
        subjectType: "passkey",
        subjectId: id,
        details: { name },
      }),
    )
    .commit();
  return readPasskey(context, id);
}

/**
 * Removes one of the caller's passkeys. The password confirms the person, and counts as an attempt to sign in.
 * @throws DomainError 401, 403, 404, rule-violated, rate-limited.
 */
export async function removePasskey(context: Context, id: string, password: string): Promise<void> {
  const caller = requireSession(context);
  const { directory } = context;
  const { name } = await readPasskey(context, id);
  const left = directory.select({ one: sql`1` }).from(passkeys).where(eq(passkeys.userId, caller.userId));
  const isAsked = directory
    .select({ one: sql`1` })
    .from(users)
    .where(and(eq(users.id, caller.userId), isNotNull(users.secondFactorAt)));
  const user = await confirmAccount(context, caller, password);
  const change = beginDirectoryChange(context)
    .add(directory.delete(passkeys).where(ownPasskey(caller.userId, id)))
    .guardChanged(notFound())
    .guard(or(notExists(isAsked), exists(left)) ?? sql`1`, lastOfSecondFactor())
    .add(
      auditStatement(context, {
        organizationId: null,
        action: "passkey.removed",
        subjectType: "passkey",
        subjectId: id,
        details: { name },
      }),
    );
  change.job("mail-second-factor", { userId: caller.userId, about: "passkey-removed" });
  if (user !== null) await clearFailedSignIns(context, change, user.email);
  await change.commit();
}

/**
 * Adds to `change` the use of a passkey that has signed a challenge. A counter that does not rise says that there is a copy of the
 * passkey, which is refused (WebAuthn Level 3, section 6.1.1).
 */
export function usePasskey(
  { directory, now }: Context,
  change: Change<"directory">,
  { id, publicKey }: PasskeyRow,
  { counter, isBackedUp }: Pick<PasskeyRow, "counter" | "isBackedUp">,
  refusal: DomainError,
): void {
  const rises = or(sql`${passkeys.counter} < ${counter}`, and(eq(passkeys.counter, 0), sql`${counter} = 0`));
  change
    .add(
      directory
        .update(passkeys)
        .set({ counter, isBackedUp, lastUsedAt: now })
        .where(and(eq(passkeys.id, id), eq(passkeys.publicKey, publicKey), rises)),
    )
    .guardChanged(refusal);
}

/** A passkey with its person, by the id that its authenticator gave it. Undefined if nobody has it. */
export async function findPasskey({ directory }: Context, credentialId: string) {
  const [found] = await directory
    .select({ passkey: passkeys, user: users })
    .from(passkeys)
    .innerJoin(users, eq(users.id, passkeys.userId))
    .where(eq(passkeys.credentialId, credentialId));
  return found;
}
