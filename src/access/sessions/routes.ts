import { z } from "@hono/zod-openapi";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { InstanceLimiter, networkOf } from "../../platform/http/rate-limit";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { REFRESHES_PER_NETWORK } from "../limits";
import { forUsers, requireSession } from "../require";
import { cookieSchema, giveTokens, ownToken, renewTokens } from "./cookie";
import {
  endOwnOtherSessions,
  endSession,
  endSessionOfRefreshToken,
  listSessions,
  refreshSession,
  sessionSchema,
  sessionTokensSchema,
} from "./sessions";

export const sessionRoutes = createRouter();

const tags = ["Authentication"];
const openRoute = routeOf({ tags, placed: "none" });
const route = routeOf({ ...forUsers, tags, placed: "none" });
const refreshToken = z.string().max(200);

const refreshRequest = z
  .strictObject({
    refreshToken: refreshToken.optional().openapi({
      description: "Leave it out if it is in the cookie: the new one is then in the cookie, too.",
    }),
    cookie: cookieSchema,
    isSingleUse: z.boolean().optional().openapi({
      description:
        "Deletes the token: a repeat of the request is refused, even within the minute. Use it for a token that came to the client in an address.",
    }),
  })
  .openapi("RefreshRequest");

/** Nobody can guess 256 bits. The limit only keeps many requests away from the database. */
const refreshRateLimit = new InstanceLimiter("refresh", REFRESHES_PER_NETWORK);

sessionRoutes.openapi(
  openRoute({
    method: "post",
    path: "/v1/auth/refresh",
    operationId: "refreshSession",
    summary: "Exchange a refresh token for a new pair",
    description:
      "You can use each refresh token once. If the answer was lost, send the same token again within a minute: the answer has the same new token. " +
      "A token that comes again later ends its session.",
    request: { body: jsonBody(refreshRequest) },
    responses: { 200: json(sessionTokensSchema, "The new pair") },
  }),
  async (c) => {
    const context = c.get("context");
    refreshRateLimit.consume(context, networkOf(context.origin?.ip ?? "unknown"));
    const { refreshToken = "", isSingleUse, cookie } = c.req.valid("json");
    const own = refreshToken === "" ? ownToken(c) : undefined;
    if (own !== undefined) return c.json(renewTokens(c, await refreshSession(context, own)), 200);
    const refresh = (isKept?: boolean) => refreshSession(context, refreshToken, { isSingleUse, isKept });
    return c.json(await giveTokens(c, cookie, refresh), 200);
  },
);

sessionRoutes.openapi(
  openRoute({
    method: "post",
    path: "/v1/auth/logout",
    operationId: "signOut",
    summary: "Sign out",
    security: [{ bearer: [] }, {}],
    description:
      "Ends the session of the access token. If that token has expired, send the refresh token in the body. A page of the service sends it in its cookie.",
    request: {
      body: {
        content: {
          "application/json": {
            schema: z.strictObject({ refreshToken: refreshToken.optional() }).openapi("SignOutRequest"),
          },
        },
      },
    },
    responses: { 204: noContent },
  }),
  async (c) => {
    const context = c.get("context");
    const given = c.req.valid("json").refreshToken || ownToken(c);
    if (given === undefined || context.caller.kind === "session")
      await endSession(context, requireSession(context).sessionId);
    if (given !== undefined) await endSessionOfRefreshToken(context, given);
    return c.body(null, 204);
  },
);

sessionRoutes.openapi(
  route({
    method: "get",
    path: "/v1/auth/sessions",
    operationId: "listSessions",
    summary: "List your sessions",
    request: { query: pageQuery },
    responses: {
      200: json(pageSchema("SessionList", sessionSchema), "Live sessions, newest first"),
    },
  }),
  async (c) => c.json(await listSessions(c.get("context"), c.req.valid("query")), 200),
);

sessionRoutes.openapi(
  route({
    method: "post",
    path: "/v1/auth/sessions/end-others",
    operationId: "endOtherSessions",
    summary: "End all your other sessions",
    description: "The session of the request goes on. Personal access tokens stay.",
    responses: { 204: noContent },
  }),
  async (c) => {
    await endOwnOtherSessions(c.get("context"));
    return c.body(null, 204);
  },
);

sessionRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/auth/sessions/{sessionId}",
    operationId: "deleteSession",
    summary: "End a session",
    request: { params: z.object({ sessionId: idSchema }) },
    responses: { 204: noContent },
  }),
  async (c) => {
    await endSession(c.get("context"), c.req.valid("param").sessionId);
    return c.body(null, 204);
  },
);
