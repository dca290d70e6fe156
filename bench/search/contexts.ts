import type { Caller } from "../../src/access";
import { loadFacts } from "../../src/access/permission/load";
import type { Context } from "../../src/platform/context";
import { openDatabases } from "../../src/platform/db/database";
import type { JobHandler, Outcome } from "../../src/platform/jobs/handlers";
import type { JobKind, JobPayload } from "../../src/platform/jobs/kinds";
import { parseSettings } from "../../src/platform/settings";
import type { TimedD1 } from "./sqlite-d1.ts";

const settings = parseSettings({
  PUBLIC_BASE_URL: "http://bench.test",
  OBJECT_SIGNING_SECRET: "object-signing-secret-for-the-benchmark",
  SESSION_SIGNING_KEY:
    '{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}',
});

/** A context with the parts that search and indexing use. */
export function contextOf(d1: TimedD1, caller: Caller): Context {
  const { bookmark: _, ...opened } = openDatabases(d1 as unknown as D1Database);
  const queue = { sendBatch: async () => ({}), metrics: async () => ({}) };
  const used = {
    ...opened,
    queues: { live: queue, light: queue, extraction: queue, verification: queue, printing: queue },
    settings,
    caller,
    now: Date.now(),
    requestId: "bench",
    origin: null,
    idempotency: null,
    background: () => {},
  };
  return used as unknown as Context;
}

export async function callerOf(d1: TimedD1, userId: string): Promise<Context> {
  const { workspace: db } = openDatabases(d1 as unknown as D1Database);
  const limits = { organizationIds: null, ceiling: null, isProven: true };
  const facts = await loadFacts(db, userId, limits, Date.now());
  return contextOf(d1, {
    kind: "pat",
    tokenId: "bench",
    userId,
    isAdmin: false,
    expiresAt: null,
    language: null,
    facts,
  });
}

/** Runs and commits one slice of a job from the state of the previous slice. */
export async function runSlice<K extends JobKind>(
  d1: TimedD1,
  handler: JobHandler<K>,
  job: { id: string; kind: K; payload: JobPayload<K>; state: unknown },
): Promise<Outcome> {
  const more = { tenantId: null, attempts: 1, progress: { done: 0, total: 0 }, requestedBy: null };
  const outcome = await handler.run(contextOf(d1, { kind: "system" }), { ...job, ...more });
  await outcome.change?.commit();
  return outcome;
}
