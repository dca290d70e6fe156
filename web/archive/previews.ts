import { signal } from "@preact/signals";
import { ProblemError } from "../../client/src/index.ts";
import type { ArchivePort } from "./port.ts";

/** Maximum number of times in one request. */
const BATCH = 32;
const MAX_REQUESTS = 2;
/** Number of previews that are kept. Each has at most 3 KiB. */
const MAX_KEPT = 4_000;
/** Pause after a refusal that does not name one. */
const PAUSE_MS = 5_000;

export interface Preview {
  captureId: string;
  /** A data: address. */
  url: string;
}

/** One request that is under way. */
interface Reading {
  times: readonly number[];
  /** Nobody waits for it yet. */
  isGuess: boolean;
  stop: AbortController;
  answered: Promise<void>;
}

/** Tiny pictures by capture time, read in batches. */
export class Previews {
  /** Changes when previews arrive. */
  readonly version = signal(0);
  /** Null: the service has no preview of this time. */
  readonly #known = new Map<number, Preview | null>();
  readonly #readings = new Set<Reading>();
  readonly #stop = new AbortController();
  #latest: { times: readonly number[]; isGuess: boolean } | null = null;
  #pausedUntil = 0;

  constructor(private readonly port: ArchivePort) {}

  stop(): void {
    this.#stop.abort();
  }

  get(time: number): Preview | undefined {
    return this.#known.get(time) ?? undefined;
  }

  /** Whether the service was asked for a time and has answered. */
  has(time: number): boolean {
    return this.#known.has(time);
  }

  /** Resolves when the running request for a time has ended; undefined if there is none. */
  reading(time: number): Promise<void> | undefined {
    return this.#readingOf(time)?.answered;
  }

  #readingOf(time: number): Reading | undefined {
    for (const reading of this.#readings) if (reading.times.includes(time)) return reading;
    return undefined;
  }

  /**
   * Reads the preview that somebody waits for: at once, and alone unless it is being read. Requests that read ahead
   * without it are cancelled.
   */
  async first(time: number): Promise<void> {
    if (this.has(time)) return;
    this.giveUp(time);
    await (this.reading(time) ?? this.#read([time], false));
  }

  /** Cancels the requests that read ahead, except requests that contain a time. */
  giveUp(time: number): void {
    if (this.#latest?.isGuess) this.#latest = null;
    for (const reading of [...this.#readings]) {
      if (!reading.isGuess || reading.times.includes(time)) continue;
      this.#readings.delete(reading);
      reading.stop.abort();
    }
  }

  /**
   * Reads the previews of these capture times, at most 32 of them. While two requests are under way, only the newest
   * call waits for its turn; earlier ones end without a result.
   */
  want(times: readonly number[]): Promise<void> {
    return this.#want(times, false);
  }

  /** The same for times that may be wanted soon. */
  guess(times: readonly number[]): Promise<void> {
    return this.#want(times, true);
  }

  async #want(times: readonly number[], isGuess: boolean): Promise<void> {
    const unknown = times.filter((time) => !this.#known.has(time));
    const missing = unknown.filter((time) => this.#readingOf(time) === undefined).slice(0, BATCH);
    if (missing.length === 0) {
      await Promise.all(unknown.map((time) => this.reading(time)));
      return;
    }
    if (this.#readings.size >= MAX_REQUESTS) {
      const latest = { times, isGuess };
      this.#latest = latest;
      await Promise.race([...this.#readings].map(({ answered }) => answered));
      if (this.#latest === latest) await this.#want(times, isGuess);
      return;
    }
    await this.#read(missing, isGuess);
  }

  #read(times: readonly number[], isGuess: boolean): Promise<void> {
    if (Date.now() < this.#pausedUntil || this.#stop.signal.aborted) return Promise.resolve();
    const reading: Reading = { times, isGuess, stop: new AbortController(), answered: Promise.resolve() };
    this.#readings.add(reading);
    reading.answered = this.#receive(reading);
    return reading.answered;
  }

  async #receive(reading: Reading): Promise<void> {
    const { times, stop } = reading;
    try {
      const utc = times.map((time) => new Date(time).toISOString());
      const { samples, images } = await this.port.previews(utc, AbortSignal.any([stop.signal, this.#stop.signal]));
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
      if (stop.signal.aborted) return;
      const seconds = thrown instanceof ProblemError ? thrown.retryAfter : null;
      this.#pausedUntil = Date.now() + (seconds === null ? PAUSE_MS : seconds * 1000);
    } finally {
      this.#readings.delete(reading);
    }
  }
}
