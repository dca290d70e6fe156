import { z } from "zod";
import { operationSchema } from "../../../src/cameras/ingestion/operations";
import { MINUTE, SECOND } from "../../../src/platform/time";
import { BASE_URL } from "../../support/call";
import type { Device as Paired, View } from "../../support/device";
import type { FaultPlan } from "./faults";
import type { Frame } from "./frames";
import type { Server } from "./server";

const refusal = z.object({ code: z.string() });
/** Waits between failed attempts, milliseconds. */
const BACKOFF = 15 * SECOND;
const WAKES_AFTER = 6 * MINUTE;

type Answer = { status: number; view: View | null; code: string | null; retryAfter: number } | "lost";

/** The current work of a device. A restart loses it. */
interface Lane {
  frame: Frame | null;
  view: View | null;
  isSent: boolean;
  waitsUntil: number;
}

const idle = (): Lane => ({ frame: null, view: null, isSent: false, waitsUntil: 0 });

/**
 * The device of one camera. It keeps its frames, sends the newest and the oldest one at the same time, and survives
 * the faults of its plan.
 */
export class SimulatedDevice {
  #lanes: Lane[] = [idle(), idle()];

  constructor(
    readonly paired: Paired,
    readonly frames: readonly Frame[],
    private readonly plan: FaultPlan,
    private readonly server: Server,
  ) {}

  owed = (): Frame[] => this.frames.filter(({ end }) => end === null);

  /** One step of each lane. */
  async step(): Promise<void> {
    if (this.plan.restarts()) this.#lanes = [idle(), idle()];
    for (const [n, lane] of this.#lanes.entries()) {
      if (lane.waitsUntil > Date.now()) continue;
      lane.frame ??= this.#next(n === 0);
      if (lane.frame !== null) await this.#advance(lane, lane.frame);
    }
  }

  #next(newest: boolean): Frame | null {
    const free = this.owed()
      .filter((frame) => this.#lanes.every((lane) => lane.frame !== frame))
      .sort((a, b) => (a.intent.capturedAtUtc < b.intent.capturedAtUtc ? -1 : 1));
    return (newest ? free.at(-1) : free[0]) ?? null;
  }

  async #advance(lane: Lane, frame: Frame): Promise<void> {
    if (this.plan.dawdles()) {
      lane.waitsUntil = Date.now() + WAKES_AFTER;
      return;
    }
    const { view } = lane;
    if (view === null)
      return this.#take(lane, frame, await this.#call("POST", "/v1/camera-ingestion/uploads", frame.intent));
    if (view.status === "verification-pending") return this.#take(lane, frame, await this.#call("GET", view.statusUrl));
    if (lane.isSent) return this.#take(lane, frame, await this.#call("POST", `${view.statusUrl}/complete`));
    if (view.uploadUrl === null)
      return this.#take(lane, frame, await this.#call("POST", `${view.statusUrl}/upload-url`));
    const put = await this.#put(view, frame);
    if (put === "lost") lane.waitsUntil = Date.now() + BACKOFF;
    // The bytes arrived with an earlier PUT whose answer was lost.
    else if (put === 200 || put === 412) lane.isSent = true;
    // The address has expired, or the bytes arrived incomplete: the device tries again with another address.
    else lane.view = { ...view, uploadUrl: null };
    if (put === 400) lane.waitsUntil = Date.now() + BACKOFF;
  }

  /** Applies an answer to a frame. Only a final answer deletes the bytes. */
  #take(lane: Lane, frame: Frame, answer: Answer): void {
    if (answer === "lost") {
      lane.waitsUntil = Date.now() + BACKOFF;
      return;
    }
    if (answer.view === null) {
      const forget = answer.code === "upload-ended" || answer.code === "conflict";
      Object.assign(lane, forget ? idle() : { frame: null, view: null, isSent: false });
      lane.waitsUntil = Date.now() + (forget ? 0 : Math.max(BACKOFF, answer.retryAfter * SECOND));
      return;
    }
    const { view } = answer;
    const wasVerified = lane.view?.status === "verification-pending";
    lane.view = view;
    if (view.status === "completed" || view.status === "rejected") {
      if (view.status === "completed" && view.receipt?.checksumSha256 !== frame.intent.checksumSha256)
        throw new Error("a receipt for other bytes");
      frame.end = { status: view.status, code: view.rejection?.code ?? null };
      frame.bytes = null;
      Object.assign(lane, idle());
    } else if (view.status === "expired" || view.status === "cancelled") Object.assign(lane, idle());
    else if (view.status === "pending-transfer" && wasVerified) lane.isSent = false;
    else if (view.status === "verification-pending") lane.waitsUntil = Date.now() + 2 * SECOND;
  }

  /** One request to the service, with the faults of the plan. */
  async #call(method: string, path: string, body?: unknown): Promise<Answer> {
    const fault = this.plan.exchange();
    if (fault === "request-lost") return "lost";
    const send = () =>
      this.server.fetch(
        new Request(new URL(path, BASE_URL), {
          method,
          headers: {
            authorization: `Bearer ${this.paired.token}`,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
    const [response] = await Promise.all(fault === "doubled" ? [send(), send()] : [send()]);
    if (response === undefined) return "lost";
    const json: unknown = await response.json();
    if (response.status >= 500) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`);
    if (fault === "response-lost") return "lost";
    const retryAfter = Number(response.headers.get("retry-after") ?? 0);
    if (response.ok) return { status: response.status, view: operationSchema.parse(json), code: null, retryAfter };
    return { status: response.status, view: null, code: refusal.parse(json).code, retryAfter };
  }

  /** Sends the bytes; the network may lose some. @returns the status, or null without an answer. */
  async #put({ uploadUrl, requiredHeaders }: View, { bytes }: Frame): Promise<number | "lost"> {
    if (bytes === null || uploadUrl === null) throw new Error("bytes were let go too early");
    const [fault, damage] = [this.plan.exchange(), this.plan.damage()];
    if (fault === "request-lost") return "lost";
    const cut = Math.floor(bytes.length / 2);
    const wrong = bytes.map((byte, at) => (at === cut ? byte ^ 1 : byte));
    const body = damage === "truncated" ? bytes.slice(0, cut) : damage === "wrong" ? wrong : bytes;
    const headers = { ...requiredHeaders, "content-length": String(body.length) };
    const send = () => this.server.fetch(new Request(uploadUrl, { method: "PUT", headers, body }));
    const [response] = await Promise.all(fault === "doubled" ? [send(), send()] : [send()]);
    await response?.body?.cancel();
    return response === undefined || fault === "response-lost" ? "lost" : response.status;
  }
}
