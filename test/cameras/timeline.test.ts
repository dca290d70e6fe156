import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import type { z } from "zod";
import { presentTimeline, timelineSchema } from "../../src/cameras/archive/present";
import { presentCapture } from "../../src/cameras/captures";
import { wallSchema } from "../../src/cameras/management/wall";
import { cameraAssignments, cameraConditions, cameras } from "../../src/cameras/tables";
import { DAY, HOUR, MINUTE, toUtc } from "../../src/platform/time";
import { call, expectJson } from "../support/call";
import { type CameraSite, mintAssignment, mintCameraSite, mintCaptures } from "../support/cameras";
import { mintLocation } from "../support/factories";
import { testDatabase } from "../support/statements";
import { every, now, standStill, utc } from "./frame-times";

/* The timeline of a camera: its ends, its gaps with their causes, and the gap from the latest image until now. */

let site: CameraSite;
beforeEach(async () => {
  standStill();
  site = await mintCameraSite();
});

const at = (query = ""): string => `/v1/cameras/${site.camera.id}/timeline?locationId=${site.locationId}${query}`;
const get = <T extends z.ZodType>(schema: T, path: string) => expectJson(schema, 200, "GET", path, site.owner);

test("the timeline is empty without captures, and shows an outage exactly", async () => {
  const { locationId, camera } = site;
  expect(await get(timelineSchema, at())).toMatchObject({
    first: null,
    last: null,
    gaps: [],
    openGap: null,
  });
  const before = every(20 * MINUTE, 10, now - DAY);
  const ids = await mintCaptures(camera, locationId, [...before, ...every(20 * MINUTE, 10)]);
  await testDatabase().update(cameras).set({ watermark: 20 }).where(eq(cameras.id, camera.id));
  const { first, last, gaps, watermark } = await get(timelineSchema, at());
  expect([first?.id, last?.id, watermark]).toEqual([ids[0], ids.at(-1), 20]);
  const end = every(20 * MINUTE, 10)[0]?.capturedAt ?? 0;
  expect(gaps).toEqual([{ startUtc: toUtc(now - DAY), endUtc: toUtc(end), cause: "unknown" }]);
});

test("the timeline names the cause that explains most of a gap", async () => {
  const { locationId, camera } = site;
  const [start, end] = [now - DAY, every(20 * MINUTE, 10)[0]?.capturedAt ?? 0];
  await mintCaptures(camera, locationId, [...every(20 * MINUTE, 10, start), ...every(20 * MINUTE, 10)]);
  const condition = { cameraId: camera.id, detail: {} };
  await testDatabase()
    .insert(cameraConditions)
    .values([
      { ...condition, kind: "offline", startedAt: start + HOUR, endedAt: start + 2 * HOUR },
      { ...condition, kind: "paused", startedAt: start + 2 * HOUR, endedAt: end },
    ]);
  expect((await get(timelineSchema, at())).gaps.map(({ cause }) => cause)).toEqual(["paused"]);
});

test("the timeline has the time since the last capture, with its cause, by the rule of the wall, until a capture arrives", async () => {
  const { locationId, camera } = site;
  const open = async (query = "") => (await get(timelineSchema, at(query))).openGap;
  const wall = async () => {
    const [shown] = (await get(wallSchema, "/v1/cameras")).items;
    return shown?.lastDay.gaps.find(({ startUtc }) => startUtc === toUtc(start));
  };
  const changed = (values: Partial<typeof cameras.$inferInsert>) =>
    testDatabase()
      .update(cameras)
      .set({ watermark: sql`watermark + 1`, ...values })
      .where(eq(cameras.id, camera.id));
  const start = now - 90 * MINUTE;
  await mintCaptures(camera, locationId, every(20 * MINUTE, 10, start));
  const gap = { startUtc: toUtc(start), endUtc: expect.any(String), cause: "unknown" };
  expect(await open()).toEqual(gap);
  expect(await wall()).toEqual(gap);
  await testDatabase()
    .insert(cameraConditions)
    .values({ cameraId: camera.id, kind: "offline", startedAt: start + MINUTE, detail: {} });
  await changed({});
  expect(await open()).toEqual({ ...gap, cause: "offline" });
  expect(await wall()).toEqual({ ...gap, cause: "offline" });
  expect(await open(`&fromUtc=${utc(start - HOUR)}`)).toBeNull();
  // Three intervals of 31 minutes are longer than this silence.
  await changed({ captureIntervalMinutes: 31 });
  expect([await open(), await wall()]).toEqual([null, undefined]);
  await changed({ captureIntervalMinutes: 20 });
  expect(await open()).not.toBeNull();
  await changed({ retiredAt: now });
  expect(await open()).toBeNull();
  await changed({ retiredAt: null });
  await mintCaptures(camera, locationId, [{ capturedAt: now - MINUTE }]);
  await changed({});
  expect([await open(), (await wall())?.endUtc]).toEqual([null, toUtc(now - MINUTE)]);
});

test("the timeline has no current gap before the camera came, nor after it left", async () => {
  const { organizationId, locationId, camera } = site;
  await mintCaptures(camera, locationId, every(20 * MINUTE, 10, now - DAY));
  const there = (await mintLocation({ organizationId })).id;
  const left = eq(cameraAssignments.cameraId, camera.id);
  await testDatabase()
    .update(cameraAssignments)
    .set({ endedAt: now - DAY / 2 })
    .where(left);
  await mintAssignment(camera.id, there, { generation: 2, startedAt: now - DAY / 2, endedAt: now - 10 * MINUTE });
  await testDatabase().update(cameras).set({ locationId: there }).where(eq(cameras.id, camera.id));
  expect((await get(timelineSchema, at())).openGap).toBeNull();
  // It came back a moment ago.
  await mintAssignment(camera.id, locationId, { generation: 3, startedAt: now - 10 * MINUTE });
  await testDatabase().update(cameras).set({ locationId, watermark: 9 }).where(eq(cameras.id, camera.id));
  expect((await get(timelineSchema, at())).openGap).toBeNull();
});

test("the timeline of a range has the gaps that the whole archive is too long for", async () => {
  const { locationId, camera } = site;
  const [start, end] = [now - 400 * DAY, now - 400 * DAY + 3 * HOUR];
  await testDatabase().update(cameras).set({ retentionDays: 500 }).where(eq(cameras.id, camera.id));
  const around = [...every(10 * MINUTE, 12, start), ...every(10 * MINUTE, 12, end + 110 * MINUTE)];
  await mintCaptures(camera, locationId, [...around, ...every(10 * MINUTE, 12)]);
  const gaps = async (query = "") => (await get(timelineSchema, at(query))).gaps;
  const short = { startUtc: toUtc(start), endUtc: toUtc(end), cause: "unknown" };
  expect(await gaps()).not.toContainEqual(short);
  expect(await gaps(`&fromUtc=${utc(start - DAY)}&toUtc=${utc(end + DAY)}`)).toEqual([short]);
  const ranged = await get(timelineSchema, at(`&fromUtc=${utc(end)}&toUtc=${utc(end + HOUR)}`));
  expect([ranged.first?.capturedAtUtc, ranged.last?.capturedAtUtc]).toEqual([toUtc(end), toUtc(end + HOUR)]);
  expect((await call("GET", at(`&fromUtc=${utc(now)}&toUtc=${utc(start)}`), site.owner)).status).toBe(400);
});

test("the timeline at a location that the camera left has a watermark of its content", async () => {
  const { locationId, camera } = site;
  const [row] = await testDatabase().select().from(cameras).where(eq(cameras.id, camera.id));
  if (row === undefined) throw new Error("no camera");
  const markOf = (cause: "paused" | "offline", watermark: number, where: string) =>
    presentTimeline(
      { camera: { ...row, watermark }, locationId: where },
      { first: null, last: null, gaps: [{ start: now - DAY, end: now, cause }], openGap: null },
      presentCapture,
    ).watermark;
  expect(markOf("paused", 1, locationId)).toBe(1);
  expect(markOf("paused", 2, "left")).toBe(markOf("paused", 1, "left"));
  expect(markOf("offline", 1, "left")).not.toBe(markOf("paused", 1, "left"));
});

test("the timeline is cached for a moment, and computed again after a publication, even into an old gap", async () => {
  const { locationId, camera } = site;
  await mintCaptures(camera, locationId, [...every(MINUTE, 5, now - DAY), ...every(MINUTE, 5)]);
  expect((await get(timelineSchema, at())).gaps).toHaveLength(1);
  await mintCaptures(camera, locationId, every(MINUTE, 5, now - DAY / 2));
  expect((await get(timelineSchema, at())).gaps).toHaveLength(1);
  await testDatabase().update(cameras).set({ watermark: 5 }).where(eq(cameras.id, camera.id));
  expect((await get(timelineSchema, at())).gaps).toHaveLength(2);
});
