import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { forUsers } from "../require";
import { giveTokens, sessionTokensSchema } from "../sessions";
import { changeProfile, presentProfile, profileChangeSchema, profileSchema, readProfile } from "./profile";
import { requestPasswordReset, resetPassword, resetRequestSchema, resetSchema } from "./resets";
import {
  type InvitationRedeemer,
  login,
  loginSchema,
  register,
  registrationSchema,
  type SecondStepMaker,
} from "./sign-in";

const tags = ["Authentication"];
const openRoute = routeOf({ tags, placed: "none" });
const route = routeOf({ ...forUsers, tags, placed: "none" });

const registerRoute = openRoute({
  method: "post",
  path: "/v1/auth/register",
  operationId: "registerUser",
  summary: "Register and sign in",
  description: "The operator decides whether registration is open, needs an invitation or is closed.",
  request: { body: jsonBody(registrationSchema) },
  responses: { 201: json(sessionTokensSchema, "The new user with a session") },
});

const loginRoute = openRoute({
  method: "post",
  path: "/v1/auth/login",
  operationId: "signIn",
  summary: "Sign in",
  description:
    "If the account has a second factor, the answer to the right password is the problem `second-factor-required` with a `secondStep`: send its `ticket` to `/v1/auth/login/second-factor`.",
  request: { body: jsonBody(loginSchema) },
  responses: { 200: json(sessionTokensSchema, "A new session") },
});

const requestResetRoute = openRoute({
  method: "post",
  path: "/v1/auth/password-reset",
  operationId: "requestPasswordReset",
  summary: "Request a password reset link",
  description:
    "The answer is the same whether the address has an account or not. If the operator has set up mail, the service mails a link. The link works once, within an hour.",
  request: { body: jsonBody(resetRequestSchema) },
  responses: { 202: { description: "The request was accepted. No body." } },
});

const resetRoute = openRoute({
  method: "post",
  path: "/v1/auth/password-reset/complete",
  operationId: "completePasswordReset",
  summary: "Set a new password with a reset link",
  description: "Ends every session of the account.",
  request: { body: jsonBody(resetSchema) },
  responses: { 204: noContent },
});

const readRoute = route({
  method: "get",
  path: "/v1/auth/me",
  operationId: "getProfile",
  summary: "Get your profile",
  description: "Returns your account, your memberships, and the credential of this request.",
  responses: { 200: json(profileSchema, "The profile") },
});

const changeRoute = route({
  method: "patch",
  path: "/v1/auth/me",
  operationId: "updateProfile",
  summary: "Update your name or password",
  description: "Needs a session. A new password needs the current password and ends every other session.",
  request: { body: jsonBody(profileChangeSchema) },
  responses: { 200: json(profileSchema, "The profile after the change") },
});

/** The routes of accounts. `redeemer` comes from the workspace, which owns the invitations; `secondStep` from the passkeys. */
export function accountRoutes(redeemer: InvitationRedeemer, secondStep: SecondStepMaker) {
  const routes = createRouter();
  routes.openapi(registerRoute, async (c) => {
    const { cookie, ...given } = c.req.valid("json");
    const begin = (isKept?: boolean) => register(c.get("context"), redeemer, given, isKept);
    return c.json(await giveTokens(c, cookie, begin), 201);
  });
  routes.openapi(loginRoute, async (c) => {
    const { cookie, ...given } = c.req.valid("json");
    const begin = (isKept?: boolean) => login(c.get("context"), secondStep, given, isKept);
    return c.json(await giveTokens(c, cookie, begin), 200);
  });
  routes.openapi(requestResetRoute, async (c) => {
    await requestPasswordReset(c.get("context"), c.req.valid("json").email);
    return c.body(null, 202);
  });
  routes.openapi(resetRoute, async (c) => {
    const { token, password } = c.req.valid("json");
    await resetPassword(c.get("context"), token, password);
    return c.body(null, 204);
  });
  routes.openapi(readRoute, async (c) => c.json(presentProfile(await readProfile(c.get("context"))), 200));
  routes.openapi(changeRoute, async (c) => {
    await changeProfile(c.get("context"), c.req.valid("json"));
    return c.json(presentProfile(await readProfile(c.get("context"))), 200);
  });
  return routes;
}
