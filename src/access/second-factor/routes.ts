import { z } from "@hono/zod-openapi";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { toUtcOrNull, utcSchema } from "../../platform/time";
import { authenticationResponseSchema, proofSchema } from "../passkeys";
import { forUsers } from "../require";
import { cookieSchema, giveTokens, sessionTokensSchema } from "../sessions";
import { readSecondFactor, replaceRecoveryCodes, switchOff, switchOn } from "./second-factor";
import { finishSignIn } from "./second-step";

export const secondFactorRoutes = createRouter();

const tags = ["Authentication"];
const openRoute = routeOf({ tags, placed: "none" });
const route = routeOf({ ...forUsers, tags, placed: "none" });

const path = "/v1/auth/second-factor";

const stateSchema = z
  .object({
    isOn: z.boolean().openapi({ description: "Whether a sign-in with the password asks for a passkey, too." }),
    sinceUtc: utcSchema.nullable(),
    recoveryCodesLeft: z.int().min(0),
  })
  .openapi("SecondFactor");

const codesSchema = z
  .object({
    recoveryCodes: z
      .array(z.string())
      .openapi({ description: "Each works once in place of a passkey. Only this answer has them." }),
  })
  .openapi("RecoveryCodes");

const ticket = z.string().min(1).max(200).openapi({ description: "The `secondStep.ticket` of the sign-in." });
const confirmationSchema = z
  .strictObject({
    ticket,
    response: authenticationResponseSchema
      .optional()
      .openapi({ description: "What `navigator.credentials.get` answered, by its `toJSON`." }),
    recoveryCode: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .openapi({ description: "A recovery code. Case, spaces and hyphens do not matter." }),
    cookie: cookieSchema,
  })
  .refine(({ response, recoveryCode }) => (response === undefined) !== (recoveryCode === undefined), {
    message: "send either response or recoveryCode",
  })
  .openapi("SignInConfirmation", { example: { ticket: "kJ0v2WqD3bq8w4mZ", recoveryCode: "7K3M-0QXT-9ZPB-4HJD" } });

secondFactorRoutes.openapi(
  openRoute({
    method: "post",
    path: "/v1/auth/login/second-factor",
    operationId: "confirmSignIn",
    summary: "Confirm a sign-in with a passkey or a recovery code",
    description:
      "The second step after the problem `second-factor-required`. The ticket works once, within 5 minutes: after a refusal, sign in with the password again.",
    request: { body: jsonBody(confirmationSchema) },
    responses: { 200: json(sessionTokensSchema, "A new session") },
  }),
  async (c) => {
    const { ticket, response, recoveryCode, cookie } = c.req.valid("json");
    const confirmation = response === undefined ? { recoveryCode: recoveryCode ?? "" } : { response };
    const begin = (isKept?: boolean) => finishSignIn(c.get("context"), ticket, confirmation, isKept);
    return c.json(await giveTokens(c, cookie, begin), 200);
  },
);

secondFactorRoutes.openapi(
  route({
    method: "get",
    path,
    operationId: "getSecondFactor",
    summary: "Get your second factor",
    responses: { 200: json(stateSchema, "Whether it is on, and the recovery codes that are left") },
  }),
  async (c) => {
    const { since, recoveryCodesLeft } = await readSecondFactor(c.get("context"));
    return c.json({ isOn: since !== null, sinceUtc: toUtcOrNull(since), recoveryCodesLeft }, 200);
  },
);

secondFactorRoutes.openapi(
  route({
    method: "post",
    path,
    operationId: "switchSecondFactorOn",
    summary: "Ask for a passkey after the password",
    description: "Needs a session, your password and a passkey. Your other sessions end.",
    request: { body: jsonBody(proofSchema) },
    responses: { 200: json(codesSchema, "Your recovery codes") },
  }),
  async (c) => c.json({ recoveryCodes: await switchOn(c.get("context"), c.req.valid("json").password) }, 200),
);

secondFactorRoutes.openapi(
  route({
    method: "post",
    path: `${path}/recovery-codes`,
    operationId: "replaceRecoveryCodes",
    summary: "Replace your recovery codes",
    description: "Needs a session and your password. The earlier codes work no more.",
    request: { body: jsonBody(proofSchema) },
    responses: { 200: json(codesSchema, "Your new recovery codes") },
  }),
  async (c) =>
    c.json({ recoveryCodes: await replaceRecoveryCodes(c.get("context"), c.req.valid("json").password) }, 200),
);

secondFactorRoutes.openapi(
  route({
    method: "delete",
    path,
    operationId: "switchSecondFactorOff",
    summary: "Ask for nothing after the password",
    description: "Needs a session and your password. Your recovery codes end. Your passkeys stay.",
    request: { body: jsonBody(proofSchema) },
    responses: { 204: noContent },
  }),
  async (c) => {
    await switchOff(c.get("context"), c.req.valid("json").password);
    return c.body(null, 204);
  },
);
