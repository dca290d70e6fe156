import { createRoute } from "@hono/zod-openapi";
import { createRouter, json, jsonBody, problems } from "../../platform/http/router";
import { forUsers } from "../guard";
import { presentTokens, sessionTokensSchema } from "../sessions/schemas";
import { changeProfile } from "./change-profile";
import type { InvitationRedeemer } from "./invitation";
import { login } from "./login";
import { readProfile } from "./profile";
import { register } from "./register";
import { loginSchema, presentProfile, profileChangeSchema, profileSchema, registrationSchema } from "./schemas";

const tags = ["Authentication"];

const registerRoute = createRoute({
  method: "post",
  path: "/v1/auth/register",
  tags,
  summary: "Register and sign in",
  description: "Whether it is open, needs an invitation or is closed is the operator's setting.",
  request: { body: jsonBody(registrationSchema) },
  responses: { 201: json(sessionTokensSchema, "The new person, signed in"), ...problems },
});

const loginRoute = createRoute({
  method: "post",
  path: "/v1/auth/login",
  tags,
  summary: "Sign in",
  request: { body: jsonBody(loginSchema) },
  responses: { 200: json(sessionTokensSchema, "A new session"), ...problems },
});

const readRoute = createRoute({
  method: "get",
  path: "/v1/auth/me",
  tags,
  summary: "Who one is, and through which credential",
  ...forUsers,
  responses: { 200: json(profileSchema, "The caller"), ...problems },
});

const changeRoute = createRoute({
  method: "patch",
  path: "/v1/auth/me",
  tags,
  summary: "Change one's name or password",
  description: "With a session alone. A new password needs the present one and ends every other session.",
  ...forUsers,
  request: { body: jsonBody(profileChangeSchema) },
  responses: { 200: json(profileSchema, "The caller as it is now"), ...problems },
});

/** The routes of accounts; invitations belong to the workspace, which hands in how they are redeemed. */
export function accountRoutes(redeemer: InvitationRedeemer) {
  const routes = createRouter();
  routes.openapi(registerRoute, async (c) => {
    const { user, tokens } = await register(c.get("context"), redeemer, c.req.valid("json"));
    return c.json(presentTokens(user, tokens), 201);
  });
  routes.openapi(loginRoute, async (c) => {
    const { user, tokens } = await login(c.get("context"), c.req.valid("json"));
    return c.json(presentTokens(user, tokens), 200);
  });
  routes.openapi(readRoute, async (c) => c.json(presentProfile(await readProfile(c.get("context"))), 200));
  routes.openapi(changeRoute, async (c) => {
    await changeProfile(c.get("context"), c.req.valid("json"));
    return c.json(presentProfile(await readProfile(c.get("context"))), 200);
  });
  return routes;
}
