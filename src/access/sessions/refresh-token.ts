import { randomHex, sha256Hex, toHex } from "../../platform/crypto/hash";
import type { Settings } from "../../platform/settings";
import { DAY, MINUTE } from "../../platform/time";

/** How long a session lives without being refreshed. */
export const SESSION_MS = 30 * DAY;

/**
 * How long a refresh token that was used may come again, for a client that lost the answer: it gets
 * the very token it missed. A token whose successor was used too was received, so its return is theft.
 */
export const RETRY_GRACE_MS = MINUTE;

const PREFIX = "svcrefresh1";
export const refreshTokenForm = /^svcrefresh1\.[0-9a-f]{64}$/;

/** The first refresh token of a session: 256 random bits. */
export const newRefreshToken = (): string => `${PREFIX}.${randomHex(32)}`;

/** What of a refresh token is stored. */
export const hashRefreshToken = (token: string): Promise<string> => sha256Hex(token);

const encoder = new TextEncoder();

/**
 * The token that follows a token: HMAC-SHA-256 of it under the service's signing key. Nobody without
 * that key can go from one to the next, and a repeated refresh finds the same successor again
 * although only hashes are stored.
 */
export async function successorOf(settings: Settings, token: string): Promise<string> {
  const secret = encoder.encode(`refresh-token-chain\n${settings.SESSION_SIGNING_KEY.d}`);
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return `${PREFIX}.${toHex(await crypto.subtle.sign("HMAC", key, encoder.encode(token)))}`;
}
