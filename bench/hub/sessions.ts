import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { signAccessToken } from "../../src/access/sessions/session-tokens";
import { parseSettings } from "../../src/platform/settings";
import { HOUR } from "../../src/platform/time";

/** Somebody who is signed in. */
export interface SignedIn {
  userId: string;
  sessionId: string;
}

/** Access tokens of these sessions, as the service at `url` signs them, for as long as a bench may take. */
export function signIn(secretsFile: string, url: string, people: readonly SignedIn[]): Promise<string[]> {
  const settings = parseSettings({ ...parseEnv(readFileSync(secretsFile, "utf8")), PUBLIC_BASE_URL: url });
  const now = Date.now();
  return Promise.all(people.map((person) => signAccessToken(settings, { ...person, expiresAt: now + 6 * HOUR }, now)));
}
