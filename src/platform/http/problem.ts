import { z } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import { DomainError, type FieldError, PROBLEMS, type ProblemCode } from "../errors";
import { DEFAULT_LANGUAGE, type ReaderLanguage } from "../languages/languages";
import { say } from "../languages/translate";
import { isOutage } from "../outages";
import { SettingsError } from "../settings";

/** `Retry-After` of a service with a missing setting. */
const SETUP_RETRY_SECONDS = 60;

const fieldErrorSchema = z.object({
  path: z.string(),
  message: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
});

/** `Retry-After` when the database or the object store does not answer. */
const OUTAGE_RETRY_SECONDS = 2;

const secondStepSchema = z
  .object({
    ticket: z.string().openapi({ description: "Send it with the second step. It works once, within 5 minutes." }),
    passkey: z
      .object({
        challenge: z.string(),
        rpId: z.string(),
        timeout: z.int().openapi({ description: "Milliseconds in which the challenge must be signed." }),
        userVerification: z.literal("required"),
        allowCredentials: z.array(
          z.object({ type: z.literal("public-key"), id: z.string(), transports: z.array(z.string()) }),
        ),
      })
      .openapi({ description: "Give it to `PublicKeyCredential.parseRequestOptionsFromJSON`." }),
  })
  .openapi("SecondStep");

/** The body of every error answer (RFC 9457). */
export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string().openapi({ description: "In the language of `Content-Language`, as `detail` and `errors`." }),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.enum(Object.keys(PROBLEMS) as ProblemCode[]).openapi({ description: "A stable code in kebab-case." }),
    requestId: z.string(),
    currentRevision: z.int().optional(),
    errors: z.array(fieldErrorSchema).optional(),
    secondStep: secondStepSchema.optional().openapi({ description: "With `second-factor-required`." }),
  })
  .openapi("Problem");

/** The sentence about wrong fields. It names the first three. */
export function correctFields(errors: readonly FieldError[], language: ReaderLanguage = DEFAULT_LANGUAGE): string {
  const where = errors.slice(0, 3).map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return say("Correct these fields and send the request again: {0}.", language).replace("{0}", () => where.join("; "));
}

/** The texts of an error in the language of the reader. */
function textsOf({ code, detail, extras: { errors } }: DomainError, language: ReaderLanguage) {
  const said = errors?.map((error) => ({ ...error, message: say(error.message, language) }));
  const isOfFields = errors !== undefined && said !== undefined && detail === correctFields(errors);
  return {
    title: say(PROBLEMS[code][1], language),
    detail: isOfFields ? correctFields(said, language) : say(detail, language),
    errors: said,
  };
}

/**
 * Composes the problem+json answer of an error. `instance` is the path of the request. Its texts are in the language of the reader,
 * as RFC 9457 allows; `code` is the same in each language.
 */
export function problemResponse(
  error: DomainError,
  instance: string,
  requestId: string,
  language: ReaderLanguage,
): Response {
  const [status] = PROBLEMS[error.code];
  const { retryAfter, currentRevision, allow, secondStep } = error.extras;
  const { title, detail, errors } = textsOf(error, language);
  const body: z.infer<typeof problemSchema> = {
    type: `urn:problem:${error.code}`,
    title,
    status,
    detail,
    instance,
    code: error.code,
    requestId,
    ...(currentRevision === undefined ? {} : { currentRevision }),
    ...(errors === undefined ? {} : { errors }),
    ...(secondStep === undefined ? {} : { secondStep }),
  };
  const headers = new Headers({ "content-type": "application/problem+json", "cache-control": "no-store" });
  headers.set("content-language", language);
  headers.append("vary", "Accept-Language, Cookie");
  if (status === 401) headers.set("www-authenticate", 'Bearer realm="workspace"');
  if (allow !== undefined) headers.set("allow", allow);
  if (retryAfter !== undefined) headers.set("retry-after", String(Math.max(1, Math.ceil(retryAfter))));
  return new Response(JSON.stringify(body), { status, headers });
}

/**
 * Converts any error: a DomainError stays as it is, missing settings, and a database or a store without an answer become 503,
 * every other error becomes an opaque 500.
 */
export function asDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  if (thrown instanceof SettingsError)
    return new DomainError("unavailable", "This service is not set up completely. Ask its operator to read the log.", {
      retryAfter: SETUP_RETRY_SECONDS,
      cause: thrown,
    });
  if (isOutage(thrown))
    return new DomainError(
      "unavailable",
      "A part of the service does not answer at the moment. Send the request again.",
      {
        retryAfter: OUTAGE_RETRY_SECONDS,
        cause: thrown,
      },
    );
  // Hono throws a 400 when a body is not JSON.
  if (thrown instanceof HTTPException && thrown.status === 400)
    return new DomainError("malformed-request", "The body is not valid JSON. Correct it and send it again.", {
      cause: thrown,
    });
  // Hono's router throws a 415 for an unknown media type, and for a missing body.
  if (thrown instanceof HTTPException && thrown.status === 415)
    return new DomainError("unsupported-media-type", "Send the body as application/json.", { cause: thrown });
  return new DomainError("internal", "The failure is logged under this request id. Please try again.", {
    cause: thrown,
  });
}
