import { MINUTE } from "../../platform/time";
import { MAX_REPLAYED_BYTES_PER_MINUTE } from "../limits";

/** The bytes that the connections of each user were replayed in this minute. Times are milliseconds since the epoch. */
export class ReplayedBytes {
  readonly #bytes = new Map<string, number>();
  #minute = 0;

  count(userId: string, bytes: number, now: number): void {
    this.#bytes.set(userId, this.#of(userId, now) + bytes);
  }

  isLeft(userId: string, now: number): boolean {
    return this.#of(userId, now) < MAX_REPLAYED_BYTES_PER_MINUTE;
  }

  #of(userId: string, now: number): number {
    const minute = Math.floor(now / MINUTE);
    if (minute !== this.#minute) this.#bytes.clear();
    this.#minute = minute;
    return this.#bytes.get(userId) ?? 0;
  }
}
