import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { announce, type Subscriber } from "../../src/events";
import { jobHandlers } from "../../src/job-handlers";
import { AUDIENCE_PAGE } from "../../src/notifications/record";
import type { WorkspaceEvent } from "../../src/platform/events";
import { newId } from "../../src/platform/ids";
import type { Job } from "../../src/platform/jobs/handlers";
import { JOB_KINDS } from "../../src/platform/jobs/kinds";
import { runJob } from "../../src/platform/jobs/run";
import { jobs } from "../../src/platform/jobs/tables";
import type { LiveDelivery } from "../../src/platform/ports";
import { mintDocument, mintLocation, mintOrganization } from "../support/factories";
import { insertJob, readJobRow, silentQueues, systemContext } from "../support/job-rows";
import { testDatabase } from "../support/statements";

const { maxAttempts } = JOB_KINDS.announce;
const quiet = () => systemContext({ queues: silentQueues().queues });

const insertAnnounce = (event: WorkspaceEvent) => insertJob({ kind: "announce", payload: { event } });
const harmless = (): WorkspaceEvent => ({ type: "access-changed", userIds: [] });

/** Runs the slices of a job until it ends; the waiting time between them is skipped. */
async function runToEnd(id: string, subscribers: readonly Subscriber[]): Promise<string[]> {
  const results: string[] = [];
  for (let slices = 0; slices < 3 * maxAttempts; slices++) {
    results.push(await runJob(quiet(), { ...jobHandlers, announce: announce(subscribers) }, id));
    const { status } = await readJobRow(id);
    if (status === "succeeded" || status === "failed") return results;
    await testDatabase().update(jobs).set({ runAt: 0 }).where(eq(jobs.id, id));
  }
  throw new Error("the job does not end");
}

/** Subscribers that write down what they receive. */
function recording() {
  const received: string[] = [];
  const subscriber = (
    name: string,
    answer: (after: string | null) => Promise<string | null> = async () => null,
  ): Subscriber => ({
    name,
    async deliver(_context, _event, _eventId, after) {
      received.push(after === null ? name : `${name} after ${after}`);
      return answer(after);
    },
  });
  return { received, subscriber };
}

describe("the delivery of an event", () => {
  test("goes to each subscriber once, in their order, page by page", async () => {
    const { received, subscriber } = recording();
    const paged = subscriber("paged", async (after) => (after === null ? "1" : after === "1" ? "2" : null));
    const id = await insertAnnounce(harmless());
    expect((await runToEnd(id, [subscriber("one"), paged, subscriber("two")])).at(-1)).toBe("succeeded");
    expect(received).toEqual(["one", "paged", "paged after 1", "paged after 2", "two"]);
  });

  test("continues with the subscriber that failed, and the finished ones do not receive it again", async () => {
    const { received, subscriber } = recording();
    let failures = 3;
    const unreliable = subscriber("unreliable", async () => {
      if (failures-- > 0) throw new Error("not reachable");
      return null;
    });
    const id = await insertAnnounce(harmless());
    const results = await runToEnd(id, [subscriber("one"), unreliable, subscriber("two")]);
    expect(results.at(-1)).toBe("succeeded");
    expect(received).toEqual(["one", "unreliable", "unreliable", "unreliable", "unreliable", "two"]);
  });

  test("keeps the cursor of a subscriber that fails between two pages", async () => {
    const { received, subscriber } = recording();
    let fails = true;
    const paged = subscriber("paged", async (after) => {
      if (after === null) return "1";
      const failsNow = fails;
      fails = false;
      if (failsNow) throw new Error("not reachable");
      return null;
    });
    const id = await insertAnnounce(harmless());
    await runToEnd(id, [subscriber("one"), paged]);
    expect(received).toEqual(["one", "paged", "paged after 1", "paged after 1"]);
  });

  test("ends as failed when a subscriber fails in every try", async () => {
    const { received, subscriber } = recording();
    const broken = subscriber("broken", () => Promise.reject(new Error("never")));
    const id = await insertAnnounce(harmless());
    expect((await runToEnd(id, [subscriber("one"), broken])).at(-1)).toBe("failed");
    expect(received).toEqual(["one", ...Array.from({ length: maxAttempts + 1 }, () => "broken")]);
  });
});

/** Adds this many members to an organization. */
async function addMembers(organizationId: string, howMany: number): Promise<void> {
  const ids = JSON.stringify(Array.from({ length: howMany }, () => newId()));
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO users (id, email, display_name, created_at) SELECT value, value || '@people.test', 'Person', 0 FROM json_each(?)",
    ).bind(ids),
    env.DB.prepare(
      "INSERT INTO memberships (organization_id, user_id, role, created_at) SELECT ?, value, 'member', 0 FROM json_each(?)",
    ).bind(organizationId, ids),
  ]);
}

describe("a worker that dies", () => {
  test.each([
    ["before the slice's outcome is committed", false],
    ["between the rows of a page and their delivery", true],
  ])("%s leaves each person with one notification", async (_, diesBeforeDelivery) => {
    const { id: organizationId, owner } = await mintOrganization();
    const documentId = await mintDocument({ organizationId }, await mintLocation({ organizationId }));
    const members = AUDIENCE_PAGE + 20;
    await addMembers(organizationId, members);
    const id = await insertAnnounce({ type: "document-uploaded", documentId, version: 1, actorUserId: owner.userId });
    const told: string[] = [];
    const live: LiveDelivery = {
      ...quiet().live,
      notify: async (notifications) => void told.push(...notifications.map(({ userId }) => userId)),
    };
    const dies: LiveDelivery = { ...live, notify: () => Promise.reject(new Error("the worker died")) };
    let status = "queued";
    for (let slices = 0; status !== "succeeded" && slices < 10; slices++) {
      const { state, payload } = await readJobRow(id);
      const lost = { id, kind: "announce", payload, state } as Job<"announce">;
      const slice = jobHandlers.announce.run({ ...quiet(), live: diesBeforeDelivery ? dies : live }, lost);
      // What this worker did stays; how it ended is not written.
      await slice.catch(() => null);
      await runJob({ ...quiet(), live }, jobHandlers, id);
      ({ status } = await readJobRow(id));
    }
    expect(status).toBe("succeeded");
    const rows = await env.DB.prepare(
      "SELECT count(*) AS n, count(DISTINCT user_id) AS people FROM notifications WHERE event_id = ?",
    )
      .bind(id)
      .first();
    expect(rows).toEqual({ n: members, people: members });
    expect(new Set(told).size).toBe(members);
  });
});
