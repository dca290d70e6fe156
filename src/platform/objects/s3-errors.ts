import type { SignatureRefusal } from "./sigv4";

/** Refusals of the object endpoint, under the names and statuses S3 gives them. */
const ERRORS = {
  AccessDenied: [403, "This address has expired or does not allow this. Ask for a new one."],
  AuthorizationQueryParametersError: [400, "The address is not complete. Use it exactly as it was given."],
  BadDigest: [400, "The bytes are not those that were announced: their SHA-256 differs."],
  EntityTooLarge: [413, "The bytes are more than this service takes."],
  IncompleteBody: [400, "The connection ended before all announced bytes came."],
  InternalError: [500, "Something went wrong on our side. Please try again."],
  InvalidAccessKeyId: [403, "The address was not signed by this service."],
  InvalidRange: [416, "The object does not reach that far."],
  MethodNotAllowed: [405, "Only GET, HEAD, PUT and OPTIONS are offered here."],
  MissingContentLength: [411, "Send the length in Content-Length; chunked bodies are not taken."],
  NoSuchKey: [404, "There is no such object."],
  PreconditionFailed: [412, "The object was uploaded before; this address writes once."],
  RequestTimeTooSkewed: [403, "The address is from the future. Check the clock that signed it."],
  SignatureDoesNotMatch: [
    403,
    "The request is not the one that was signed: method, address and required headers count.",
  ],
} as const satisfies Record<SignatureRefusal, readonly [number, string]> & Record<string, readonly [number, string]>;

export type ObjectError = keyof typeof ERRORS;

/** The refusal as S3's XML body. */
export function objectError(code: ObjectError, requestId: string, headers?: HeadersInit): Response {
  const [status, message] = ERRORS[code];
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message><RequestId>${requestId}</RequestId></Error>`;
  const all = new Headers(headers);
  all.set("content-type", "application/xml");
  return new Response(body, { status, headers: all });
}
