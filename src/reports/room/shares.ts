import { z } from "@hono/zod-openapi";

const sharesSchema = z.record(z.string(), z.number());

/** How much of a draft's history is whose, bytes: so that nobody's part of it takes the room from the others. */
export class Shares {
  #kept: Record<string, number>;
  /** What waits for edits that never came, in memory alone. */
  readonly #waiting = new Map<string, number>();

  constructor(private readonly kv: SyncKvStorage) {
    this.#kept = sharesSchema.parse(kv.get("shares") ?? {});
  }

  of(userId: string): number {
    return (this.#kept[userId] ?? 0) + (this.#waiting.get(userId) ?? 0);
  }

  /** Counts what was kept of what these people sent, each by the bytes they sent. */
  add(bytes: number, sent: ReadonlyMap<string, number>): void {
    const all = [...sent.values()].reduce((sum, size) => sum + size, 0);
    for (const [userId, size] of sent)
      this.#kept[userId] = (this.#kept[userId] ?? 0) + Math.round((bytes * size) / all);
    this.kv.put("shares", this.#kept);
  }

  wait(userId: string, bytes: number): void {
    this.#waiting.set(userId, (this.#waiting.get(userId) ?? 0) + bytes);
  }

  /** Nothing waits any more. */
  clearWaiting(): void {
    this.#waiting.clear();
  }

  /** The history became shorter: everybody's part does. */
  scale(factor: number): void {
    const scaled = Object.entries(this.#kept).map(([userId, bytes]) => [userId, Math.floor(bytes * factor)] as const);
    this.#kept = Object.fromEntries(scaled.filter(([, bytes]) => bytes > 0));
    this.kv.put("shares", this.#kept);
  }
}
