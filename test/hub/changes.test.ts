import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { z } from "zod";
import { CHANGE_RETENTION_MS, EVENT_RETENTION_MS, MAX_KEPT_CHANGES } from "../../src/hub/limits";
import { MAX_PAGE_SIZE } from "../../src/platform/db/cursor";
import { newId } from "../../src/platform/ids";
import type { LocationEvent } from "../../src/platform/ports";
import { SECOND } from "../../src/platform/time";
import { call, expectJson } from "../support/call";
import { mintAnnotation, mintDocument, mintLocation, mintMember, mintOrganization } from "../support/factories";
import { announceEvent, HubClient } from "../support/hub";
import { systemContext } from "../support/jobs";
import { stopClock } from "../support/patience";
import fc, { scaled } from "../support/properties";

/* The events of a location, for programs without a connection. */

const changes = z.strictObject({
  items: z.array(z.strictObject({ event: z.string(), sequence: z.int(), payload: z.record(z.string(), z.unknown()) })),
  position: z.string(),
  hasMore: z.boolean(),
  reload: z.boolean(),
});

async function site() {
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  return { organizationId, owner, location, locationId: location.id };
}

const list = (token: string, locationId: string, query = "") =>
  expectJson(changes, 200, "GET", `/v1/spatial/locations/${locationId}/changes${query}`, { token });

const marked = (mark: unknown): LocationEvent => ({
  target: "StateUpdated",
  payload: { mark },
  requires: "LocationView",
  documentId: null,
  subject: null,
});
const publish = (locationId: string, ...marks: unknown[]) =>
  systemContext().live.publish(locationId, marks.map(marked));
const marksOf = ({ items }: z.infer<typeof changes>) => items.map(({ payload }) => payload.mark);

test("the first request has the position, and the next one the events after it", async () => {
  const { owner, locationId } = await site();
  await publish(locationId, "before");
  const first = await list(owner.token, locationId);
  expect(first).toMatchObject({ items: [], hasMore: false, reload: true });
  await publish(locationId, 1, 2);
  const second = await list(owner.token, locationId, `?since=${first.position}`);
  expect([marksOf(second), second.hasMore, second.reload]).toEqual([[1, 2], false, false]);
  expect(second.items[0]?.payload.sequence).toBe(second.items[0]?.sequence);
  const third = await list(owner.token, locationId, `?since=${second.position}`);
  expect(third).toMatchObject({ items: [], reload: false });
});

test("pages continue where the last one ended, and agree with the hub", async () => {
  const { owner, locationId } = await site();
  const { position } = await list(owner.token, locationId);
  const client = await HubClient.connect(owner.token);
  expect(await client.join(locationId)).toBeNull();
  const marks = Array.from({ length: MAX_PAGE_SIZE + 20 }, (_, n) => n);
  await publish(locationId, ...marks);
  await client.invoke("Settle");
  client.close();
  const told = client.events("StateUpdated").map(({ arguments: [, payload] }) => payload);
  const found: unknown[] = [];
  let [at, hasMore] = [position, true];
  while (hasMore) {
    const page = await list(owner.token, locationId, `?since=${at}&limit=50`);
    expect(page.items.length).toBeLessThanOrEqual(50);
    found.push(...page.items.map(({ payload }) => payload));
    [at, hasMore] = [page.position, page.hasMore];
  }
  expect(found).toEqual(told);
  expect(found).toHaveLength(marks.length);
});

/** An event about a subject, which the test does not create: an event of a deletion needs access alone. */
const deletion = (id: string, revision: number): LocationEvent => ({
  target: "StateUpdated",
  payload: { subject: { type: "document", id }, action: "deleted", revision },
  requires: "Documents",
  documentId: id,
  subject: null,
});
const revisionsOf = ({ items }: z.infer<typeof changes>) => items.map(({ payload }) => payload.revision);

/** All items after a position, and the last answer. */
async function listAll(token: string, locationId: string, since: string, limit = MAX_PAGE_SIZE) {
  const items: z.infer<typeof changes>["items"] = [];
  for (let at = since; ; ) {
    const page = await list(token, locationId, `?since=${at}&limit=${limit}`);
    items.push(...page.items);
    if (!page.hasMore) return { ...page, items };
    expect(page.position).not.toBe(at);
    at = page.position;
  }
}

test("CHANGE_RETENTION_MS: changes are kept for this time after a request, and after they happened", async () => {
  const { owner, locationId } = await site();
  let now = stopClock();
  const { position } = await list(owner.token, locationId);
  now = stopClock(now + CHANGE_RETENTION_MS - 2 * SECOND);
  await publish(locationId, "late");
  now = stopClock(now + SECOND);
  const kept = await list(owner.token, locationId, `?since=${position}`);
  expect([marksOf(kept), kept.reload]).toEqual([["late"], false]);
  // Nobody asks. At the end, nothing is kept, and a new epoch begins.
  stopClock(now + CHANGE_RETENTION_MS);
  await publish(locationId, "unheard");
  const late = await list(owner.token, locationId, `?since=${kept.position}`);
  expect([marksOf(late), late.reload]).toEqual([[], true]);
  expect(late.position.split(".")[0]).not.toBe(position.split(".")[0]);
  await publish(locationId, "again");
  expect(marksOf(await list(owner.token, locationId, `?since=${late.position}`))).toEqual(["again"]);
});

test("CHANGE_RETENTION_MS: a change that is older ends while a program asks", async () => {
  const { owner, locationId } = await site();
  const start = stopClock();
  const { position } = await list(owner.token, locationId);
  stopClock(start + SECOND);
  await publish(locationId, "old");
  stopClock(start + CHANGE_RETENTION_MS - SECOND);
  expect(await list(owner.token, locationId, `?since=${position}`)).toMatchObject({ reload: false });
  stopClock(start + CHANGE_RETENTION_MS + EVENT_RETENTION_MS);
  await publish(locationId, "new");
  stopClock(start + CHANGE_RETENTION_MS + 3 * EVENT_RETENTION_MS);
  await list(owner.token, locationId);
  const late = await list(owner.token, locationId, `?since=${position}`);
  expect([marksOf(late), late.reload]).toEqual([[], true]);
});

test("of changes that are too old for a replay, the last one of each subject is there, in order and in pages", async () => {
  const { owner, organizationId, locationId } = await site();
  const viewer = await mintMember(organizationId, "member", { Documents: "None" });
  const start = stopClock();
  const { position } = await list(owner.token, locationId);
  const [one, two, three] = [newId(), newId(), newId()];
  const happened = [deletion(one, 1), deletion(two, 2), deletion(one, 3), deletion(three, 4)];
  await systemContext().live.publish(locationId, happened);
  const whole = await list(owner.token, locationId, `?since=${position}`);
  expect(revisionsOf(whole)).toEqual([1, 2, 3, 4]);
  stopClock(start + EVENT_RETENTION_MS + SECOND);
  await systemContext().live.publish(locationId, [deletion(two, 5)]);
  for (const limit of [1, 2, MAX_PAGE_SIZE])
    expect(revisionsOf(await listAll(owner.token, locationId, position, limit))).toEqual([2, 3, 4, 5]);
  // The position in the middle of them is served too, and people see what they may see.
  expect(revisionsOf(await list(owner.token, locationId, `?since=${whole.position}`))).toEqual([5]);
  expect(await list(viewer.token, locationId, `?since=${position}`)).toMatchObject({ items: [], reload: false });
  // A restart of the object loses nothing.
  await evictDurableObject(env.HUB_LOCATION.getByName(locationId));
  expect(revisionsOf(await listAll(owner.token, locationId, position))).toEqual([2, 3, 4, 5]);
});

/** The sequences of the rows that the object of a location has in a table, ascending. */
const sequencesOf = (locationId: string, table: "events" | "journal") =>
  runInDurableObject(env.HUB_LOCATION.getByName(locationId), (_, { storage }) =>
    storage.sql
      .exec<{ sequence: number }>(`SELECT sequence FROM ${table} ORDER BY sequence`)
      .toArray()
      .map(({ sequence }) => sequence),
  );

test("MAX_KEPT_CHANGES: the oldest changes end first, and a position before them reads again", async () => {
  const { owner, locationId } = await site();
  const start = stopClock();
  const { position } = await list(owner.token, locationId);
  const [epoch] = position.split(".");
  for (let at = 0; at < MAX_KEPT_CHANGES; at += 1_000) {
    const numbers = Array.from({ length: 1_000 }, (_, n) => at + n);
    await systemContext().live.publish(
      locationId,
      numbers.map((n) => deletion(newId(), n)),
    );
  }
  stopClock(start + 2 * EVENT_RETENTION_MS);
  expect(revisionsOf(await list(owner.token, locationId, `?since=${position}&limit=2`))).toEqual([0, 1]);
  const kept = await sequencesOf(locationId, "journal");
  expect(kept).toHaveLength(MAX_KEPT_CHANGES);
  // One more pushes out the first one.
  await systemContext().live.publish(locationId, [deletion(newId(), MAX_KEPT_CHANGES)]);
  stopClock(start + 4 * EVENT_RETENTION_MS);
  expect(await list(owner.token, locationId, `?since=${epoch}.${kept[1]}`)).toMatchObject({ reload: false });
  expect(await list(owner.token, locationId, `?since=${position}`)).toMatchObject({ items: [], reload: true });
  const first = await list(owner.token, locationId, `?since=${epoch}.${kept[0]}&limit=1`);
  expect([revisionsOf(first), first.hasMore, first.reload]).toEqual([[1], true, false]);
  const last = await list(owner.token, locationId, `?since=${epoch}.${kept.at(-1)}`);
  expect([revisionsOf(last), last.hasMore]).toEqual([[MAX_KEPT_CHANGES], false]);
}, 120_000);

test("a program that asks now and then has the state of every subject, whatever happened meanwhile", async () => {
  const subjects = Array.from({ length: 5 }, () => newId());
  const step = fc.record({
    afterMs: fc.oneof(fc.nat(1_000), fc.nat(2 * EVENT_RETENTION_MS), fc.nat(CHANGE_RETENTION_MS)),
    changed: fc.array(fc.nat(subjects.length - 1), { maxLength: 4 }),
    asks: fc.boolean(),
    isLost: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      const { owner, locationId } = await site();
      let now = stopClock();
      let { position } = await list(owner.token, locationId, "");
      const [truth, known] = [new Map<string, number>(), new Map<string, number>()];
      let revision = 0;
      for (const { afterMs, changed, asks, isLost } of [
        ...steps,
        { afterMs: 1, changed: [], asks: true, isLost: false },
      ]) {
        now = stopClock(now + afterMs);
        for (const index of changed) {
          const id = subjects[index] ?? "";
          revision += 1;
          truth.set(id, revision);
          await systemContext().live.publish(locationId, [deletion(id, revision)]);
        }
        if (isLost) {
          // Only an object that is in memory can be lost.
          await sequencesOf(locationId, "journal");
          await evictDurableObject(env.HUB_LOCATION.getByName(locationId));
        }
        if (!asks) continue;
        const answer = await listAll(owner.token, locationId, position, 3);
        position = answer.position;
        if (answer.reload) for (const [id, at] of truth) known.set(id, at);
        for (const { payload } of answer.items)
          known.set(z.object({ id: z.string() }).parse(payload.subject).id, Number(payload.revision));
        expect(new Map([...known].sort())).toEqual(new Map([...truth].sort()));
      }
    }),
    { numRuns: scaled(10), endOnFailure: true },
  );
}, 120_000);

test("a location that no program asks for keeps no changes, and the end of the time deletes them", async () => {
  const { owner, locationId } = await site();
  const kept = async () =>
    [await sequencesOf(locationId, "events"), await sequencesOf(locationId, "journal")].map(({ length }) => length);
  const start = stopClock();
  const client = await HubClient.connect(owner.token);
  expect(await client.join(locationId)).toBeNull();
  await publish(locationId, 1);
  client.close();
  await client.expectClosed();
  stopClock(start + 2 * EVENT_RETENTION_MS);
  await runDurableObjectAlarm(env.HUB_LOCATION.getByName(locationId));
  expect(await kept()).toEqual([0, 0]);
  await list(owner.token, locationId);
  await publish(locationId, 2);
  stopClock(start + 4 * EVENT_RETENTION_MS);
  await runDurableObjectAlarm(env.HUB_LOCATION.getByName(locationId));
  expect(await kept()).toEqual([0, 1]);
  stopClock(start + 2 * CHANGE_RETENTION_MS);
  await runDurableObjectAlarm(env.HUB_LOCATION.getByName(locationId));
  expect(await kept()).toEqual([0, 0]);
});

test("has what the caller may see now: deletions, and nothing of a subject that left", async () => {
  const { owner, organizationId, location, locationId } = await site();
  const viewer = await mintMember(organizationId, "member", { LocationBundles: "None" });
  const { position } = await list(owner.token, locationId);
  const documentId = await mintDocument({ organizationId }, location, [], { fileName: "gone.txt", revision: 7 });
  const annotationId = await mintAnnotation({ organizationId }, location);
  await announceEvent({ type: "document-uploaded", documentId, version: 1, actorUserId: null });
  await announceEvent({
    type: "state-updated",
    locationId,
    subject: "document",
    subjectId: documentId,
    action: "updated",
    revision: null,
  });
  await announceEvent({ type: "position-changed", locationId, annotationId, position: null, revision: 2 });
  const eventsOf = async (token: string) =>
    (await list(token, locationId, `?since=${position}`)).items.map(({ event, payload }) => [event, payload.revision]);
  expect(await eventsOf(owner.token)).toEqual([
    ["DocumentUploaded", undefined],
    ["StateUpdated", 7],
    ["PositionChanged", 2],
  ]);
  expect((await call("DELETE", `/v1/documents/${documentId}`, { token: owner.token })).status).toBe(204);
  await announceEvent({
    type: "state-updated",
    locationId,
    subject: "document",
    subjectId: documentId,
    action: "deleted",
    revision: 7,
  });
  expect((await eventsOf(viewer.token)).every(([event]) => event === "StateUpdated")).toBe(true);
  expect(await eventsOf(owner.token)).toContainEqual(["StateUpdated", 7]);
  await env.DB.prepare("DELETE FROM memberships WHERE user_id = ?").bind(viewer.userId).run();
  const path = `/v1/spatial/locations/${locationId}/changes?since=${position}`;
  expect((await call("GET", path, { token: viewer.token })).status).toBe(404);
});

test("refuses a position that it did not give, and reads again for an unknown one", async () => {
  const { owner, locationId } = await site();
  const path = `/v1/spatial/locations/${locationId}/changes`;
  for (const since of ["x", "", `${newId()}.`, `${newId()}.-1`, `${newId()}.12345678901234567`])
    expect((await call("GET", `${path}?since=${since}`, { token: owner.token })).status).toBe(400);
  expect(await list(owner.token, locationId, `?since=${newId()}.1`)).toMatchObject({ items: [], reload: true });
});
