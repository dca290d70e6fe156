import { credentialKey } from "../../access";
import { BEGIN_WITHIN } from "./begun";
import type { Arrival } from "./connection";
import { MAX_POST_BYTES } from "./requests";

/** Connections of one person that something may be held for at a time. */
const MAX_CONNECTIONS = 10;

interface Held {
  userId: string;
  data: ArrayBuffer;
  overdue: ReturnType<typeof setTimeout>;
}

/** What clients posted to negotiated connections before these began: their first poll, or their stream, was slower. */
export class EarlyPosts {
  readonly #held = new Map<string, Held>();

  /** Holds it until the connection begins, or may not begin any more; false when it is too much. */
  hold(arrival: Arrival, data: ArrayBuffer): boolean {
    const key = keyOf(arrival);
    const held = this.#held.get(key);
    const { userId } = arrival.credential;
    const others = [...this.#held.values()].filter((one) => one.userId === userId).length;
    if (held === undefined && others >= MAX_CONNECTIONS) return false;
    const before = held?.data ?? new ArrayBuffer();
    if (before.byteLength + data.byteLength > MAX_POST_BYTES) return false;
    const all = new Uint8Array(before.byteLength + data.byteLength);
    all.set(new Uint8Array(before));
    all.set(new Uint8Array(data), before.byteLength);
    const overdue = held?.overdue ?? setTimeout(() => this.#held.delete(key), BEGIN_WITHIN);
    this.#held.set(key, { userId, data: all.buffer, overdue });
    return true;
  }

  /** What was held for the connection that begins; null when nothing was. */
  take(arrival: Arrival): ArrayBuffer | null {
    const key = keyOf(arrival);
    const held = this.#held.get(key);
    if (held === undefined) return null;
    clearTimeout(held.overdue);
    this.#held.delete(key);
    return held.data;
  }
}

/** Only the very credential that opens the connection may have spoken on it. */
const keyOf = ({ id, credential }: Arrival): string => `${id} ${credentialKey(credential)}`;
