import { z } from "@hono/zod-openapi";
import { eq } from "drizzle-orm";
import { hashPassword, isCommonPassword, type ShareCaller, typedSecretSchema, verifyPassword } from "../../access";
import type { Context } from "../../platform/context";
import { sameSecret, toHex } from "../../platform/crypto/bytes";
import { DomainError, notFound } from "../../platform/errors";
import { consumeRateLimit, networkOf } from "../../platform/http/rate-limit";
import { toUtc, utcSchema } from "../../platform/time";
import {
  MAX_PASSCODE_LENGTH,
  MIN_PASSCODE_LENGTH,
  PASSCODE_TRIES_PER_LINK,
  PASSCODE_TRIES_PER_NETWORK,
  SHARE_PASS_LIFETIME_MS,
} from "../limits";
import { cameraShares } from "../tables";

/** A new passcode of a link. */
export const newPasscodeSchema = typedSecretSchema(MIN_PASSCODE_LENGTH, MAX_PASSCODE_LENGTH)
  .refine((passcode) => !isCommonPassword(passcode), "is too easy to guess")
  .nullable()
  .openapi({
    format: "password",
    example: "harbour 7",
    description: `Visitors of the link must enter it first: ${MIN_PASSCODE_LENGTH} to ${MAX_PASSCODE_LENGTH} characters. Null: none.`,
  });

export const unlockBody = z
  .strictObject({ passcode: z.string().min(1).max(MAX_PASSCODE_LENGTH).openapi({ format: "password" }) })
  .openapi("SharedCamerasUnlock");

export const passSchema = z
  .object({
    pass: z
      .string()
      .openapi({ description: "Send it in the header X-Camera-Share-Pass with every request of the link." }),
    expiresAtUtc: utcSchema,
  })
  .openapi("SharedCamerasPass");

export const hashPasscode = (passcode: string | null): Promise<string | null> =>
  passcode === null ? Promise.resolve(null) : hashPassword(passcode);

export const passcodeRequired = (): DomainError =>
  new DomainError("passcode-required", "Enter the passcode of this link. The person who sent you the link has it.");

type Locked = Pick<typeof cameraShares.$inferSelect, "id" | "passcodeHash">;

const encoder = new TextEncoder();

/** The proof that a passcode was entered: an HMAC over the link, its current passcode and the end of the pass. */
async function proofOf({ settings }: Pick<Context, "settings">, { id, passcodeHash }: Locked, expiresAt: number) {
  const secret = encoder.encode(`share-pass\n${settings.SESSION_SIGNING_KEY.d}`);
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return toHex(await crypto.subtle.sign("HMAC", key, encoder.encode(`${id}\n${passcodeHash}\n${expiresAt}`)));
}

/** Whether a pass opens a link now. A link without a passcode needs none; another passcode ends all passes. */
export async function isUnlocked(context: Context, share: Locked, pass: string | undefined): Promise<boolean> {
  if (share.passcodeHash === null) return true;
  const [, end, proof] = /^(\d{13})\.([0-9a-f]{64})$/.exec(pass ?? "") ?? [];
  if (end === undefined || proof === undefined || Number(end) <= context.now) return false;
  return sameSecret(await proofOf(context, share, Number(end)), proof);
}

/** Makes a pass for the right passcode. @throws DomainError 401 passcode-required, 404, 429. */
export async function unlockShare(
  context: Context,
  { linkId }: ShareCaller,
  passcode: string,
): Promise<z.infer<typeof passSchema>> {
  const network = networkOf(context.origin?.ip ?? "unknown");
  await consumeRateLimit(context, `share-passcode:${linkId}:${network}`, PASSCODE_TRIES_PER_NETWORK, "passcode");
  await consumeRateLimit(context, `share-passcode:${linkId}`, PASSCODE_TRIES_PER_LINK);
  const [share] = await context.workspace
    .select({ id: cameraShares.id, passcodeHash: cameraShares.passcodeHash })
    .from(cameraShares)
    .where(eq(cameraShares.id, linkId));
  if (share === undefined) throw notFound();
  if (share.passcodeHash !== null && !(await verifyPassword(passcode, share.passcodeHash)))
    throw new DomainError(
      "passcode-required",
      "This passcode is wrong. Check it with the person who sent you the link.",
    );
  const expiresAt = context.now + SHARE_PASS_LIFETIME_MS;
  return { pass: `${expiresAt}.${await proofOf(context, share, expiresAt)}`, expiresAtUtc: toUtc(expiresAt) };
}
