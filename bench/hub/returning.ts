import type { EventEmitter } from "node:events";
import { type HubConnection, HubConnectionBuilder, LogLevel } from "@microsoft/signalr";
import { z } from "zod";
import { PlainSocket } from "./plain-socket.ts";

const standing = z.object({ epoch: z.string(), sequence: z.int(), reload: z.boolean() });

/** What one client needed to have what it had missed. */
export interface Return {
  /** From the start of the connection to the answer of its join, milliseconds. */
  tookMs: number;
  /** Bytes that its socket received until then. */
  bytes: number;
  /** The marks of the events that it received until then, in order. */
  marks: string[];
  reload: boolean;
}

/** An official client that loses its connection and comes back with the position that it had reached. */
export class Returning {
  readonly #connection: HubConnection;
  readonly #locationId: string;
  #position: { epoch: string; after: number } | null = null;
  #marks: string[] = [];
  #bytes = 0;

  constructor(url: string, locationId: string, token: string) {
    const count = (bytes: number) => {
      this.#bytes += bytes;
    };
    class CountingSocket extends PlainSocket {
      constructor(...given: ConstructorParameters<typeof PlainSocket>) {
        super(...given);
        // The client removes the listeners of `addEventListener`.
        (this as unknown as EventEmitter).on("message", (data: string) => count(data.length));
      }
    }
    const options = { accessTokenFactory: () => token, WebSocket: CountingSocket };
    this.#locationId = locationId;
    this.#connection = new HubConnectionBuilder()
      .withUrl(`${url}/sync-hub`, options)
      .configureLogging(LogLevel.None)
      .build();
    this.#connection.on("StateUpdated", (_location: string, payload: { subject: { id: string } }) => {
      this.#marks.push(payload.subject.id);
    });
  }

  /** Connects and joins from its position on. */
  async comeBack(): Promise<Return> {
    [this.#marks, this.#bytes] = [[], 0];
    const began = performance.now();
    await this.#connection.start();
    const answer = await this.#connection.invoke<unknown>("JoinLocation", this.#locationId, this.#position);
    const { epoch, sequence, reload } = standing.parse(answer);
    this.#position = { epoch, after: sequence };
    return { tookMs: performance.now() - began, bytes: this.#bytes, marks: this.#marks, reload };
  }

  leave(): Promise<void> {
    return this.#connection.stop();
  }
}
