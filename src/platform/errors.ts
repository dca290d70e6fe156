/** Every problem this service can answer with: its stable code, HTTP status and title. */
export const PROBLEMS = {
  "malformed-request": [400, "The request could not be read"],
  "validation-failed": [400, "The request is not valid"],
  "invalid-cursor": [400, "The cursor is not one of ours"],
  unauthenticated: [401, "Sign in first"],
  "invalid-credentials": [401, "The credentials are not right"],
  "credential-expired": [401, "The credential has expired"],
  "credential-revoked": [401, "The credential is no longer valid"],
  forbidden: [403, "Not allowed"],
  "registration-closed": [403, "Registration is not open"],
  "not-found": [404, "Not found"],
  "method-not-allowed": [405, "There is no such method here"],
  conflict: [409, "The request conflicts with the present state"],
  "stale-revision": [409, "Somebody changed this in the meantime"],
  "ambiguous-key": [409, "The key names several things"],
  "already-exists": [409, "It exists already"],
  "not-empty": [409, "It still holds something"],
  "last-owner": [409, "An organization needs an owner"],
  "capture-metadata-mismatch": [409, "The capture was announced with other metadata"],
  "assignment-changed": [409, "The camera stands somewhere else now"],
  "request-in-progress": [409, "The same request is still being carried out"],
  "response-unavailable": [409, "The request was carried out, and its response is no longer available"],
  "invitation-ended": [410, "The invitation has ended"],
  "reset-ended": [410, "The link has ended"],
  "pairing-ended": [410, "The pairing code has ended"],
  "export-ended": [410, "The export has ended"],
  "upload-ended": [410, "The upload has ended"],
  "precondition-failed": [412, "The precondition does not hold"],
  "content-too-large": [413, "Too large"],
  "unsupported-media-type": [415, "The media type is not supported"],
  "idempotency-key-reused": [422, "The idempotency key was used for another request"],
  "upload-incomplete": [422, "The file has not arrived"],
  "upload-mismatch": [422, "The file is not what was announced"],
  "not-an-image": [422, "There is no such picture of this file"],
  "captured-in-future": [422, "The capture time lies ahead"],
  "captured-outside-retention": [422, "The capture is older than what is retained"],
  "retention-reduction-unconfirmed": [422, "Images would expire"],
  "template-invalid": [422, "The template cannot be used"],
  "rule-violated": [422, "A rule forbids this"],
  "rate-limited": [429, "Too many requests"],
  internal: [500, "Something went wrong on our side"],
  unavailable: [503, "Not available right now"],
  "storage-full": [507, "The storage is full"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;

export interface FieldError {
  path: string;
  message: string;
  /** Where in a text with lines, both from 1. */
  line?: number;
  column?: number;
}

export interface ProblemExtras {
  /** Seconds after which a retry makes sense; sent as `Retry-After`. */
  retryAfter?: number;
  /** The resource's revision now, for stale and failed preconditions. */
  currentRevision?: number;
  errors?: FieldError[];
  /** The methods that there are; sent as `Allow`. */
  allow?: string;
  /** The cause, for the log alone. */
  cause?: unknown;
}

/** A refusal a caller can act on. `detail` says what to do, and never names anything internal. */
export class DomainError extends Error {
  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly extras: ProblemExtras = {},
  ) {
    super(`${code}: ${detail}`, { cause: extras.cause });
    this.name = "DomainError";
  }
}

/** The one answer for what is absent and for what the caller may not see. */
export const notFound = (): DomainError =>
  new DomainError("not-found", "There is nothing here, or it is not visible to you.");

/** Visible, but the caller may not do this. */
export const forbidden = (
  detail = "You can see this, but your access does not allow what you asked for.",
): DomainError => new DomainError("forbidden", detail);
