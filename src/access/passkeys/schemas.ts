import { z } from "@hono/zod-openapi";
import { pageSchema } from "../../platform/db/cursor";
import { lineSchema } from "../../platform/http/fields";
import { idSchema } from "../../platform/ids";
import { utcSchema } from "../../platform/time";
import { cookieSchema } from "../sessions";

/*
 * The JSON forms of WebAuthn Level 3, sections 5.1.8 to 5.1.10, as far as the service needs them. Browsers add fields to their
 * answers, which are dropped.
 */

/** The longest id of a credential, bytes (WebAuthn Level 3, section 4). */
const MAX_CREDENTIAL_ID_BYTES = 1_023;

const base64url = (maxBytes: number) =>
  z
    .string()
    .min(1)
    .max(Math.ceil((maxBytes * 4) / 3))
    .regex(/^[A-Za-z0-9_-]+$/, "must be base64url without padding");
const credentialId = base64url(MAX_CREDENTIAL_ID_BYTES);
const clientDataJSON = base64url(4_096);
const authenticatorData = base64url(16_384);
/** The transports of WebAuthn; unknown ones are kept, because browsers read them only as a hint. */
const transports = z.array(z.string().max(32)).max(10);

const credential = { id: credentialId, rawId: credentialId, type: z.literal("public-key") };

/** The answer of `navigator.credentials.create`. */
export const registrationResponseSchema = z
  .object({
    ...credential,
    response: z.object({ clientDataJSON, attestationObject: authenticatorData, transports: transports.default([]) }),
  })
  .openapi("PasskeyRegistrationResponse");
export type RegistrationResponse = z.infer<typeof registrationResponseSchema>;

/** The answer of `navigator.credentials.get`. */
export const authenticationResponseSchema = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON,
      authenticatorData,
      signature: base64url(2_048),
      userHandle: base64url(64).nullable().optional(),
    }),
  })
  .openapi("PasskeyAuthenticationResponse");
export type AuthenticationResponse = z.infer<typeof authenticationResponseSchema>;

/** What a page gives to `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const creationOptionsSchema = z
  .object({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal("public-key"), alg: z.int() })),
    timeout: z.int().openapi({ description: "Milliseconds in which the challenge must be signed." }),
    excludeCredentials: z.array(
      z.object({ type: z.literal("public-key"), id: z.string(), transports: z.array(z.string()) }),
    ),
    authenticatorSelection: z.object({
      residentKey: z.literal("required"),
      requireResidentKey: z.literal(true),
      userVerification: z.literal("required"),
    }),
    attestation: z.literal("none"),
  })
  .openapi("PasskeyCreationOptions");
export type CreationOptions = z.infer<typeof creationOptionsSchema>;

/** What a page gives to `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const requestOptionsSchema = z
  .object({
    challenge: z.string(),
    rpId: z.string(),
    timeout: z.int().openapi({ description: "Milliseconds in which the challenge must be signed." }),
    userVerification: z.literal("required"),
  })
  .openapi("PasskeyRequestOptions");
export type RequestOptions = z.infer<typeof requestOptionsSchema>;

const name = lineSchema(100).openapi({ example: "Phone" });
const password = z.string().min(1).max(1_000).openapi({ format: "password", description: "Your password." });

export const proofSchema = z.strictObject({ password }).openapi("PasskeyProof");
export const passkeyCreateSchema = z
  .strictObject({ name, response: registrationResponseSchema })
  .openapi("PasskeyCreate");
export const passkeyEditSchema = z.strictObject({ name }).openapi("PasskeyUpdate");
export const passkeySignInSchema = z
  .strictObject({ response: authenticationResponseSchema, cookie: cookieSchema })
  .openapi("PasskeySignIn");

export const passkeySchema = z
  .object({
    id: idSchema,
    name: z.string(),
    isBackedUp: z.boolean().openapi({
      description: "Whether the passkey is kept beyond one device, for example by a password manager.",
    }),
    createdAtUtc: utcSchema,
    lastUsedAtUtc: utcSchema.nullable(),
  })
  .openapi("Passkey");

export const passkeyListSchema = pageSchema("PasskeyList", passkeySchema);
