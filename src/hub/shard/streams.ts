import type { Connection, Guard, NewConnection } from "../connection";
import { MAX_WAITING_BYTES, POLL_ABSENCE_MS, POLL_TIMEOUT_MS } from "../limits";
import { type Frame, frameBytes, type ProtocolName, RecordReader } from "../protocol";

/** A frame that waits for its reader. */
export interface WaitingFrame {
  bytes: Uint8Array<ArrayBuffer>;
  /** What its reader needs when it receives the frame; null if it needs nothing. */
  guard: Guard | null;
}

/** `isChecked`: a reader waits for it and takes it in this turn, and access was checked right before. */
interface QueuedFrame extends WaitingFrame {
  isChecked: boolean;
}

/** Returns the waiting frames that the reader may see now. */
export type Review = (waiting: readonly WaitingFrame[]) => Promise<Uint8Array<ArrayBuffer>[]>;

/**
 * Frames for a reader that comes at any time. Access to a frame that is sent at once was checked right before.
 * Access to a frame that waited is checked again, so that no frame is sent after the access to it was lost.
 */
class Outbox {
  #waiting: QueuedFrame[] = [];
  #bytes = 0;
  #ended = false;
  /** Wakes the waiting reader. */
  #reader: (() => void) | null = null;

  constructor(private readonly review: Review) {}

  /** Adds a frame; returns false when the reader is gone or too slow. */
  add(frame: Frame, guard: Guard | undefined): boolean {
    const bytes = frameBytes(frame);
    if (this.#ended || this.#bytes + bytes.length > MAX_WAITING_BYTES) return false;
    this.#waiting.push({ bytes, guard: guard ?? null, isChecked: this.#reader !== null });
    this.#bytes += bytes.length;
    this.#reader?.();
    return true;
  }

  /** Accepts no more frames; frames that wait may still be read. */
  end(): void {
    this.#ended = true;
    this.#reader?.();
  }

  /** Returns the frames that the reader may see, at once or when one arrives; null when the outbox ended or the reader left. */
  async take(left: AbortSignal): Promise<Uint8Array<ArrayBuffer>[] | null> {
    for (;;) {
      if (this.#waiting.length === 0 && !this.#ended) await this.#something(left);
      if (left.aborted) this.#waiting = this.#waiting.map((frame) => ({ ...frame, isChecked: false }));
      if (left.aborted || this.#waiting.length === 0) return null;
      const taken = this.#waiting;
      this.#waiting = [];
      const allowed = await this.#allowed(taken, left);
      if (allowed.length > 0) return allowed;
    }
  }

  /** Checks access. If the reader leaves meanwhile, or the check fails, all frames stay in the outbox, to be checked. */
  async #allowed(taken: QueuedFrame[], left: AbortSignal): Promise<Uint8Array<ArrayBuffer>[]> {
    let allowed: Uint8Array<ArrayBuffer>[] | null = null;
    try {
      const isGuarded = taken.some(({ guard, isChecked }) => guard !== null && !isChecked);
      const reviewed = isGuarded ? await this.review(taken) : taken.map(({ bytes }) => bytes);
      if (!left.aborted) allowed = reviewed;
      return allowed ?? [];
    } finally {
      if (allowed === null) this.#waiting.unshift(...taken.map((frame) => ({ ...frame, isChecked: false })));
      else for (const { bytes } of taken) this.#bytes -= bytes.length;
    }
  }

  async #something(left: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const tell = () => resolve();
    this.#reader = tell;
    left.addEventListener("abort", tell);
    await promise;
    left.removeEventListener("abort", tell);
    if (this.#reader === tell) this.#reader = null;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** The start of a stream: a comment, which makes proxies pass the headers on. */
const PREAMBLE = encoder.encode(":\r\n\r\n");

/** A connection whose frames wait in an outbox until its client takes them. */
abstract class OutboxConnection implements Connection {
  readonly id: string;
  readonly credential: NewConnection["credential"];
  endsAt: number | null;
  pings: boolean;
  heardAt = Date.now();
  protocol: ProtocolName | null = null;
  readonly incoming = new RecordReader();
  abstract readonly carriesBinary: boolean;
  abstract readonly hasInherentKeepAlive: boolean;
  protected readonly outbox: Outbox;

  /** `onGone` is called when the connection has ended. */
  constructor(
    { id, credential, endsAt, pings }: NewConnection,
    protected readonly onGone: () => void,
    review: Review,
  ) {
    this.id = id;
    this.credential = credential;
    this.endsAt = endsAt;
    this.pings = pings;
    this.outbox = new Outbox(review);
  }

  chooseProtocol(protocol: ProtocolName): void {
    this.protocol = protocol;
  }

  endAt(endsAt: number | null): void {
    this.endsAt = endsAt;
  }

  heard(now: number, isPing = false): void {
    this.heardAt = now;
    this.pings ||= isPing;
  }

  send(frame: Frame, guard?: Guard): boolean {
    return this.outbox.add(frame, guard);
  }

  end(): void {
    this.outbox.end();
  }
}

/** Server-sent events: frames are sent as `data:` records; the client sends messages by POST. */
export class EventStreamConnection extends OutboxConnection {
  readonly stream: ReadableStream<Uint8Array>;
  readonly carriesBinary = false;
  readonly hasInherentKeepAlive = false;
  readonly #left = new AbortController();

  constructor(connection: NewConnection, onGone: () => void, review: Review) {
    super(connection, onGone, review);
    // Frames stay in the outbox until the reader asks for them.
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => controller.enqueue(PREAMBLE),
        pull: async (controller) => {
          const frames = await this.outbox.take(this.#left.signal);
          if (frames !== null) controller.enqueue(asRecords(frames));
          else if (!this.#left.signal.aborted) controller.close();
        },
        cancel: () => this.#leave(),
      },
      new CountQueuingStrategy({ highWaterMark: 0 }),
    );
  }

  override end(): void {
    super.end();
    this.onGone();
  }

  #leave(): void {
    this.#left.abort();
    this.end();
  }
}

const asRecords = (frames: readonly Uint8Array[]): Uint8Array =>
  encoder.encode(frames.map((frame) => `data: ${decoder.decode(frame)}\r\n\r\n`).join(""));

const empty = (status: number): Response => new Response(null, { status, headers: { "cache-control": "no-store" } });

/** Long polling: frames wait in a bounded queue for the next poll; the client sends messages by POST. */
export class LongPollConnection extends OutboxConnection {
  readonly carriesBinary = true;
  readonly hasInherentKeepAlive = true;
  /** Cancels the waiting poll. */
  #polling = new AbortController();
  #gone: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: NewConnection, onGone: () => void, review: Review) {
    super(connection, onGone, review);
    this.#expectPoll();
  }

  /** Answers one poll with the waiting frames, or with the next one; 204 when the connection has ended. */
  async poll(): Promise<Response> {
    clearTimeout(this.#gone);
    this.#polling.abort("superseded");
    const polling = new AbortController();
    this.#polling = polling;
    const overdue = setTimeout(() => polling.abort("timeout"), POLL_TIMEOUT_MS);
    const frames = await this.outbox.take(polling.signal).finally(() => clearTimeout(overdue));
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
    this.#gone = setTimeout(() => this.onGone(), POLL_ABSENCE_MS);
  }

  /** The client ended the connection. */
  discard(): void {
    clearTimeout(this.#gone);
    this.end();
  }
}
