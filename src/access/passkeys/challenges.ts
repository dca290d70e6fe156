import { z } from "@hono/zod-openapi";
import { and, eq, gt, isNull, type SQL } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { randomBytes, sha256Hex } from "../../platform/crypto/bytes";
import { beginDirectoryChange } from "../../platform/db/change";
import type { Statement } from "../../platform/db/database";
import type { DomainError } from "../../platform/errors";
import { clearFailedSignIns } from "../accounts";
import { PASSKEY_CHALLENGE_LIFETIME_MS } from "../limits";
import { passkeyChallenges } from "../tables";

/** The purpose of a challenge, and its person. The person is null for a sign-in, which names nobody yet. */
export interface Purpose {
  purpose: (typeof passkeyChallenges.$inferSelect)["purpose"];
  userId: string | null;
}

/** Twice the least that WebAuthn asks for (Level 3, section 13.4.3). */
const CHALLENGE_BYTES = 32;

/** The hash of a challenge, which is all that the database stores. */
export const hashChallenge = (challenge: string): Promise<string> => sha256Hex(challenge);

interface Condition {
  /** SQL: the challenge is written only if this is true. */
  holds: SQL;
  refusal: DomainError;
}

/**
 * Writes a new challenge, of which the database keeps the hash.
 * @param confirmed the address of the account whose password was correct just now
 * @returns the challenge, base64url
 */
export async function newChallenge(
  context: Context,
  { purpose, userId }: Purpose,
  { confirmed, only }: { confirmed?: string; only?: Condition } = {},
): Promise<string> {
  const { directory, now } = context;
  const challenge = randomBytes(CHALLENGE_BYTES).toBase64({ alphabet: "base64url", omitPadding: true });
  const challengeHash = await hashChallenge(challenge);
  const expiresAt = now + PASSKEY_CHALLENGE_LIFETIME_MS;
  const row = { challengeHash, purpose, userId, createdAt: now, expiresAt };
  const change = beginDirectoryChange(context);
  if (only !== undefined) change.guard(only.holds, only.refusal);
  change.add(directory.insert(passkeyChallenges).values(row));
  if (confirmed !== undefined) await clearFailedSignIns(context, change, confirmed);
  await change.commit();
  return challenge;
}

/** The part of the client data that is read before its signature is verified. Pages of other sites may not frame the service. */
const clientData = z.object({ challenge: z.string().max(200), crossOrigin: z.literal(false).optional() });

/** The challenge that an answer of a browser names; null if the answer is not one of a page of its own origin. */
export function challengeIn(clientDataJSON: string): string | null {
  try {
    const bytes = Uint8Array.fromBase64(clientDataJSON, { alphabet: "base64url" });
    return clientData.parse(JSON.parse(new TextDecoder().decode(bytes))).challenge;
  } catch {
    return null;
  }
}

/** The statement that takes a challenge. It changes no row if the challenge was taken, has ended or is for something else. */
export const takeChallenge = (
  { directory, now }: Context,
  challengeHash: string,
  { purpose, userId }: Purpose,
): Statement<"directory"> =>
  directory
    .delete(passkeyChallenges)
    .where(
      and(
        eq(passkeyChallenges.challengeHash, challengeHash),
        eq(passkeyChallenges.purpose, purpose),
        userId === null ? isNull(passkeyChallenges.userId) : eq(passkeyChallenges.userId, userId),
        gt(passkeyChallenges.expiresAt, now),
      ),
    );

/** Ends a challenge whose answer was refused, so that it is tried once. */
export async function endChallenge(context: Context, challenge: string, purpose: Purpose): Promise<void> {
  await beginDirectoryChange({ ...context, idempotency: null })
    .add(takeChallenge(context, await hashChallenge(challenge), purpose))
    .commit();
}
