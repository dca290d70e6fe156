import { signal } from "@preact/signals";
import { ProblemError } from "../../client/src/index.ts";
import type { ArchivePort } from "./port.ts";

/** Times of one request. */
const BATCH = 32;
const MAX_REQUESTS = 2;
/** Previews that are kept; each is at most 3 KiB. */
const MAX_KEPT = 4_000;
/** Pause after a refusal that names none. */
const PAUSE_MS = 5_000;

export interface Preview {
  captureId: string;
  /** A data: address. */
  url: string;
}

/** Tiny pictures by capture time, read in batches. */
export class Previews {
  /** Changes when previews arrive. */
  readonly version = signal(0);
  /** Null: the service has no preview of this time. */
  readonly #known = new Map<number, Preview | null>();
  readonly #asked = new Map<number, Promise<void>>();
  readonly #stop = new AbortController();
  #requests = 0;
  #latest: readonly number[] = [];
  #pausedUntil = 0;

  constructor(private readonly port: ArchivePort) {}

  stop(): void {
    this.#stop.abort();
  }

  get(time: number): Preview | undefined {
    return this.#known.get(time) ?? undefined;
  }

  /** Whether the service was asked for a time and answered. */
  has(time: number): boolean {
    return this.#known.has(time);
  }

  /**
   * Reads the previews of these capture times, at most 32 of them. While two requests are under way, only the newest
   * call waits for its turn; earlier ones end without a result.
   */
  async want(times: readonly number[]): Promise<void> {
    const missing = times.filter((time) => !this.#known.has(time) && !this.#asked.has(time)).slice(0, BATCH);
    if (missing.length === 0) {
      await Promise.all(times.flatMap((time) => this.#asked.get(time) ?? []));
      return;
    }
    if (Date.now() < this.#pausedUntil || this.#stop.signal.aborted) return;
    if (this.#requests >= MAX_REQUESTS) {
      this.#latest = times;
      await Promise.race(this.#asked.values());
      if (this.#latest === times) await this.want(times);
      return;
    }
    const answered = this.#read(missing);
    for (const time of missing) this.#asked.set(time, answered);
    await answered;
  }

  async #read(times: readonly number[]): Promise<void> {
    this.#requests += 1;
    try {
      const utc = times.map((time) => new Date(time).toISOString());
      const { samples, images } = await this.port.previews(utc, this.#stop.signal);
      if (this.#known.size > MAX_KEPT) this.#known.clear();
      const urls = new Map(images.map(({ captureId, jpegBase64 }) => [captureId, jpegBase64]));
      for (const [i, { captureId }] of samples.entries()) {
        const base64 = captureId === null ? undefined : urls.get(captureId);
        const preview =
          captureId === null || base64 === undefined ? null : { captureId, url: `data:image/jpeg;base64,${base64}` };
        this.#known.set(times[i] ?? 0, preview);
      }
      this.version.value += 1;
    } catch (thrown) {
      const seconds = thrown instanceof ProblemError ? thrown.retryAfter : null;
      this.#pausedUntil = Date.now() + (seconds === null ? PAUSE_MS : seconds * 1000);
    } finally {
      this.#requests -= 1;
      for (const time of times) this.#asked.delete(time);
    }
  }
}
