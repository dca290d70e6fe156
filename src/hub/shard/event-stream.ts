import { type Frame, type ProtocolName, RecordReader } from "../protocol";
import type { Connection, Guard, NewConnection } from "./connection";
import { Outbox, type Review } from "./waiting";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Begins a stream: a comment, so that proxies pass the headers on. */
const PREAMBLE = encoder.encode(":\r\n\r\n");

/** Server-sent events: frames go out as `data:` records, what the client says comes by POST. */
export class EventStreamConnection implements Connection {
  readonly id: string;
  credential: NewConnection["credential"];
  pings: boolean;
  heardAt = Date.now();
  readonly stream: ReadableStream<Uint8Array>;
  readonly incoming = new RecordReader();
  readonly carriesBinary = false;
  readonly hasInherentKeepAlive = false;
  protocol: ProtocolName | null = null;
  readonly #outbox: Outbox;
  readonly #left = new AbortController();

  /** `onGone` is told when the stream ends, from either side. */
  constructor(
    { id, credential, pings }: NewConnection,
    private readonly onGone: () => void,
    review: Review,
  ) {
    this.id = id;
    this.credential = credential;
    this.pings = pings;
    this.#outbox = new Outbox(review);
    // Nothing is taken before its reader asks for it: what waits, waits in the outbox.
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => controller.enqueue(PREAMBLE),
        pull: async (controller) => {
          const frames = await this.#outbox.take(this.#left.signal);
          if (frames !== null) controller.enqueue(asRecords(frames));
          else if (!this.#left.signal.aborted) controller.close();
        },
        cancel: () => this.#leave(),
      },
      new CountQueuingStrategy({ highWaterMark: 0 }),
    );
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
    this.onGone();
  }

  #leave(): void {
    this.#left.abort();
    this.end();
  }
}

const asRecords = (frames: readonly Uint8Array[]): Uint8Array =>
  encoder.encode(frames.map((frame) => `data: ${decoder.decode(frame)}\r\n\r\n`).join(""));
