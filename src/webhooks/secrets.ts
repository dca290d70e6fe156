import type { Context } from "../platform/context";
import { randomBytes } from "../platform/crypto/bytes";
import { openSealed, seal } from "../platform/crypto/tokens";
import type { WebhookRow } from "./tables";

/*
 * Secrets and signatures as Standard Webhooks 1.0 defines them: the secret is `whsec_` and base64 of random bytes, the signature
 * is HMAC-SHA-256 of the id, the time and the body, and a request has one signature for each valid secret.
 */

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A new secret as its receiver enters it. */
export const newSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toBase64()}`;

type Key = Pick<Context, "settings">;

/** The secret that encrypts secrets of webhooks, separated from its other purposes. */
const keyOf = ({ settings }: Key): string => `webhook-secret\n${settings.OBJECT_SIGNING_SECRET}`;

/** Encrypts a secret for its row. A signature needs the secret itself, so that a hash is not enough. */
export const sealSecret = (context: Key, secret: string): Promise<string> => seal(secret, keyOf(context));

/** Decrypts a secret of a row; null if another installation encrypted it, or the key was changed. */
async function openSecret(context: Key, sealed: string): Promise<string | null> {
  try {
    return await openSealed(sealed, keyOf(context));
  } catch {
    return null;
  }
}

/** The secrets that sign now: the current one first, and the former one until its end. Null if the current one cannot be read. */
export async function secretsOf(
  context: Key,
  { secret, formerSecret, formerUntil }: Pick<WebhookRow, "secret" | "formerSecret" | "formerUntil">,
  now: number,
): Promise<string[] | null> {
  const current = await openSecret(context, secret);
  if (current === null) return null;
  const former = formerSecret !== null && (formerUntil ?? 0) > now ? await openSecret(context, formerSecret) : null;
  return former === null ? [current] : [current, former];
}

/** The headers that sign a request. @param at time of the try, milliseconds since the epoch */
export async function signedHeaders(
  secrets: readonly string[],
  id: string,
  at: number,
  body: string,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1_000));
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = secrets.map(async (secret) => {
    const bytes = Uint8Array.fromBase64(secret.slice(PREFIX.length));
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return `v1,${new Uint8Array(await crypto.subtle.sign("HMAC", key, content)).toBase64()}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": (await Promise.all(signatures)).join(" "),
  };
}

/** A text without secrets and signatures, which a receiver may have sent back. */
export const withoutSecrets = (text: string): string =>
  text.replace(/whsec_[A-Za-z0-9+/=]+|v1,[A-Za-z0-9+/=]{20,}/g, "[removed]");
