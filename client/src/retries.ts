import { isOffline, pause } from "./pauses.ts";
import { retryAfterOf } from "./problem.ts";
import type { Send } from "./session.ts";

/** The bounds of the repeats of one request. */
export interface RetryBounds {
  /** Attempts, with the first one; 4 unless given. */
  attempts?: number;
  /** Most seconds that the pauses of one request take together; 60 unless given. A longer `Retry-After` ends the attempts. */
  maxWaitSeconds?: number;
}

/** The pause after the first attempt that got no `Retry-After`, milliseconds. Each further one is twice as long. */
const FIRST_PAUSE_MS = 500;
const [ATTEMPTS, MAX_WAIT_SECONDS] = [4, 60];

const SAFE_METHODS = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);

/** Each POST that reads, by the end of its path: a repeat does no harm, and a key would cost the service two writes. */
const READS = /^\/v1(?:\/.*)?\/(?:search|suggestions|day-strip|previews|latest-previews|preview)$/;

/** Whether a request is a POST that only reads. */
export const isRead = ({ method, url }: Pick<Request, "method" | "url">): boolean =>
  method === "POST" && READS.test(new URL(url).pathname);

/** Whether a repeat of the request does no harm when the service has carried out the first one. */
const canRepeat = (request: Request): boolean =>
  SAFE_METHODS.has(request.method) || request.headers.has("idempotency-key") || isRead(request);

/** The field of a change in JSON that names the revision on which it is based. */
const NAMES_REVISION = /"baseRevision"\s*:\s*\d/;

/**
 * Whether a request needs a key. Without one, a repeated POST makes its change twice, and a repeated PUT or PATCH that names a
 * revision is refused because of its own first change.
 */
async function needsKey(request: Request): Promise<boolean> {
  const { method, headers } = request;
  if (headers.has("idempotency-key")) return false;
  if (method === "POST") return !isRead(request);
  if (method === "PATCH") return true;
  if (method !== "PUT" || !headers.get("content-type")?.startsWith("application/json")) return false;
  return headers.has("if-match") || NAMES_REVISION.test(await request.clone().text());
}

/** Whether the service has asked for a repeat, or does so while the first request still runs. */
async function isRefusedForNow(response: Response): Promise<boolean> {
  if (response.status === 429 || response.status === 503) return true;
  if (response.status !== 409 || !response.headers.has("retry-after")) return false;
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return typeof problem === "object" && problem !== null && "code" in problem && problem.code === "request-in-progress";
}

/**
 * Gives each change that cannot be repeated without one an `Idempotency-Key`, and repeats a request when that does no harm: after 429, after 503, and after a lost
 * connection. A repeat has the key of the first request, so the service makes the change once. `Retry-After` is kept.
 * The function throws what the last attempt threw, or the reason of the request's signal.
 */
export const retrying =
  (send: Send, { attempts = ATTEMPTS, maxWaitSeconds = MAX_WAIT_SECONDS }: RetryBounds): Send =>
  async (request) => {
    if (await needsKey(request)) request.headers.set("idempotency-key", crypto.randomUUID());
    const { signal } = request;
    let leftMs = maxWaitSeconds * 1_000;
    /** Waits before the next attempt. @returns false if the bounds do not allow it */
    const mayRepeat = async (attempt: number, askedMs: number | null): Promise<boolean> => {
      // Clients that failed together do not come back together.
      const ms = askedMs ?? FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
      if (ms > leftMs) return false;
      leftMs -= ms;
      await pause(ms, signal);
      return true;
    };
    for (let attempt = 1; ; attempt++) {
      if (attempt >= attempts || !canRepeat(request)) return send(request);
      let response: Response;
      try {
        response = await send(request.clone());
      } catch (thrown) {
        // `fetch` throws a TypeError without a connection.
        if (!(thrown instanceof TypeError) || signal.aborted || isOffline()) throw thrown;
        if (!(await mayRepeat(attempt, null))) throw thrown;
        continue;
      }
      if (!(await isRefusedForNow(response))) return response;
      const seconds = retryAfterOf(response);
      if (!(await mayRepeat(attempt, seconds === null ? null : seconds * 1_000))) return response;
      // Its connection is free for the next attempt.
      await response.body?.cancel();
    }
  };
