import { type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { DomainError } from "../../platform/errors";
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "../limits";

export const newPasswordSchema = z
  .string()
  .min(MIN_PASSWORD_LENGTH, `must have at least ${MIN_PASSWORD_LENGTH} characters`)
  .max(MAX_PASSWORD_LENGTH)
  .openapi({ format: "password" });

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

/** Whether the password matches the stored hash. Null (no account, or no password) takes as long and returns false. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, logN, r, p, salt, hash] = PHC_FORM.exec(stored ?? UNKNOWN_ACCOUNT_HASH) ?? [];
  if (salt === undefined || hash === undefined) throw new Error("a stored password hash has an unknown form");
  const options = { N: 2 ** Number(logN), r: Number(r), p: Number(p) };
  const derived = await derive(password, Uint8Array.fromBase64(salt), options);
  return timingSafeEqual(derived, Uint8Array.fromBase64(hash)) && stored !== null;
}

/** @throws DomainError rule-violated when the password is the address itself. */
export function checkNewPassword(password: string, email: string): void {
  if (password.normalize("NFC").trim().toLowerCase() === email)
    throw new DomainError("rule-violated", "Choose a password that is not your e-mail address.");
}
