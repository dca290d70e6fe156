import type { MiddlewareHandler, NotFoundHandler } from "hono";
import type { AppEnv } from "../context";
import { isOutage } from "../db/failures";
import { DomainError } from "../errors";
import { newId } from "../ids";
import { describeFailure, log } from "../log";
import { SettingsError, settingsOf } from "../settings";
import { readBounded } from "./bodies";
import { asDomainError, problemResponse } from "./problem";
import type { createRouter } from "./router";

/** Largest JSON request body, bytes; a route that needs another limit says so. */
export const LARGEST_JSON_BODY = 256 * 1024;

/** Keeps a valid incoming request id, makes one otherwise, and puts it on the answer. */
export const requestId: MiddlewareHandler<AppEnv> = async (c, next) => {
  const given = c.req.header("x-request-id");
  const id = given !== undefined && /^[A-Za-z0-9._-]{8,64}$/.test(given) ? given : newId();
  c.set("requestId", id);
  await next();
  c.res.headers.set("x-request-id", id);
};

/** One line a request: never its query, its body or a credential. */
export const requestLog: MiddlewareHandler<AppEnv> = async (c, next) => {
  const started = Date.now();
  await next();
  log("info", "request", {
    requestId: c.get("requestId"),
    method: c.req.method,
    route: c.req.routePath,
    status: c.res.status,
    caller: c.get("presented") ?? c.get("context")?.caller.kind ?? "none",
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

/** Headers every answer has; a page that needs more than nothing sets its own policy. */
export const securityHeaders: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(SECURITY_HEADERS))
    if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "no-store");
};

/** Everything thrown becomes a problem; what is not ours is logged and opaque. */
export function onError(thrown: unknown, c: Parameters<MiddlewareHandler<AppEnv>>[0]): Response {
  const error = asDomainError(thrown);
  if (thrown instanceof SettingsError)
    log("error", "settings.refused", { requestId: c.get("requestId"), problems: thrown.problems.join("; ") });
  if (error.code === "internal" || isOutage(thrown))
    log("error", error.code === "internal" ? "request.failed" : "database.unavailable", {
      requestId: c.get("requestId"),
      route: c.req.routePath,
      ...describeFailure(thrown),
    });
  return problemResponse(error, new URL(c.req.url).pathname, c.get("requestId"));
}

/** Refuses bodies that are too large, not JSON or not UTF-8 before they are read. */
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
    requireUtf8(await body.arrayBuffer());
    c.req.raw = new Request(raw, { body });
    return next();
  };
}

/** What is no UTF-8 would be read with other characters in place of its own. @throws DomainError malformed-request. */
function requireUtf8(bytes: ArrayBuffer): void {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new DomainError("malformed-request", "The body is not UTF-8. Encode it as UTF-8 and send it again.", {
      cause,
    });
  }
}

const tooLarge = (limit: number): DomainError =>
  new DomainError("content-too-large", `The body may have ${Math.floor(limit / 1024)} KiB at most.`);

/** Answers 304 to a conditional GET whose validator still holds. */
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

/** What is said where no route answers: which methods the address has, or that there is no such address. */
export function unrouted(app: ReturnType<typeof createRouter>): NotFoundHandler<AppEnv> {
  // Middleware stands under ALL.
  const has = (method: string, path: string): boolean =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method);
  return (c) => {
    const allow = METHODS.filter((method) => has(method, c.req.path))
      .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
      .join(", ");
    const error =
      allow === ""
        ? new DomainError("not-found", "There is no such route. /openapi.json and /docs list those that there are.")
        : new DomainError("method-not-allowed", `Here it can only be ${allow}.`, { allow });
    return problemResponse(error, c.req.path, c.get("requestId"));
  };
}

/** What pages of the configured origins may do with a part of the service; lists as their headers write them. */
export interface CrossOriginRules {
  methods: string;
  requestHeaders: string;
  /** Headers of answers that a page may read. */
  exposed?: string;
  /** Whether a page's requests may carry what its browser knows of the service, as SignalR's clients ask. */
  credentials?: true;
}

/** How long a browser may keep a preflight's answer, seconds. */
const PREFLIGHT_SECONDS = 600;

/** The API knows callers by headers alone, so no request needs a browser's credentials. */
export const API_RULES: CrossOriginRules = {
  methods: "GET, HEAD, POST, PUT, PATCH, DELETE",
  requestHeaders:
    "authorization, content-type, idempotency-key, if-match, if-none-match, if-range, range, x-camera-share, x-request-id",
  exposed:
    "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Idempotency-Replayed, Retry-After, WWW-Authenticate, X-Bookmark, X-Request-Id",
};

/** Answers preflights, and lets pages of `ALLOWED_ORIGINS` read answers, refusals too. */
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
