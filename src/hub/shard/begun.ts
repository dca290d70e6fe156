import { MINUTE } from "../../platform/time";
import type { Arrival } from "./connection";

/** Time after negotiating in which a connection must begin. */
export const BEGIN_WITHIN = MINUTE;

/**
 * Which negotiated connections have begun lately: in the object's SQLite, so that an id opens one
 * connection in its life, also when the object has lost its memory and with it the connection.
 */
export class Begun {
  constructor(private readonly sql: SqlStorage) {
    sql.exec(`CREATE TABLE IF NOT EXISTS begun (
      negotiated_at INTEGER NOT NULL, connection_id TEXT NOT NULL,
      PRIMARY KEY (negotiated_at, connection_id)) WITHOUT ROWID`);
  }

  /** Whether this connection may begin now: in time, and for the first time. Notes that it does. */
  admits(arrival: Arrival, now: number): boolean {
    const { id, negotiatedAt } = arrival;
    if (negotiatedAt === null) return true;
    if (!this.mayAdmit(arrival, now)) return false;
    this.sql.exec("DELETE FROM begun WHERE negotiated_at <= ?", now - BEGIN_WITHIN);
    this.sql.exec("INSERT INTO begun VALUES (?, ?)", negotiatedAt, id);
    return true;
  }

  /** Whether this connection, which was negotiated, may begin still. */
  mayAdmit({ id, negotiatedAt }: Arrival, now: number): boolean {
    if (negotiatedAt === null || negotiatedAt <= now - BEGIN_WITHIN) return false;
    const known = "SELECT 1 FROM begun WHERE negotiated_at = ? AND connection_id = ?";
    return this.sql.exec(known, negotiatedAt, id).toArray().length === 0;
  }
}
