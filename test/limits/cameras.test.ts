import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { lastDayOf } from "../../src/cameras/archive/last-day";
import { leastSilence } from "../../src/cameras/archive/timeline";
import { timesSchema } from "../../src/cameras/archive/times";
import { captureKey } from "../../src/cameras/captures";
import { decide, type Health, type HealthFacts } from "../../src/cameras/health/health";
import { watchCameras } from "../../src/cameras/health/watch";
import * as cameras from "../../src/cameras/limits";
import { previewsSchema } from "../../src/cameras/previews/previews";
import { cameraAssignments, cameraHealth } from "../../src/cameras/tables";
import { MAX_EXPORTED_FILES } from "../../src/exports/limits";
import { newId } from "../../src/platform/ids";
import { embedPreview } from "../../src/platform/jpeg";
import { DAY, HOUR, MINUTE, toUtc } from "../../src/platform/time";
import { call, codeOf, expectJson } from "../support/call";
import { mintCamera, mintCameraSite, mintCaptures, mintCredential, mintImage } from "../support/cameras";
import { keepJobs, systemContext } from "../support/jobs";
import { stopClock } from "../support/patience";
import { jpegFixture } from "../support/pictures";
import { testDatabase } from "../support/statements";
import { copyRow } from "./fill";

describe("INTERVALS_UNTIL_SILENT", () => {
  test("a time without images is a gap from so many intervals on", () => {
    expect(leastSilence(60)).toBe(cameras.INTERVALS_UNTIL_SILENT * HOUR);
  });

  test("a gap of so many intervals is found in the last day, wherever it lies", async () => {
    const now = stopClock();
    const from = now - DAY;
    const { camera, locationId } = await mintCameraSite({ captureIntervalMinutes: 60 });
    await testDatabase()
      .update(cameraAssignments)
      .set({ startedAt: 0 })
      .where(eq(cameraAssignments.cameraId, camera.id));
    const gap = { start: from + 0.9 * HOUR, end: from + (cameras.INTERVALS_UNTIL_SILENT + 0.95) * HOUR };
    const times = [gap.start];
    for (let at = gap.end; at < now; at += 50 * MINUTE) times.push(at);
    await mintCaptures(
      camera,
      locationId,
      times.map((capturedAt) => ({ capturedAt, completedAt: capturedAt })),
    );
    const days = await lastDayOf({ ...systemContext(), now }, [camera.id]);
    expect(days.get(camera.id)?.gaps).toMatchObject([gap]);
  });
});

describe("the health of a camera", () => {
  const facts: HealthFacts = {
    // The window is open for a minute a day, so three intervals of a day never pass.
    schedule: { captureWindow: { start: "06:00", end: "06:01" }, timeZone: "UTC" },
    intervalMs: DAY,
    isWatched: true,
    lastSeenAt: null,
    lastAcceptedAt: null,
  };
  const none = { silence: null, silentSince: null, notifiedAt: null, recoveredAt: null };

  test("SCHEDULE_HORIZON_MS: an image is expected within this time, even if the window is hardly open", () => {
    const now = Date.UTC(2026, 10, 1, 7);
    const before: Health = { checkAt: 0, watchedSince: now, ...none };
    expect(decide(facts, before, now).health.checkAt).toBe(now + cameras.SCHEDULE_HORIZON_MS);
  });

  test("RECOVERY_GROUPING_MS: a camera that is back waits for the others until then", async () => {
    const now = Date.UTC(2026, 10, 1, 7);
    const recoveredAt = now - MINUTE;
    const open = { ...facts, schedule: { captureWindow: null, timeZone: "UTC" }, lastAcceptedAt: now };
    const back: Health = { checkAt: 0, watchedSince: now, ...none, recoveredAt };
    expect(decide(open, back, now).health.checkAt).toBe(recoveredAt + cameras.RECOVERY_GROUPING_MS);
  });

  /** Cameras of a location from which nothing was heard for hours. */
  async function silent(count: number) {
    const site = await mintCameraSite();
    await keepJobs(site.organizationId);
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const camera = n === 0 ? site.camera : await mintCamera(site.organizationId, site.locationId);
      await mintCredential(camera.id);
      ids.push(camera.id);
    }
    const now = Date.now();
    // Due before the cameras of other tests: a run of the job checks a limited number.
    const watched = (of: readonly string[], more: Partial<typeof cameraHealth.$inferInsert> = {}) =>
      testDatabase()
        .update(cameraHealth)
        .set({ watchedSince: now - DAY, checkAt: -1, ...more })
        .where(inArray(cameraHealth.cameraId, [...of]));
    const told = async (type: string) => {
      const job = {
        id: newId(),
        kind: "watch-cameras",
        tenantId: null,
        payload: {},
        state: null,
        attempts: 1,
      } as const;
      const run = { ...job, progress: { done: 0, total: 0 }, requestedBy: null };
      await (await watchCameras.run({ ...systemContext(), now: Date.now() }, run)).change?.commit();
      const { results } = await env.DB.prepare(
        `SELECT json_array_length(payload, '$.event.cameraIds') AS named, json_extract(payload, '$.event.count') AS count FROM jobs
         WHERE tenant_id = ? AND json_extract(payload, '$.event.type') = ? AND kind = 'announce'`,
      )
        .bind(site.organizationId, type)
        .all();
      return results;
    };
    return { ...site, ids, watched, told };
  }

  test("MAX_NAMED_CAMERAS: a notification names no more cameras, and counts all", async () => {
    const { ids, watched, told } = await silent(cameras.MAX_NAMED_CAMERAS + 1);
    await watched(ids);
    const [notice, ...others] = await told("cameras-silent");
    expect(others).toEqual([]);
    expect(notice).toEqual({ named: cameras.MAX_NAMED_CAMERAS, count: cameras.MAX_NAMED_CAMERAS + 1 });
  });

  test("RECOVERY_GROUPING_MS: a camera that has waited for this time is announced", async () => {
    const now = stopClock();
    const { ids, watched, told, camera } = await silent(2);
    const [, other = ""] = ids;
    await env.DB.prepare("UPDATE cameras SET last_accepted_at = ?, last_seen_at = ? WHERE id = ?")
      .bind(now, now, camera.id)
      .run();
    await watched([other], { silence: "offline", silentSince: now - HOUR, notifiedAt: now - HOUR, checkAt: now + DAY });
    await watched([camera.id], { recoveredAt: now - cameras.RECOVERY_GROUPING_MS + 1 });
    expect(await told("cameras-back")).toEqual([]);
    await watched([camera.id], { recoveredAt: now - cameras.RECOVERY_GROUPING_MS });
    expect(await told("cameras-back")).toEqual([{ named: 1, count: 1 }]);
  });
});

/** A camera with this many images at consecutive milliseconds. */
async function manyImages(count: number) {
  const site = await mintCameraSite();
  const { id } = await mintImage(site.camera, site.locationId, { capturedAt: Date.now() - HOUR });
  await copyRow("camera_frames", id, count - 1, { operation: "randomblob(16)", captured_at: "captured_at - i" });
  return site;
}

test("MAX_CAPTURE_TIMES: one answer has no more times, the newest ones", async () => {
  for (const [count, hasOlder] of [
    [cameras.MAX_CAPTURE_TIMES, false],
    [cameras.MAX_CAPTURE_TIMES + 1, true],
  ] as const) {
    const { camera, locationId, owner } = await manyImages(count);
    const path = `/v1/cameras/${camera.id}/captures/times?locationId=${locationId}`;
    const times = await expectJson(timesSchema, 200, "GET", path, owner);
    expect([times.stepsMs.length + 1, times.hasOlder]).toEqual([cameras.MAX_CAPTURE_TIMES, hasOlder]);
  }
});

test("MAX_EXPORT_IMAGES: an export of one image more is refused", async () => {
  const { camera, locationId, owner } = await manyImages(cameras.MAX_EXPORT_IMAGES + 1);
  const start = (from: string) =>
    call("POST", `/v1/cameras/${camera.id}/exports?locationId=${locationId}`, { ...owner, body: { fromUtc: from } });
  expect(await codeOf(await start(toUtc(0)))).toBe("422 rule-violated");
  const oldest = await env.DB.prepare("SELECT min(captured_at) AS at FROM camera_captures WHERE camera_id = ?")
    .bind(camera.id)
    .first<{ at: number }>();
  expect((await start(toUtc((oldest?.at ?? 0) + 1))).status).toBe(202);
});

test("MAX_EXPORTED_FILES: an export of a workspace with one image more is refused", async () => {
  const { organizationId, camera, owner } = await manyImages(MAX_EXPORTED_FILES + 1);
  const start = (fromUtc: string) =>
    call("POST", `/v1/orgs/${organizationId}/exports`, { ...owner, body: { images: { fromUtc } } });
  expect(await codeOf(await start(toUtc(0)))).toBe("422 rule-violated");
  const oldest = await env.DB.prepare("SELECT min(captured_at) AS at FROM camera_captures WHERE camera_id = ?")
    .bind(camera.id)
    .first<{ at: number }>();
  expect((await start(toUtc((oldest?.at ?? 0) + 1))).status).toBe(202);
});

test("MAX_PREVIEW_BYTES: a preview of one byte more is not read", async () => {
  const { camera, locationId, owner } = await mintCameraSite();
  const capturedAt = Date.now() - HOUR;
  const row = await mintImage(camera, locationId, { capturedAt });
  const shown = async (bytes: number) => {
    await env.BUCKET.put(
      captureKey(row, "thumbnail"),
      embedPreview(jpegFixture("baseline-420"), new Uint8Array(bytes)),
    );
    const path = `/v1/cameras/${camera.id}/previews?locationId=${locationId}`;
    const body = { times: [toUtc(capturedAt)] };
    return (await expectJson(previewsSchema, 200, "POST", path, { ...owner, body })).images.length;
  };
  expect([await shown(cameras.MAX_PREVIEW_BYTES), await shown(cameras.MAX_PREVIEW_BYTES + 1)]).toEqual([1, 0]);
});
