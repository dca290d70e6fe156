import { client } from "../platform/session.ts";

/** Only on the console's own computer. Elsewhere, an address could sign a person in to another account. */
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
const FRAGMENT = /^#enter=(svcrefresh1\.[0-9a-f]{64})$/;

/** Signs in with the address that `npm start` prints. The token leaves the address and the history at once. */
export async function enterByLink(): Promise<void> {
  const [, refreshToken] = FRAGMENT.exec(location.hash) ?? [];
  if (refreshToken === undefined) return;
  history.replaceState(null, "", location.pathname + location.search);
  if (!LOOPBACK.includes(location.hostname)) return;
  // An address that was used does not sign in again: the page then asks for the password.
  await client.enter(refreshToken).catch(() => undefined);
}
