import { openClient } from "./client.mjs";

/** Lifetime of the address. The access token that ends its session is valid for longer. */
const LIFETIME_MS = 10 * 60_000;
/** The name of the sessions that such an address begins. */
const USER_AGENT = "npm start";

/** Ends sessions of addresses that nobody opened: they were never renewed. */
async function endUnused(person, which) {
  const { items } = await person.request("GET", "/v1/auth/sessions?limit=100");
  const isUnused = ({ userAgent, createdAtUtc, lastUsedAtUtc }) =>
    userAgent === USER_AGENT && lastUsedAtUtc === createdAtUtc;
  for (const session of items)
    if (isUnused(session) && which(session)) await person.request("DELETE", `/v1/auth/sessions/${session.id}`);
}

/**
 * An address that signs a person of the demo in and shows the wall of cameras. It has the refresh token of a new
 * session in its fragment, which browsers send to nobody: the token is valid for one renewal, and the service keeps its
 * hash alone. A session that nobody opens is ended after ten minutes, or at the next start. The console takes such an
 * address only on the computer's own host names.
 * @param {{ url: string, email: string, password: string, stopping: AbortSignal }} demo
 * @returns {Promise<string>}
 */
export async function signInLink({ url, email, password, stopping }) {
  const agent = { "user-agent": USER_AGENT };
  const session = await openClient(url).request("POST", "/v1/auth/login", { email, password }, agent);
  const person = openClient(url, session.accessToken);
  await endUnused(person, ({ current }) => !current);
  const timer = setTimeout(() => void endUnused(person, ({ current }) => current).catch(() => undefined), LIFETIME_MS);
  timer.unref();
  stopping.addEventListener("abort", () => clearTimeout(timer));
  return `${url}/console/cameras#enter=${session.refreshToken}`;
}
