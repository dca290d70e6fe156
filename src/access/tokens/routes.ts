import { z } from "@hono/zod-openapi";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { forUsers } from "../require";
import {
  createdTokenSchema,
  createToken,
  editToken,
  listTokens,
  presentToken,
  readToken,
  revokeToken,
  tokenCreateSchema,
  tokenEditSchema,
  tokenSchema,
} from "./tokens";

export const tokenRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Authentication"], placed: "none" });
const params = z.object({ tokenId: idSchema });

tokenRoutes.openapi(
  route({
    method: "get",
    path: "/v1/auth/tokens",
    operationId: "listPersonalAccessTokens",
    summary: "List your personal access tokens",
    request: { query: pageQuery },
    responses: { 200: json(pageSchema("PersonalAccessTokenList", tokenSchema), "Tokens, newest first") },
  }),
  async (c) => c.json(await listTokens(c.get("context"), c.req.valid("query")), 200),
);

tokenRoutes.openapi(
  route({
    method: "post",
    path: "/v1/auth/tokens",
    locates: "/v1/auth/tokens/{id}",
    operationId: "createPersonalAccessToken",
    summary: "Create a personal access token",
    description:
      "Needs a session or a JWT of an external issuer: a token cannot create tokens. Only this response contains the secret.",
    request: { body: jsonBody(tokenCreateSchema) },
    responses: { 201: json(createdTokenSchema, "The token with its secret") },
  }),
  async (c) => {
    const { row, token } = await createToken(c.get("context"), c.req.valid("json"));
    setRevision(c, row.revision);
    return c.json({ ...presentToken(row), token }, 201);
  },
);

tokenRoutes.openapi(
  route({
    method: "get",
    path: "/v1/auth/tokens/{tokenId}",
    operationId: "getPersonalAccessToken",
    summary: "Get a personal access token",
    request: { params },
    responses: { 200: json(tokenSchema, "The token") },
  }),
  async (c) => {
    const row = await readToken(c.get("context"), c.req.valid("param").tokenId);
    setRevision(c, row.revision);
    return c.json(presentToken(row), 200);
  },
);

tokenRoutes.openapi(
  route({
    method: "patch",
    path: "/v1/auth/tokens/{tokenId}",
    operationId: "updatePersonalAccessToken",
    summary: "Update a personal access token",
    request: { params, body: jsonBody(tokenEditSchema) },
    responses: { 200: json(tokenSchema, "The token after the change") },
  }),
  async (c) => {
    const { baseRevision, ...edit } = c.req.valid("json");
    const precondition = preconditionOf(c, { baseRevision });
    const row = await editToken(c.get("context"), c.req.valid("param").tokenId, edit, precondition);
    setRevision(c, row.revision);
    return c.json(presentToken(row), 200);
  },
);

tokenRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/auth/tokens/{tokenId}",
    operationId: "deletePersonalAccessToken",
    summary: "Revoke a personal access token",
    request: { params },
    responses: { 204: noContent },
  }),
  async (c) => {
    await revokeToken(c.get("context"), c.req.valid("param").tokenId);
    return c.body(null, 204);
  },
);
