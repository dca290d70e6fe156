import { env } from "cloudflare:workers";
import { call } from "../support/call";

/*
 * To add a time, add one row. `begin` begins something at the stopped clock and returns how its state is asked for.
 * lifetimes.test.ts does the rest: it asks just before the end and at the end, each time with a new one.
 */
export interface LifetimeRow {
  /** The name of the constant. */
  limit: string;
  /** Milliseconds from the beginning to the end. */
  ms: number;
  begin: () => Promise<() => Promise<unknown>>;
  before: unknown;
  after: unknown;
  /**
   * Milliseconds around the end that the rule leaves open. Default: 1, so the end itself is after it. Signed addresses
   * count seconds, and a job runs some milliseconds later.
   */
  slack?: number;
}

/** Whether a statement finds a row. */
export const has = async (sql: string, ...values: string[]): Promise<boolean> =>
  (await env.DB.prepare(sql)
    .bind(...values)
    .first()) !== null;

/** Whether an address that redirects still gives the bytes. */
export async function behind(redirect: Response): Promise<() => Promise<number>> {
  const url = redirect.headers.get("location") ?? "";
  return async () => (await call("GET", url)).status;
}
