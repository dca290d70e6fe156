import type { CredentialRef } from "../../access";
import { SECOND } from "../../platform/time";
import { type Frame, frameBytes, type ProtocolName } from "../protocol";
import type { Connection, NewConnection } from "./connection";
import { MOST_BUFFERED_BYTES } from "./event-stream";

/** Longest time one poll waits, and the time without any poll after which the client counts as gone. */
export const POLL_TIMEOUT = 90 * SECOND;
export const GONE_AFTER = 15 * SECOND;

const empty = (status: number): Response => new Response(null, { status, headers: { "cache-control": "no-store" } });

/** Long polling: frames wait in a bounded queue for the next poll, what the client says comes by POST. */
export class LongPollConnection implements Connection {
  readonly id: string;
  credential: CredentialRef;
  protocol: ProtocolName | null = null;
  #waiting: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  #ended = false;
  #wake: ((why: "data" | "superseded") => void) | null = null;
  #gone: ReturnType<typeof setTimeout> | undefined;

  constructor(
    { id, credential }: NewConnection,
    private readonly onGone: () => void,
  ) {
    this.id = id;
    this.credential = credential;
    this.#expectPoll();
  }

  chooseProtocol(protocol: ProtocolName): void {
    this.protocol = protocol;
  }

  expireAt(expiresAt: number | null): void {
    this.credential = { ...this.credential, expiresAt };
  }

  send(frame: Frame): boolean {
    const bytes = frameBytes(frame);
    if (this.#ended || this.#bytes + bytes.length > MOST_BUFFERED_BYTES) return false;
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    this.#wake?.("data");
    return true;
  }

  end(): void {
    this.#ended = true;
    this.#wake?.("data");
  }

  /** Answers one poll: what waits, at once or when something comes; 204 when the connection has ended. */
  async poll(): Promise<Response> {
    clearTimeout(this.#gone);
    this.#wake?.("superseded");
    if (this.#waiting.length === 0 && !this.#ended) {
      const why = await this.#somethingOrTimeout();
      if (why === "superseded") return empty(204);
    }
    if (this.#waiting.length > 0) {
      const body = new Blob(this.#waiting);
      this.#waiting = [];
      this.#bytes = 0;
      this.#expectPoll();
      const type = this.protocol === "messagepack" ? "application/octet-stream" : "text/plain";
      return new Response(body, { headers: { "content-type": type, "cache-control": "no-store" } });
    }
    if (this.#ended) {
      this.onGone();
      return empty(204);
    }
    this.#expectPoll();
    return empty(200);
  }

  #somethingOrTimeout(): Promise<"data" | "superseded" | "timeout"> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle("timeout"), POLL_TIMEOUT);
      const settle = (why: "data" | "superseded" | "timeout") => {
        clearTimeout(timer);
        this.#wake = null;
        resolve(why);
      };
      this.#wake = settle;
    });
  }

  #expectPoll(): void {
    clearTimeout(this.#gone);
    this.#gone = setTimeout(() => this.onGone(), GONE_AFTER);
  }

  /** The client said goodbye. */
  discard(): void {
    clearTimeout(this.#gone);
    this.end();
  }
}
