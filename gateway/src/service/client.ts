import * as z from "zod";
import {
  acknowledgedSchema,
  type Configuration,
  configurationSchema,
  type Operation,
  operationSchema,
  problemSchema,
  redeemedSchema,
} from "./answers";
import { Budget } from "./budget";
import { type Answer, exchangeProtected, NetworkFailure } from "./transport";

const IDLE_MS = 30_000;
const CALL_MS = 60_000;
/** Enough for a large image on a slow line. The address is checked when the transfer begins. */
const TRANSFER_MS = 30 * 60_000;

/** A problem that the service answered. */
export class Problem extends Error {
  override readonly name = "Problem";
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
  ) {
    super(`${status} ${code}: ${detail}`);
  }
}

/**
 * The service gave no usable answer: no answer arrived, the service is unavailable or asks to wait, or a proxy
 * answered.
 */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
  constructor(
    /** `postponed`: the service admits no new image now. `limited`: it asks this call to wait. */
    readonly reason: "network" | "stranger" | "limited" | "postponed" | "failing",
    message: string,
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

export interface Proposal {
  pairingCode: string;
  credentialSecret: string;
  redemptionId: string;
  /** The camera that the device has. The service refuses the code of another camera. */
  cameraId?: string;
}
export interface Heartbeat {
  appliedRevision: number;
  lastCaptureAtUtc: string | null;
  queueCount: number;
  queueBytes: number;
  freeBytes: number;
  oldestPendingAtUtc: string | null;
  errorCode: string | null;
  /** Differs between two starts of the gateway, and between two devices with a copy of one identity. */
  instanceId?: string;
}
/** The announcement of an image, on the wire. */
export interface Announcement {
  captureId: string;
  assignmentGeneration: number;
  capturedAtUtc: string;
  sizeBytes: number;
  checksumSha256: string;
  clockQuality: "synchronized" | "estimated";
  contentType: "image/jpeg";
}

/** The outcome of a PUT: the object store has the bytes, the address has expired, or the bytes differ. */
export type Transfer = "sent" | "there-already" | "address-ended" | "other-bytes";

const UPLOADS = "/v1/camera-ingestion/uploads";

function retryAfterMs({ headers }: Answer): number {
  const given = headers["retry-after"];
  if (given === undefined) return 0;
  const ms = /^\d+$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), 3_600_000) : 0;
}

function parsed<T extends z.ZodType>(schema: T, { headers, body }: Answer, type: string): z.infer<T> | null {
  if (!(headers["content-type"] ?? "").toLowerCase().startsWith(type)) return null;
  try {
    return schema.parse(JSON.parse(body.toString("utf8")));
  } catch {
    return null;
  }
}

/** A client of the service for one camera. Only the expected JSON counts as an answer. */
export class Service {
  constructor(
    private readonly base: string,
    private readonly credential: string | null,
    private readonly signal: AbortSignal,
    private readonly told: (utc: number, roundTripMs: number) => void = () => undefined,
    readonly budget = new Budget(),
  ) {}

  async #exchange(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
    const url = new URL(path, this.base);
    try {
      return await exchangeProtected(url, {
        method,
        headers: {
          accept: "application/json",
          ...headers,
          ...(this.credential !== null && { authorization: `Bearer ${this.credential}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
        idleMs: IDLE_MS,
        totalMs: CALL_MS,
        signal: this.signal,
      });
    } catch (thrown) {
      if (this.signal.aborted || !(thrown instanceof NetworkFailure)) throw thrown;
      throw new Unanswered("network", thrown.message);
    }
  }

  /** @returns the service's answer, or null for 304. @throws Problem, Unanswered. */
  async #ask<T extends z.ZodType>(
    schema: T,
    method: string,
    path: string,
    { body, isUrgent = false, etag = null }: { body?: unknown; isUrgent?: boolean; etag?: string | null } = {},
  ): Promise<{ value: z.infer<T>; etag: string | null } | null> {
    await this.budget.turn(isUrgent, this.signal);
    const askedAt = performance.now();
    const answer = await this.#exchange(method, path, etag === null ? {} : { "if-none-match": etag }, body);
    if (answer.status === 304 && etag !== null) return null;
    if (answer.status >= 200 && answer.status < 300) {
      const value = parsed(schema, answer, "application/json");
      if (value === null) throw new Unanswered("stranger", `${answer.status} without the service's answer`);
      const { serverTimeUtc } = value as { serverTimeUtc?: string };
      if (serverTimeUtc !== undefined) this.told(Date.parse(serverTimeUtc), performance.now() - askedAt);
      return { value, etag: answer.headers.etag ?? null };
    }
    const isAnnouncement = method === "POST" && path === UPLOADS;
    const problem = parsed(problemSchema, answer, "application/problem+json");
    if (problem === null || problem.status !== answer.status)
      throw new Unanswered(answer.status >= 500 ? "failing" : "stranger", `${answer.status}`, retryAfterMs(answer));
    const retryMs = retryAfterMs(answer);
    if (problem.status === 429) {
      // Another device with a copy of this identity can use the limits too. If calls about begun images waited too, the
      // two devices would wait for each other.
      this.budget.postpone(retryMs);
      throw new Unanswered(isAnnouncement ? "postponed" : "limited", problem.detail, retryMs);
    }
    // The service cannot answer the device now: neither the lanes nor the heartbeat.
    if (problem.status === 503) this.budget.close(retryMs);
    if (problem.status >= 500 && problem.status !== 507) throw new Unanswered("failing", problem.detail, retryMs);
    throw new Problem(problem.status, problem.code, problem.detail);
  }

  async #operation(method: string, path: string, body?: unknown): Promise<Operation> {
    const answer = await this.#ask(operationSchema, method, path, { body });
    if (answer === null) throw new Unanswered("stranger", "304 to a question without a condition");
    return answer.value;
  }

  async redeem(proposal: Proposal): Promise<z.infer<typeof redeemedSchema>> {
    const answer = await this.#ask(redeemedSchema, "POST", "/v1/camera-ingestion/enrollments/redeem", {
      body: proposal,
      isUrgent: true,
    });
    if (answer === null) throw new Unanswered("stranger", "304 to a question without a condition");
    return answer.value;
  }

  /** The camera's configuration, or null when it has not changed since the ETag. */
  configuration(etag: string | null): Promise<{ value: Configuration; etag: string | null } | null> {
    return this.#ask(configurationSchema, "GET", "/v1/camera-ingestion/configuration", { isUrgent: true, etag });
  }

  async heartbeat(heartbeat: Heartbeat): Promise<z.infer<typeof acknowledgedSchema>> {
    const path = "/v1/camera-ingestion/heartbeat";
    const answer = await this.#ask(acknowledgedSchema, "POST", path, { body: heartbeat, isUrgent: true });
    if (answer === null) throw new Unanswered("stranger", "304 to a question without a condition");
    return answer.value;
  }

  announce = (announcement: Announcement): Promise<Operation> => this.#operation("POST", UPLOADS, announcement);
  /** The operations of the camera that have not ended, of any device. */
  async unfinished(): Promise<Operation[]> {
    const answer = await this.#ask(z.object({ items: z.array(operationSchema) }), "GET", UPLOADS);
    return answer?.value.items ?? [];
  }
  status = (operationId: string): Promise<Operation> => this.#operation("GET", `${UPLOADS}/${operationId}`);
  freshAddress = (operationId: string): Promise<Operation> =>
    this.#operation("POST", `${UPLOADS}/${operationId}/upload-url`);
  complete = (operationId: string): Promise<Operation> => this.#operation("POST", `${UPLOADS}/${operationId}/complete`);
  cancel = (operationId: string): Promise<Operation> => this.#operation("DELETE", `${UPLOADS}/${operationId}`);

  /** Sends the bytes of a file to the object store, with the required headers only. */
  async put(address: string, headers: Record<string, string>, file: string, size: number): Promise<Transfer> {
    let answer: Answer;
    try {
      answer = await exchangeProtected(new URL(address), {
        method: "PUT",
        headers,
        body: { file, size },
        idleMs: IDLE_MS,
        totalMs: TRANSFER_MS,
        signal: this.signal,
      });
    } catch (thrown) {
      if (this.signal.aborted || !(thrown instanceof NetworkFailure)) throw thrown;
      throw new Unanswered("network", thrown.message);
    }
    if (answer.status >= 200 && answer.status < 300) return "sent";
    if (answer.status === 412) return "there-already";
    if (answer.status === 401 || answer.status === 403) return "address-ended";
    if (answer.status === 400) return "other-bytes";
    throw new Unanswered("failing", `the object store answered ${answer.status}`, retryAfterMs(answer));
  }
}
