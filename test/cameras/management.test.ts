import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { auditEntries, organizations } from "../../src/access/tables";
import { cameraSchema } from "../../src/cameras/management/cameras";
import { cameraAssignments, cameraConditions, cameras } from "../../src/cameras/tables";
import { DAY, HOUR } from "../../src/platform/time";

import { call, expectJson, problem } from "../support/call";
import { mintCamera, mintCaptures, mintCredential } from "../support/cameras";
import { announce, factsOf, frameRow, image, viewOf } from "../support/device";
import { mintGrant, mintLocation, mintMember, mintOrganization, mintPerson, type Person } from "../support/factories";
import { pair } from "../support/pairing";
import { testDatabase } from "../support/statements";

const db = testDatabase();
const listed = z.object({ items: z.array(z.looseObject({ id: z.string(), isHistorical: z.boolean() })) });

let organizationId: string;
let owner: Person;
let locationId: string;
let path: string;
beforeEach(async () => {
  ({ id: organizationId, owner } = await mintOrganization());
  ({ id: locationId } = await mintLocation({ organizationId }));
  path = `/v1/spatial/locations/${locationId}/cameras`;
});

const create = (body: object = {}) =>
  expectJson(cameraSchema, 201, "POST", path, { token: owner.token, body: { name: "Gate", ...body } });
const read = (id: string) => expectJson(cameraSchema, 200, "GET", `/v1/cameras/${id}`, owner);
const send = (method: string, at: string, body?: object, token = owner.token) =>
  call(method, at, { token, ...(body === undefined ? {} : { body }) });
const refusal = async (answer: Promise<Response>) => {
  const response = await answer;
  return [response.status, problem.parse(await response.json()).code];
};
const patch = (id: string, body: object) => send("PATCH", `/v1/cameras/${id}`, body);
const actions = async (id: string) =>
  (await db.select().from(auditEntries).where(eq(auditEntries.subjectId, id))).map(({ action }) => action);

describe("creating a camera", () => {
  test("gives the defaults at revision 1, without a device", async () => {
    const camera = await create();
    expect(camera).toMatchObject({
      organizationId,
      locationId,
      name: "Gate",
      description: "",
      isPaused: false,
      captureIntervalMinutes: 20,
      captureWidth: 1920,
      captureHeight: 1080,
      jpegQuality: 90,
      retentionDays: 30,
      timeZone: "UTC",
      captureWindow: null,
      status: "active",
      pairing: "none",
      assignmentGeneration: 1,
      configurationPending: false,
      silence: null,
      lastSeenAtUtc: null,
      lastCaptureAtUtc: null,
      device: null,
      revision: 1,
    });
    expect(await read(camera.id)).toEqual(camera);
    expect(await actions(camera.id)).toEqual(["camera.created"]);
  });

  test("keeps the given settings, with the canonical time zone", async () => {
    const captureWindow = { start: "22:00", end: "05:30", daysOfWeek: [1, 5] };
    const given = {
      captureIntervalMinutes: 5,
      captureWidth: 6_000,
      captureHeight: 4_000,
      isPaused: true,
      captureWindow,
    };
    expect(await create({ ...given, timeZone: "europe/oslo", description: "By the gate" })).toMatchObject({
      ...given,
      timeZone: "Europe/Oslo",
      status: "paused",
    });
  });

  test("retains images no longer than the organization's entitlement", async () => {
    await db.update(organizations).set({ maxRetentionDays: 7 }).where(eq(organizations.id, organizationId));
    expect((await create()).retentionDays).toBe(7);
    const body = { name: "Gate", retentionDays: 8 };
    expect(await refusal(send("POST", path, body))).toEqual([422, "rule-violated"]);
  });

  test.each([
    { timeZone: "Mars/Olympus" },
    { timeZone: "+02:00" },
    { captureWindow: { start: "07:00", end: "07:00" } },
    { captureWindow: { start: "24:00", end: "07:00" } },
    { captureWindow: { start: "07:00", end: "08:00", daysOfWeek: [] } },
    { captureWindow: { start: "07:00", end: "08:00", daysOfWeek: [8] } },
    { captureIntervalMinutes: 0 },
    { captureIntervalMinutes: 1.5 },
    { jpegQuality: 101 },
    { retentionDays: 0 },
    { captureWidth: -1 },
    { name: "" },
    { name: "two\nlines" },
    { status: "active" },
  ])("refuses %o", async (wrong) => {
    expect(await refusal(send("POST", path, { name: "Gate", ...wrong }))).toEqual([400, "validation-failed"]);
  });

  test("refuses pictures over 24 megapixels", async () => {
    const body = { name: "Gate", captureWidth: 6_000, captureHeight: 4_001 };
    expect(await refusal(send("POST", path, body))).toEqual([422, "rule-violated"]);
  });

  test("needs Write of LocationCameras at the location, and the current entitlement", async () => {
    const body = { name: "Gate" };
    const member = await mintMember(organizationId);
    expect(await refusal(send("POST", path, body, member.token))).toEqual([403, "forbidden"]);
    const guest = await mintPerson();
    await mintGrant({ organizationId }, guest.userId, "location", locationId, { LocationCameras: "Write" });
    expect((await send("POST", path, body, guest.token)).status).toBe(201);
    await db.update(organizations).set({ cameras: false }).where(eq(organizations.id, organizationId));
    for (const token of [owner.token, guest.token])
      expect(await refusal(send("POST", path, body, token))).toEqual([403, "forbidden"]);
    expect(await refusal(send("GET", path))).toEqual([403, "forbidden"]);
  });

  test("is not for personal workspaces", async () => {
    const person = await mintPerson();
    const { id } = await mintLocation({ ownerUserId: person.userId });
    const answer = send("POST", `/v1/spatial/locations/${id}/cameras`, { name: "Gate" }, person.token);
    expect(await refusal(answer)).toEqual([403, "forbidden"]);
  });

  test("twice under one Idempotency-Key makes one", async () => {
    const once = { token: owner.token, body: { name: "Gate" }, headers: { "idempotency-key": "k1" } };
    const [first, second] = [await call("POST", path, once), await call("POST", path, once)];
    expect(await second.text()).toBe(await first.text());
    expect((await expectJson(listed, 200, "GET", path, owner)).items).toHaveLength(1);
  });
});

describe("changing a camera", () => {
  test("requires its base revision, and a refusal names the current revision", async () => {
    const camera = await create();
    expect(await refusal(patch(camera.id, { isPaused: true }))).toEqual([400, "validation-failed"]);
    expect(await refusal(patch(camera.id, { baseRevision: 1 }))).toEqual([400, "validation-failed"]);
    const changed = await patch(camera.id, { baseRevision: 1, isPaused: true });
    expect(changed.headers.get("etag")).toMatch(/^"2\.[a-z0-9-]+"$/);
    expect(await changed.json()).toMatchObject({ revision: 2, status: "paused", isPaused: true });
    const stale = await patch(camera.id, { baseRevision: 1, isPaused: false });
    expect([stale.status, await stale.json()]).toMatchObject([409, { code: "stale-revision", currentRevision: 2 }]);
    const headers = { "if-match": '"1"' };
    const body = { baseRevision: 2, name: "Yard" };
    const failed = await call("PATCH", `/v1/cameras/${camera.id}`, { token: owner.token, body, headers });
    expect(failed.status).toBe(412);
    const [entry] = await db
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.subjectId, camera.id), eq(auditEntries.action, "camera.updated")));
    expect(entry?.details).toEqual({ isPaused: true });
  });

  test("by several at once succeeds for one of them", async () => {
    const camera = await create();
    const all = await Promise.all([1, 2, 3, 4].map((n) => patch(camera.id, { baseRevision: 1, name: `Name ${n}` })));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await read(camera.id)).revision).toBe(2);
  });

  test("to fewer retention days needs a confirmation", async () => {
    const camera = await create();
    const fewer = { baseRevision: 1, retentionDays: 29 };
    for (const body of [fewer, { ...fewer, confirmRetentionReduction: false }])
      expect(await refusal(patch(camera.id, body))).toEqual([422, "retention-reduction-unconfirmed"]);
    const changed = await patch(camera.id, { ...fewer, confirmRetentionReduction: true });
    expect(await changed.json()).toMatchObject({ retentionDays: 29, revision: 2 });
    expect((await patch(camera.id, { baseRevision: 2, retentionDays: 365 })).status).toBe(200);
    expect(await refusal(patch(camera.id, { baseRevision: 3, retentionDays: 366 }))).toEqual([422, "rule-violated"]);
  });

  test("checks width and height together", async () => {
    const camera = await create({ captureWidth: 6_000, captureHeight: 4_000 });
    const wider = patch(camera.id, { baseRevision: 1, captureWidth: 6_001 });
    expect(await refusal(wider)).toEqual([422, "rule-violated"]);
  });

  test("records pauses and capture windows with their beginning and end", async () => {
    const camera = await create({ captureWindow: { start: "07:00", end: "19:00" } });
    for (const [baseRevision, change] of [
      { isPaused: true },
      { name: "Other" },
      { isPaused: false },
      { timeZone: "Asia/Tokyo" },
      { captureWindow: null },
    ].entries())
      expect((await patch(camera.id, { baseRevision: baseRevision + 1, ...change })).status).toBe(200);
    const rows = await db.select().from(cameraConditions).where(eq(cameraConditions.cameraId, camera.id));
    const told = rows.map(({ kind, endedAt, detail }) => [kind, endedAt !== null, detail.timeZone]);
    expect(told).toEqual([
      ["paused", true, undefined],
      ["window", true, "UTC"],
      ["window", true, "Asia/Tokyo"],
    ]);
  });
});

describe("revoking and retiring", () => {
  test("retiring is permanent, and concurrent requests retire once", async () => {
    const camera = await create();
    const both = await Promise.all([1, 2, 3].map(() => send("POST", `/v1/cameras/${camera.id}/retire`)));
    for (const answer of both)
      expect([answer.status, await answer.json()]).toMatchObject([200, { status: "retired", revision: 2 }]);
    expect((await actions(camera.id)).filter((action) => action === "camera.retired")).toHaveLength(1);
    const there = `/v1/cameras/${camera.id}`;
    const { id: other } = await mintLocation({ organizationId });
    expect(await refusal(patch(camera.id, { baseRevision: 2, name: "X" }))).toEqual([422, "rule-violated"]);
    expect(await refusal(send("POST", `${there}/revoke`))).toEqual([422, "rule-violated"]);
    expect(await refusal(send("POST", `${there}/enrollments`))).toEqual([422, "rule-violated"]);
    const relink = { baseRevision: 2, locationId: other };
    expect(await refusal(send("POST", `${there}/relinks`, relink))).toEqual([422, "rule-violated"]);
  });

  test("a given revision is checked for both", async () => {
    const camera = await create();
    const headers = { "if-match": '"2"' };
    for (const verb of ["revoke", "retire"])
      expect((await call("POST", `/v1/cameras/${camera.id}/${verb}`, { token: owner.token, headers })).status).toBe(
        412,
      );
    expect((await read(camera.id)).status).toBe("active");
  });
});

describe("moving a camera", () => {
  const relink = (id: string, body: object, token = owner.token) =>
    send("POST", `/v1/cameras/${id}/relinks`, { baseRevision: 1, ...body }, token);

  test("begins a new assignment without a device, and stays in the history of the old location", async () => {
    const camera = await create();
    await pair(owner.token, camera.id);
    const [row] = await db.select().from(cameras).where(eq(cameras.id, camera.id));
    if (row === undefined) throw new Error("no row");
    const capturedAt = Date.now() - HOUR;
    await mintCaptures(row, locationId, [{ capturedAt: capturedAt - DAY }, { capturedAt }]);
    const target = await mintLocation({ organizationId });
    const moved = cameraSchema.parse(await (await relink(camera.id, { locationId: target.id })).json());
    expect(moved).toMatchObject({ locationId: target.id, assignmentGeneration: 2, revision: 2, pairing: "none" });

    await patch(camera.id, { baseRevision: 2, name: "Secret name" });
    const old = await expectJson(listed, 200, "GET", path, owner);
    expect(old.items).toEqual([
      {
        isHistorical: true,
        id: camera.id,
        organizationId,
        locationId,
        name: "Gate",
        timeZone: "UTC",
        captureIntervalMinutes: 20,
        leftAtUtc: expect.any(String),
        lastCaptureAtUtc: new Date(capturedAt).toISOString(),
        currentLocationId: target.id,
      },
    ]);
    const there = await expectJson(listed, 200, "GET", `/v1/spatial/locations/${target.id}/cameras`, owner);
    expect(there.items).toMatchObject([{ id: camera.id, isHistorical: false, name: "Secret name" }]);

    const neighbour = await mintPerson();
    await mintGrant({ organizationId }, neighbour.userId, "location", locationId, { LocationCameras: "Read" });
    const seen = await call("GET", path, neighbour);
    const text = await seen.text();
    expect(JSON.parse(text)).toMatchObject({ items: [{ currentLocationId: null, name: "Gate" }] });
    for (const hidden of ["Secret name", target.id]) expect(text).not.toContain(hidden);
    expect((await call("GET", `/v1/cameras/${camera.id}`, neighbour)).status).toBe(404);
  });

  test("and back again lists it once at each location", async () => {
    const camera = await create();
    const target = await mintLocation({ organizationId });
    expect((await relink(camera.id, { locationId: target.id })).status).toBe(200);
    expect((await relink(camera.id, { locationId, baseRevision: 2 })).status).toBe(200);
    const here = await expectJson(listed, 200, "GET", path, owner);
    expect(here.items).toMatchObject([{ id: camera.id, isHistorical: false, assignmentGeneration: 3 }]);
    const there = await expectJson(listed, 200, "GET", `/v1/spatial/locations/${target.id}/cameras`, owner);
    expect(there.items).toMatchObject([{ id: camera.id, isHistorical: true, currentLocationId: locationId }]);
  });

  test("needs Write of cameras at both locations, in one organization", async () => {
    const camera = await create();
    const target = await mintLocation({ organizationId });
    const { id: other, owner: stranger } = await mintOrganization();
    const abroad = await mintLocation({ organizationId: other });
    const helper = await mintMember(organizationId, "guest");
    const grant = (id: string, level: "Read" | "Write") =>
      mintGrant({ organizationId }, helper.userId, "location", id, { LocationCameras: level });
    await grant(locationId, "Write");
    const move = { locationId: target.id };
    expect((await relink(camera.id, move, helper.token)).status).toBe(404);
    await grant(target.id, "Read");
    expect((await relink(camera.id, move, helper.token)).status).toBe(403);
    expect((await relink(camera.id, { locationId: abroad.id })).status).toBe(404);
    await mintGrant({ organizationId: other }, owner.userId, "location", abroad.id, { LocationCameras: "Write" });
    expect(await refusal(relink(camera.id, { locationId: abroad.id }))).toEqual([422, "rule-violated"]);
    expect(await refusal(relink(camera.id, { locationId }))).toEqual([422, "rule-violated"]);
    expect(await refusal(relink(camera.id, { ...move, baseRevision: 7 }))).toEqual([409, "stale-revision"]);
    expect((await relink(camera.id, move, stranger.token)).status).toBe(404);
    await mintGrant({ organizationId }, helper.userId, "cluster", target.clusterId, { LocationCameras: "Write" });
    expect((await relink(camera.id, move, helper.token)).status).toBe(200);
  });

  test("is refused with unfinished uploads, unless they are cancelled", async () => {
    const camera = await create();
    const target = await mintLocation({ organizationId });
    const { token } = await mintCredential(camera.id);
    const { operationId } = await viewOf(await announce({ token }, await factsOf(image())));
    expect(await refusal(relink(camera.id, { locationId: target.id }))).toEqual([409, "conflict"]);
    expect((await read(camera.id)).locationId).toBe(locationId);
    expect((await relink(camera.id, { locationId: target.id, cancelPending: true })).status).toBe(200);
    expect((await frameRow(operationId)).status).toBe("cancelled");
  });

  test("to two locations at once ends at one of them", async () => {
    const camera = await create();
    const targets = [await mintLocation({ organizationId }), await mintLocation({ organizationId })];
    const answers = await Promise.all(targets.map(({ id }) => relink(camera.id, { locationId: id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const rows = await db.select().from(cameraAssignments).where(eq(cameraAssignments.cameraId, camera.id));
    expect(rows.filter(({ endedAt }) => endedAt === null)).toHaveLength(1);
    expect(rows).toHaveLength(2);
  });
});

describe("the list", () => {
  test("pages through all of a location's cameras, once each", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await mintCamera(organizationId, locationId)).id);
    const page = z.object({ items: z.array(z.object({ id: z.string() })), nextCursor: z.string().nullable() });
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const { items, nextCursor } = await expectJson(page, 200, "GET", `${path}?limit=2${cursor}`, owner);
      seen.push(...items.map(({ id }) => id));
      if (nextCursor === null) break;
      cursor = `&cursor=${nextCursor}`;
    }
    expect(seen).toEqual(ids.sort());
  });
});
