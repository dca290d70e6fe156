import { z } from "@hono/zod-openapi";
import { pageQuery } from "../../platform/db/cursor";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { forUsers } from "../require";
import { giveTokens, sessionTokensSchema } from "../sessions";
import {
  addPasskey,
  beginPasskey,
  listPasskeys,
  presentPasskey,
  readPasskey,
  removePasskey,
  renamePasskey,
} from "./passkeys";
import {
  creationOptionsSchema,
  passkeyCreateSchema,
  passkeyEditSchema,
  passkeyListSchema,
  passkeySchema,
  passkeySignInSchema,
  proofSchema,
  requestOptionsSchema,
} from "./schemas";
import { beginPasskeySignIn, signInWithPasskey } from "./sign-in";

export const passkeyRoutes = createRouter();

const tags = ["Authentication"];
const openRoute = routeOf({ tags, placed: "none" });
const route = routeOf({ ...forUsers, tags, placed: "none" });
const params = z.object({ passkeyId: idSchema });

passkeyRoutes.openapi(
  openRoute({
    method: "post",
    path: "/v1/auth/login/passkey/options",
    operationId: "beginPasskeySignIn",
    summary: "Get a challenge for a sign-in with a passkey",
    description:
      "Give the answer to `PublicKeyCredential.parseRequestOptionsFromJSON`. The challenge works once, within 5 minutes. It names no account: the device offers the passkeys that it has.",
    responses: { 200: json(requestOptionsSchema, "The options for `navigator.credentials.get`") },
  }),
  async (c) => c.json(await beginPasskeySignIn(c.get("context")), 200),
);

passkeyRoutes.openapi(
  openRoute({
    method: "post",
    path: "/v1/auth/login/passkey",
    operationId: "signInWithPasskey",
    summary: "Sign in with a passkey",
    description: "Send what `navigator.credentials.get` answered, by its `toJSON`.",
    request: { body: jsonBody(passkeySignInSchema) },
    responses: { 200: json(sessionTokensSchema, "A new session") },
  }),
  async (c) => {
    const { cookie, response } = c.req.valid("json");
    const begin = (isKept?: boolean) => signInWithPasskey(c.get("context"), response, isKept);
    return c.json(await giveTokens(c, cookie, begin), 200);
  },
);

passkeyRoutes.openapi(
  route({
    method: "get",
    path: "/v1/auth/passkeys",
    operationId: "listPasskeys",
    summary: "List your passkeys",
    request: { query: pageQuery },
    responses: { 200: json(passkeyListSchema, "Passkeys, newest first") },
  }),
  async (c) => c.json(await listPasskeys(c.get("context"), c.req.valid("query")), 200),
);

passkeyRoutes.openapi(
  route({
    method: "post",
    path: "/v1/auth/passkeys/options",
    operationId: "beginPasskey",
    summary: "Get a challenge for a new passkey",
    description:
      "Needs a session and your password. Give the answer to `PublicKeyCredential.parseCreationOptionsFromJSON`. The challenge works once, within 5 minutes.",
    request: { body: jsonBody(proofSchema) },
    responses: { 200: json(creationOptionsSchema, "The options for `navigator.credentials.create`") },
  }),
  async (c) => c.json(await beginPasskey(c.get("context"), c.req.valid("json").password), 200),
);

passkeyRoutes.openapi(
  route({
    method: "post",
    path: "/v1/auth/passkeys",
    locates: "/v1/auth/passkeys/{id}",
    operationId: "addPasskey",
    summary: "Add a passkey",
    description: "Send what `navigator.credentials.create` answered, by its `toJSON`.",
    request: { body: jsonBody(passkeyCreateSchema) },
    responses: { 201: json(passkeySchema, "The new passkey") },
  }),
  async (c) => c.json(presentPasskey(await addPasskey(c.get("context"), c.req.valid("json"))), 201),
);

passkeyRoutes.openapi(
  route({
    method: "get",
    path: "/v1/auth/passkeys/{passkeyId}",
    operationId: "getPasskey",
    summary: "Get a passkey",
    request: { params },
    responses: { 200: json(passkeySchema, "The passkey") },
  }),
  async (c) => c.json(presentPasskey(await readPasskey(c.get("context"), c.req.valid("param").passkeyId)), 200),
);

passkeyRoutes.openapi(
  route({
    method: "patch",
    path: "/v1/auth/passkeys/{passkeyId}",
    operationId: "renamePasskey",
    summary: "Rename a passkey",
    request: { params, body: jsonBody(passkeyEditSchema) },
    responses: { 200: json(passkeySchema, "The passkey after the change") },
  }),
  async (c) => {
    const row = await renamePasskey(c.get("context"), c.req.valid("param").passkeyId, c.req.valid("json").name);
    return c.json(presentPasskey(row), 200);
  },
);

passkeyRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/auth/passkeys/{passkeyId}",
    operationId: "removePasskey",
    summary: "Remove a passkey",
    description: "Needs a session and your password. Sessions that the passkey has opened stay.",
    request: { params, body: jsonBody(proofSchema) },
    responses: { 204: noContent },
  }),
  async (c) => {
    await removePasskey(c.get("context"), c.req.valid("param").passkeyId, c.req.valid("json").password);
    return c.body(null, 204);
  },
);
