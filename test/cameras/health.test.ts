import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { organizations } from "../../src/access/tables";
import { causesBetween } from "../../src/cameras/health";
import { cameraConditions, cameraHealth, cameras } from "../../src/cameras/tables";
import { DAY, HOUR, MINUTE } from "../../src/platform/time";
import { call, expectJson } from "../support/call";
import { mintCamera, mintCaptures, mintCredential } from "../support/cameras";
import { mintGrant, mintLocation, mintMember, mintOrganization, mintPerson, type Person } from "../support/factories";
import { runThrough } from "../support/jobs";
import { eventually } from "../support/patience";
import { testDatabase } from "../support/statements";

const db = testDatabase();

describe("silent cameras", () => {
  let organizationId: string;
  let owner: Person;
  let locationId: string;
  beforeEach(async () => {
    ({ id: organizationId, owner } = await mintOrganization());
    ({ id: locationId } = await mintLocation({ organizationId }, { name: "North yard" }));
  });

  const inbox = z.object({
    items: z.array(
      z.looseObject({
        type: z.string(),
        title: z.string(),
        body: z.string(),
        origin: z.looseObject({ type: z.string(), data: z.record(z.string(), z.unknown()) }).nullable(),
      }),
    ),
  });
  const noticesOf = async (person: Person) =>
    (await expectJson(inbox, 200, "GET", "/v1/notifications?limit=100", person)).items.filter(({ type }) =>
      type.startsWith("camera-"),
    );
  const titles = async (person = owner) => (await noticesOf(person)).map(({ title }) => title).reverse();
  const healthOf = async (id: string) => {
    const [row] = await db.select().from(cameraHealth).where(eq(cameraHealth.cameraId, id));
    if (row === undefined) throw new Error("no health row");
    return row;
  };
  const look = () => runThrough("watch-cameras", [{}]);
  const told = (expected: string[], person = owner) =>
    eventually(async () => expect(await titles(person)).toEqual(expected));

  /** A paired camera from which images have been expected for this long, with the given last heartbeat. */
  async function watched(expectedMs: number, heardMs: number | null, overrides: Parameters<typeof mintCamera>[2] = {}) {
    const now = Date.now();
    const camera = await mintCamera(organizationId, locationId, {
      name: "Gate",
      lastSeenAt: heardMs === null ? null : now - heardMs,
      ...overrides,
    });
    await mintCredential(camera.id);
    await db
      .update(cameraHealth)
      .set({ watchedSince: now - expectedMs, checkAt: now - 1 })
      .where(eq(cameraHealth.cameraId, camera.id));
    return camera;
  }

  test("are recognized three intervals after their pairing", async () => {
    const camera = await mintCamera(organizationId, locationId, { lastSeenAt: Date.now() });
    expect(await healthOf(camera.id)).toMatchObject({ checkAt: null, watchedSince: null });
    await mintCredential(camera.id);
    expect((await healthOf(camera.id)).checkAt).toBe(0);
    await look();
    const row = await healthOf(camera.id);
    expect(row.checkAt).toBe((row.watchedSince ?? 0) + HOUR);
    expect(row.silence).toBeNull();
  });

  test("cause one notification for each location and cause, to people who may see cameras there", async () => {
    const cameraIds = [await watched(2 * HOUR, HOUR), await watched(2 * HOUR, HOUR)].map(({ id }) => id);
    const [member, guest] = [await mintMember(organizationId), await mintMember(organizationId, "guest")];
    const neighbour = await mintPerson();
    await mintGrant({ organizationId }, neighbour.userId, "location", locationId, { LocationCameras: "Read" });
    await look();
    for (const person of [owner, member, neighbour])
      await told(["2 cameras are silent: nothing is heard of them"], person);
    expect(await titles(guest)).toEqual([]);
    const [notice] = await noticesOf(owner);
    expect(notice).toMatchObject({
      type: "camera-silent",
      severity: "warning",
      body: "North yard: Gate, Gate",
      origin: { type: "camera", locationId, data: { cause: "offline", count: 2 } },
    });
    expect([...(z.array(z.string()).parse(notice?.origin?.data.cameraIds) ?? [])].sort()).toEqual(cameraIds.sort());
    const shown = z.object({ silence: z.object({ cause: z.string(), sinceUtc: z.string() }).nullable() });
    for (const id of cameraIds)
      expect(await expectJson(shown, 200, "GET", `/v1/cameras/${id}`, owner)).toMatchObject({
        silence: { cause: "offline" },
      });
    // A third camera that fails a little later belongs to the same notification. So does a second check.
    await watched(2 * HOUR, HOUR);
    await look();
    await look();
    expect(await titles()).toHaveLength(1);
  });

  test("have a camera fault while the device sends heartbeats, with its error code", async () => {
    const device = {
      appliedRevision: 1,
      lastCaptureAt: null,
      queueCount: 0,
      queueBytes: 0,
      freeBytes: 1,
      oldestPendingAt: null,
      errorCode: "sensor-timeout",
    };
    const camera = await watched(2 * HOUR, MINUTE, { device });
    await look();
    await told(["A camera is silent: it sends no images"]);
    expect((await noticesOf(owner))[0]?.body).toBe("North yard: Gate. The device says: sensor timeout");
    const [cause] = await causesBetween(db, camera, Date.now() - DAY, Date.now());
    expect(cause).toMatchObject({ kind: "camera-fault", errorCode: "sensor-timeout" });
    // The location goes offline in the meantime: this is another cause, without another notification.
    await db
      .update(cameras)
      .set({ lastSeenAt: Date.now() - HOUR })
      .where(eq(cameras.id, camera.id));
    await db.update(cameraHealth).set({ checkAt: 0 }).where(eq(cameraHealth.cameraId, camera.id));
    await look();
    expect(await healthOf(camera.id)).toMatchObject({ silence: "offline", checkAt: null });
    expect(await titles()).toHaveLength(1);
  });

  test("cause a notification when they are back, and gaps have the cause", async () => {
    const camera = await watched(2 * HOUR, HOUR);
    await look();
    await told(["A camera is silent: nothing is heard of it"]);
    const silentSince = (await healthOf(camera.id)).silentSince ?? 0;
    // A heartbeat alone does not end a silence.
    await db.update(cameras).set({ lastSeenAt: Date.now() }).where(eq(cameras.id, camera.id));
    await look();
    expect(await healthOf(camera.id)).toMatchObject({ silence: null });
    expect(await titles()).toHaveLength(1);
    await mintCaptures(camera, locationId, [{ completedAt: Date.now() + 1 }]);
    await look();
    await told(["A camera is silent: nothing is heard of it", "A camera is back"]);
    expect(await healthOf(camera.id)).toMatchObject({ silence: null, notifiedAt: null, recoveredAt: null });
    const causes = await causesBetween(db, camera, silentSince - HOUR, Date.now() + HOUR);
    expect(causes).toMatchObject([{ kind: "offline", fromMs: silentSince }]);
    expect(causes[0]?.toMs).toBeLessThanOrEqual(Date.now());
  });

  test("come back together: the first waits for cameras that are still silent", async () => {
    const [one, two] = [await watched(2 * HOUR, HOUR), await watched(2 * HOUR, HOUR)];
    await look();
    await told(["2 cameras are silent: nothing is heard of them"]);
    await mintCaptures(one, locationId, [{ completedAt: Date.now() + 1 }]);
    await look();
    expect(await titles()).toHaveLength(1);
    expect((await healthOf(one.id)).recoveredAt).not.toBeNull();
    await mintCaptures(two, locationId, [{ completedAt: Date.now() + 1 }]);
    await look();
    await told(["2 cameras are silent: nothing is heard of them", "2 cameras are back"]);
    expect((await healthOf(one.id)).recoveredAt).toBeNull();
  });

  test.each([
    ["paused", { isPaused: true }],
    ["revoked", { revokedAt: 1 }],
    ["retired", { retiredAt: 1 }],
  ])("cause no notification while %s", async (_, overrides) => {
    const camera = await watched(2 * DAY, 2 * DAY, overrides);
    await look();
    expect(await healthOf(camera.id)).toMatchObject({ checkAt: null, silence: null, watchedSince: null });
    expect(await titles()).toEqual([]);
  });

  test("cause no notification outside their window, without a credential, or without the entitlement", async () => {
    const closed = new Date(Date.now() + 2 * HOUR).toISOString().slice(11, 16);
    const later = new Date(Date.now() + 3 * HOUR).toISOString().slice(11, 16);
    const outside = await watched(5 * DAY, 5 * DAY, { captureWindow: { start: closed, end: later } });
    await look();
    const row = await healthOf(outside.id);
    expect(row.silence).toBeNull();
    expect(row.checkAt).toBeGreaterThan(Date.now());
    expect(row.checkAt).toBeLessThanOrEqual(Date.now() + 2 * HOUR);

    const camera = await watched(2 * DAY, 2 * DAY);
    expect((await call("POST", `/v1/cameras/${camera.id}/revoke`, owner)).status).toBe(200);
    await look();
    expect((await healthOf(camera.id)).silence).toBeNull();

    const other = await watched(2 * DAY, 2 * DAY);
    await db.update(organizations).set({ cameras: false }).where(eq(organizations.id, organizationId));
    await look();
    expect(await healthOf(other.id)).toMatchObject({ silence: null, checkAt: null });
    await db.update(organizations).set({ cameras: true }).where(eq(organizations.id, organizationId));
    expect((await healthOf(other.id)).checkAt).toBe(0);
    expect(await titles()).toEqual([]);
  });

  test("end their silence when they are paused, and gaps have that cause", async () => {
    const camera = await watched(2 * HOUR, HOUR);
    await look();
    await told(["A camera is silent: nothing is heard of it"]);
    const body = { baseRevision: 1, isPaused: true };
    expect((await call("PATCH", `/v1/cameras/${camera.id}`, { token: owner.token, body })).status).toBe(200);
    await look();
    expect(await healthOf(camera.id)).toMatchObject({ silence: null, checkAt: null });
    const open = and(eq(cameraConditions.cameraId, camera.id));
    const rows = await db.select().from(cameraConditions).where(open);
    expect(rows.map(({ kind, endedAt }) => [kind, endedAt === null])).toEqual([
      ["offline", false],
      ["paused", true],
    ]);
    expect(await titles()).toHaveLength(1);
  });

  test("cost nothing while images arrive: only due cameras are read", async () => {
    const later = Date.now() + HOUR;
    const camera = await watched(MINUTE, 0);
    await db.update(cameraHealth).set({ checkAt: later }).where(eq(cameraHealth.cameraId, camera.id));
    await db.update(cameras).set({ lastSeenAt: Date.now() }).where(eq(cameras.id, camera.id));
    await mintCaptures(camera, locationId, [{}]);
    expect((await healthOf(camera.id)).checkAt).toBe(later);
  });
});

describe("causes of gaps", () => {
  test("are the conditions at its beginning and the conditions that began later, limited to the gap, with closed windows", async () => {
    const { id: organizationId } = await mintOrganization();
    const { id: locationId } = await mintLocation({ organizationId });
    const camera = await mintCamera(organizationId, locationId);
    const at = Date.parse("2026-06-01T00:00:00Z");
    const row = (
      kind: "paused" | "window" | "offline" | "camera-fault",
      from: number,
      to: number | null,
      detail = {},
    ) =>
      db.insert(cameraConditions).values({
        cameraId: camera.id,
        kind,
        startedAt: at + from * HOUR,
        endedAt: to === null ? null : at + to * HOUR,
        detail,
      });
    await row("paused", -50, -40);
    await row("paused", -30, 2);
    await row("offline", 3, 5);
    await row("offline", 6, null);
    await row("camera-fault", 30, 40, { errorCode: "x" });
    await row("window", -100, null, { captureWindow: { start: "08:00", end: "20:00" }, timeZone: "UTC" });
    const causes = await causesBetween(db, camera, at, at + 24 * HOUR);
    expect(causes.map(({ kind, fromMs, toMs }) => [kind, (fromMs - at) / HOUR, (toMs - at) / HOUR])).toEqual([
      ["paused", 0, 2],
      ["outside-window", 0, 8],
      ["offline", 3, 5],
      ["offline", 6, 24],
      ["outside-window", 20, 24],
    ]);
    expect(await causesBetween(db, camera, at + 32 * HOUR, at + 33 * HOUR)).toMatchObject([
      { kind: "offline" },
      { kind: "camera-fault", errorCode: "x" },
    ]);
  });
});
