import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { beginChange } from "../../src/platform/db/change";
import { NO_WORKSPACE } from "../../src/platform/db/residence";
import { DomainError } from "../../src/platform/errors";
import { newId } from "../../src/platform/ids";
import { mintResident } from "../support/factories";
import { everyLane, readJobRow, silentQueues, systemContext } from "../support/job-rows";

const write = (person: string) => sql`INSERT INTO people (id, email, display_name) VALUES (${person}, '', '')`;
const isThere = async (person: string): Promise<boolean> =>
  (await env.DB.prepare("SELECT 1 FROM people WHERE id = ?").bind(person).first()) !== null;
const refusal = (detail: string) => new DomainError("rule-violated", detail);
const jobsOf = (tenantId: string) =>
  env.DB.prepare("SELECT id FROM jobs WHERE tenant_id = ?").bind(tenantId).all<{ id: string }>();

describe("a change", () => {
  test("is atomic: a guard rolls back earlier statements and jobs", async () => {
    const { queues, sent } = silentQueues();
    const [before, after, tenantId] = [newId(), newId(), await mintResident(newId())];
    const change = beginChange(systemContext({ queues }), NO_WORKSPACE).add(write(before));
    change.job("expire-requests", {}, { tenantId });
    change.guard(sql`1 = 2`, refusal("the world is as it should be")).add(write(after));
    await expect(change.commit()).rejects.toThrow("the world is as it should be");
    expect([await isThere(before), await isThere(after)]).toEqual([false, false]);
    expect((await jobsOf(tenantId)).results).toEqual([]);
    expect(sent).toEqual([]);
  });

  test("succeeds when every guard holds, and returns one result for each statement", async () => {
    const person = newId();
    const results = await beginChange(systemContext(), NO_WORKSPACE)
      .guard(sql`1 = 1`, refusal("never"))
      .add(write(person))
      .guardChanged(refusal("never"))
      .commit();
    expect(results).toHaveLength(3);
    expect(await isThere(person)).toBe(true);
  });

  test("names the failed guard of several", async () => {
    const change = beginChange(systemContext(), NO_WORKSPACE)
      .guard(sql`1 = 1`, refusal("first"))
      .guard(sql`SELECT 0`, refusal("second"))
      .guard(sql`0`, refusal("third"));
    await expect(change.commit()).rejects.toThrow("second");
  });

  test("treats a NULL condition as failed", async () => {
    const change = beginChange(systemContext(), NO_WORKSPACE).guard(
      sql`SELECT 1 FROM jobs WHERE id = 'absent'`,
      refusal("absent"),
    );
    await expect(change.commit()).rejects.toThrow("absent");
    await expect(
      beginChange(systemContext(), NO_WORKSPACE).guard(sql`NULL`, refusal("unknown")).commit(),
    ).rejects.toThrow("unknown");
  });

  test("checks the previous statement with guardChanged", async () => {
    const person = newId();
    const change = beginChange(systemContext(), NO_WORKSPACE)
      .add(write(person))
      .add(sql`UPDATE people SET named_at = 2 WHERE id = 'absent'`)
      .guardChanged(refusal("nothing changed"));
    await expect(change.commit()).rejects.toThrow("nothing changed");
    expect(await isThere(person)).toBe(false);
  });

  test("throws the error of its statement unchanged", async () => {
    await expect(
      beginChange(systemContext(), NO_WORKSPACE).add(sql`INSERT INTO people (id) VALUES ('x')`).commit(),
    ).rejects.toThrow("NOT NULL constraint failed");
  });

  test("with a guard is committed by exactly one of many simultaneous calls", async () => {
    const person = newId();
    const race = () =>
      beginChange(systemContext(), NO_WORKSPACE)
        .guard(sql`NOT EXISTS (SELECT 1 FROM people WHERE id = ${person})`, refusal("taken"))
        .add(write(person))
        .commit();
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, race));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("queues and sends a job once while one with the same key waits", async () => {
    const { queues, sent } = silentQueues();
    const [tenantId, dedupeKey] = [await mintResident(newId()), newId()];
    const queue = async () => {
      const change = beginChange(systemContext({ queues }), NO_WORKSPACE);
      const id = change.job("expire-requests", {}, { tenantId, dedupeKey });
      await change.commit();
      return id;
    };
    const ids = await Promise.all([queue(), queue(), queue(), queue()]);
    const { results } = await jobsOf(tenantId);
    expect(results).toHaveLength(1);
    expect(sent.map(({ jobId }) => jobId)).toEqual(results.map(({ id }) => id));
    expect(ids).toContain(results[0]?.id);
  });

  test("sends jobs to their lane with their delay, up to the longest delay of a queue", async () => {
    const { queues, sent } = silentQueues();
    const change = beginChange(systemContext({ queues }), NO_WORKSPACE);
    const light = change.job("expire-requests", {}, { delayMs: 1_200 });
    const heavy = change.job("verify-upload", { uploadId: newId() }, { delayMs: 24 * 3_600_000 });
    await change.commit();
    expect(sent).toEqual([
      { lane: "light", jobId: light, delaySeconds: 2 },
      { lane: "verification", jobId: heavy, delaySeconds: 12 * 3_600 },
    ]);
  });

  test("stays committed if the queue fails: the job waits for the sweeper", async () => {
    const broken = { sendBatch: () => Promise.reject(new Error("down")), metrics: () => env.JOBS.metrics() };
    const change = beginChange(systemContext({ queues: everyLane(() => broken) }), NO_WORKSPACE);
    const id = change.job("expire-requests", {});
    await change.commit();
    expect((await readJobRow(id)).status).toBe("queued");
  });

  test("with two hundred jobs sends them in batches of the queue's limit", async () => {
    const { queues, sent } = silentQueues();
    const change = beginChange(systemContext({ queues }), NO_WORKSPACE);
    for (let i = 0; i < 200; i++) change.job("expire-requests", {});
    await change.commit();
    expect(sent).toHaveLength(200);
  });
});
