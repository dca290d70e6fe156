import { expect, onTestFinished, test, vi } from "vitest";
import { MAX_SUBSCRIPTIONS } from "../../src/hub/limits";
import { LocationChannelObject } from "../../src/hub/location/channel";
import { newId } from "../../src/platform/ids";
import type { LocationEvent } from "../../src/platform/ports";
import { mintLocation, mintMember, mintOrganization } from "../support/factories";
import { HubClient } from "../support/hub";
import { systemContext } from "../support/jobs";

/* JoinLocations: many locations in one call, each with its own answer. */

interface Standing {
  locationId: string;
  joined: boolean;
  epoch: string;
  sequence: number;
  reload: boolean;
}

const marked = (mark: string): LocationEvent => ({
  target: "StateUpdated",
  payload: { mark },
  requires: "LocationView",
  documentId: null,
  subject: null,
});
const publish = (locationId: string, mark: string) => systemContext().live.publish(locationId, [marked(mark)]);

async function site(count: number) {
  const { id: organizationId, owner } = await mintOrganization();
  const locationIds: string[] = [];
  for (let n = 0; n < count; n++) locationIds.push((await mintLocation({ organizationId })).id);
  return { organizationId, owner, locationIds };
}

async function connected(token: string, protocol: "json" | "messagepack" = "json") {
  const client = await HubClient.connect(token, protocol);
  onTestFinished(() => client.close());
  return client;
}

async function joinAll(client: HubClient, asked: { locationId: string; position: object | null }[]) {
  const { error, result } = await client.ask("JoinLocations", asked);
  expect(error).toBeUndefined();
  return result as Standing[];
}
const withoutPosition = (locationIds: readonly string[]) =>
  locationIds.map((locationId) => ({ locationId, position: null }));

test.each(["json", "messagepack"] as const)("joins many locations with their replays over %s", async (protocol) => {
  const { owner, locationIds } = await site(3);
  const first = await connected(owner.token, protocol);
  const standings = await joinAll(first, withoutPosition(locationIds));
  expect(standings).toMatchObject(locationIds.map((locationId) => ({ locationId, joined: true, reload: true })));
  first.close();
  await first.expectClosed();
  const [one = "", two = ""] = locationIds;
  await publish(one, "a");
  await publish(two, "b");
  await publish(one, "c");
  const client = await connected(owner.token, protocol);
  const again = await joinAll(
    client,
    standings.map(({ locationId, epoch, sequence }) => ({ locationId, position: { epoch, after: sequence } })),
  );
  expect(again.map(({ reload }) => reload)).toEqual([false, false, false]);
  const told = client
    .events("StateUpdated")
    .map(({ arguments: [at, payload] }) => [at, (payload as { mark: string }).mark]);
  expect(told.filter(([at]) => at === one)).toEqual([
    [one, "a"],
    [one, "c"],
  ]);
  expect(told.filter(([at]) => at !== one)).toEqual([[two, "b"]]);
});

test("answers for each location, and a refused one refuses no other", async () => {
  const { organizationId, locationIds } = await site(1);
  const other = await site(1);
  const client = await connected((await mintMember(organizationId)).token);
  const hidden = [...other.locationIds, newId(), "nothing"];
  const answers = await joinAll(client, withoutPosition([...hidden, ...locationIds]));
  expect(answers).toEqual([
    ...hidden.map((locationId) => ({ locationId, joined: false, reason: "not-found" })),
    { locationId: locationIds[0], joined: true, epoch: expect.any(String), sequence: expect.any(Number), reload: true },
  ]);
  await publish(locationIds[0] ?? "", "told");
  await client.expectEvent("StateUpdated");
});

test("says which location failed", async () => {
  const { owner, locationIds } = await site(2);
  const client = await connected(owner.token);
  const failing = vi.spyOn(LocationChannelObject.prototype, "join").mockRejectedValueOnce(new Error("lost"));
  onTestFinished(() => failing.mockRestore());
  const answers = await joinAll(client, withoutPosition(locationIds));
  expect(answers.filter(({ joined }) => joined)).toHaveLength(1);
  expect(answers).toContainEqual({ locationId: expect.any(String), joined: false, reason: "unavailable" });
});

test("takes as many locations as a connection may join", async () => {
  const { owner, locationIds } = await site(1);
  const client = await connected(owner.token);
  const absent = Array.from({ length: MAX_SUBSCRIPTIONS - 1 }, () => newId());
  const answers = await joinAll(client, withoutPosition([...absent, ...locationIds]));
  expect(answers.filter(({ joined }) => joined).map(({ locationId }) => locationId)).toEqual(locationIds);
  for (const wrong of [
    [withoutPosition([...absent, ...locationIds, newId()])],
    [],
    [locationIds],
    [[{ locationId: 1 }]],
  ])
    expect(await client.invoke("JoinLocations", ...wrong)).toBe(
      "Failed to invoke 'JoinLocations' due to an error on the server.",
    );
});
