import { z } from "@hono/zod-openapi";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { AppEnv } from "../../platform/context";
import { forbidden } from "../../platform/errors";
import { SECOND } from "../../platform/time";
import { SESSION_LIFETIME_MS } from "../limits";
import type { UserRow } from "../user";
import { endSessionOfRefreshToken, findLiveSession, presentTokens, type SessionTokens } from "./sessions";

/*
 * The refresh token of a browser. It is in a cookie that scripts cannot read, and that the browser sends to the routes of
 * `/v1/auth` alone. Only pages of the service itself begin, renew and end a session with it.
 */

const NAME = "refresh";
const PATH = "/v1/auth";

/** What a page asks for: a cookie that ends with the browser, or one that stays as long as the session. */
const COOKIES = ["session", "kept"] as const;
type CookieKind = (typeof COOKIES)[number];

export const cookieSchema = z
  .enum(COOKIES)
  .optional()
  .openapi({
    description:
      "For pages of the service itself: puts the refresh token in a cookie that scripts cannot read, and `refreshToken` of the answer is empty. " +
      "`session`: the cookie ends with the browser. `kept`: it stays as long as the session.",
  });

/**
 * Whether the request comes from a page of the service. Browsers say so in `Sec-Fetch-Site`; over plain http they send
 * `Origin` alone. No script can set these two headers.
 */
function isFromOwnPage(c: HonoContext<AppEnv>): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin";
  const own = [c.get("context").settings.PUBLIC_BASE_URL, new URL(c.req.url).origin];
  return own.includes(c.req.header("origin") ?? "");
}

/**
 * The prefix of the cookie's name. With it, browsers take the cookie only over https. `__Host-` would forbid the path. Over plain
 * http, on the computer of a developer, not all browsers take a cookie that is `Secure`.
 */
const prefixOf = (c: HonoContext<AppEnv>): "secure" | undefined =>
  c.get("context").settings.PUBLIC_BASE_URL.startsWith("https:") ? "secure" : undefined;

const attributesOf = (c: HonoContext<AppEnv>) => {
  const prefix = prefixOf(c);
  return { path: PATH, httpOnly: true, sameSite: "Strict", secure: prefix !== undefined, prefix } as const;
};

const tokenIn = (c: HonoContext<AppEnv>): string | undefined => getCookie(c, NAME, prefixOf(c));

/** The refresh token of the cookie, if a page of the service sends the request. */
export const ownToken = (c: HonoContext<AppEnv>): string | undefined => (isFromOwnPage(c) ? tokenIn(c) : undefined);

function putToken(c: HonoContext<AppEnv>, { refreshToken, isKept }: SessionTokens): void {
  const kept = isKept ? { maxAge: SESSION_LIFETIME_MS / SECOND } : {};
  setCookie(c, NAME, refreshToken, { ...attributesOf(c), ...kept });
}

type Tokens = { user: UserRow; tokens: SessionTokens };

/**
 * Begins a session, and gives its refresh token as the caller asks: in the answer or in the cookie. The session that the cookie had
 * before ends, because nobody could renew it any more.
 * @param begin gets whether the browser keeps the session; undefined without a cookie
 * @throws DomainError forbidden if another page asks for a cookie.
 */
export async function giveTokens(
  c: HonoContext<AppEnv>,
  cookie: CookieKind | undefined,
  begin: (isKept: boolean | undefined) => Promise<Tokens>,
) {
  if (cookie !== undefined && !isFromOwnPage(c))
    throw forbidden("Only pages of this service get a cookie. Leave out `cookie`: the answer then has the tokens.");
  const { user, tokens } = await begin(cookie === undefined ? undefined : cookie === "kept");
  const shown = presentTokens(user, tokens);
  if (cookie === undefined) return shown;
  const earlier = tokenIn(c);
  if (earlier !== undefined) await endSessionOfRefreshToken(c.get("context"), earlier, tokens.sessionId);
  putToken(c, tokens);
  return { ...shown, refreshToken: "" };
}

/** Gives the new tokens of a session whose refresh token is in the cookie. */
export function renewTokens(c: HonoContext<AppEnv>, { user, tokens }: Tokens) {
  putToken(c, tokens);
  return { ...presentTokens(user, tokens), refreshToken: "" };
}

/** Deletes the cookie with the answer of a change that has ended its session. */
export const dropEndedCookie: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const token = c.req.method === "GET" ? undefined : tokenIn(c);
  if (token === undefined || c.res.headers.has("set-cookie")) return;
  if (!(await findLiveSession(c.get("context"), token))) deleteCookie(c, NAME, attributesOf(c));
};
