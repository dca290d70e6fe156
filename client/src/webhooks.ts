/*
 * The receiver's side of webhooks, after Standard Webhooks 1.0 (https://www.standardwebhooks.com). It needs Web Crypto only, and
 * nothing of the rest of this package.
 */

/** The fields of `data` of every event except `ping`. */
interface About {
  /** The resource that the event is about. */
  id: string;
  /** Its name at the time of the first try; null for a deleted resource. */
  name: string | null;
  /** Its page in the console; null for a deleted resource. */
  url: string | null;
  /** Its location; null for a resource of the whole organization. */
  locationId: string | null;
  clusterId: string | null;
}

interface Edited extends About {
  /** The revision that the event made; null where there is none. */
  revision: number | null;
}

interface Cameras extends About {
  /** Some of the cameras. */
  cameras: { id: string; name: string }[];
  /** The number of all these cameras. */
  count: number;
}

interface Membership extends About {
  /** The role of the member; null for a person who left. */
  role: string | null;
}

/** The `data` of each type of event. */
export interface WebhookData {
  "document.uploaded": About & { version: number };
  "document.created": Edited;
  "document.updated": Edited;
  "document.deleted": Edited;
  "annotation.created": Edited;
  "annotation.updated": Edited;
  "annotation.deleted": Edited;
  "report.created": Edited;
  "report.updated": Edited;
  "report.deleted": Edited;
  "report.printed": About & {
    status: "succeeded" | "failed" | "cancelled";
    /** The document with the PDF; null unless it succeeded. */
    documentId: string | null;
  };
  "location.created": Edited;
  "location.updated": Edited;
  "location.deleted": Edited;
  "camera.created": Edited;
  "camera.updated": Edited;
  "camera.deleted": Edited;
  "camera.silent": Cameras & { cause: "offline" | "camera-fault" };
  "camera.back": Cameras;
  "capture.published": About & { captureId: string; capturedAtUtc: string };
  "capture.rejected": About & { operationId: string; reasonCode: string | null };
  "export.ready": About & { of: "organization" | "camera"; exportId: string };
  "member.added": Membership;
  "member.changed": Membership;
  "member.removed": Membership;
  ping: { webhookId: string; name: string };
}

/** The body of a request. New types and fields can come: ignore what you do not know. */
export type WebhookEvent = {
  [Type in keyof WebhookData]: {
    type: Type;
    /** Grows with a change that breaks receivers. */
    version: number;
    /** The time of the event, ISO 8601. */
    timestamp: string;
    organizationId: string;
    data: WebhookData[Type];
  };
}[keyof WebhookData];

export type WebhookRefusal =
  | "missing-header"
  | "malformed-header"
  | "too-old"
  | "too-new"
  | "wrong-signature"
  | "malformed-body";

/** A request is not a genuine one of the service, or too old. Answer it with 400, and use nothing of it. */
export class WebhookVerificationError extends Error {
  constructor(
    readonly code: WebhookRefusal,
    message: string,
  ) {
    super(message);
    this.name = "WebhookVerificationError";
  }
}

export interface WebhookRequest {
  /** The secret of the webhook, as the service showed it (`whsec_…`). During a rotation, the new one and the former one. */
  secret: string | readonly string[];
  /** The headers: of a `Request`, or `request.headers` of Node. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw body, before anything parsed it. */
  body: string | Uint8Array | ArrayBuffer;
  /** Most seconds between the time of the try and now, in both directions; 300 unless given. */
  toleranceSeconds?: number;
}

const TOLERANCE_SECONDS = 300;
const PREFIX = "whsec_";
/** Signatures of one request that are compared. The service sends one, and two during a rotation. */
const MAX_SIGNATURES = 10;

/** The bytes of a base64 text with its padding; null if it is not the one form of these bytes. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const text = atob(base64);
    return btoa(text) === base64 ? Uint8Array.from(text, (character) => character.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}

/** The key of a secret. @throws TypeError if it is no secret of a webhook */
async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === null || bytes.length === 0)
    throw new TypeError("The secret of a webhook is `whsec_` and base64. Copy all of it.");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** The value of a header. @throws WebhookVerificationError if it is missing */
function headerOf(headers: WebhookRequest["headers"], name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookVerificationError("missing-header", `The request has no single header ${name}.`);
}

/** @throws WebhookVerificationError if the time of a try is not near enough */
function checkTime(written: string, toleranceSeconds: number): void {
  if (!/^\d{1,15}$/.test(written))
    throw new WebhookVerificationError("malformed-header", "webhook-timestamp is not a number of seconds.");
  const age = Math.floor(Date.now() / 1_000) - Number(written);
  if (age > toleranceSeconds)
    throw new WebhookVerificationError(
      "too-old",
      `The request is ${age} seconds old. It may be a repeat of an attacker.`,
    );
  if (age < -toleranceSeconds)
    throw new WebhookVerificationError(
      "too-new",
      `The request is ${-age} seconds ahead. Set the clock of this machine.`,
    );
}

/** Whether one of the keys made one of the signatures. Web Crypto compares them in constant time. */
async function isSigned(
  keys: readonly CryptoKey[],
  signatures: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const given = signatures
    .split(" ")
    .filter((each) => each.startsWith("v1,"))
    .slice(0, MAX_SIGNATURES)
    .map((each) => bytesOf(each.slice("v1,".length)));
  const found = await Promise.all(
    given.flatMap((signature) =>
      signature === null ? [] : keys.map((key) => crypto.subtle.verify("HMAC", key, signature, signed)),
    ),
  );
  return found.includes(true);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** @throws WebhookVerificationError if the text is no event */
function eventOf(text: string): WebhookEvent {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    event = null;
  }
  if (!isObject(event) || typeof event.type !== "string" || !isObject(event.data))
    throw new WebhookVerificationError("malformed-body", "The body is signed, but it is no event of this service.");
  return event as unknown as WebhookEvent;
}

/**
 * Verifies the signature and the time of a request, and gives its event. An event can arrive twice: `webhook-id` is then the same.
 * @throws WebhookVerificationError for a request to refuse, TypeError for a secret that is none.
 */
export async function verifyWebhook({
  secret,
  headers,
  body,
  toleranceSeconds = TOLERANCE_SECONDS,
}: WebhookRequest): Promise<WebhookEvent> {
  const keys = await Promise.all((typeof secret === "string" ? [secret] : secret).map(keyOf));
  const id = headerOf(headers, "webhook-id");
  const time = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature");
  checkTime(time, toleranceSeconds);
  const text = typeof body === "string" ? body : null;
  const bytes = text === null ? new Uint8Array(body as ArrayBuffer) : new TextEncoder().encode(text);
  const head = new TextEncoder().encode(`${id}.${time}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  if (!(await isSigned(keys, signatures, signed)))
    throw new WebhookVerificationError(
      "wrong-signature",
      "No signature fits. Compare the secret, and verify the raw body, before anything parses it.",
    );
  return eventOf(text ?? new TextDecoder().decode(bytes));
}
