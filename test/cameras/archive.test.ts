import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import type { z } from "zod";
import { userRef } from "../../src/access";
import { grants, organizations } from "../../src/access/tables";
import { readChosenCaptures } from "../../src/cameras";
import {
  framesSchema,
  historySchema,
  seekSchema,
  stripSchema,
  timelineSchema,
} from "../../src/cameras/archive/present";
import { readTimes, timesSchema } from "../../src/cameras/archive/times";
import { captureKey, visibleCaptures, visibleOfJoinedCamera } from "../../src/cameras/captures";
import { cameraCaptures, cameras } from "../../src/cameras/tables";
import { openDatabases } from "../../src/platform/db/database";
import { newId } from "../../src/platform/ids";
import { downloadSchema } from "../../src/platform/objects/store";
import { DAY, HOUR, MINUTE, toUtc } from "../../src/platform/time";
import { call, codeOf, expectJson } from "../support/call";
import {
  type CameraSite,
  mintAssignment,
  mintCamera,
  mintCameraSite,
  mintCaptures,
  mintImage,
} from "../support/cameras";
import { mintGrant, mintLocation, mintMember, mintOrganization, mintPerson, type Person } from "../support/factories";
import { systemContext } from "../support/jobs";
import { jpegFixture } from "../support/pictures";
import { countStatements, testDatabase } from "../support/statements";
import { every, now, standStill, utc } from "./frame-times";

let organizationId: string;
let owner: Person;
let locationId: string;
let camera: CameraSite["camera"];

beforeEach(async () => {
  standStill();
  ({ organizationId, owner, locationId, camera } = await mintCameraSite());
});

const at = (path: string, query = "", where = locationId) =>
  `/v1/cameras/${camera.id}/${path}?locationId=${where}${query}`;
const get = <T extends z.ZodType>(schema: T, path: string, who = owner) => expectJson(schema, 200, "GET", path, who);

describe("history", () => {
  test("is paged newest first, even when several captures have the same time", async () => {
    const moment = now - HOUR;
    const ids = await mintCaptures(camera, locationId, [
      ...every(HOUR, 3, now - 2 * HOUR),
      ...Array.from({ length: 4 }, () => ({ capturedAt: moment })),
    ]);
    const tied = ids.slice(3).sort().reverse();
    const expected = [...tied, ...ids.slice(0, 3).reverse()];
    const seen: string[] = [];
    for (let more = ""; ; ) {
      const page = await get(historySchema, at("captures", `&limit=2${more}`));
      seen.push(...page.items.map(({ id }) => id));
      const last = page.items.at(-1);
      if (!page.hasNextPage || last === undefined) break;
      more = `&before=${encodeURIComponent(last.capturedAtUtc)}&beforeId=${last.id}`;
    }
    expect(seen).toEqual(expected);
    const before = await get(historySchema, at("captures", `&before=${utc(moment)}`));
    expect(before.items.map(({ id }) => id)).toEqual(expected.slice(4));
  });

  test("refuses invalid queries", async () => {
    for (const query of ["&limit=0", "&limit=201", `&beforeId=${crypto.randomUUID()}`, "&before=yesterday"])
      expect(await codeOf(await call("GET", at("captures", query), owner))).toBe("400 validation-failed");
    expect(await codeOf(await call("GET", `/v1/cameras/${camera.id}/captures`, owner))).toBe("400 validation-failed");
  });

  test("leaves out images that were deleted, have expired, or were taken at another location", async () => {
    const there = (await mintLocation({ organizationId })).id;
    await mintAssignment(camera.id, there, { generation: 2 });
    const [shown] = await mintCaptures(camera, locationId, [
      { capturedAt: now - DAY },
      { capturedAt: now - HOUR, deletedAt: now },
      { capturedAt: now - 30 * DAY - 1 },
    ]);
    const [elsewhere] = await mintCaptures(camera, there, [{ capturedAt: now - 2 * HOUR }]);
    for (const [where, id] of [
      [locationId, shown],
      [there, elsewhere],
    ] as const) {
      const history = await get(historySchema, at("captures", "", where));
      expect(history.items.map((item) => item.id)).toEqual([id]);
      const { first, last } = await get(timelineSchema, at("timeline", "", where));
      expect([first?.id, last?.id]).toEqual([id, id]);
      expect((await get(seekSchema, at("captures/seek", `&at=${utc(now)}`, where))).capture?.id).toBe(id);
    }
  });
});

describe("access", () => {
  const paths = ["captures", "captures/seek", "captures/times", "timeline", "frames"];
  const queries: Record<string, string> = { "captures/seek": `&at=${utc(now)}`, frames: "&count=3" };
  const statuses = async (who: Person, where = locationId) => {
    const answers = paths.map(async (path) => (await call("GET", at(path, queries[path], where), who)).status);
    return [...new Set(await Promise.all(answers))];
  };

  test("is checked at the requested location on each request", async () => {
    const there = (await mintLocation({ organizationId })).id;
    const { id } = await mintImage(camera, locationId, { capturedAt: now - HOUR });
    await mintAssignment(camera.id, there, { generation: 2 });
    await testDatabase().update(cameras).set({ locationId: there }).where(eq(cameras.id, camera.id));
    const reader = await mintPerson();
    const grant = await mintGrant({ organizationId }, reader.userId, "location", there, { LocationCameras: "Read" });
    expect(await statuses(reader, there)).toEqual([200]);
    expect(await statuses(reader)).toEqual([404]);
    const download = `/v1/camera-captures/${id}/download`;
    expect((await call("GET", download, reader)).status).toBe(404);
    await mintGrant({ organizationId }, reader.userId, "location", locationId, { LocationCameras: "Read" });
    expect(await statuses(reader)).toEqual([200]);
    expect((await call("GET", download, reader)).status).toBe(302);
    await testDatabase().delete(grants).where(eq(grants.id, grant));
    expect(await statuses(reader, there)).toEqual([404]);
  });

  test("needs LocationCameras, and an organization with the entitlement", async () => {
    const member = await mintMember(organizationId, "member", { LocationCameras: "None" });
    expect(await statuses(member)).toEqual([403]);
    expect(await statuses(owner, (await mintLocation({ organizationId })).id)).toEqual([404]);
    await testDatabase().update(organizations).set({ cameras: false }).where(eq(organizations.id, organizationId));
    expect(await statuses(owner)).toEqual([403]);
  });
});

describe("seek", () => {
  test("finds the nearest, the next older and the next newer image, and null beyond the edges", async () => {
    const [a, b, c] = await mintCaptures(camera, locationId, every(HOUR, 3));
    const [first = 0, second = 0, third = 0] = every(HOUR, 3).map(({ capturedAt }) => capturedAt);
    const seek = async (query: string) => (await get(seekSchema, at("captures/seek", query))).capture?.id ?? null;
    expect(await seek(`&at=${utc(second + HOUR / 2)}`)).toBe(b);
    expect(await seek(`&at=${utc(second + HOUR / 2 + 1)}&direction=nearest`)).toBe(c);
    expect(await seek(`&at=${encodeURIComponent("2001-01-01T00:00:00+02:00")}`)).toBe(a);
    expect(await seek(`&at=${utc(second)}&direction=older&captureId=${b}`)).toBe(a);
    expect(await seek(`&at=${utc(second)}&direction=newer&captureId=${b}`)).toBe(c);
    expect(await seek(`&at=${utc(first)}&direction=older&captureId=${a}`)).toBeNull();
    expect(await seek(`&at=${utc(third)}&direction=newer&captureId=${c}`)).toBeNull();
    for (const query of [`&at=${utc(now)}&direction=older`, "&at=now", `&at=${utc(now)}&direction=up`, ""])
      expect((await call("GET", at("captures/seek", query), owner)).status).toBe(400);
  });
});

describe("capture times", () => {
  test("are all times of a range, each once, without images that nobody may see", async () => {
    await mintCaptures(camera, locationId, [
      ...every(20 * MINUTE, 4),
      ...every(20 * MINUTE, 1),
      { capturedAt: now - 2 * MINUTE, deletedAt: now },
      { capturedAt: now - 40 * DAY },
    ]);
    const [first = 0, second = 0] = every(20 * MINUTE, 4).map(({ capturedAt }) => capturedAt);
    const steps = Array.from({ length: 3 }, () => 20 * MINUTE);
    const all = await get(timesSchema, at("captures/times"));
    expect(all).toEqual({ firstUtc: toUtc(first), stepsMs: steps, hasOlder: false });
    const some = await get(timesSchema, at("captures/times", `&fromUtc=${utc(second)}&toUtc=${utc(now - MINUTE - 1)}`));
    expect(some).toEqual({ firstUtc: toUtc(second), stepsMs: [20 * MINUTE], hasOlder: false });
    const none = await get(timesSchema, at("captures/times", `&toUtc=${utc(first - 1)}`));
    expect(none).toEqual({ firstUtc: null, stepsMs: [], hasOlder: false });
  });

  test("are the newest ones of a range that has more than fit", async () => {
    await mintCaptures(camera, locationId, every(MINUTE, 5));
    const [row] = await testDatabase().select().from(cameras).where(eq(cameras.id, camera.id));
    if (row === undefined) throw new Error("no camera");
    const newest = await readTimes({ workspace: testDatabase(), now }, { camera: row, locationId }, {}, 3);
    expect(newest).toEqual({ firstUtc: toUtc(now - 3 * MINUTE), stepsMs: [MINUTE, MINUTE], hasOlder: true });
  });
});

describe("a download", () => {
  test("gives the exact bytes, or the bytes of the thumbnail, with a strong validator", async () => {
    const { id, capturedAt } = await mintImage(camera, locationId, { capturedAt: now - HOUR });
    const path = `/v1/camera-captures/${id}/download`;
    const headers = { accept: "application/json" };
    const link = await expectJson(downloadSchema, 200, "GET", path, { ...owner, headers });
    const bytes = await call("GET", link.url);
    expect(new Uint8Array(await bytes.arrayBuffer())).toEqual(jpegFixture("baseline-420"));
    expect(bytes.headers.get("etag")).toMatch(/^"[0-9a-f]+"$/);
    const name = `${toUtc(capturedAt ?? 0).replace(/[-:]/g, "")}_${id}.jpg`;
    expect(bytes.headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
    const again = await call("GET", link.url, { headers: { "if-none-match": bytes.headers.get("etag") ?? "" } });
    expect(again.status).toBe(304);
    const thumbnail = await call("GET", `${path}?thumbnail=true`, owner);
    expect(thumbnail.status).toBe(302);
    expect(decodeURIComponent(thumbnail.headers.get("location") ?? "")).toContain("/thumbnail.jpg");
    expect((await call("GET", `${path}?thumbnail=yes`, owner)).status).toBe(400);
  });

  test("answers 404 when the image is deleted or has expired, or its bytes do not exist", async () => {
    const mint = (overrides: Parameters<typeof mintImage>[2]) => mintImage(camera, locationId, overrides);
    const shown = await mint({ capturedAt: now - HOUR });
    const path = ({ id }: { id: string }) => `/v1/camera-captures/${id}/download`;
    for (const gone of [await mint({ deletedAt: now }), await mint({ capturedAt: now - 31 * DAY })])
      expect(await codeOf(await call("GET", path(gone), owner))).toBe("404 not-found");
    expect((await call("GET", path(shown), owner)).status).toBe(302);
    await env.BUCKET.delete(captureKey(shown, "original"));
    expect(await codeOf(await call("GET", path(shown), owner))).toBe("404 not-found");
  });
});

describe("frames", () => {
  test("are all frames of a short range, or evenly spread ones, with addresses of thumbnails", async () => {
    const rows = every(HOUR, 25);
    const ids = await mintCaptures(camera, locationId, rows);
    const [from = 0, to = 0] = [rows[0]?.capturedAt, rows.at(-1)?.capturedAt];
    const all = await get(framesSchema, at("frames", "&count=1000"));
    expect(all.frames.map(({ captureId }) => captureId)).toEqual(ids);
    const few = await get(framesSchema, at("frames", `&count=5&fromUtc=${utc(from)}&toUtc=${utc(to)}`));
    expect(few.frames.map(({ captureId }) => captureId)).toEqual([0, 6, 12, 18, 24].map((i) => ids[i]));
    expect(few.frames[0]?.thumbnailUrl).toContain("thumbnail.jpg");
    expect(Date.parse(few.urlsExpireAtUtc ?? "")).toBeGreaterThan(Date.now());
    const none = await get(framesSchema, at("frames", `&count=5&toUtc=${utc(from - 1)}`));
    expect(none).toEqual({ frames: [], urlsExpireAtUtc: null });
    for (const query of ["", "&count=0", "&count=1001", `&count=2&fromUtc=${utc(to)}&toUtc=${utc(from)}`])
      expect((await call("GET", at("frames", query), owner)).status).toBe(400);
  });

  test("are given to reports by key, for people who may see them", async () => {
    const [a, b] = await mintCaptures(camera, locationId, every(HOUR, 2));
    const context = systemContext();
    const choice = { cameraId: camera.id, at: now };
    const range = { cameraId: camera.id, from: now - DAY, to: now, count: 10 };
    const empty = { ...choice, cameraId: (await mintCamera(organizationId, locationId)).id };
    const unknown = { ...choice, cameraId: newId() };
    const choices = [empty, choice, range, unknown, choice];
    const found = await readChosenCaptures(context, userRef(owner.userId), locationId, choices);
    expect(found.map((frames) => frames.map(({ captureId }) => captureId))).toEqual([[], [b], [a, b], [], [b]]);
    expect(found[1]?.[0]?.keys.original).toMatch(/^captures\/.*\/original\.jpg$/);
    const stranger = await mintPerson();
    expect(await readChosenCaptures(context, userRef(stranger.userId), locationId, [choice, range])).toEqual([[], []]);
  });

  test("at many moments cost a report as many statements as at one", async () => {
    await mintCaptures(camera, locationId, every(HOUR, 60));
    const at = (hours: number) => ({ cameraId: camera.id, at: now - hours * HOUR });
    const ask = (count: number) => {
      const choices = Array.from({ length: count }, (_, n) => at(n));
      return countStatements(() => readChosenCaptures(systemContext(), userRef(owner.userId), locationId, choices));
    };
    const [one, sixty] = [await ask(1), await ask(60)];
    expect(sixty.result.flat().length).toBe(60);
    expect(sixty.roundTrips).toBe(one.roundTrips);
  });
});

describe("a day strip", () => {
  const ask = (body: Record<string, unknown>) => call("POST", at("day-strip"), { ...owner, body });

  test("has each day, in the camera's time zone or in another zone, and null for a day without captures", async () => {
    await testDatabase()
      .update(cameras)
      .set({ timeZone: "Europe/Vienna", retentionDays: 3_650 })
      .where(eq(cameras.id, camera.id));
    const taken = ["2026-03-28T11:10:00Z", "2026-03-29T09:50:00Z", "2026-03-30T22:30:00Z"];
    const ids = await mintCaptures(
      camera,
      locationId,
      taken.map((time) => ({ capturedAt: Date.parse(time) })),
    );
    const body = { fromDate: "2026-03-28", toDate: "2026-03-31", localTime: "12:00" };
    const { days, timeZone } = stripSchema.parse(await (await ask(body)).json());
    expect(timeZone).toBe("Europe/Vienna");
    // Summer time begins on the 29th: noon is 11:00 UTC before it and 10:00 UTC after it. The last frame is of the
    // 31st there.
    expect(days.map(({ date, atUtc, capture }) => [date, atUtc, capture?.id ?? null])).toEqual([
      ["2026-03-28", "2026-03-28T11:00:00.000Z", ids[0]],
      ["2026-03-29", "2026-03-29T10:00:00.000Z", ids[1]],
      ["2026-03-30", "2026-03-30T10:00:00.000Z", null],
      ["2026-03-31", "2026-03-31T10:00:00.000Z", ids[2]],
    ]);
    expect(days.map(({ thumbnailUrl }) => thumbnailUrl === null)).toEqual([false, false, true, false]);
    const inUtc = stripSchema.parse(await (await ask({ ...body, timeZone: "UTC" })).json());
    expect(inUtc.days.map(({ capture }) => capture?.id ?? null)).toEqual([ids[0], ids[1], ids[2], null]);
  });

  test.each([
    { toDate: "2026-02-27" },
    { toDate: "2027-03-01" },
    { fromDate: "2026-02-30" },
    { localTime: "24:00" },
    { timeZone: "Europe/Atlantis" },
  ])("refuses %o", async (wrong) => {
    const body = { fromDate: "2026-02-28", toDate: "2026-02-28", localTime: "12:00", ...wrong };
    expect((await ask(body)).status).toBe(400);
  });
});

test("an archive shows published, retained images of its location, for one camera and in a join", async () => {
  const { id } = await mintOrganization();
  const here = await mintLocation({ organizationId: id });
  const there = await mintLocation({ organizationId: id });
  const camera = await mintCamera(id, here.id, { retentionDays: 10 });
  await mintAssignment(camera.id, there.id, { generation: 2 });
  const now = Date.now();
  const [fresh] = await mintCaptures(camera, here.id, [
    { capturedAt: now - 10 * DAY + 1 },
    { capturedAt: now - 10 * DAY },
    { capturedAt: now, deletedAt: now },
  ]);
  const [elsewhere] = await mintCaptures(camera, there.id, [{ capturedAt: now }]);
  const { workspace: db } = openDatabases(env.DB);
  const idsAt = async (locationId: string) =>
    (
      await db
        .select()
        .from(cameraCaptures)
        .where(visibleCaptures(camera, locationId, now))
    ).map((row) => row.id);
  expect(await idsAt(here.id)).toEqual([fresh]);
  expect(await idsAt(there.id)).toEqual([elsewhere]);
  const joined = await db
    .select({ id: cameraCaptures.id })
    .from(cameraCaptures)
    .innerJoin(cameras, visibleOfJoinedCamera(now))
    .where(eq(cameras.id, camera.id));
  expect(joined.map((row) => row.id).sort()).toEqual([fresh, elsewhere].sort());
});
