import { z } from "@hono/zod-openapi";
import { toHex } from "../../platform/crypto/hash";
import { randomBytes } from "../../platform/crypto/random";
import type { Settings } from "../../platform/settings";
import { MINUTE } from "../../platform/time";

/** How long a pairing code may be used, once. */
export const CODE_LIFETIME = 15 * MINUTE;
export const CODE_LENGTH = 8;
/** Digits and capitals without those that are taken for one another: 0 O, 1 I L. */
const ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
/** Bytes from here on would favour the first letters of the alphabet. */
const UNBIASED = 256 - (256 % ALPHABET.length);

/** A new pairing code, each of its characters equally likely: 39.6 bits. */
export function newPairingCode(): string {
  let code = "";
  while (code.length < CODE_LENGTH)
    for (const byte of randomBytes(2 * CODE_LENGTH))
      if (byte < UNBIASED && code.length < CODE_LENGTH) code += ALPHABET[byte % ALPHABET.length];
  return code;
}

/** A pairing code as people type it: case, spaces and hyphens do not matter. */
export const pairingCodeSchema = z
  .string()
  .max(40)
  .transform((typed) => typed.replace(/[\s-]/g, "").toUpperCase())
  .refine(
    (code) => code.length === CODE_LENGTH && [...code].every((letter) => ALPHABET.includes(letter)),
    `is ${CODE_LENGTH} characters of ${ALPHABET}`,
  )
  .openapi({ type: "string", example: "7KQ2-M9XD" });

const encoder = new TextEncoder();

/**
 * What is kept of a pairing code: HMAC-SHA-256 under the service's signing key, in hex. A plain hash of
 * so few bits could be turned back by whoever reads the database.
 */
export async function hashPairingCode(settings: Pick<Settings, "SESSION_SIGNING_KEY">, code: string): Promise<string> {
  const secret = encoder.encode(`pairing-code\n${settings.SESSION_SIGNING_KEY.d}`);
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return toHex(await crypto.subtle.sign("HMAC", key, encoder.encode(code)));
}
