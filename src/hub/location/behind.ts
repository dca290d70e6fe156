import { z } from "@hono/zod-openapi";
import { DELIVERY_RETRY_MS, MAX_DELIVERY_RETRY_MS } from "../limits";

/** A shard that did not receive all events. */
export interface ShardBehind {
  shard: string;
  /** The number up to which it has received the events. */
  after: number;
  /** The time of the next attempt, milliseconds since the epoch. */
  retryAt: number;
}

const behindRow = z.object({ shard: z.string(), after: z.number(), retry_at: z.number() });

/** The shards that a location could not reach, in the object's SQLite and cached in memory. */
export class ShardsBehind {
  readonly #all: Map<string, ShardBehind>;
  /** The tries of each shard since this object has started. They only lengthen the pauses. */
  readonly #tries = new Map<string, number>();

  constructor(private readonly sql: SqlStorage) {
    sql.exec(
      "CREATE TABLE IF NOT EXISTS behind (shard TEXT PRIMARY KEY, after INTEGER NOT NULL, retry_at INTEGER NOT NULL) WITHOUT ROWID",
    );
    const rows = sql.exec("SELECT * FROM behind").toArray();
    this.#all = new Map(
      rows.map((raw) => {
        const { shard, after, retry_at: retryAt } = behindRow.parse(raw);
        return [shard, { shard, after, retryAt }];
      }),
    );
  }

  all(): ShardBehind[] {
    return [...this.#all.values()];
  }

  /** A shard did not receive the events after a number. An earlier number stays. */
  note(shard: string, after: number, now: number): void {
    const tries = this.#tries.get(shard) ?? 0;
    this.#tries.set(shard, tries + 1);
    const one = {
      shard,
      after: Math.min(after, this.#all.get(shard)?.after ?? after),
      retryAt: now + Math.min(DELIVERY_RETRY_MS * 2 ** tries, MAX_DELIVERY_RETRY_MS),
    };
    this.#all.set(shard, one);
    this.sql.exec("INSERT OR REPLACE INTO behind VALUES (?, ?, ?)", shard, one.after, one.retryAt);
  }

  /** A shard has received all events. */
  clear(shard: string): void {
    this.#tries.delete(shard);
    if (this.#all.delete(shard)) this.sql.exec("DELETE FROM behind WHERE shard = ?", shard);
  }

  /** The time of the next attempt; null if no shard is behind. */
  get nextAt(): number | null {
    const times = this.all().map(({ retryAt }) => retryAt);
    return times.length === 0 ? null : Math.min(...times);
  }
}
