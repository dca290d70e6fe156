import { signal } from "@preact/signals";
import { ProblemError } from "../../client/src/index.ts";

/** Pause after a failure that names no pause. */
const RETRY_MS = 5_000;

/** Runs calls of the service, and repeats failed calls. */
export class Attempts {
  /** The reason why the service cannot be reached at present. */
  readonly trouble = signal<unknown>(null);
  /** The reason why the archive cannot be shown: the camera is hidden or gone. */
  readonly refusal = signal<ProblemError | null>(null);

  /** Runs a call until it succeeds. Returns undefined if it was stopped or refused in the meantime. */
  async run<T>(call: () => Promise<T>, stop: AbortSignal): Promise<T | undefined> {
    while (!stop.aborted) {
      try {
        const result = await call();
        this.trouble.value = null;
        return result;
      } catch (thrown) {
        if (stop.aborted) return undefined;
        if (thrown instanceof ProblemError && (thrown.status === 404 || thrown.status === 403)) {
          this.refusal.value = thrown;
          return undefined;
        }
        const seconds = thrown instanceof ProblemError ? thrown.retryAfter : null;
        this.trouble.value = thrown;
        await new Promise((resolve) => setTimeout(resolve, seconds === null ? RETRY_MS : seconds * 1000));
      }
    }
    return undefined;
  }
}
