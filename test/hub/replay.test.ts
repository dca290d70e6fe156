import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  EVENT_RETENTION_MS,
  MAX_BATCH_EVENTS,
  MAX_KEPT_BYTES,
  MAX_KEPT_EVENTS,
  MAX_REPLAYED_BYTES_PER_MINUTE,
} from "../../src/hub/limits";
import { HubShardObject } from "../../src/hub/shard/shard";
import { newId } from "../../src/platform/ids";
import type { LocationEvent } from "../../src/platform/ports";
import { SECOND } from "../../src/platform/time";
import { call } from "../support/call";
import { mintAnnotation, mintDocument, mintLocation, mintMember, mintOrganization } from "../support/factories";
import { announceEvent, HubClient } from "../support/hub";
import {
  END,
  HANDSHAKE,
  negotiate,
  events as openEvents,
  poll,
  post,
  readerOf,
  readUntil,
} from "../support/hub-requests";
import { systemContext } from "../support/jobs";
import { eventually, stopClock } from "../support/patience";

interface Standing {
  epoch: string;
  sequence: number;
  reload: boolean;
}

async function site() {
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  return { organizationId, owner, location, locationId: location.id };
}

const marked = (mark: unknown, more: Partial<LocationEvent> = {}): LocationEvent => ({
  target: "StateUpdated",
  payload: { mark },
  requires: "LocationView",
  documentId: null,
  subject: null,
  ...more,
});
const publish = (locationId: string, ...events: LocationEvent[]) => systemContext().live.publish(locationId, events);

async function joined(token: string, locationId: string, from: object | null = null, protocol?: "messagepack") {
  const client = await HubClient.connect(token, protocol);
  onTestFinished(() => client.close());
  const { error, result } = await client.ask("JoinLocation", locationId, from);
  expect(error).toBeUndefined();
  return { client, standing: result as Standing };
}

const marksOf = (client: HubClient): unknown[] =>
  client.events("StateUpdated").map(({ arguments: [, payload] }) => (payload as { mark: unknown }).mark);
const since = ({ epoch, sequence }: Standing) => ({ epoch, after: sequence });

/** A client that was connected, and is away from now on. */
async function away(token: string, locationId: string): Promise<Standing> {
  const { client, standing } = await joined(token, locationId);
  client.close();
  await client.expectClosed();
  return standing;
}

/** Rows of a table of the location's object. */
const rowsOf = (locationId: string, table: string) =>
  runInDurableObject(
    env.HUB_LOCATION.getByName(locationId),
    (_, { storage }) => storage.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n,
  );

describe.each(["json", "messagepack"] as const)("over %s", (protocol) => {
  test("a client gets the events that it missed, in order, and then the new ones", async () => {
    const { owner, locationId } = await site();
    const standing = await away(owner.token, locationId);
    expect(standing.reload).toBe(true);
    const missed = Array.from({ length: 2 * MAX_BATCH_EVENTS + 5 }, (_, n) => n);
    await publish(locationId, ...missed.map((n) => marked(n)));
    const client = await HubClient.connect(owner.token, protocol);
    onTestFinished(() => client.close());
    const answer = client.ask("JoinLocation", locationId, since(standing));
    const live = publish(locationId, marked("live"));
    const now = (await answer).result as Standing;
    expect(now).toMatchObject({ epoch: standing.epoch, reload: false });
    await live;
    await client.expectEvent("StateUpdated", ([, payload]) => (payload as { mark: unknown }).mark === "live");
    expect(marksOf(client)).toEqual([...missed, "live"]);
    const numbers = client.events("StateUpdated").map(({ arguments: [, payload] }) => payload as Standing);
    expect(new Set(numbers.map(({ epoch }) => epoch))).toEqual(new Set([standing.epoch]));
    const sequences = numbers.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    expect(new Set(sequences).size).toBe(sequences.length);
    expect(sequences).toContain(now.sequence);
  });
});

test("a replay arrives before the answer of the join", async () => {
  const { owner, locationId } = await site();
  const standing = await away(owner.token, locationId);
  await publish(locationId, marked(1));
  const { client } = await joined(owner.token, locationId, since(standing));
  expect(client.received.map(({ type }) => type)).toEqual(["invocation", "completion"]);
});

test("a join with one argument has no result, and gets no replay", async () => {
  const { owner, locationId } = await site();
  await away(owner.token, locationId);
  await publish(locationId, marked(1));
  const client = await HubClient.connect(owner.token);
  onTestFinished(() => client.close());
  expect(await client.ask("JoinLocation", locationId)).toEqual({ type: "completion", invocationId: "1" });
  expect(client.events()).toEqual([]);
});

test.each([
  [{ epoch: "x" }],
  [{ epoch: "x", after: -1 }],
  [{ epoch: "x", after: 1.5 }],
  [{ epoch: "x".repeat(65), after: 1 }],
  [{ epoch: "x", after: 1, more: 1 }],
  [7],
])("a position %j is a bad argument", async (position) => {
  const { owner, locationId } = await site();
  const client = await HubClient.connect(owner.token);
  onTestFinished(() => client.close());
  expect(await client.invoke("JoinLocation", locationId, position)).toBe(
    "Failed to invoke 'JoinLocation' due to an error on the server.",
  );
});

describe("a client reads again", () => {
  test("when it names another epoch, or a number of the future or of the past", async () => {
    const { owner, locationId } = await site();
    const { epoch, sequence } = await away(owner.token, locationId);
    for (const position of [
      { epoch: newId(), after: sequence },
      { epoch, after: sequence + EVENT_RETENTION_MS },
      { epoch, after: 0 },
    ]) {
      const { standing } = await joined(owner.token, locationId, position);
      expect(standing).toMatchObject({ epoch, reload: true });
    }
  });

  test("EVENT_RETENTION_MS: when an event that it missed is older, and not before", async () => {
    const { owner, locationId } = await site();
    const witness = await joined(owner.token, locationId);
    const start = stopClock();
    await publish(locationId, marked("old"));
    const standing = await away(owner.token, locationId);
    stopClock(start + SECOND);
    await publish(locationId, marked("missed"));
    stopClock(start + SECOND + EVENT_RETENTION_MS - 1);
    const inTime = await joined(owner.token, locationId, since(standing));
    expect([marksOf(inTime.client), inTime.standing.reload]).toEqual([["missed"], false]);
    stopClock(start + SECOND + EVENT_RETENTION_MS + 10);
    const late = await joined(owner.token, locationId, since(standing));
    expect([marksOf(late.client), late.standing.reload]).toEqual([[], true]);
    expect(marksOf(witness.client)).toEqual(["old", "missed"]);
  });

  test("EVENT_RETENTION_MS: when nobody has listened for longer", async () => {
    const { owner, locationId } = await site();
    const start = stopClock();
    const standing = await away(owner.token, locationId);
    await publish(locationId, marked("kept"));
    stopClock(start + EVENT_RETENTION_MS - 1);
    const inTime = await joined(owner.token, locationId, since(standing));
    expect(marksOf(inTime.client)).toEqual(["kept"]);
    inTime.client.close();
    await eventually(async () => expect(await rowsOf(locationId, "registrations")).toBe(0));
    stopClock(start + 3 * EVENT_RETENTION_MS);
    await publish(locationId, marked("dropped"));
    const late = await joined(owner.token, locationId, since(inTime.standing));
    expect(late.standing.reload).toBe(true);
    expect(late.standing.epoch).not.toBe(standing.epoch);
    expect(marksOf(late.client)).toEqual([]);
  });

  test("MAX_KEPT_EVENTS: when it missed more events", async () => {
    const { owner, locationId } = await site();
    const standing = await away(owner.token, locationId);
    await publish(locationId, ...Array.from({ length: MAX_KEPT_EVENTS }, (_, n) => marked(n)));
    const all = await joined(owner.token, locationId, since(standing));
    expect([marksOf(all.client).length, all.standing.reload]).toEqual([MAX_KEPT_EVENTS, false]);
    await publish(locationId, marked("one more"));
    const none = await joined(owner.token, locationId, since(standing));
    expect([marksOf(none.client).length, none.standing.reload]).toEqual([0, true]);
  });

  test("MAX_KEPT_BYTES: when it missed larger events", async () => {
    const { owner, locationId } = await site();
    const standing = await away(owner.token, locationId);
    const half = marked("x".repeat(MAX_KEPT_BYTES / 2 - 500));
    await publish(locationId, half, half);
    const all = await joined(owner.token, locationId, since(standing));
    expect([marksOf(all.client).length, all.standing.reload]).toEqual([2, false]);
    await publish(locationId, marked("x".repeat(1_000)));
    expect((await joined(owner.token, locationId, since(standing))).standing.reload).toBe(true);
  });

  test("MAX_REPLAYED_BYTES_PER_MINUTE: when its person was replayed too much", async () => {
    const { owner, organizationId, locationId } = await site();
    stopClock();
    const standing = await away(owner.token, locationId);
    await publish(locationId, marked("x".repeat(MAX_KEPT_BYTES - 1_000)));
    const replays = Math.ceil(MAX_REPLAYED_BYTES_PER_MINUTE / MAX_KEPT_BYTES) + 1;
    const reloads: boolean[] = [];
    for (let n = 0; n <= replays; n++)
      reloads.push((await joined(owner.token, locationId, since(standing))).standing.reload);
    expect([reloads[0], reloads.at(-1)]).toEqual([false, true]);
    const other = await mintMember(organizationId);
    expect((await joined(other.token, locationId, since(standing))).standing.reload).toBe(false);
    stopClock(Date.now() + 60 * SECOND);
    expect((await joined(owner.token, locationId, since(standing))).standing.reload).toBe(false);
  });

  test("when the events of its replay did not reach it", async () => {
    const { owner, locationId } = await site();
    const standing = await away(owner.token, locationId);
    await publish(locationId, marked(1));
    const lost = vi.spyOn(HubShardObject.prototype, "deliver").mockRejectedValueOnce(new Error("lost"));
    onTestFinished(() => lost.mockRestore());
    const { client, standing: now } = await joined(owner.token, locationId, since(standing));
    expect([marksOf(client), now.reload]).toEqual([[], true]);
  });
});

describe("a replay has no event", () => {
  test("of a subject that was deleted or moved, or that the person may not see", async () => {
    const { owner, organizationId, location, locationId } = await site();
    const other = await mintLocation({ organizationId });
    const viewer = await mintMember(organizationId, "member", { LocationBundles: "None" });
    const [standing, narrow] = [await away(owner.token, locationId), await away(viewer.token, locationId)];
    const ids = [];
    for (const fileName of ["gone", "moved", "stays"])
      ids.push(await mintDocument({ organizationId }, location, [], { fileName }));
    const [gone = "", moved = "", stays = ""] = ids;
    const annotationId = await mintAnnotation({ organizationId }, location);
    for (const documentId of ids)
      await announceEvent({ type: "document-uploaded", documentId, version: 1, actorUserId: null });
    await announceEvent({ type: "position-changed", locationId, annotationId, position: { x: 1 }, revision: 2 });
    expect((await call("DELETE", `/v1/documents/${gone}`, { token: owner.token })).status).toBe(204);
    await env.DB.prepare("UPDATE documents SET location_id = ? WHERE id = ?").bind(other.id, moved).run();
    const told = async (token: string, from: Standing) => {
      const { client, standing } = await joined(token, locationId, since(from));
      expect(standing.reload).toBe(false);
      return client
        .events()
        .filter(
          ({ target, arguments: [, payload] }) => target !== "StateUpdated" || !JSON.stringify(payload).includes(gone),
        )
        .map(({ target, arguments: [, payload] }) => [target, (payload as { documentId?: string }).documentId]);
    };
    expect(await told(owner.token, standing)).toEqual([
      ["DocumentUploaded", stays],
      ["PositionChanged", undefined],
    ]);
    expect(await told(viewer.token, narrow)).toEqual([["DocumentUploaded", stays]]);
  });

  test("for a person who lost the location", async () => {
    const { organizationId, locationId } = await site();
    const member = await mintMember(organizationId);
    const standing = await away(member.token, locationId);
    await publish(locationId, marked(1));
    await env.DB.prepare("DELETE FROM memberships WHERE user_id = ?").bind(member.userId).run();
    const client = await HubClient.connect(member.token);
    onTestFinished(() => client.close());
    expect(await client.invoke("JoinLocation", locationId, since(standing))).toContain("HubException");
    expect(client.events()).toEqual([]);
  });
});

test("an event that was announced twice, and an image after an image, are replayed once", async () => {
  const { owner, locationId } = await site();
  const standing = await away(owner.token, locationId);
  await publish(locationId, marked("first", { id: "a" }), marked("second", { id: "b" }));
  await publish(locationId, marked("first again", { id: "a" }));
  await runInDurableObject(env.HUB_LOCATION.getByName(locationId), (channel) =>
    channel.publish([marked("image 1", { key: "camera" }), marked("image 2", { key: "camera" })]),
  );
  // The second image waits for its interval.
  const last = "SELECT event FROM events ORDER BY sequence DESC LIMIT 1";
  await eventually(async () =>
    expect(
      await runInDurableObject(env.HUB_LOCATION.getByName(locationId), (_, { storage }) =>
        storage.sql.exec(last).toArray(),
      ),
    ).toMatchObject([{ event: expect.stringContaining("image 2") }]),
  );
  const { client, standing: now } = await joined(owner.token, locationId, since(standing));
  expect([marksOf(client), now.reload]).toEqual([["second", "first again", "image 2"], false]);
});

test("kept events survive the loss of the object's memory, and an alarm deletes them when they are old", async () => {
  const { owner, locationId } = await site();
  const start = stopClock();
  const standing = await away(owner.token, locationId);
  await publish(locationId, marked(1), marked(2));
  const channel = env.HUB_LOCATION.getByName(locationId);
  await evictDurableObject(channel);
  const { client } = await joined(owner.token, locationId, since(standing));
  expect(marksOf(client)).toEqual([1, 2]);
  expect(await rowsOf(locationId, "events")).toBe(2);
  const at = await runInDurableObject(channel, (_, { storage }) => storage.getAlarm());
  expect(at).toBeGreaterThanOrEqual(start + EVENT_RETENTION_MS);
  stopClock(start + EVENT_RETENTION_MS + SECOND);
  await runDurableObjectAlarm(channel);
  expect(await rowsOf(locationId, "events")).toBe(0);
  expect(await runInDurableObject(channel, (_, { storage }) => storage.getAlarm())).toBeNull();
  // What was deleted was missed. After it, nothing was.
  const late = await joined(owner.token, locationId, since(standing));
  expect(late.standing.reload).toBe(true);
  expect((await joined(owner.token, locationId, since(late.standing))).standing.reload).toBe(false);
});

test("a location without listeners keeps nothing", async () => {
  const { locationId } = await site();
  await publish(locationId, marked(1));
  expect([await rowsOf(locationId, "events"), await rowsOf(locationId, "history")]).toEqual([0, 0]);
});

const joinAfter = (locationId: string, standing: Standing) =>
  JSON.stringify({ type: 1, invocationId: "1", target: "JoinLocation", arguments: [locationId, since(standing)] }) +
  END;

describe("a replay without a socket", () => {
  test("arrives over server-sent events and long polling", async () => {
    const { owner, locationId } = await site();
    const standing = await away(owner.token, locationId);
    await publish(locationId, marked("missed"));
    const id = await negotiate(owner.token);
    const reader = readerOf(await openEvents(owner.token, id));
    await post(owner.token, id, HANDSHAKE + joinAfter(locationId, standing));
    expect(await readUntil(reader, '"invocationId":"1"')).toContain('"mark":"missed"');
    await reader.cancel();
    const polled = await negotiate(owner.token);
    await poll(owner.token, polled);
    await post(owner.token, polled, HANDSHAKE + joinAfter(locationId, standing));
    let got = "";
    while (!got.includes('"invocationId":"1"')) got += await (await poll(owner.token, polled)).text();
    expect(got).toContain('"mark":"missed"');
  });
});
