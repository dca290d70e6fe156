import type { z } from "@hono/zod-openapi";
import { sameSecret } from "./hash";

const encoder = new TextEncoder();
const base64url = { alphabet: "base64url", omitPadding: true } as const;

/** HMAC-SHA-256 of a text under a key of its own for each purpose, base64url. */
async function signature(secret: string, purpose: string, text: string): Promise<string> {
  const raw = encoder.encode(`${purpose}\n${secret}`);
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text))).toBase64(base64url);
}

/** Writes a value that everybody may read and only we can have written. `purpose` keeps kinds of tokens apart. */
export async function writeSigned(secret: string, purpose: string, value: unknown): Promise<string> {
  const body = encoder.encode(JSON.stringify(value)).toBase64(base64url);
  return `${body}.${await signature(secret, purpose, body)}`;
}

/** The value of a signed text, or null when we have not written it for this purpose. */
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
