import type { Context as HonoContext } from "hono";
import type { AppEnv } from "../context";
import { DomainError } from "../errors";

/** What a page of our own may do: run and style itself, and ask this service. `img` is where pictures come from. */
export const pagePolicy = (img: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${img}`,
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");

/** Serves a static file that lies beside the Worker, under a policy. @throws DomainError not-found. */
export async function serveAsset(c: HonoContext<AppEnv>, path: string, policy: string): Promise<Response> {
  const asset = await c.env.ASSETS.fetch(new URL(path, c.req.url));
  if (asset.status !== 200) throw new DomainError("not-found", "There is no such file.");
  const headers = new Headers(asset.headers);
  headers.set("content-security-policy", policy);
  headers.set("cache-control", "no-cache");
  return new Response(asset.body, { status: 200, headers });
}
