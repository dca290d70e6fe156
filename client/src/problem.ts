import type { Problem } from "./schema.ts";

export type ProblemCode = Problem["code"];

const isProblem = (value: unknown): value is Problem =>
  typeof value === "object" && value !== null && "code" in value && "detail" in value;

/** Seconds of `Retry-After`, which is a number or a date (RFC 9110, section 10.2.3); null if the answer has none. */
export function retryAfterOf({ headers }: Response): number | null {
  const written = headers.get("retry-after") ?? "";
  if (/^\d+$/.test(written)) return Number(written);
  const at = Date.parse(written);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}

/** A refusal of the service. `problem` is null when the answer came from another program, such as a proxy. */
export class ProblemError extends Error {
  readonly status: number;
  readonly problem: Problem | null;
  /** Seconds after which the request may be sent again; null if the service did not say it. */
  readonly retryAfter: number | null;

  constructor(response: Response, body: unknown) {
    const problem = isProblem(body) ? body : null;
    super(problem?.detail ?? `The service answered ${response.status}.`);
    this.name = "ProblemError";
    this.status = response.status;
    this.problem = problem;
    this.retryAfter = retryAfterOf(response);
  }

  /** The stable code of the refusal, for decisions; null without a problem. */
  get code(): ProblemCode | null {
    return this.problem?.code ?? null;
  }
}

/** The result of a call of the client: data, or the error of a refusal. */
interface Answer<D> {
  data?: D;
  error?: unknown;
  response: Response;
}

/** The data of a call. @throws ProblemError when the service refused it. */
export async function dataOf<D>(call: Promise<Answer<D>>): Promise<D> {
  const { data, error, response } = await call;
  if (!response.ok) throw new ProblemError(response, error);
  return data as D;
}
