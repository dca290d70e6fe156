import type { z } from "@hono/zod-openapi";
import { sameSecret } from "./bytes";

/** Puts the hyphens back into an id. */
const withHyphens = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** Writes and reads tokens in the form `<prefix>.<id without hyphens>.<64 hex characters of a secret>`. */
export function secretTokens(prefix: string) {
  const form = new RegExp(`^${prefix}\\.([0-9a-f]{32})\\.([0-9a-f]{64})$`);
  return {
    prefix,
    write: (id: string, secret: string): string => `${prefix}.${id.replaceAll("-", "")}.${secret}`,
    /** The id and the secret of a token; null for a text in another form. */
    read(token: string): { id: string; secret: string } | null {
      const [, hex, secret] = form.exec(token) ?? [];
      return hex === undefined || secret === undefined ? null : { id: withHyphens(hex), secret };
    },
  };
}

const encoder = new TextEncoder();
const base64url = { alphabet: "base64url", omitPadding: true } as const;

/** HMAC-SHA-256 of a text, base64url. Each purpose has its own key. */
async function signature(secret: string, purpose: string, text: string): Promise<string> {
  const raw = encoder.encode(`${purpose}\n${secret}`);
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text))).toBase64(base64url);
}

/**
 * Signs a value as a text: everyone can read it, only this service can write it. `purpose` separates kinds of tokens.
 */
export async function writeSigned(secret: string, purpose: string, value: unknown): Promise<string> {
  const body = encoder.encode(JSON.stringify(value)).toBase64(base64url);
  return `${body}.${await signature(secret, purpose, body)}`;
}

/**
 * The value of a signed text, or null if its signature for this purpose is wrong. @throws ZodError for another shape.
 */
export async function readSigned<T extends z.ZodType>(
  secret: string,
  purpose: string,
  text: string,
  schema: T,
): Promise<z.infer<T> | null> {
  const [body = "", given = "", ...more] = text.split(".");
  if (more.length > 0 || !sameSecret(given, await signature(secret, purpose, body))) return null;
  return schema.parse(JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(body, { alphabet: "base64url" }))));
}

const decoder = new TextDecoder();
const IV_BYTES = 12;

async function keyFrom(secret: string): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info: encoder.encode("sealed-answer") };
  return crypto.subtle.deriveKey(hkdf, base, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** Encrypts a text with AES-256-GCM under a key derived from `secret` (HKDF-SHA-256). Returns base64: IV, then data. */
export async function seal(text: string, secret: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const data = new Uint8Array(
    await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await keyFrom(secret), encoder.encode(text)),
  );
  const all = new Uint8Array(IV_BYTES + data.length);
  all.set(iv);
  all.set(data, IV_BYTES);
  return all.toBase64();
}

/** Decrypts the result of `seal`. @throws if the secret is wrong or the data was changed. */
export async function openSealed(sealed: string, secret: string): Promise<string> {
  const all = Uint8Array.fromBase64(sealed);
  const iv = all.slice(0, IV_BYTES);
  return decoder.decode(
    await crypto.subtle.decrypt({ name: "AES-GCM", iv }, await keyFrom(secret), all.slice(IV_BYTES)),
  );
}
