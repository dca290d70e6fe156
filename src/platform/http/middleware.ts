import type { MiddlewareHandler, NotFoundHandler } from "hono";
import type { AppEnv } from "../context";
import { DomainError } from "../errors";
import { newId } from "../ids";
import { DEFAULT_LANGUAGE } from "../languages/languages";
import { currentOrigin, describeFailure, log, traceOf, withOrigin } from "../log";
import { isOutage } from "../outages";
import { SettingsError, settingsOf } from "../settings";
import { readBounded } from "./bodies";
import { asDomainError, problemResponse } from "./problem";
import { rateLimitFields } from "./rate-limit";
import type { createRouter } from "./router";

export { idempotency } from "./idempotency";

/** Size of a JSON request body, bytes. A route can have another limit. */
export const MAX_JSON_BODY_BYTES = 256 * 1024;

/**
 * Takes a valid request id from the request or makes a new one, and adds it to the answer and to all log lines of the request.
 * A request that the service runs again inside of itself keeps its id.
 */
export const requestId: MiddlewareHandler<AppEnv> = async (c, next) => {
  const outer = currentOrigin();
  const given = c.req.header("x-request-id");
  const id = outer?.requestId ?? (given !== undefined && /^[A-Za-z0-9._-]{8,64}$/.test(given) ? given : newId());
  c.set("requestId", id);
  const trace = traceOf(c.req.header("traceparent"));
  if (outer !== undefined) await next();
  else await withOrigin({ requestId: id, workspace: null, caller: "anonymous", ...(trace && { trace }) }, next);
  c.res.headers.set("x-request-id", id);
};

/** Logs one line for each request, without its query, body or credential. */
export const requestLog: MiddlewareHandler<AppEnv> = async (c, next) => {
  const started = Date.now();
  await next();
  log("info", "request", {
    method: c.req.method,
    route: c.req.routePath,
    status: c.res.status,
    ms: Date.now() - started,
  });
};

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
};

/** Adds the security headers to every answer. A page that loads anything sets its own policy. */
export const securityHeaders: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(SECURITY_HEADERS))
    if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "no-store");
};

/** The language of the reader of a problem. A request that failed before its context was open gets the first language. */
const languageOf = (c: Parameters<MiddlewareHandler<AppEnv>>[0]) =>
  (c.get("context") as AppEnv["Variables"]["context"] | undefined)?.origin?.language ?? DEFAULT_LANGUAGE;

/** Turns every error into a problem answer. An unexpected error is logged, and its answer is opaque. */
export function onError(thrown: unknown, c: Parameters<MiddlewareHandler<AppEnv>>[0]): Response {
  const error = asDomainError(thrown);
  if (thrown instanceof SettingsError) log("error", "settings.refused", { problems: thrown.problems.join("; ") });
  if (error.code === "internal" || isOutage(thrown))
    log("error", error.code === "internal" ? "request.failed" : "dependency.unavailable", {
      route: c.req.routePath,
      ...describeFailure(thrown),
    });
  return problemResponse(error, new URL(c.req.url).pathname, c.get("requestId"), languageOf(c));
}

/**
 * Refuses a body that is too large, not JSON or not UTF-8. `limits` gives the largest size of a path, bytes; null: no
 * rule.
 */
export function bodyRules(limits: (path: string) => number | null): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { method, raw } = c.req;
    const limit = limits(c.req.path);
    if (method === "GET" || method === "HEAD" || method === "OPTIONS" || limit === null || raw.body === null)
      return next();
    const length = c.req.header("content-length");
    if (length !== undefined && Number(length) === 0) return next();
    const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
    if (type !== "application/json")
      throw new DomainError("unsupported-media-type", "Send the body as application/json.");
    if (Number(length ?? 0) > limit) throw tooLarge(limit);
    const body = await readBounded(raw.body, limit);
    if (body === null) throw tooLarge(limit);
    requireExactIntegers(requireUtf8(await body.arrayBuffer()));
    c.req.raw = new Request(raw, { body });
    return next();
  };
}

/** Refuses other bytes than UTF-8, which a parser would replace silently. @throws DomainError malformed-request. */
function requireUtf8(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new DomainError("malformed-request", "The body is not UTF-8. Encode it as UTF-8 and send it again.", {
      cause,
    });
  }
}

/** Strings of a JSON text, which are passed over, and the numbers whose value a parser can change. */
const STRING_OR_LONG_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])|-?\d+(?:\.\d+)?[eE]\+?\d{3,}/g;

/**
 * Refuses a JSON text with an integer that a double cannot hold, such as a 64-bit id: the service would store and answer
 * another number. The same for a number that is too large for a double. @throws DomainError validation-failed.
 */
function requireExactIntegers(text: string): void {
  for (const [token] of text.matchAll(STRING_OR_LONG_NUMBER)) {
    if (token.startsWith('"') || JSON.stringify(Number(token)) === token) continue;
    if (/[eE]/.test(token) && Number.isFinite(Number(token))) continue;
    const shown = token.length > 40 ? `${token.slice(0, 40)}…` : token;
    throw new DomainError(
      "validation-failed",
      `The number ${shown} would be rounded. Send it as a string, in quotes.`,
      { errors: [{ path: "", message: `${shown} is a number that would be rounded` }] },
    );
  }
}

const tooLarge = (limit: number): DomainError =>
  new DomainError("content-too-large", `Send a body of at most ${Math.floor(limit / 1024)} KiB.`);

/** Answers 304 to a conditional GET whose ETag is still current. */
export const conditionalGet: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const etag = c.res.headers.get("etag");
  const given = c.req.header("if-none-match");
  if (c.req.method !== "GET" || c.res.status !== 200 || etag === null || given === undefined) return;
  const known = given.split(",").map((e) => e.trim().replace(/^W\//, ""));
  if (!known.includes(etag) && !known.includes("*")) return;
  const headers = new Headers(c.res.headers);
  for (const name of ["content-length", "content-type"]) headers.delete(name);
  c.res = new Response(null, { status: 304, headers });
};

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The answer if no route matches: 405 with the allowed methods of the path, or 404. */
export function unmatchedRoute(app: ReturnType<typeof createRouter>): NotFoundHandler<AppEnv> {
  // Middleware is registered under the method ALL.
  const has = (method: string, path: string): boolean =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method);
  return (c) => {
    const allow = METHODS.filter((method) => has(method, c.req.path))
      .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
      .join(", ");
    const error =
      allow === ""
        ? new DomainError("not-found", "There is no such route. Find all routes in /openapi.json or /docs.")
        : new DomainError("method-not-allowed", `Use one of these methods: ${allow}.`, { allow });
    return problemResponse(error, c.req.path, c.get("requestId"), languageOf(c));
  };
}

/** The requests that pages of the configured origins may send to a part of the service. The lists are header values. */
export interface CrossOriginRules {
  methods: string;
  requestHeaders: string;
  /** The response headers that a page may read. */
  exposed?: string;
  /** Whether requests may include the browser's credentials, which SignalR's clients require. */
  credentials?: true;
}

/** Time for which a browser may cache the answer of a preflight, seconds. */
const PREFLIGHT_SECONDS = 600;

/** The rules of the API. It reads credentials only from headers, so no request needs the browser's credentials. */
export const API_RULES: CrossOriginRules = {
  methods: "GET, HEAD, POST, PUT, PATCH, DELETE",
  requestHeaders:
    "authorization, content-type, idempotency-key, if-match, if-none-match, if-range, range, traceparent, tracestate, x-camera-share, x-camera-share-pass, x-request-id",
  exposed:
    "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, Deprecation, ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Bookmark, X-Request-Id",
};

/**
 * Tells the limits that the request has counted against, where it was refused by one, too. An answer about what is absent or
 * hidden does not tell them: it would show how far the request came.
 */
export const rateLimitState: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const fields = rateLimitFields(c.get("context").counted);
  if (fields === null || c.res.status === 404) return;
  c.res.headers.set("ratelimit-policy", fields.policy);
  c.res.headers.set("ratelimit", fields.state);
};

/** Answers preflights, and lets pages of `ALLOWED_ORIGINS` read all answers, including refusals. */
export function crossOrigin({ methods, requestHeaders, exposed, credentials }: CrossOriginRules) {
  const shared: Record<string, string> = {
    ...(exposed === undefined ? {} : { "access-control-expose-headers": exposed }),
    ...(credentials === undefined ? {} : { "access-control-allow-credentials": "true" }),
  };
  const preflight: Record<string, string> = {
    "access-control-allow-methods": methods,
    "access-control-allow-headers": requestHeaders,
    "access-control-max-age": String(PREFLIGHT_SECONDS),
  };
  const handler: MiddlewareHandler<AppEnv> = async (c, next) => {
    const { ALLOWED_ORIGINS } = settingsOf(c.env);
    if (c.req.method === "OPTIONS") c.res = new Response(null, { status: 204, headers: preflight });
    else await next();
    c.res.headers.append("vary", "Origin");
    const origin = c.req.header("origin");
    if (origin === undefined || !ALLOWED_ORIGINS.includes(origin)) return;
    for (const [name, value] of Object.entries({ "access-control-allow-origin": origin, ...shared }))
      c.res.headers.set(name, value);
  };
  return handler;
}
