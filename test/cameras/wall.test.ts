import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { wallSchema } from "../../src/cameras/management/wall";
import { cameraConditions, cameras } from "../../src/cameras/tables";
import { newId } from "../../src/platform/ids";
import { DAY, HOUR, MINUTE } from "../../src/platform/time";
import { locations } from "../../src/workspace/tables";
import { expectJson } from "../support/call";
import {
  type CameraSite,
  hideCaptures,
  mintCamera,
  mintCameraSite,
  mintCaptures,
  showCaptures,
} from "../support/cameras";
import { mintGrant, mintLocation, mintPerson } from "../support/factories";
import { fewestStatements, longestParameter, testDatabase } from "../support/statements";

/* The list of all cameras that a person can see, with the gaps of the last 24 hours. */

let site: CameraSite;

beforeEach(async () => {
  site = await mintCameraSite({ name: "Gate" });
});

const list = (who = site.owner, query = "") => expectJson(wallSchema, 200, "GET", `/v1/cameras${query}`, who);

test("lists the cameras of every location with its name, page by page, without retired ones", async () => {
  const { organizationId, locationId, camera } = site;
  const { id: elsewhere } = await mintLocation({ organizationId }, { name: "Dry dock" });
  const other = await mintCamera(organizationId, elsewhere);
  await mintCamera(organizationId, locationId, { retiredAt: Date.now() });
  await mintCameraSite();
  const all = await list();
  expect(all.items.map(({ id, locationName }) => [id, locationName])).toEqual([
    [camera.id, expect.any(String)],
    [other.id, "Dry dock"],
  ]);
  const first = await list(site.owner, "?limit=1");
  expect(first.items.map(({ id }) => id)).toEqual([camera.id]);
  const second = await list(site.owner, `?limit=1&cursor=${first.nextCursor}`);
  expect([second.items.map(({ id }) => id), second.nextCursor]).toEqual([[other.id], null]);
  expect((await list(site.owner, `?locationId=${elsewhere}`)).items.map(({ id }) => id)).toEqual([other.id]);
  expect((await list(site.owner, `?organizationId=${organizationId}`)).items).toHaveLength(2);
  expect((await list(site.owner, "?organizationId=personal")).items).toEqual([]);
});

test("a guest sees the cameras of the clusters and locations that are shared with them", async () => {
  const { organizationId, camera, locationId } = site;
  const { id: elsewhere, clusterId } = await mintLocation({ organizationId });
  const other = await mintCamera(organizationId, elsewhere);
  const [ofPlace, ofCluster, nobody] = [await mintPerson(), await mintPerson(), await mintPerson()];
  await mintGrant({ organizationId }, ofPlace.userId, "location", locationId, { LocationCameras: "Read" });
  await mintGrant({ organizationId }, ofCluster.userId, "cluster", clusterId, { LocationCameras: "Read" });
  for (const [who, expected] of [
    [ofPlace, [camera.id]],
    [ofCluster, [other.id]],
    [nobody, []],
  ] as const)
    expect((await list(who)).items.map(({ id }) => id)).toEqual(expected);
});

test("a guest of a cluster with thousands of locations reads the wall page by page, and no list of locations is sent", async () => {
  const { organizationId } = site;
  const db = testDatabase();
  const { id: first, clusterId } = await mintLocation({ organizationId });
  const ids = Array.from({ length: 2_500 }, () => newId());
  await db.run(sql`INSERT INTO locations (id, tenant_id, organization_id, cluster_id, name, metadata, created_at, updated_at)
    SELECT value, ${organizationId}, ${organizationId}, ${clusterId}, 'Place', '{}', 1, 1 FROM json_each(${JSON.stringify(ids)})`);
  const [middle = "", last = "", deleted = ""] = [ids[1_200], ids.at(-1), ids[7]];
  const guest = await mintPerson();
  await mintGrant({ organizationId }, guest.userId, "cluster", clusterId, { LocationCameras: "Read" });
  // This location also has its own grant. Its camera is listed once.
  await mintGrant({ organizationId }, guest.userId, "location", middle, { LocationCameras: "Read" });
  await mintCamera(organizationId, deleted);
  await db.update(locations).set({ deletedAt: Date.now() }).where(eq(locations.id, deleted));
  const expected: string[] = [];
  for (const place of [last, first, middle, last]) expected.push((await mintCamera(organizationId, place)).id);
  const seen: string[] = [];
  const longest = await longestParameter("camera_health", async () => {
    let query = "?limit=3";
    for (let cursor: string | null = ""; cursor !== null; query = `?limit=3&cursor=${cursor}`) {
      const page = await list(guest, query);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
  });
  expect(seen).toEqual(expected);
  expect(longest).toBeGreaterThan(0);
  expect(longest).toBeLessThan(1_000);
  const one = await list(guest, `?locationId=${middle}`);
  expect(one.items.map(({ id }) => id)).toEqual([expected[2]]);
  expect((await list(guest, `?locationId=${deleted}`)).items).toEqual([]);
  expect((await list(guest, `?locationId=${site.locationId}`)).items).toEqual([]);
});

test("returns the gaps of the last day with their causes, in as many statements for many cameras as for one", async () => {
  const { organizationId, locationId, camera } = site;
  const now = Date.now();
  const db = testDatabase();
  // An image every 20 minutes, except from ten to six hours ago and in the last two hours.
  const times = Array.from({ length: 90 }, (_, i) => now - i * 20 * MINUTE - MINUTE).filter((at) => {
    const ago = now - at;
    return ago > 2 * HOUR && (ago < 6 * HOUR || ago > 10 * HOUR);
  });
  await mintCaptures(
    camera,
    locationId,
    times.map((capturedAt) => ({ capturedAt })),
  );
  await db.insert(cameraConditions).values([
    { cameraId: camera.id, kind: "paused", startedAt: now - 10 * HOUR, endedAt: now - 6 * HOUR, detail: {} },
    { cameraId: camera.id, kind: "offline", startedAt: now - 2 * HOUR, detail: {} },
  ]);
  const [shown] = (await list()).items;
  const hours = shown?.lastDay.gaps.map(({ startUtc, endUtc, cause }) => [
    Math.round((now - Date.parse(startUtc)) / HOUR),
    Math.round((now - Date.parse(endUtc)) / HOUR) + 0,
    cause,
  ]);
  expect(hours).toEqual([
    [10, 6, "paused"],
    [2, 0, "offline"],
  ]);
  const few = await fewestStatements(() => list());
  for (let i = 0; i < 5; i++) await mintCamera(organizationId, locationId);
  expect(await fewestStatements(() => list())).toBe(few);
  await db.update(cameras).set({ captureIntervalMinutes: 240 }).where(eq(cameras.id, camera.id));
  expect((await list()).items[0]?.lastDay.gaps).toEqual([]);
});

test.each([10, 20, 30, 50, 90])(
  "finds the shortest gap of a camera that takes an image each %i minutes, wherever it is",
  async (minutes) => {
    const { camera, locationId } = site;
    const now = Date.now();
    const step = minutes * MINUTE;
    const missing = Math.max(3, Math.ceil(30 / minutes)) - 1;
    const last = Math.floor((DAY - step) / step) - missing - 1;
    await testDatabase().update(cameras).set({ captureIntervalMinutes: minutes }).where(eq(cameras.id, camera.id));
    const offsets = Array.from({ length: (26 * 60) / minutes }, (_, i) => now - MINUTE - i * step);
    const ids = await mintCaptures(
      camera,
      locationId,
      offsets.map((capturedAt) => ({ capturedAt })),
    );
    for (const begin of [2, 5, 6, 7, last].filter((one) => one <= last)) {
      await showCaptures(ids);
      await hideCaptures(ids.slice(begin, begin + missing), now);
      const [shown] = (await list()).items;
      expect(shown?.lastDay.gaps.map(({ startUtc, endUtc }) => [Date.parse(startUtc), Date.parse(endUtc)])).toEqual([
        [offsets[begin + missing], offsets[begin - 1]],
      ]);
    }
  },
);
