import { SECOND } from "../../platform/time";
import { type Frame, type ProtocolName, RecordReader } from "../protocol";
import type { Connection, Guard, NewConnection } from "./connection";
import { Outbox, type Review } from "./waiting";

/** Longest time one poll waits, and the time without any poll after which the client counts as gone. */
export const POLL_TIMEOUT = 90 * SECOND;
export const GONE_AFTER = 15 * SECOND;

const empty = (status: number): Response => new Response(null, { status, headers: { "cache-control": "no-store" } });

/** Long polling: frames wait in a bounded queue for the next poll, what the client says comes by POST. */
export class LongPollConnection implements Connection {
  readonly id: string;
  credential: NewConnection["credential"];
  pings: boolean;
  heardAt = Date.now();
  protocol: ProtocolName | null = null;
  readonly incoming = new RecordReader();
  readonly carriesBinary = true;
  readonly hasInherentKeepAlive = true;
  readonly #outbox: Outbox;
  /** Gives up the poll that waits. */
  #polling = new AbortController();
  #gone: ReturnType<typeof setTimeout> | undefined;

  constructor(
    { id, credential, pings }: NewConnection,
    private readonly onGone: () => void,
    review: Review,
  ) {
    this.id = id;
    this.credential = credential;
    this.pings = pings;
    this.#outbox = new Outbox(review);
    this.#expectPoll();
  }

  chooseProtocol(protocol: ProtocolName): void {
    this.protocol = protocol;
  }

  expireAt(expiresAt: number | null): void {
    this.credential = { ...this.credential, expiresAt };
  }

  heard(now: number, isPing = false): void {
    this.heardAt = now;
    this.pings ||= isPing;
  }

  send(frame: Frame, guard?: Guard): boolean {
    return this.#outbox.add(frame, guard);
  }

  end(): void {
    this.#outbox.end();
  }

  /** Answers one poll: what waits, at once or when something comes; 204 when the connection has ended. */
  async poll(): Promise<Response> {
    clearTimeout(this.#gone);
    this.#polling.abort("superseded");
    const polling = new AbortController();
    this.#polling = polling;
    const overdue = setTimeout(() => polling.abort("timeout"), POLL_TIMEOUT);
    const frames = await this.#outbox.take(polling.signal).finally(() => clearTimeout(overdue));
    if (polling.signal.reason === "superseded") return empty(204);
    if (frames === null && !polling.signal.aborted) {
      this.onGone();
      return empty(204);
    }
    this.#expectPoll();
    if (frames === null) return empty(200);
    const type = this.protocol === "messagepack" ? "application/octet-stream" : "text/plain";
    return new Response(new Blob(frames), { headers: { "content-type": type, "cache-control": "no-store" } });
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
