import { z } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import { isOutage } from "../db/failures";
import { DomainError, PROBLEMS, type ProblemCode } from "../errors";
import { SettingsError } from "../settings";

/** Seconds after which it is worth asking a service again that lacks a setting. */
const SET_UP_RETRY = 60;

const fieldErrorSchema = z.object({
  path: z.string(),
  message: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
});

/** Seconds after which a database that did not answer is worth asking again. */
const OUTAGE_RETRY = 2;

/** RFC 9457 body of every error answer. */
export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.enum(Object.keys(PROBLEMS) as ProblemCode[]).openapi({ description: "Stable, kebab-case." }),
    requestId: z.string(),
    currentRevision: z.int().optional(),
    errors: z.array(fieldErrorSchema).optional(),
  })
  .openapi("Problem");

/** Turns a refusal into its problem+json answer. */
export function problemResponse(error: DomainError, instance: string, requestId: string): Response {
  const [status, title] = PROBLEMS[error.code];
  const { retryAfter, currentRevision, errors, allow } = error.extras;
  const body: z.infer<typeof problemSchema> = {
    type: `urn:problem:${error.code}`,
    title,
    status,
    detail: error.detail,
    instance,
    code: error.code,
    requestId,
    ...(currentRevision === undefined ? {} : { currentRevision }),
    ...(errors === undefined ? {} : { errors }),
  };
  const headers = new Headers({ "content-type": "application/problem+json", "cache-control": "no-store" });
  if (status === 401) headers.set("www-authenticate", 'Bearer realm="workspace"');
  if (allow !== undefined) headers.set("allow", allow);
  if (retryAfter !== undefined) headers.set("retry-after", String(Math.max(1, Math.ceil(retryAfter))));
  return new Response(JSON.stringify(body), { status, headers });
}

/**
 * A refusal for anything thrown: our own as they are, a service that is not set up or whose database does not
 * answer 503, everything else an opaque 500.
 */
export function asDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  if (thrown instanceof SettingsError)
    return new DomainError("unavailable", "This service is not set up completely. Its log tells the operator why.", {
      retryAfter: SET_UP_RETRY,
      cause: thrown,
    });
  if (isOutage(thrown))
    return new DomainError("unavailable", "The database does not answer at the moment. Send the request again.", {
      retryAfter: OUTAGE_RETRY,
      cause: thrown,
    });
  // Hono says with a 400 of its own that a body is not JSON.
  if (thrown instanceof HTTPException && thrown.status === 400)
    return new DomainError("malformed-request", "The body is not valid JSON. Correct it and send it again.", {
      cause: thrown,
    });
  // Its router says with a 415 that no body of this media type is known here, also when none was sent.
  if (thrown instanceof HTTPException && thrown.status === 415)
    return new DomainError("unsupported-media-type", "Send the body as application/json.", { cause: thrown });
  return new DomainError("internal", "The failure is logged under this request id. Please try again.", {
    cause: thrown,
  });
}
