import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { signAccessToken } from "../../src/access/sessions/session-tokens";
import { parseSettings } from "../../src/platform/settings";
import { HOUR } from "../../src/platform/time";

/** A signed-in user. */
export interface SignedIn {
  userId: string;
  sessionId: string;
}

/**
 * Access tokens of these sessions, signed like the tokens of the service at `url`, with a lifetime longer than a
 * benchmark.
 */
export function signIn(secretsFile: string, url: string, people: readonly SignedIn[]): Promise<string[]> {
  const settings = parseSettings({ ...parseEnv(readFileSync(secretsFile, "utf8")), PUBLIC_BASE_URL: url });
  const now = Date.now();
  return Promise.all(people.map((person) => signAccessToken(settings, { ...person, expiresAt: now + 6 * HOUR }, now)));
}
