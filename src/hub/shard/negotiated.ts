import { credentialKey } from "../../access";
import type { Arrival } from "../connection";
import { MAX_HELD_CONNECTIONS, MAX_NEGOTIATION_AGE_MS, MAX_POST_BYTES } from "../limits";

/**
 * The negotiated connections that started recently. The object's SQLite keeps them, so that an id opens only
 * one connection, even when the object lost its memory and the connection with it.
 */
export class StartedConnections {
  constructor(private readonly sql: SqlStorage) {
    sql.exec(`CREATE TABLE IF NOT EXISTS begun (
      negotiated_at INTEGER NOT NULL, connection_id TEXT NOT NULL,
      PRIMARY KEY (negotiated_at, connection_id)) WITHOUT ROWID`);
  }

  /** Starts this connection if it is in time and has not started before. Returns whether it started. */
  admits(arrival: Arrival, now: number): boolean {
    const { id, negotiatedAt } = arrival;
    if (negotiatedAt === null) return true;
    if (!this.mayAdmit(arrival, now)) return false;
    this.sql.exec("DELETE FROM begun WHERE negotiated_at <= ?", now - MAX_NEGOTIATION_AGE_MS);
    this.sql.exec("INSERT INTO begun VALUES (?, ?)", negotiatedAt, id);
    return true;
  }

  /** Whether this negotiated connection may still start. */
  mayAdmit({ id, negotiatedAt }: Arrival, now: number): boolean {
    if (negotiatedAt === null || negotiatedAt <= now - MAX_NEGOTIATION_AGE_MS) return false;
    const known = "SELECT 1 FROM begun WHERE negotiated_at = ? AND connection_id = ?";
    return this.sql.exec(known, negotiatedAt, id).toArray().length === 0;
  }
}

interface Held {
  userId: string;
  data: ArrayBuffer;
  overdue: ReturnType<typeof setTimeout>;
}

/** Messages that clients posted to negotiated connections before the first poll or the event stream arrived. */
export class EarlyPosts {
  readonly #held = new Map<string, Held>();

  /**
   * Holds the data until the connection starts or its time to start is over. Returns false when there is too much data.
   */
  hold(arrival: Arrival, data: ArrayBuffer): boolean {
    const key = keyOf(arrival);
    const held = this.#held.get(key);
    const { userId } = arrival.credential;
    const others = [...this.#held.values()].filter((one) => one.userId === userId).length;
    if (held === undefined && others >= MAX_HELD_CONNECTIONS) return false;
    const before = held?.data ?? new ArrayBuffer();
    if (before.byteLength + data.byteLength > MAX_POST_BYTES) return false;
    const all = new Uint8Array(before.byteLength + data.byteLength);
    all.set(new Uint8Array(before));
    all.set(new Uint8Array(data), before.byteLength);
    const overdue = held?.overdue ?? setTimeout(() => this.#held.delete(key), MAX_NEGOTIATION_AGE_MS);
    this.#held.set(key, { userId, data: all.buffer, overdue });
    return true;
  }

  /** Removes and returns the data held for the connection that starts; null when there is none. */
  take(arrival: Arrival): ArrayBuffer | null {
    const key = keyOf(arrival);
    const held = this.#held.get(key);
    if (held === undefined) return null;
    clearTimeout(held.overdue);
    this.#held.delete(key);
    return held.data;
  }
}

/** Contains the credential: only posts of the credential that opens the connection count. */
const keyOf = ({ id, credential }: Arrival): string => `${id} ${credentialKey(credential)}`;
