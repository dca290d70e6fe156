import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { cameraAssignments, cameraConditions, cameras } from "../../src/cameras/tables";
import { DAY, HOUR, MINUTE } from "../../src/platform/time";
import { call, codeOf, expectJson } from "../support/call";
import { type CameraSite, mintCameraSite, mintCaptures } from "../support/cameras";
import { mintGrant, mintLocation, mintPerson } from "../support/factories";
import { mintShare, withShare } from "../support/shares";
import { testDatabase } from "../support/statements";

/* A location that a camera has left shows the camera with its state at that time. */

let site: CameraSite;
let elsewhere: string;

beforeEach(async () => {
  site = await mintCameraSite({
    name: "Quay",
    timeZone: "Europe/Oslo",
    captureIntervalMinutes: 20,
    retentionDays: 365,
  });
  ({ id: elsewhere } = await mintLocation({ organizationId: site.organizationId }));
});

const change = async (method: string, path: string, body: Record<string, unknown>) =>
  expect((await call(method, `/v1/cameras/${site.camera.id}${path}`, { token: site.owner.token, body })).status).toBe(
    200,
  );

/** Moves the camera to Tokyo and gives it another name and other settings. */
async function moveAway(): Promise<void> {
  await change("POST", "/relinks", { baseRevision: 1, locationId: elsewhere });
  const settings = { name: "The minister's house", timeZone: "Asia/Tokyo", captureIntervalMinutes: 5 };
  await change("PATCH", "", { baseRevision: 2, ...settings });
}

const shared = z.looseObject({ cameras: z.array(z.looseObject({})) });
async function throughLink(locationId: string): Promise<unknown[]> {
  const { token } = await mintShare(site.organizationId, locationId, [site.camera.id]);
  return (await expectJson(shared, 200, "GET", "/v1/shared-cameras", { headers: withShare(token) })).cameras;
}

const strip = z.looseObject({
  timeZone: z.string(),
  days: z.array(z.looseObject({ atUtc: z.string(), capture: z.looseObject({ id: z.string() }).nullable() })),
});
const stripAt = (locationId: string) =>
  expectJson(strip, 200, "POST", `/v1/cameras/${site.camera.id}/day-strip?locationId=${locationId}`, {
    ...site.owner,
    body: { fromDate: "2026-06-10", toDate: "2026-06-10", localTime: "12:00" },
  });

const items = z.looseObject({ items: z.array(z.looseObject({})) });
const listAt = async (locationId: string): Promise<unknown[]> =>
  (await expectJson(items, 200, "GET", `/v1/spatial/locations/${locationId}/cameras`, site.owner)).items;

const AT_QUAY = { name: "Quay", timeZone: "Europe/Oslo", captureIntervalMinutes: 20 };
const IN_TOKYO = { name: "The minister's house", timeZone: "Asia/Tokyo", captureIntervalMinutes: 5 };

describe("a camera that moved keeps its name, time zone and interval at the old location", () => {
  test("in a link to its old location; a link to its new location has the new ones", async () => {
    await moveAway();
    expect(await throughLink(site.locationId)).toMatchObject([AT_QUAY]);
    expect(await throughLink(elsewhere)).toMatchObject([IN_TOKYO]);
  });

  test("in the day strip, which has the days and times of the old location", async () => {
    const ids = await mintCaptures(site.camera, site.locationId, [
      { capturedAt: Date.parse("2026-06-10T03:00:00Z") },
      { capturedAt: Date.parse("2026-06-10T10:00:00Z") },
    ]);
    await moveAway();
    const there = await stripAt(site.locationId);
    expect(there).toMatchObject({
      timeZone: "Europe/Oslo",
      days: [{ atUtc: "2026-06-10T10:00:00.000Z", capture: { id: ids[1] } }],
    });
    expect(await stripAt(elsewhere)).toMatchObject({ timeZone: "Asia/Tokyo", days: [{ capture: null }] });
  });

  test("in the list of the old location's cameras", async () => {
    await moveAway();
    expect(await listAt(site.locationId)).toMatchObject([{ isHistorical: true, ...AT_QUAY }]);
    expect(await listAt(elsewhere)).toMatchObject([{ isHistorical: false, ...IN_TOKYO }]);
  });

  test("until it returns: then the list has it once, with its current settings", async () => {
    await moveAway();
    await change("POST", "/relinks", { baseRevision: 3, locationId: site.locationId });
    expect(await throughLink(site.locationId)).toMatchObject([IN_TOKYO]);
    expect(await throughLink(elsewhere)).toMatchObject([IN_TOKYO]);
    await change("PATCH", "", { baseRevision: 4, timeZone: "Europe/Paris" });
    expect(await throughLink(site.locationId)).toMatchObject([{ timeZone: "Europe/Paris" }]);
    expect(await throughLink(elsewhere)).toMatchObject([IN_TOKYO]);
    const { days: _, timeZone } = await stripAt(site.locationId);
    expect(timeZone).toBe("Europe/Paris");
  });

  test("also when they changed just before it left", async () => {
    await change("PATCH", "", { baseRevision: 1, timeZone: "Europe/Helsinki", captureIntervalMinutes: 7 });
    await change("POST", "/relinks", { baseRevision: 2, locationId: elsewhere });
    await change("PATCH", "", { baseRevision: 3, timeZone: "Asia/Tokyo" });
    expect(await throughLink(site.locationId)).toMatchObject([
      { timeZone: "Europe/Helsinki", captureIntervalMinutes: 7 },
    ]);
  });
});

test("a gap in which the camera was at another location has no cause from there", async () => {
  const { camera, locationId, owner } = site;
  const now = Date.now();
  const [left, back] = [now - 5 * DAY, now - 2 * DAY];
  const series = (end: number) => Array.from({ length: 7 }, (_, i) => ({ capturedAt: end - (6 - i) * 20 * MINUTE }));
  await mintCaptures(camera, locationId, [...series(left - MINUTE), ...series(back + 3 * HOUR)]);
  const db = testDatabase();
  await db.update(cameraAssignments).set({ endedAt: left }).where(eq(cameraAssignments.cameraId, camera.id));
  await db.insert(cameraAssignments).values([
    { cameraId: camera.id, generation: 2, locationId: elsewhere, startedAt: left, endedAt: back },
    { cameraId: camera.id, generation: 3, locationId, startedAt: back },
  ]);
  await db.update(cameras).set({ assignmentGeneration: 3 }).where(eq(cameras.id, camera.id));
  const paused = { cameraId: camera.id, kind: "paused" as const };
  await db.insert(cameraConditions).values({ ...paused, startedAt: left + HOUR, endedAt: back - HOUR, detail: {} });
  const timeline = z.looseObject({ gaps: z.array(z.looseObject({ cause: z.string() })) });
  const read = () =>
    expectJson(timeline, 200, "GET", `/v1/cameras/${camera.id}/timeline?locationId=${locationId}`, owner);
  expect((await read()).gaps).toMatchObject([{ cause: "unknown" }]);
  // The same pause is the cause while the camera was at this location.
  await db
    .update(cameraAssignments)
    .set({ endedAt: back - MINUTE })
    .where(and(eq(cameraAssignments.cameraId, camera.id), eq(cameraAssignments.generation, 1)));
  await db.update(cameras).set({ watermark: 1 }).where(eq(cameras.id, camera.id));
  expect((await read()).gaps).toMatchObject([{ cause: "paused" }]);
});

test("people at the new location cannot end images of the old one with a shorter retention", async () => {
  const { camera, organizationId, owner, locationId } = site;
  const neighbour = await mintPerson();
  const grantee = { organizationId };
  await mintGrant(grantee, neighbour.userId, "location", elsewhere, { LocationCameras: "Write" });
  const [old, recent] = await mintCaptures(camera, locationId, [
    { capturedAt: Date.now() - 100 * DAY },
    { capturedAt: Date.now() - 10 * DAY },
  ]);
  await change("POST", "/relinks", { baseRevision: 1, locationId: elsewhere });
  const shorten = async (token: string, baseRevision: number, retentionDays: number) => {
    const body = { baseRevision, retentionDays, confirmRetentionReduction: true };
    const answer = await call("PATCH", `/v1/cameras/${camera.id}`, { token, body });
    return answer.status === 200 ? "200" : await codeOf(answer);
  };
  const captures = z.looseObject({ items: z.array(z.looseObject({ id: z.string() })) });
  const archive = async () => {
    const path = `/v1/cameras/${camera.id}/captures?locationId=${locationId}`;
    return (await expectJson(captures, 200, "GET", path, owner)).items.map(({ id }) => id);
  };
  expect(await shorten(neighbour.token, 2, 50)).toBe("403 forbidden");
  expect(await archive()).toEqual([recent, old]);
  // No image expires.
  expect(await shorten(neighbour.token, 2, 150)).toBe("200");
  await mintGrant(grantee, neighbour.userId, "location", locationId, { LocationCameras: "Write" });
  expect(await shorten(neighbour.token, 3, 50)).toBe("200");
  expect(await archive()).toEqual([recent]);
});
