import { and, eq, inArray } from "drizzle-orm";
import { expect, test } from "vitest";
import { auditEntries } from "../../../src/access/tables";
import { jobHandlers } from "../../../src/job-handlers";
import { newId, newIdIn } from "../../../src/platform/ids";
import { runJob } from "../../../src/platform/jobs/run";
import { jobs } from "../../../src/platform/jobs/tables";
import { MINUTE } from "../../../src/platform/time";
import { webhookSubscriber } from "../../../src/webhooks";
import { MAX_REQUESTS_AT_ONCE } from "../../../src/webhooks/limits";
import { webhookDeliveries, webhooks } from "../../../src/webhooks/tables";
import { annotationSchema } from "../../../src/workspace/annotations/annotations";
import { expectJson } from "../../support/call";
import { ALIVE, type Death, dying, type Process, stepsToDie } from "../../support/deaths";
import { mintLocation, mintOrganization } from "../../support/factories";
import { testDatabase } from "../../support/statements";
import { behave, receivedBy } from "../../support/webhook-calls";
import { createHook, newReceiver } from "../../support/webhooks";

/* A process that dies at any step between an event and the answer of a receiver loses no delivery. */

const db = testDatabase();
/** More events than requests at the same time. */
const EVENTS = MAX_REQUESTS_AT_ONCE + 2;

interface Place {
  organizationId: string;
  locationId: string;
  annotationId: string;
  hookId: string;
  url: string;
  eventIds: readonly string[];
}

async function mintPlace(): Promise<Place> {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  const { id: annotationId } = await expectJson(
    annotationSchema,
    201,
    "POST",
    `/v1/spatial/locations/${locationId}/annotations`,
    { token: owner.token, body: { kind: "note", title: "Crack" } },
  );
  const url = newReceiver();
  const { id: hookId } = await createHook(organizationId, owner, { url, types: ["annotation.updated"] });
  const eventIds = Array.from({ length: EVENTS }, () => newIdIn(organizationId));
  return { organizationId, locationId, annotationId, hookId, url, eventIds };
}

/** Delivers the events to the webhooks, as the jobs of the events do. */
async function deliver(process: Process, place: Place): Promise<void> {
  const { organizationId, locationId, annotationId, eventIds } = place;
  const about = { locationId, subject: "annotation" as const, subjectId: annotationId };
  for (const eventId of eventIds)
    await webhookSubscriber.deliver(
      await process.openAt(organizationId),
      { type: "state-updated", ...about, action: "updated", revision: 2 },
      eventId,
      null,
    );
}

const ofHook = ({ hookId }: Place) => eq(webhookDeliveries.webhookId, hookId);

/** Runs the sending until it rests. A job of a dead process has no lease any more. */
async function send(process: Process, { organizationId }: Place): Promise<void> {
  const open = and(
    eq(jobs.tenantId, organizationId),
    eq(jobs.kind, "send-webhooks"),
    inArray(jobs.status, ["queued", "running"]),
  );
  for (let slice = 0; slice < 20; slice++) {
    await db.update(jobs).set({ runAt: 1 }).where(open);
    await db
      .update(jobs)
      .set({ leaseUntil: 1 })
      .where(and(open, eq(jobs.status, "running")));
    const [next] = await db.select({ id: jobs.id }).from(jobs).where(open).limit(1);
    if (next === undefined) return;
    await runJob(await process.openAt(organizationId), jobHandlers, next.id);
  }
}

/** Time passes: claims and pauses end, and the sweeper wakes the webhook. */
async function rest(place: Place): Promise<void> {
  await db
    .update(webhookDeliveries)
    .set({ nextAt: 1 })
    .where(and(ofHook(place), eq(webhookDeliveries.status, "pending")));
  await db
    .update(webhooks)
    .set({ nextAt: 1, pausedUntil: 0 })
    .where(and(eq(webhooks.id, place.hookId), eq(webhooks.isEnabled, true)));
  const context = await ALIVE.openAt(place.organizationId);
  await runJob(context, jobHandlers, newId(), { recurring: "wake-webhooks" });
  await send(ALIVE, place);
}

/** An organization with a webhook, whose process dies. @returns the place after all repeats, and the number of steps */
async function story(death: Death | null, answer?: { status: number }): Promise<{ place: Place; steps: number }> {
  const place = await mintPlace();
  if (answer) await behave(place.url, answer);
  const steps = await dying(death, async (process) => {
    await deliver(process, place);
    await send(process, place);
  });
  // The jobs of the events run again, if their process died.
  await deliver(ALIVE, place);
  await send(ALIVE, place);
  await rest(place);
  return { place, steps };
}

const deliveriesOf = (place: Place) => db.select().from(webhookDeliveries).where(ofHook(place));

async function sent(death: Death | null): Promise<number> {
  const { place, steps } = await story(death);
  const deliveries = await deliveriesOf(place);
  const states = deliveries.map(({ id, status, claimedBy }) => ({ id, status, claimedBy }));
  const wanted = place.eventIds.map((id) => ({ id, status: "succeeded", claimedBy: null }));
  const requests = await receivedBy(place.url);
  const ids = requests.map(({ headers }) => headers["webhook-id"] ?? "");
  const bodies = new Set(requests.map(({ headers, body }) => `${headers["webhook-id"]} ${body}`));
  expect({ death, states: states.sort((a, b) => (a.id < b.id ? -1 : 1)) }).toEqual({
    death,
    states: wanted.sort((a, b) => (a.id < b.id ? -1 : 1)),
  });
  expect({ death, ids: [...new Set(ids)].sort() }).toEqual({ death, ids: [...place.eventIds].sort() });
  // A repeat says the same, and only what was under way is repeated.
  expect({ death, bodies: bodies.size }).toEqual({ death, bodies: EVENTS });
  const most = death === null ? EVENTS : EVENTS + MAX_REQUESTS_AT_ONCE;
  expect({ death, requests: ids.length, isPossible: ids.length <= most }).toMatchObject({ isPossible: true });
  return steps;
}

async function gone(death: Death | null): Promise<number> {
  const { place, steps } = await story(death, { status: 410 });
  const [hook] = await db.select().from(webhooks).where(eq(webhooks.id, place.hookId));
  const reasons = { isEnabled: hook?.isEnabled, reason: hook?.disabledReason };
  const told = await db
    .select({ id: auditEntries.id })
    .from(auditEntries)
    .where(and(eq(auditEntries.organizationId, place.organizationId), eq(auditEntries.action, "webhook.disabled")));
  const announced = (await db.select().from(jobs).where(eq(jobs.tenantId, place.organizationId))).filter(
    ({ kind, payload }) => kind === "announce" && JSON.stringify(payload).includes("webhook-disabled"),
  );
  expect({ death, ...reasons, told: told.length, announced: announced.length }).toEqual({
    ...{ death, isEnabled: false, reason: "gone" },
    ...{ told: 1, announced: 1 },
  });
  const statuses = new Set((await deliveriesOf(place)).map(({ status, claimedBy }) => `${status} ${claimedBy}`));
  // What was not sent waits for the day on which a person switches the webhook on again.
  for (const status of statuses)
    expect({ death, status }).toMatchObject({ status: /^(?:failed|pending) null$/.exec(status)?.[0] });
  return steps;
}

test.for([
  ["is sent and recorded, at least once and with the same contents", sent],
  ["of an address that is gone switches the webhook off once", gone],
] as const)("a delivery whose process dies at any step %s", { timeout: 40 * MINUTE }, async ([, run]) => {
  const steps = await run(null);
  expect(steps).toBeGreaterThan(20);
  for (const [first, when] of (["before", "after"] as const).entries())
    for (const step of stepsToDie(steps, first)) await run({ step, when });
});
