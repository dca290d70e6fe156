import {
  Authenticator,
  addPasskeyOf,
  beginAdding,
  beginSecondStep,
  beginSignIn,
  withSecondFactor,
} from "../support/authenticator";
import { mintPasskey, mintToken } from "../support/factories";
import { freshIp, mintReset, mintSession, mintSignedIn, PASSWORD, register } from "../support/sessions";
import type { RouteRow } from "./row";
import { named, type World } from "./world";

const from = () => ({ headers: { "cf-connecting-ip": freshIp() } });
const newAddress = () => `${crypto.randomUUID()}@people.test`;
const onToken = async ({ owner }: World) => ({ params: { tokenId: (await mintToken(owner.userId, named)).id } });

const accountRows: readonly RouteRow[] = [
  {
    route: "POST /v1/auth/register",
    changesNone: true,
    who: "anyone",
    request: () => ({ ...from(), body: { email: newAddress(), password: PASSWORD, displayName: "Ada" } }),
    status: 201,
    audited: ["session.created", "user.registered"],
  },
  {
    route: "POST /v1/auth/login",
    changesNone: true,
    who: "anyone",
    request: async () => ({ ...from(), body: { email: (await register()).user.email, password: PASSWORD } }),
    status: 200,
    audited: ["session.created"],
  },
  {
    route: "POST /v1/auth/password-reset",
    changesNone: true,
    // Without mail there is no job.
    answersAnew: true,
    who: "anyone",
    request: () => ({ ...from(), body: { email: newAddress() } }),
    status: 202,
  },
  {
    route: "POST /v1/auth/password-reset/complete",
    changesNone: true,
    who: "anyone",
    request: async () => {
      const { user } = await register();
      return { ...from(), body: { token: await mintReset(user.id), password: PASSWORD } };
    },
    status: 204,
    audited: ["password.reset"],
  },
  { route: "GET /v1/auth/me", who: "user", request: () => ({}), status: 200 },
  {
    route: "PATCH /v1/auth/me",
    changesNone: true,
    who: "session",
    request: () => ({ body: { displayName: "Ada" } }),
    status: 200,
    audited: ["user.renamed"],
  },
  {
    route: "DELETE /v1/auth/me",
    who: "sign-in",
    request: async () => ({ ...from(), token: (await register()).accessToken, body: { password: PASSWORD } }),
    status: 204,
    // The trail of the account ends with it. Each organization gets an entry.
    audited: [],
    endsCredential: true,
  },
];

const sessionRows: readonly RouteRow[] = [
  {
    route: "POST /v1/auth/refresh",
    changesNone: true,
    who: "anyone",
    request: async () => ({ ...from(), body: { refreshToken: (await register()).refreshToken } }),
    status: 200,
  },
  {
    route: "POST /v1/auth/logout",
    changesNone: true,
    who: "session",
    request: async ({ owner }) => ({ token: (await mintSession(owner.userId)).token, body: {} }),
    status: 204,
    audited: ["session.ended"],
    endsCredential: true,
  },
  { route: "GET /v1/auth/sessions", who: "session", request: () => ({}), status: 200, list: true },
  {
    route: "DELETE /v1/auth/sessions/:sessionId",
    changesNone: true,
    who: "session",
    request: async ({ owner }) => ({ params: { sessionId: (await mintSession(owner.userId)).id } }),
    status: 204,
    audited: ["session.ended"],
  },
  {
    route: "POST /v1/auth/sessions/end-others",
    changesNone: true,
    who: "session",
    // Sessions of the world are used by other rows.
    request: async () => {
      const { token, userId } = await mintSignedIn();
      await mintSession(userId);
      return { token };
    },
    status: 204,
    audited: ["sessions.ended"],
  },
];

/** A person with a session that the password has confirmed, and an authenticator. */
async function withAuthenticator() {
  const { accessToken: token } = await register();
  return { token, authenticator: await Authenticator.create() };
}
const onPasskey = async ({ owner }: World) => ({ params: { passkeyId: await mintPasskey(owner.userId, named) } });

const passkeyRows: readonly RouteRow[] = [
  {
    route: "POST /v1/auth/login/passkey/options",
    changesNone: true,
    who: "anyone",
    request: from,
    status: 200,
  },
  {
    route: "POST /v1/auth/login/passkey",
    changesNone: true,
    who: "anyone",
    request: async () => {
      const { token, authenticator } = await withAuthenticator();
      await addPasskeyOf(authenticator, token);
      return { ...from(), body: { response: await authenticator.get(await beginSignIn()) } };
    },
    status: 200,
    audited: ["session.created"],
  },
  { route: "GET /v1/auth/passkeys", who: "session", request: () => ({}), status: 200, list: true },
  {
    route: "POST /v1/auth/passkeys/options",
    changesNone: true,
    who: "session",
    request: async () => ({ ...from(), token: (await register()).accessToken, body: { password: PASSWORD } }),
    status: 200,
  },
  {
    route: "POST /v1/auth/passkeys",
    changesNone: true,
    who: "session",
    request: async () => {
      const { token, authenticator } = await withAuthenticator();
      return { token, body: { name: "Phone", response: await authenticator.create(await beginAdding(token)) } };
    },
    status: 201,
    audited: ["passkey.added"],
  },
  { route: "GET /v1/auth/passkeys/:passkeyId", who: "session", request: onPasskey, status: 200 },
  {
    route: "PATCH /v1/auth/passkeys/:passkeyId",
    changesNone: true,
    who: "session",
    request: async (world) => ({ ...(await onPasskey(world)), body: { name: "Another" } }),
    status: 200,
    audited: ["passkey.renamed"],
  },
  {
    route: "DELETE /v1/auth/passkeys/:passkeyId",
    changesNone: true,
    who: "session",
    request: async () => {
      const { token, authenticator } = await withAuthenticator();
      const { id } = await addPasskeyOf(authenticator, token);
      return { ...from(), token, params: { passkeyId: id }, body: { password: PASSWORD } };
    },
    status: 204,
    audited: ["passkey.removed"],
  },
];

const onSecondFactor = async () => ({
  ...from(),
  token: (await withSecondFactor()).token,
  body: { password: PASSWORD },
});

const secondFactorRows: readonly RouteRow[] = [
  {
    route: "POST /v1/auth/login/second-factor",
    changesNone: true,
    who: "anyone",
    request: async () => {
      const { user, recoveryCodes } = await withSecondFactor();
      const { ticket } = await beginSecondStep(user.email);
      return { ...from(), body: { ticket, recoveryCode: recoveryCodes[0] } };
    },
    status: 200,
    audited: ["recovery-code.used", "session.created"],
  },
  { route: "GET /v1/auth/second-factor", who: "session", request: () => ({}), status: 200 },
  {
    route: "POST /v1/auth/second-factor",
    changesNone: true,
    who: "session",
    request: async () => {
      const { token, authenticator } = await withAuthenticator();
      await addPasskeyOf(authenticator, token);
      return { ...from(), token, body: { password: PASSWORD } };
    },
    status: 200,
    audited: ["second-factor.switched-on"],
  },
  {
    route: "POST /v1/auth/second-factor/recovery-codes",
    changesNone: true,
    who: "session",
    request: onSecondFactor,
    status: 200,
    audited: ["second-factor.codes-replaced"],
  },
  {
    route: "DELETE /v1/auth/second-factor",
    changesNone: true,
    who: "session",
    request: onSecondFactor,
    status: 204,
    audited: ["second-factor.switched-off"],
  },
];

const tokenRows: readonly RouteRow[] = [
  { route: "GET /v1/auth/tokens", who: "sign-in", request: () => ({}), status: 200, list: true },
  {
    route: "POST /v1/auth/tokens",
    changesNone: true,
    who: "sign-in",
    request: () => ({ body: { name: "Another" } }),
    status: 201,
    audited: ["token.created"],
  },
  { route: "GET /v1/auth/tokens/:tokenId", who: "sign-in", request: onToken, status: 200 },
  {
    route: "PATCH /v1/auth/tokens/:tokenId",
    changesNone: true,
    who: "sign-in",
    request: async (world) => ({ ...(await onToken(world)), body: { name: "Another" } }),
    status: 200,
    audited: ["token.changed"],
  },
  {
    route: "DELETE /v1/auth/tokens/:tokenId",
    changesNone: true,
    who: "sign-in",
    request: onToken,
    status: 204,
    audited: ["token.revoked"],
  },
];

export const accessRoutes: readonly RouteRow[] = [
  ...accountRows,
  ...sessionRows,
  ...passkeyRows,
  ...secondFactorRows,
  ...tokenRows,
];
