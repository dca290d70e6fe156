import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { announce, type Subscriber } from "../../src/events";
import { jobHandlers } from "../../src/job-handlers";
import { AUDIENCE_PAGE } from "../../src/notifications/record";
import type { Context } from "../../src/platform/context";
import type { WorkspaceEvent } from "../../src/platform/events";
import { newId } from "../../src/platform/ids";
import { continueLater, type Job, type JobHandlers } from "../../src/platform/jobs/handlers";
import { JOB_KINDS } from "../../src/platform/jobs/kinds";
import { runJob } from "../../src/platform/jobs/run";
import { jobs } from "../../src/platform/jobs/tables";
import type { LiveDelivery } from "../../src/platform/ports";
import { mintDocument, mintLocation, mintMembers, mintOrganization } from "../support/factories";
import { hasSucceeded, insertJob, readJobRow, silentQueues, systemContext } from "../support/job-rows";
import { testDatabase } from "../support/statements";

const { maxAttempts } = JOB_KINDS.announce;
const quiet = () => systemContext({ queues: silentQueues().queues });

const insertAnnounce = (event: WorkspaceEvent) => insertJob({ kind: "announce", payload: { event } });
const harmless = (): WorkspaceEvent => ({ type: "access-changed", userIds: [] });

/** Runs one slice of a job; the waiting time before the next one is skipped. */
async function runSlice(id: string, context: Context, handlers: JobHandlers = jobHandlers): Promise<string> {
  const result = await runJob(context, handlers, id);
  await testDatabase().update(jobs).set({ runAt: 0 }).where(eq(jobs.id, id));
  return result;
}

/** Runs the slices of a job until it ends. */
async function runToEnd(id: string, subscribers: readonly Subscriber[]): Promise<string[]> {
  const results: string[] = [];
  for (let slices = 0; slices < 3 * maxAttempts; slices++) {
    results.push(await runSlice(id, quiet(), { ...jobHandlers, announce: announce(subscribers) }));
    if (["succeeded", "failed"].includes(results.at(-1) ?? "")) return results;
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

/** The notifications of an event, and how many people have one. */
const inboxRows = (eventId: string) =>
  env.DB.prepare(
    `SELECT count(*) AS n, count(DISTINCT user_id) AS people, max(recipients) AS recipients
      FROM notifications JOIN notification_events ON no = event_no WHERE event_id = ?`,
  )
    .bind(eventId)
    .first();

describe("the delivery of an event", () => {
  test("goes to each subscriber once, in their order, page by page", async () => {
    const { received, subscriber } = recording();
    const paged = subscriber("paged", async (after) => (after === null ? "1" : after === "1" ? "2" : null));
    const id = await insertAnnounce(harmless());
    expect((await runToEnd(id, [subscriber("one"), paged, subscriber("two")])).at(-1)).toBe("succeeded");
    expect(received).toEqual(["one", "paged", "paged after 1", "paged after 2", "two"]);
  });

  test("continues after a subscriber that fails, and only that subscriber receives the event again", async () => {
    const { received, subscriber } = recording();
    let failures = 3;
    const unreliable = subscriber("unreliable", async () => {
      if (failures-- > 0) throw new Error("not reachable");
      return null;
    });
    const id = await insertAnnounce(harmless());
    const results = await runToEnd(id, [subscriber("one"), unreliable, subscriber("two")]);
    expect(results.at(-1)).toBe("succeeded");
    expect(received).toEqual(["one", "unreliable", "two", "unreliable", "unreliable", "unreliable"]);
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

  test("ends as failed when a subscriber fails in every try, after the others have received it", async () => {
    const { received, subscriber } = recording();
    const broken = subscriber("broken", () => Promise.reject(new Error("never")));
    const paged = subscriber("paged", async (after) => (after === null ? "1" : null));
    const id = await insertAnnounce(harmless());
    expect((await runToEnd(id, [subscriber("one"), broken, paged, subscriber("two")])).at(-1)).toBe("failed");
    const tries = Array.from({ length: maxAttempts + 1 }, () => "broken");
    expect(received).toEqual(["one", "broken", "paged", "paged after 1", "two", ...tries]);
  });

  test("begins with the next subscriber when the try before it ended without a result", async () => {
    const { received, subscriber } = recording();
    // A worker that hangs or is killed in a delivery leaves the state unchanged.
    const hanging = subscriber("hanging", () => new Promise(() => {}));
    const handler = announce([hanging, subscriber("one"), subscriber("two")]);
    const payload = { event: harmless() };
    const job = { id: newId(), kind: "announce", payload, state: null, attempts: 2 } as Job<"announce">;
    expect(await handler.run(quiet(), job)).toEqual(continueLater([{ subscriber: "hanging", after: null }]));
    expect(received).toEqual(["one", "two"]);
  });

  test("fills every inbox when live connections cannot be reached, and tries them again", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const documentId = await mintDocument({ organizationId }, await mintLocation({ organizationId }));
    const members = AUDIENCE_PAGE + 20;
    await mintMembers(organizationId, members);
    const id = await insertAnnounce({ type: "document-uploaded", documentId, version: 1, actorUserId: owner.userId });
    const unreachable = () => Promise.reject(new Error("the hub does not answer"));
    const broken: LiveDelivery = { ...quiet().live, notify: unreachable, publish: unreachable };
    for (let slices = 0; slices < 6; slices++) await runSlice(id, { ...quiet(), live: broken });
    expect(await inboxRows(id)).toEqual({ n: members, people: members, recipients: members });

    const told: string[] = [];
    const published: string[] = [];
    const live: LiveDelivery = {
      ...quiet().live,
      publish: async (locationId) => void published.push(locationId),
      notify: async (notifications) => void told.push(...notifications.map(({ userId }) => userId)),
    };
    for (let slices = 0; slices < 6; slices++) await runSlice(id, { ...quiet(), live });
    expect(await hasSucceeded(id)).toBe(true);
    expect(published).toHaveLength(1);
    expect(new Set(told).size).toBe(members);
    expect(await inboxRows(id)).toEqual({ n: members, people: members, recipients: members });
  });
});

describe("a worker that dies", () => {
  test.each([
    ["before the slice's outcome is committed", false],
    ["between the rows of a page and their delivery", true],
  ])("%s leaves each person with one notification", async (_, diesBeforeDelivery) => {
    const { id: organizationId, owner } = await mintOrganization();
    const documentId = await mintDocument({ organizationId }, await mintLocation({ organizationId }));
    const members = AUDIENCE_PAGE + 20;
    await mintMembers(organizationId, members);
    const id = await insertAnnounce({ type: "document-uploaded", documentId, version: 1, actorUserId: owner.userId });
    const told: string[] = [];
    const live: LiveDelivery = {
      ...quiet().live,
      notify: async (notifications) => void told.push(...notifications.map(({ userId }) => userId)),
    };
    const dies: LiveDelivery = { ...live, notify: () => Promise.reject(new Error("the worker died")) };
    let result = "";
    for (let slices = 0; result !== "succeeded" && slices < 10; slices++) {
      const { state, payload } = await readJobRow(id);
      const lost = { id, kind: "announce", payload, state, attempts: 1 } as Job<"announce">;
      const slice = jobHandlers.announce.run({ ...quiet(), live: diesBeforeDelivery ? dies : live }, lost);
      // The delivery of this worker is committed, but its end is not written.
      await slice.catch(() => null);
      result = await runJob({ ...quiet(), live }, jobHandlers, id);
    }
    expect(result).toBe("succeeded");
    expect(await inboxRows(id)).toEqual({ n: members, people: members, recipients: members });
    expect(new Set(told).size).toBe(members);
  });
});
