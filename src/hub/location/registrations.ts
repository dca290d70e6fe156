import { z } from "@hono/zod-openapi";
import type { CredentialRef } from "../../access";
import { newConnectionSchema } from "../connection";

/** A connection that listens to this location, or asks to. */
export interface Registration {
  shard: string;
  connectionId: string;
  credential: CredentialRef;
}

const row = z.object({ shard: z.string(), connection_id: z.string(), credential: z.string() });
const credential = newConnectionSchema.shape.credential;

type Named = Pick<Registration, "shard" | "connectionId">;
const keyOf = ({ shard, connectionId }: Named): string => `${shard} ${connectionId}`;

/** The registered connections, in the object's SQLite and cached in memory. */
export class Registrations {
  readonly #all: Map<string, Registration>;

  constructor(private readonly sql: SqlStorage) {
    sql.exec(`CREATE TABLE IF NOT EXISTS registrations (
      shard TEXT NOT NULL, connection_id TEXT NOT NULL, credential TEXT NOT NULL,
      PRIMARY KEY (shard, connection_id)) WITHOUT ROWID`);
    this.#all = new Map(sql.exec("SELECT * FROM registrations").toArray().map(readRow));
  }

  get size(): number {
    return this.#all.size;
  }

  has(registration: Named): boolean {
    return this.#all.has(keyOf(registration));
  }

  add(registration: Registration): void {
    const { shard, connectionId } = registration;
    this.sql.exec(
      "INSERT OR REPLACE INTO registrations VALUES (?, ?, ?)",
      shard,
      connectionId,
      JSON.stringify(registration.credential),
    );
    this.#all.set(keyOf(registration), { shard, connectionId, credential: registration.credential });
  }

  remove(shard: string, connectionIds: readonly string[]): void {
    const known = connectionIds.filter((connectionId) => this.#all.delete(keyOf({ shard, connectionId })));
    if (known.length === 0) return;
    this.sql.exec(
      "DELETE FROM registrations WHERE shard = ? AND connection_id IN (SELECT value FROM json_each(?))",
      shard,
      JSON.stringify(known),
    );
  }

  /** All registrations in pages of at most `size`. A registration removed meanwhile is in no later page. */
  *pages(size: number): Generator<Registration[]> {
    const keys = [...this.#all.keys()];
    for (let at = 0; at < keys.length; at += size)
      yield keys.slice(at, at + size).flatMap((key) => this.#all.get(key) ?? []);
  }
}

function readRow(raw: Record<string, SqlStorageValue>): [string, Registration] {
  const read = row.parse(raw);
  const registration = {
    shard: read.shard,
    connectionId: read.connection_id,
    credential: credential.parse(JSON.parse(read.credential)),
  };
  return [keyOf(registration), registration];
}
