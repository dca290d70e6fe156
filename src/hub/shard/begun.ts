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
  admits({ id, negotiatedAt }: Arrival, now: number): boolean {
    if (negotiatedAt === null) return true;
    const oldest = now - BEGIN_WITHIN;
    if (negotiatedAt <= oldest) return false;
    this.sql.exec("DELETE FROM begun WHERE negotiated_at <= ?", oldest);
    return this.sql.exec("INSERT OR IGNORE INTO begun VALUES (?, ?)", negotiatedAt, id).rowsWritten > 0;
  }
}
