import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../context";
import { settingsOf } from "../settings";

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
