import type { Client } from "openapi-fetch";
import { pause } from "./pauses.ts";
import { ProblemError, retryAfterOf } from "./problem.ts";
import type { DatabaseMove, OrganizationPlacement, paths, ReportJob, ReportJobReference } from "./schema.ts";

/** What the address of a started work answers, by what the start answered. */
export type Followed<D> = D extends ReportJobReference ? ReportJob : D extends DatabaseMove ? OrganizationPlacement : D;

export interface WaitOptions<D> {
  /** Ends the waiting. The work goes on at the service. */
  signal?: AbortSignal;
  /** Most seconds to wait; 600 unless given. */
  timeoutSeconds?: number;
  /** Called with each state of the work, the last one too. */
  onProgress?: (state: Followed<D>) => void;
}

const TIMEOUT_SECONDS = 600;
/** The pause between two questions if the service did not say it, seconds. */
const PAUSE_SECONDS = 2;

/** The values of `status` and `state` of work that has not ended. */
const UNFINISHED = new Set<unknown>(
  "queued running preparing pending verifying verification-pending copying undoing switched opened".split(" "),
);

/** The `status` or `state` of an answer, or of the `move` in it; undefined if there is none. */
function stateOf(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return undefined;
  if ("status" in answer) return answer.status;
  if ("state" in answer) return answer.state;
  return "move" in answer ? stateOf(answer.move) : undefined;
}

/** The result of a request that starts a work. */
interface Started<D> {
  data?: D;
  error?: unknown;
  response: Response;
}

/**
 * Waits until work that a request started has ended: a PDF of a report, an export, a change of a folder, a move. It asks at the
 * `Location` of the answer, after the seconds of `Retry-After`. Work that failed is an answer too: read its `status`.
 * @throws ProblemError when the service refuses a request, a DOMException `TimeoutError` after the time, the reason of the signal.
 */
export async function waitFor<D>(
  client: { api: Client<paths> },
  starting: Promise<Started<D>>,
  { signal, timeoutSeconds = TIMEOUT_SECONDS, onProgress }: WaitOptions<D> = {},
): Promise<Followed<D>> {
  const { data, error, response } = await starting;
  if (!response.ok) throw new ProblemError(response, error);
  const location = response.headers.get("location");
  // The requests have the token of the caller.
  if (location === null || !/^\/(?![/\\])/.test(location))
    throw new TypeError("The answer names no path of the service to wait at.");
  const pauseMs = (retryAfterOf(response) ?? PAUSE_SECONDS) * 1_000;
  const isOver = AbortSignal.timeout(timeoutSeconds * 1_000);
  const stop = signal === undefined ? isOver : AbortSignal.any([signal, isOver]);
  // A short work can have ended before its request was answered.
  let state: unknown = stateOf(data) === undefined ? { status: "queued" } : data;
  for (let isFirst = true; isFirst || UNFINISHED.has(stateOf(state)); isFirst = false) {
    if (!isFirst || UNFINISHED.has(stateOf(state))) await pause(pauseMs, stop);
    // The path has its parameters already, and the type of any GET does.
    const answer = await client.api.GET(location as "/v1/auth/me", { signal: stop });
    if (!answer.response.ok) throw new ProblemError(answer.response, answer.error);
    state = answer.data;
    if (stateOf(state) === undefined) throw new TypeError(`${location} has no status to wait for.`);
    onProgress?.(state as Followed<D>);
  }
  return state as Followed<D>;
}
