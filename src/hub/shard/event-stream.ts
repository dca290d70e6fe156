import type { CredentialRef } from "../../access";
import { type Frame, frameBytes, type ProtocolName } from "../protocol";
import type { Connection, NewConnection } from "./connection";

/** Bytes that may wait for a slow reader before it is given up. */
export const MOST_BUFFERED_BYTES = 1024 * 1024;

const encoder = new TextEncoder();
/** Begins a stream: a comment, so that proxies pass the headers on. */
const PREAMBLE = encoder.encode(":\r\n\r\n");

/** Server-sent events: frames go out as `data:` records, what the client says comes by POST. */
export class EventStreamConnection implements Connection {
  readonly id: string;
  credential: CredentialRef;
  readonly stream: ReadableStream<Uint8Array>;
  protocol: ProtocolName | null = null;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;

  constructor({ id, credential }: NewConnection, onGone: () => void) {
    this.id = id;
    this.credential = credential;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          controller.enqueue(PREAMBLE);
        },
        cancel: () => {
          this.#controller = null;
          onGone();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MOST_BUFFERED_BYTES }),
    );
  }

  chooseProtocol(protocol: ProtocolName): void {
    this.protocol = protocol;
  }

  expireAt(expiresAt: number | null): void {
    this.credential = { ...this.credential, expiresAt };
  }

  send(frame: Frame): boolean {
    const controller = this.#controller;
    if (controller === null || (controller.desiredSize ?? 0) <= 0) return false;
    controller.enqueue(encoder.encode(`data: ${new TextDecoder().decode(frameBytes(frame))}\r\n\r\n`));
    return true;
  }

  end(): void {
    this.#controller?.close();
    this.#controller = null;
  }
}
