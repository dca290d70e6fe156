import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { z } from "zod";
import { EVENT_RETENTION_MS } from "../../src/hub/limits";
import { MAX_PAGE_SIZE } from "../../src/platform/db/cursor";
import { newId } from "../../src/platform/ids";
import type { LocationEvent } from "../../src/platform/ports";
import { SECOND } from "../../src/platform/time";
import { call, expectJson } from "../support/call";
import { mintAnnotation, mintDocument, mintLocation, mintMember, mintOrganization } from "../support/factories";
import { announceEvent, HubClient } from "../support/hub";
import { systemContext } from "../support/jobs";
import { stopClock } from "../support/patience";

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

test("EVENT_RETENTION_MS: events are kept between two requests for this time", async () => {
  const { owner, locationId } = await site();
  let now = stopClock();
  let { position } = await list(owner.token, locationId);
  for (let n = 0; n < 3; n++) {
    now = stopClock(now + EVENT_RETENTION_MS - SECOND);
    await publish(locationId, n);
    const page = await list(owner.token, locationId, `?since=${position}`);
    expect([marksOf(page), page.reload]).toEqual([[n], false]);
    position = page.position;
  }
  stopClock(now + EVENT_RETENTION_MS + SECOND);
  const late = await list(owner.token, locationId, `?since=${position}`);
  expect([marksOf(late), late.reload]).toEqual([[], true]);
  await publish(locationId, "again");
  expect(marksOf(await list(owner.token, locationId, `?since=${late.position}`))).toEqual(["again"]);
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
