import type { Context } from "../../platform/context";
import { randomHex, sha256Hex } from "../../platform/crypto/hash";
import { DAY } from "../../platform/time";

/** How long an invitation may be used. */
export const INVITATION_LIFETIME = 7 * DAY;

/** A new token, 64 hex characters, and the hash that is kept of it. */
export async function newToken(): Promise<{ token: string; hash: string }> {
  const token = randomHex(32);
  return { token, hash: await hashOf(token) };
}

export const hashOf = (token: string): Promise<string> => sha256Hex(token);

/** The link that an invited person opens; the fragment never reaches a server's log. */
export const linkOf = ({ settings }: Pick<Context, "settings">, token: string): string =>
  `${settings.PUBLIC_BASE_URL}/invitations#${token}`;
