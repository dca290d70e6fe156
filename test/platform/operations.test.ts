import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { loadGrantEnds } from "../../src/access";
import { inWaves } from "../../src/platform/concurrency";
import { newId } from "../../src/platform/ids";
import { reportRooms } from "../../src/reports";
import {
  addMemberSeveral,
  callSeveral,
  contextOfDatabase,
  databaseOf,
  expectSeveral,
  inEach,
  migrateSeveral,
  organizationIn,
  registerIn,
  runJobs,
  severalContext,
} from "../support/databases";
import { mintReport } from "../support/reports";
import { testDatabase } from "../support/statements";

/* Operations and work of several workspaces, or of none, over several databases. */

beforeAll(migrateSeveral);

const made = z.object({ id: z.string() });
const described = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

async function administrator() {
  const person = await registerIn("second");
  await databaseOf("directory").prepare("UPDATE users SET is_admin = 1 WHERE id = ?").bind(person.userId).run();
  return person;
}

test("every operation finds its database, or needs none", { timeout: 120_000 }, async () => {
  const { token, userId } = await administrator();
  for (const place of ["first", "second"]) await organizationIn(place, token);
  const { paths } = described.parse(await (await callSeveral("GET", "/openapi.json")).json());
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => ["get", "post", "put", "patch", "delete"].includes(method) && !path.startsWith("/v1/auth/me"))
      // An id in the personal workspace, or one whose number no workspace has.
      .map((method, n) => ({ method, url: path.replaceAll(/\{[^}]+\}/g, n % 2 === 0 ? userId : newId()) })),
  );
  expect(operations.length).toBeGreaterThan(100);
  const failed = await inWaves(operations, 10, async ({ method, url }) => {
    const options = { token, ...(method === "get" || method === "delete" ? {} : { body: {} }) };
    const { status } = await callSeveral(method.toUpperCase(), url, options);
    return status >= 500 && status !== 503 ? [`${method} ${url} ${status}`] : [];
  });
  expect(failed.flat()).toEqual([]);
});

const lists = z.object({ items: z.array(z.object({ id: z.string() })), nextCursor: z.string().nullable() });

/** The ids of all pages of a list. */
async function idsOf(path: string, token: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: z.infer<typeof lists> = await expectSeveral(
      lists,
      200,
      "GET",
      `${path}${cursor && `&cursor=${cursor}`}`,
      { token },
    );
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return ids;
}

/** An organization with a camera and a report in a database. */
async function filled(place: string, token: string, name = "Harbour") {
  const organizationId = await organizationIn(place, token, name);
  await databaseOf(place).prepare("UPDATE organizations SET cameras = 1 WHERE id = ?").bind(organizationId).run();
  const body = { organizationId, name: "Quay" };
  const { id: clusterId } = await expectSeveral(made, 201, "POST", "/v1/spatial/clusters", { token, body });
  const location = { token, body: { clusterId, name: "Crane" } };
  const { id: locationId } = await expectSeveral(made, 201, "POST", "/v1/spatial/locations", location);
  const camera = { token, body: { name: "North" } };
  const { id: cameraId } = await expectSeveral(
    made,
    201,
    "POST",
    `/v1/spatial/locations/${locationId}/cameras`,
    camera,
  );
  return { organizationId, clusterId, locationId, cameraId };
}

test("the wall has the cameras of all databases, in the order of their ids", async () => {
  const { token } = await registerIn("first");
  const cameras: string[] = [];
  for (const place of ["second", "first", "second"]) cameras.push((await filled(place, token)).cameraId);
  for (const limit of [1, 2, 100]) expect(await idsOf(`/v1/cameras?limit=${limit}`, token)).toEqual(cameras.sort());
});

test.each(["first", "second"])("a pairing code of a camera in %s pairs its device", async (place) => {
  const { token } = await registerIn("first");
  const { cameraId } = await filled(place, token);
  const codes = z.object({ pairingCode: z.string() });
  const { pairingCode } = await expectSeveral(codes, 201, "POST", `/v1/cameras/${cameraId}/enrollments`, {
    token,
    body: {},
  });
  const body = { pairingCode, credentialSecret: "a".repeat(64), redemptionId: newId() };
  const paired = z.object({ cameraId: z.string(), credentialId: z.string() });
  const path = "/v1/camera-ingestion/enrollments/redeem";
  const first = await expectSeveral(paired, 200, "POST", path, { body });
  expect(first.cameraId).toBe(cameraId);
  expect(await expectSeveral(paired, 200, "POST", path, { body })).toEqual(first);
  const device = `svccam1.${first.credentialId.replaceAll("-", "")}.${body.credentialSecret}`;
  await expectSeveral(z.any(), 200, "GET", "/v1/camera-ingestion/configuration", { token: device });
  expect((await callSeveral("POST", path, { body: { ...body, pairingCode: "22222222" } })).status).toBe(404);
});

describe("work by people", () => {
  test("the ends of grants are read from all databases of a person", async () => {
    const [owner, guest] = [await registerIn("first"), await registerIn("second")];
    const now = Date.now();
    for (const [place, end] of [
      ["first", now + 90_000_000],
      ["second", now + 80_000_000],
    ] as const) {
      const { locationId } = await filled(place, owner.token);
      await databaseOf("directory")
        .prepare("UPDATE users SET email_verified_at = 1 WHERE id = ?")
        .bind(guest.userId)
        .run();
      await expectSeveral(made, 201, "POST", `/v1/spatial/locations/${locationId}/grants`, {
        token: owner.token,
        body: { email: guest.email, capabilities: { LocationView: "Read" }, expiresAtUtc: new Date(end).toISOString() },
      });
    }
    const [ends, none] = await loadGrantEnds(severalContext(), [guest.userId, owner.userId], now, now);
    expect(ends).toEqual({ last: null, next: now + 80_000_000 });
    expect(none).toEqual({ last: null, next: null });
  });

  test("a job of the directory that ends access checks the rooms in all databases of the person", async () => {
    const [owner, person] = [await registerIn("first"), await registerIn("first")];
    const rooms: string[] = [];
    for (const place of ["first", "second"]) {
      const { organizationId, clusterId, locationId } = await filled(place, owner.token);
      await addMemberSeveral(organizationId, owner, person);
      const at = { id: locationId, clusterId };
      const reportId = await mintReport({ organizationId }, at, {}, testDatabase(databaseOf(place)));
      await databaseOf(place)
        .prepare("INSERT INTO report_room_members (report_id, user_id, location_id, expires_at) VALUES (?, ?, ?, ?)")
        .bind(reportId, person.userId, locationId, Date.now() + 60_000)
        .run();
      rooms.push(reportId);
    }
    const rechecked: string[] = [];
    const of = (name: string) => {
      const context = contextOfDatabase(name);
      const recheck = async (ids: readonly string[]) => void rechecked.push(...ids);
      return { ...context, rooms: { ...context.rooms, recheck } };
    };
    await reportRooms.deliver(of("directory"), { type: "access-changed", userIds: [person.userId] }, newId(), null);
    expect(rechecked.sort()).toEqual(rooms.sort());
    for (const place of ["first", "second"])
      await databaseOf(place).prepare("DELETE FROM report_room_members WHERE user_id = ?").bind(person.userId).run();
  });
});

describe("the administration", () => {
  test("lists the organizations of all databases by name, also the found ones", async () => {
    const { token } = await administrator();
    const mark = newId().slice(-6);
    const names = ["b Quay", "A Quay", "Z quay", "ä Quay", "\u{1f6a2} Quay", "\ufb00 Quay", "a Dock", "B Quay"];
    for (const [n, name] of names.entries())
      await organizationIn(n % 2 === 0 ? "first" : "second", token, `${mark}${name}`);
    const page = z.object({ items: z.array(z.object({ name: z.string() })), nextCursor: z.string().nullable() });
    const all = async (query: string) => {
      const found: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const next: z.infer<typeof page> = await expectSeveral(
          page,
          200,
          "GET",
          `/v1/admin/organizations?${query}${cursor && `&cursor=${cursor}`}`,
          { token },
        );
        found.push(...next.items.map(({ name }) => name));
        cursor = next.nextCursor;
      }
      return found.filter((name) => name.startsWith(mark)).map((name) => name.slice(mark.length));
    };
    // One database orders them.
    const { results } = await databaseOf("first")
      .prepare("SELECT value FROM json_each(?) ORDER BY value COLLATE NOCASE, key")
      .bind(JSON.stringify(names))
      .all<{ value: string }>();
    const wanted = results.map(({ value }) => value);
    const lower = (list: readonly string[]) => list.map((name) => name.toLowerCase());
    for (const limit of [1, 3, 100]) {
      expect(lower(await all(`limit=${limit}`))).toEqual(lower(wanted));
      const quays = lower(wanted).filter((name) => name.includes("quay"));
      expect(lower(await all(`limit=${limit}&search=${encodeURIComponent("quay")}`))).toEqual(quays);
    }
  });

  test("lists and runs the failed jobs of all databases, the directory's too", async () => {
    const { token } = await administrator();
    const ids: string[] = [];
    for (const [n, name] of ["second", "directory", "first"].entries()) {
      const id = newId();
      await databaseOf(name)
        .prepare(
          `INSERT INTO jobs (id, kind, lane, payload, status, run_at, request_id, created_at, finished_at, attempts)
            VALUES (?, 'copy-person', 'light', ?, 'failed', 0, '', 0, ?, 5)`,
        )
        .bind(id, JSON.stringify({ userId: newId() }), 4_000_000_000_000 + n)
        .run();
      ids.push(id);
    }
    for (const limit of [1, 2, 100])
      expect((await idsOf(`/v1/admin/jobs?limit=${limit}`, token)).slice(0, 3)).toEqual(ids.toReversed());
    const lanes = z.object({ items: z.array(z.object({ lane: z.string(), failed: z.int() })) });
    const { items } = await expectSeveral(lanes, 200, "GET", "/v1/admin/queues", { token });
    expect(items.find(({ lane }) => lane === "light")?.failed).toBeGreaterThanOrEqual(3);
    const body = { jobIds: ids };
    const rerun = z.object({ rerun: z.int(), remaining: z.boolean() });
    expect(await expectSeveral(rerun, 202, "POST", "/v1/admin/jobs/rerun", { token, body })).toEqual({
      rerun: 3,
      remaining: false,
    });
    const audit =
      "SELECT count(*) AS n FROM audit_entries WHERE action = 'jobs.rerun' AND details LIKE '%' || ? || '%'";
    expect(await inEach(audit, ids[0])).toMatchObject({ second: [{ n: 1 }], first: [{ n: 0 }] });
    await runJobs();
    expect(await idsOf("/v1/admin/jobs?state=open&limit=100", token)).toEqual([]);
  });
});

test("the grants of a person in all databases count", async () => {
  const owner = await registerIn("first");
  const guest = await registerIn("first");
  await databaseOf("directory").prepare("UPDATE users SET email_verified_at = 1 WHERE id = ?").bind(guest.userId).run();
  const share = async (organizationId: string) => {
    const cluster = { token: owner.token, body: { organizationId, name: "Quay" } };
    const { id } = await expectSeveral(made, 201, "POST", "/v1/spatial/clusters", cluster);
    const body = { email: guest.email, capabilities: { ClusterView: "Read" } };
    return callSeveral("POST", `/v1/spatial/clusters/${id}/grants`, { token: owner.token, body });
  };
  const [here, there] = [await organizationIn("first", owner.token), await organizationIn("second", owner.token)];
  expect((await share(here)).status).toBe(201);
  const copies = JSON.stringify(Array.from({ length: 4_999 }, (_, n) => n));
  const { results } = await databaseOf("first")
    .prepare("SELECT * FROM grants WHERE user_id = ?")
    .bind(guest.userId)
    .all();
  const columns = Object.keys(results[0] ?? {});
  const values = columns.map((name) =>
    ["id", "target_id"].includes(name) ? `g.${name} || '-' || n.value` : `g.${name}`,
  );
  await databaseOf("first")
    .prepare(
      `INSERT INTO grants (${columns.join(", ")}) SELECT ${values.join(", ")} FROM grants g CROSS JOIN json_each(?2) n WHERE g.user_id = ?1`,
    )
    .bind(guest.userId, copies)
    .run();
  const refused = await share(there);
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain("maximum number of grants");
});
