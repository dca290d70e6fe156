import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { DELIVERY_RETRY_MS, MAX_DELIVERY_RETRY_MS, MAX_KEPT_EVENTS } from "../../src/hub/limits";
import { shardOf } from "../../src/hub/live";
import type { LocationEvent } from "../../src/platform/ports";
import { HubShard, LocationChannel } from "../../src/worker";
import { call } from "../support/call";
import { mintLocation, mintMember, mintOrganization } from "../support/factories";
import { HubClient } from "../support/hub";
import { systemContext } from "../support/jobs";
import { eventually, stopClock } from "../support/patience";

/* A shard that could not be reached, while its connections live: they receive later what they missed. */

afterEach(() => void vi.restoreAllMocks());

const event = (mark: number): LocationEvent => ({
  target: "StateUpdated",
  payload: { mark },
  requires: "LocationView",
  documentId: null,
  subject: null,
});
const publish = (locationId: string, ...marks: number[]) => systemContext().live.publish(locationId, marks.map(event));

/** The calls of this shard fail until the returned function is called. */
function cut(shard: string): () => void {
  const spies = (["deliver", "reconnect"] as const).map((method) => {
    const original = HubShard.prototype[method] as (...given: unknown[]) => Promise<unknown>;
    return vi.spyOn(HubShard.prototype, method).mockImplementation(function (this: HubShard, ...given: unknown[]) {
      return this.name === shard ? Promise.reject(new Error("Network connection lost.")) : original.apply(this, given);
    } as never);
  });
  return () => {
    for (const spy of spies) spy.mockRestore();
  };
}

/** Two members of one organization in different shards, connected to its location. */
async function site() {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  const shard = shardOf(owner.userId);
  let member = await mintMember(organizationId);
  while (shardOf(member.userId) === shard) member = await mintMember(organizationId);
  const [near, far] = [await HubClient.connect(member.token), await HubClient.connect(owner.token)];
  for (const client of [near, far]) expect(await client.join(locationId)).toBeNull();
  return { organizationId, owner, locationId, shard, near, far };
}
const marks = (client: HubClient) =>
  client.events("StateUpdated").map(({ arguments: given }) => (given[1] as { mark: number }).mark);
const alarmOf = (locationId: string) => runDurableObjectAlarm(env.HUB_LOCATION.getByName(locationId));

test("events that a shard did not receive come with the next event, in order and each once", async () => {
  const { locationId, shard, near, far } = await site();
  const mend = cut(shard);
  await publish(locationId, 1);
  await publish(locationId, 2, 3);
  mend();
  await publish(locationId, 4);
  await eventually(() => expect(marks(far)).toEqual([1, 2, 3, 4]));
  await publish(locationId, 5);
  await eventually(() => expect(marks(far)).toEqual([1, 2, 3, 4, 5]));
  expect(marks(near)).toEqual([1, 2, 3, 4, 5]);
});

test("DELIVERY_RETRY_MS: without another event they come after the pause, also if it failed before", async () => {
  const start = stopClock();
  const { locationId, shard, near, far } = await site();
  const mend = cut(shard);
  await publish(locationId, 1);
  stopClock(start + DELIVERY_RETRY_MS);
  await alarmOf(locationId);
  mend();
  stopClock(start + 3 * DELIVERY_RETRY_MS - 1);
  await alarmOf(locationId);
  await far.invoke("Settle");
  expect(marks(far)).toEqual([]);
  // The second pause is twice as long.
  stopClock(start + 3 * DELIVERY_RETRY_MS);
  await alarmOf(locationId);
  await eventually(() => expect(marks(far)).toEqual([1]));
  expect(marks(near)).toEqual([1]);
  const scheduled = await runInDurableObject(env.HUB_LOCATION.getByName(locationId), (_, { storage }) =>
    storage.getAlarm(),
  );
  // The next alarm is for old events: nothing is tried again.
  expect(scheduled).toBeGreaterThan(start + 7 * DELIVERY_RETRY_MS);
});

test("MAX_DELIVERY_RETRY_MS: a shard that cannot be reached for long is tried at longer pauses, up to the longest one", async () => {
  let now = stopClock();
  const { locationId, shard, far } = await site();
  const mend = cut(shard);
  await publish(locationId, 1);
  const pauses: number[] = [];
  const alarm = () =>
    runInDurableObject(env.HUB_LOCATION.getByName(locationId), (_, { storage }) => storage.getAlarm());
  for (let tries = 0; tries < 8; tries++) {
    const next = (await alarm()) ?? 0;
    pauses.push(next - now);
    now = next;
    stopClock(now);
    await alarmOf(locationId);
  }
  const doubled = Array.from({ length: 8 }, (_, tries) => DELIVERY_RETRY_MS * 2 ** tries);
  expect(pauses).toEqual(doubled.map((pause) => Math.min(pause, MAX_DELIVERY_RETRY_MS)));
  expect(pauses.at(-1)).toBe(MAX_DELIVERY_RETRY_MS);
  mend();
  // A new event ends the pause.
  await publish(locationId, 2);
  await eventually(() => expect(marks(far)).toEqual([1, 2]));
});

test("access that cannot be read at an attempt ends no attempts", async () => {
  const start = stopClock();
  const { locationId, shard, far } = await site();
  const mend = cut(shard);
  await publish(locationId, 1);
  mend();
  const opened = LocationChannel.prototype as unknown as { context(): unknown };
  const context = vi.spyOn(opened, "context").mockImplementation(() => {
    throw new Error("the database is down");
  });
  stopClock(start + DELIVERY_RETRY_MS);
  await alarmOf(locationId);
  expect(context).toHaveBeenCalled();
  context.mockRestore();
  // The second pause is twice as long.
  stopClock(start + 3 * DELIVERY_RETRY_MS);
  await alarmOf(locationId);
  await eventually(() => expect(marks(far)).toEqual([1]));
});

test("a shard that missed more than is kept has its clients connect and read again", async () => {
  const { locationId, shard, near, far } = await site();
  const mend = cut(shard);
  const missed = Array.from({ length: MAX_KEPT_EVENTS + 1 }, (_, mark) => mark);
  await publish(locationId, ...missed);
  mend();
  await publish(locationId, -1);
  await far.expectClosed();
  expect(far.received.at(-1)).toMatchObject({ type: "close", allowReconnect: true });
  expect(near.closed).toBeNull();
  await eventually(() => expect(marks(near)).toEqual([...missed, -1]));
});

test("a person whose access ended meanwhile receives nothing of what was missed", async () => {
  const { organizationId, owner, locationId } = await site();
  const guest = await mintMember(organizationId);
  const client = await HubClient.connect(guest.token);
  expect(await client.join(locationId)).toBeNull();
  const mend = cut(shardOf(guest.userId));
  const recheck = vi.spyOn(HubShard.prototype, "recheckUsers").mockResolvedValue();
  await publish(locationId, 1);
  const path = `/v1/orgs/${organizationId}/members/${guest.userId}`;
  expect((await call("DELETE", path, { token: owner.token })).status).toBe(204);
  mend();
  await publish(locationId, 2);
  await client.expectEvent("SubscriptionRevoked");
  expect(marks(client)).toEqual([]);
  recheck.mockRestore();
});
