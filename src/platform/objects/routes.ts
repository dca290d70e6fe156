import type { Context as HonoContext } from "hono";
import type { AppEnv } from "../context";
import { createRouter } from "../http/router";
import { getObject, objectError, putObject } from "./endpoint";
import { OBJECTS_PATH, ownSigning, verifySigned } from "./sigv4";

/**
 * The Worker's own object endpoint, for installs without R2 keys, and for addresses that were out before
 * they had some: the URL is the whole permission, no cookie or header of ours adds to it. So any origin
 * may use one it was given.
 */
export const objectRoutes = createRouter();

const CORS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "ETag, Content-Length, Content-Range, Content-Disposition, Accept-Ranges",
  "cross-origin-resource-policy": "cross-origin",
};
const PREFLIGHT: Readonly<Record<string, string>> = {
  ...CORS,
  "access-control-allow-methods": "GET, HEAD, PUT",
  "access-control-allow-headers":
    "content-type, if-none-match, x-amz-checksum-sha256, range, if-range, if-match, if-modified-since",
  "access-control-max-age": "3600",
};

async function answer(c: HonoContext<AppEnv>): Promise<Response> {
  const { settings, objects, now, requestId } = c.get("context");
  const request = c.req.raw;
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: PREFLIGHT });
  if (!["GET", "HEAD", "PUT"].includes(request.method))
    return objectError("MethodNotAllowed", requestId, { allow: "GET, HEAD, PUT, OPTIONS" });
  if (request.method === "PUT" && request.headers.get("content-length") === null)
    return objectError("MissingContentLength", requestId);
  const verdict = await verifySigned(ownSigning(settings), request, now);
  if (!verdict.ok) return objectError(verdict.refusal, requestId);
  return request.method === "PUT"
    ? putObject(objects, request, verdict, requestId)
    : getObject(objects, request, verdict, requestId);
}

objectRoutes.all(`${OBJECTS_PATH}/*`, async (c) => {
  const response = await answer(c);
  for (const [name, value] of Object.entries(CORS)) response.headers.set(name, value);
  return response;
});
