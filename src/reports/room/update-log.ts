import { z } from "@hono/zod-openapi";
import * as Y from "yjs";
import { MAX_UPDATE_CHUNK_BYTES, MAX_UPDATE_ROWS } from "../limits";

interface LogRow extends Record<string, SqlStorageValue> {
  part: number;
  data: ArrayBuffer;
}

const joined = (parts: readonly Uint8Array[]): Uint8Array => {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const all = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.byteLength;
  }
  return all;
};

/**
 * The updates of a shared document, in the object's own storage. Updates that are in the report's row are settled; the
 * others must still be written to the row.
 */
export class UpdateLog {
  /** Bytes of all updates. */
  bytes = 0;
  /** Whether the log has updates that are not in the report's row yet. */
  isUnsettled = false;
  #rows = 0;

  /** `compacted` is called with the factor by which the log became shorter. */
  constructor(
    private readonly sql: SqlStorage,
    private readonly compacted: (factor: number) => void = () => {},
  ) {
    sql.exec(`CREATE TABLE IF NOT EXISTS updates (
      id INTEGER PRIMARY KEY AUTOINCREMENT, part INTEGER NOT NULL, settled INTEGER NOT NULL, data BLOB NOT NULL)`);
    this.#count();
    this.isUnsettled = this.#hasUnsettled();
  }

  #count(): void {
    const { rows, bytes } = this.sql
      .exec<{ rows: number; bytes: number }>(
        "SELECT count(*) AS rows, coalesce(sum(length(data)), 0) AS bytes FROM updates",
      )
      .one();
    this.#rows = rows;
    this.bytes = bytes;
  }

  #hasUnsettled(): boolean {
    return this.sql.exec("SELECT 1 FROM updates WHERE settled = 0 LIMIT 1").toArray().length > 0;
  }

  append(update: Uint8Array, settled: boolean): void {
    const parts = Math.max(1, Math.ceil(update.byteLength / MAX_UPDATE_CHUNK_BYTES));
    for (let n = 0; n < parts; n++)
      this.sql.exec(
        "INSERT INTO updates (part, settled, data) VALUES (?, ?, ?)",
        // Parts count down: 0 ends an update.
        parts - 1 - n,
        settled ? 1 : 0,
        update.slice(n * MAX_UPDATE_CHUNK_BYTES, (n + 1) * MAX_UPDATE_CHUNK_BYTES),
      );
    this.#rows += parts;
    this.bytes += update.byteLength;
    if (!settled) this.isUnsettled = true;
  }

  /** The current end of the log, for `settle`. */
  get end(): number {
    return this.sql.exec<{ end: number }>("SELECT coalesce(max(id), 0) AS end FROM updates").one().end;
  }

  /** Marks the updates up to `end` as settled; compacts a long log. */
  settle(end: number): void {
    this.sql.exec("UPDATE updates SET settled = 1 WHERE settled = 0 AND id <= ?", end);
    this.isUnsettled = this.#hasUnsettled();
    if (this.#rows > MAX_UPDATE_ROWS) this.compact();
  }

  /** Merges the settled updates into one. The others stay: the order of updates does not matter. */
  compact(): void {
    const before = this.bytes;
    const state = Y.encodeStateAsUpdate(this.document(false));
    this.sql.exec("DELETE FROM updates WHERE settled = 1");
    this.#count();
    this.append(state, true);
    this.compacted(before === 0 ? 1 : this.bytes / before);
  }

  /** Applies all updates, or only the settled ones, to a document. */
  document(all: boolean, into = new Y.Doc()): Y.Doc {
    const parts: Uint8Array[] = [];
    const rows = this.sql.exec<LogRow>(`SELECT part, data FROM updates ${all ? "" : "WHERE settled = 1"} ORDER BY id`);
    for (const { part, data } of rows) {
      parts.push(new Uint8Array(data));
      if (part === 0) Y.applyUpdate(into, joined(parts.splice(0)));
    }
    return into;
  }
}

const sharesSchema = z.record(z.string(), z.number());

/** Bytes of a draft's history by user, so that the edits of one user leave space for the others. */
export class Shares {
  #kept: Record<string, number>;
  /** Bytes of updates that wait for missing earlier edits, in memory only. */
  readonly #waiting = new Map<string, number>();

  constructor(private readonly kv: SyncKvStorage) {
    this.#kept = sharesSchema.parse(kv.get("shares") ?? {});
  }

  of(userId: string): number {
    return (this.#kept[userId] ?? 0) + (this.#waiting.get(userId) ?? 0);
  }

  /** Divides stored bytes among the users, in proportion to the bytes that each sent. */
  add(bytes: number, sent: ReadonlyMap<string, number>): void {
    const all = [...sent.values()].reduce((sum, size) => sum + size, 0);
    for (const [userId, size] of sent)
      this.#kept[userId] = (this.#kept[userId] ?? 0) + Math.round((bytes * size) / all);
    this.kv.put("shares", this.#kept);
  }

  wait(userId: string, bytes: number): void {
    this.#waiting.set(userId, (this.#waiting.get(userId) ?? 0) + bytes);
  }

  /** Resets the waiting bytes: no update waits any more. */
  clearWaiting(): void {
    this.#waiting.clear();
  }

  /** Scales everybody's share after the history was compacted. */
  scale(factor: number): void {
    const scaled = Object.entries(this.#kept).map(([userId, bytes]) => [userId, Math.floor(bytes * factor)] as const);
    this.#kept = Object.fromEntries(scaled.filter(([, bytes]) => bytes > 0));
    this.kv.put("shares", this.#kept);
  }
}
