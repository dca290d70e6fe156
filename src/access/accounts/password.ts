import { type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { DomainError } from "../../platform/errors";
import { nameProblem } from "../../platform/http/fields";
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "../limits";
import { isCommonPassword } from "./common-passwords";

/**
 * A new secret that people type: without control characters and lone surrogates, because a hash may not see all of
 * them.
 */
export const typedSecretSchema = (min: number, max: number) =>
  z
    .string()
    .min(min, `must have at least ${min} characters`)
    .max(max)
    .superRefine((text, context) => {
      const problem = nameProblem(text);
      if (problem !== null) context.addIssue({ code: "custom", message: problem });
    });

export const newPasswordSchema = typedSecretSchema(MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH).openapi({
  format: "password",
});

/** An existing password. The rules for new passwords do not apply to it. */
export const currentPasswordSchema = z.string().min(1).max(MAX_PASSWORD_LENGTH).openapi({ format: "password" });

/** The scrypt parameters that OWASP recommends for 16 MiB: N = 2^14, r = 8, p = 5. One hash takes about 150 ms of CPU. */
const LOG_N = 14;
const BLOCK_SIZE = 8;
const PARALLELISM = 5;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MAX_SCRYPT_MEMORY_BYTES = 64 * 1024 * 1024;

/** The hash for unknown addresses: a check against it takes as long as for a known address. Its password is not known. */
const UNKNOWN_ACCOUNT_HASH = "$scrypt$ln=14,r=8,p=5$/tuN8Aqhf4ZTkn3yAs5qCg$EeyEsonawB9An6q2yQ/nw66eXeXLtOEKIIQ6utuGnJ8";

const PHC_FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Normalizes the password to NFC first, because keyboards encode the same character differently. */
const derive = (password: string, salt: Uint8Array, options: ScryptOptions): Promise<Uint8Array> =>
  new Promise((resolve, reject) =>
    scrypt(
      password.normalize("NFC"),
      salt,
      HASH_BYTES,
      { ...options, maxmem: MAX_SCRYPT_MEMORY_BYTES },
      (error, key) => (error ? reject(error) : resolve(key)),
    ),
  );

const toPhcBase64 = (bytes: Uint8Array): string => bytes.toBase64({ omitPadding: true });

/** Hashes a password into one self-describing string of the PHC form (`$scrypt$ln=14,r=8,p=5$salt$hash`). */
export async function hashPassword(password: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const hash = await derive(password, salt, { N: 2 ** LOG_N, r: BLOCK_SIZE, p: PARALLELISM });
  return `$scrypt$ln=${LOG_N},r=${BLOCK_SIZE},p=${PARALLELISM}$${toPhcBase64(salt)}$${toPhcBase64(hash)}`;
}

/**
 * Whether the password matches the stored hash. Null (no account, or no password) takes as long and returns false. So does
 * a NUL: HMAC fills its key with NULs (RFC 2104), so scrypt gives one hash for a password with and without them at its end.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, logN, r, p, salt, hash] = PHC_FORM.exec(stored ?? UNKNOWN_ACCOUNT_HASH) ?? [];
  if (salt === undefined || hash === undefined) throw new Error("a stored password hash has an unknown form");
  const options = { N: 2 ** Number(logN), r: Number(r), p: Number(p) };
  const derived = await derive(password, Uint8Array.fromBase64(salt), options);
  return timingSafeEqual(derived, Uint8Array.fromBase64(hash)) && stored !== null && !password.includes("\0");
}

/** Characters that a password must have beside the name in its person's address. */
const MIN_BESIDE_NAME = 6;
/** Shorter names are parts of many words. */
const MIN_NAME = 3;

/**
 * Refuses a password that is easy to guess.
 * @throws DomainError rule-violated if many people use it, or if it is little more than the address or the name in it
 */
export function checkNewPassword(password: string, email: string): void {
  const text = password.normalize("NFC").toLowerCase();
  const [name = ""] = email.split("@");
  const withoutAddress = text.replaceAll(email, "");
  const beside = name.length < MIN_NAME ? withoutAddress : withoutAddress.replaceAll(name, "");
  if (beside !== text && beside.trim().length < MIN_BESIDE_NAME)
    throw new DomainError("rule-violated", "Choose a password that is not made of your e-mail address.");
  if (isCommonPassword(password))
    throw new DomainError("rule-violated", "Many people use this password. Choose one that is hard to guess.");
}
