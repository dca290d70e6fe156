/** Every problem that this service answers with: its stable code, HTTP status and title. */
export const PROBLEMS = {
  "malformed-request": [400, "The request could not be read"],
  "validation-failed": [400, "The request is not valid"],
  "invalid-cursor": [400, "The cursor is not valid"],
  unauthenticated: [401, "Sign in first"],
  "invalid-credentials": [401, "The credentials are wrong"],
  "credential-expired": [401, "The credential has expired"],
  "passcode-required": [401, "The link needs its passcode"],
  "credential-revoked": [401, "The credential is no longer valid"],
  forbidden: [403, "Not allowed"],
  "registration-closed": [403, "Registration is not open"],
  "second-factor-required": [403, "The sign-in needs a second step"],
  "not-found": [404, "Not found"],
  "method-not-allowed": [405, "The method is not allowed"],
  conflict: [409, "The request conflicts with the current state"],
  "stale-revision": [409, "The resource was changed in the meantime"],
  "ambiguous-key": [409, "The key matches several resources"],
  "already-exists": [409, "The resource exists already"],
  "last-owner": [409, "The organization must have an owner"],
  "capture-metadata-mismatch": [409, "The capture was registered with other metadata"],
  "assignment-changed": [409, "The camera is at another location now"],
  "other-camera": [409, "The pairing code is for another camera"],
  "request-in-progress": [409, "The same request is still running"],
  "response-unavailable": [409, "The request was completed, and its response is no longer available"],
  "invitation-ended": [410, "The invitation has ended"],
  "reset-ended": [410, "The link has expired"],
  "pairing-ended": [410, "The pairing code has ended"],
  "export-ended": [410, "The export has ended"],
  "upload-ended": [410, "The upload has ended"],
  "precondition-failed": [412, "The precondition failed"],
  "content-too-large": [413, "The content is too large"],
  "unsupported-media-type": [415, "The media type is not supported"],
  "idempotency-key-reused": [422, "The idempotency key was used for another request"],
  "upload-incomplete": [422, "The file has not arrived"],
  "upload-mismatch": [422, "The file differs from its declared size, type or checksum"],
  "not-an-image": [422, "The file has no such picture"],
  "captured-in-future": [422, "The capture time is in the future"],
  "captured-outside-retention": [422, "The capture is older than the retention period"],
  "retention-reduction-unconfirmed": [422, "The change would expire images"],
  "template-invalid": [422, "The template cannot be used"],
  "rule-violated": [422, "A rule does not allow this"],
  "rate-limited": [429, "Too many requests"],
  internal: [500, "Something went wrong in the service"],
  unavailable: [503, "Not available at the moment"],
  "workspace-moving": [503, "The workspace is being moved"],
  "storage-full": [507, "The storage is full"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;

export interface FieldError {
  path: string;
  message: string;
  /** The position in a text of several lines; both count from 1. */
  line?: number;
  column?: number;
}

/**
 * The refusal of a whole request of several changes, if none of them is allowed; else undefined. What is absent says less than
 * another reason: a repeat of a request finds that its changes are made.
 */
export function refusalOfAll(refusals: readonly (DomainError | null)[]): DomainError | undefined {
  const reasons = refusals.filter((refusal) => refusal !== null);
  if (reasons.length < refusals.length) return undefined;
  return reasons.find(({ code }) => code !== "not-found" && code !== "forbidden") ?? reasons[0];
}

/** What the second step of a sign-in needs. */
export interface SecondStep {
  /** The secret that the second step sends. */
  ticket: string;
  /** The options for `navigator.credentials.get`, whose challenge is the ticket. */
  passkey: {
    challenge: string;
    rpId: string;
    timeout: number;
    userVerification: "required";
    allowCredentials: { type: "public-key"; id: string; transports: string[] }[];
  };
}

interface ProblemExtras {
  /** Seconds to wait before a retry; sent as `Retry-After`. */
  retryAfter?: number;
  /** The resource's current revision, for failed preconditions. */
  currentRevision?: number;
  errors?: FieldError[];
  /** For `second-factor-required`. */
  secondStep?: SecondStep;
  /** The allowed methods; sent as `Allow`. */
  allow?: string;
  /** The cause, for the log only. */
  cause?: unknown;
}

/** A refusal that a caller can act on. `detail` says what to do, and never names anything internal. */
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

/** The answer for a resource that does not exist and for one that the caller may not see: they are the same. */
export const notFound = (): DomainError =>
  new DomainError("not-found", "There is nothing here, or it is not visible to you.");

/** The answer when the caller may see a resource, but may not do this with it. */
export const forbidden = (
  detail = "You can see this, but your access does not allow what you asked for.",
): DomainError => new DomainError("forbidden", detail);
