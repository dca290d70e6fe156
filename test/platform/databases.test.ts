import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { choosePlace } from "../../src/access/workspaces";
import { jobHandlers } from "../../src/job-handlers";
import { contextIn, databaseNames } from "../../src/platform/context";
import { MAX_DATABASE_BYTES, openDatabases, queriesOf, type WorkspaceDatabase } from "../../src/platform/db/database";
import { SCHEMA_VERSION } from "../../src/platform/db/schema-version";
import { topologyOf } from "../../src/platform/db/topology";
import { newId } from "../../src/platform/ids";
import { sweepJobs } from "../../src/platform/jobs/sweep";
import {
  addMemberSeveral,
  callSeveral,
  contextOfDatabase,
  databaseOf,
  expectSeveral,
  inEach,
  migrateSeveral,
  organizationIn,
  placeOf,
  registerSeveral,
  runJobs,
  severalContext,
} from "../support/databases";
import fc from "../support/properties";

beforeAll(migrateSeveral);

describe("the databases in the settings", () => {
  const given = (databases: unknown, more: object = {}) => ({
    DB: env.DB,
    SECOND: env.D1_SECOND,
    DATABASES: typeof databases === "string" ? databases : JSON.stringify(databases),
    ...more,
  });
  const first = { name: "first", binding: "DB" };

  test("without settings, one database has both sides", () => {
    const topology = topologyOf({ DB: env.DB });
    expect([...topology.workspaces.keys()]).toEqual(["first"]);
    expect(topology.directory).toBeNull();
    const opened = openDatabases(env.DB, topology);
    expect(opened.directory.$client).toBe(opened.workspace.$client);
    expect(opened.databases.open("first")).toBe(opened.workspace);
  });

  test("several databases and a directory of its own", () => {
    const topology = topologyOf(given([first, { name: "second", binding: "SECOND" }], { DIRECTORY: env.D1_DIRECTORY }));
    expect([...topology.workspaces.keys()]).toEqual(["first", "second"]);
    expect(topology.directory).toBe(env.D1_DIRECTORY);
  });

  test.each([
    ["not JSON", "[", "must be JSON"],
    ["no database", [], "DATABASES"],
    ["another first name", [{ name: "main", binding: "DB" }], 'must have the name "first"'],
    ["a name twice", [first, { name: "first", binding: "SECOND" }], "the same name"],
    ["a binding twice", [first, { name: "second", binding: "DB" }], "the same binding"],
    ["a binding that is not there", [first, { name: "second", binding: "MISSING" }], "the binding MISSING"],
    ["the name of the directory", [first, { name: "directory", binding: "SECOND" }], 'must not be "directory"'],
    ["an unknown field", [{ ...first, colour: "red" }], "DATABASES"],
    ["a wrong region", [{ ...first, region: "Europe!" }], "lower-case"],
    ["an upper-case name", [first, { name: "Second", binding: "SECOND" }], "lower-case"],
  ])("are refused: %s", (_, databases, message) => {
    expect(() => topologyOf(given(databases))).toThrow(message);
  });

  test("the directory cannot be a workspace database too", () => {
    const both = given([first, { name: "second", binding: "SECOND" }], { DIRECTORY: env.D1_SECOND });
    expect(() => topologyOf(both)).toThrow("DIRECTORY");
  });
});

describe("with several databases", () => {
  test("a workspace in a database that the settings do not name is unavailable, and the operator reads its name", async () => {
    const { token } = await registerSeveral();
    const lost = await organizationIn("first", token);
    const other = await registerSeveral();
    const present = await organizationIn("first", other.token);
    await env.D1_DIRECTORY.prepare("UPDATE workspaces SET database = 'fourth' WHERE id = ?").bind(lost).run();
    const lines: string[] = [];
    vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
    const answer = await callSeveral("GET", `/v1/orgs/${lost}/members`, { token });
    vi.restoreAllMocks();
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).not.toBeNull();
    expect(await answer.json()).toMatchObject({ code: "unavailable" });
    expect(lines.join("\n")).toContain('no database has the name \\"fourth');
    expect((await callSeveral("GET", `/v1/orgs/${present}/members`, other)).status).toBe(200);
    await env.D1_DIRECTORY.prepare("UPDATE workspaces SET database = 'first' WHERE id = ?").bind(lost).run();
  });

  test("a statement of no chosen database is refused, and an unknown name too", async () => {
    const context = severalContext();
    expect(databaseNames(context)).toEqual(["first", "second", "directory"]);
    await expect(async () => context.workspace.all(sql`SELECT 1`)).rejects.toThrow("in which database");
    await expect(async () => context.databases.open("third").all(sql`SELECT 1`)).rejects.toThrow("third");
    expect(contextIn(context, "third")).toBeNull();
  });

  test("the queries of all databases of an invocation are counted together", async () => {
    const { directory, databases } = severalContext();
    await directory.all(sql`SELECT 1`);
    for (const name of databases.names) await databases.open(name).all(sql`SELECT 1`);
    expect(queriesOf(directory)).toBe(3);
    expect(queriesOf(databases.open("second"))).toBe(3);
  });

  test("each database sweeps its own jobs, with the recurring kinds of its side", async () => {
    const sent: Record<string, string[]> = {};
    for (const name of ["first", "second", "directory"]) {
      const there = contextOfDatabase(name);
      await databaseOf(name)
        .prepare(
          "INSERT INTO jobs (id, kind, lane, payload, status, run_at, sent_at, request_id, created_at) VALUES (?, 'expire-jobs', 'light', '{}', 'queued', 0, 0, '', 0)",
        )
        .bind(newId())
        .run();
      const lane = {
        sendBatch: async (messages: Iterable<MessageSendRequest<{ database: string }>>) => {
          sent[name] = [...messages].map(({ body }) => body.database);
        },
      };
      const queues = { ...there.queues, light: lane as never };
      expect((await sweepJobs({ ...there, queues }, jobHandlers)).resent).toBe(1);
    }
    expect(sent).toEqual({ first: ["first"], second: ["second"], directory: ["directory"] });
    await runJobs();
  });

  test("readiness asks each of them", async () => {
    expect((await callSeveral("GET", "/readyz")).status).toBe(200);
    await env.D1_SECOND.prepare("UPDATE d1_migrations SET name = 'x' WHERE name = ?").bind(SCHEMA_VERSION).run();
    expect((await callSeveral("GET", "/readyz")).status).toBe(503);
    await env.D1_SECOND.prepare("UPDATE d1_migrations SET name = ? WHERE name = 'x'").bind(SCHEMA_VERSION).run();
  });
});

const made = z.object({ id: z.string() });

describe("a request finds the database of its workspace", () => {
  test("accounts are in the directory, and their copies and workspaces in the databases that it names", async () => {
    const person = await registerSeveral();
    const home = await placeOf(person.userId);
    const copies = await inEach("SELECT id FROM people WHERE id = ?", person.userId);
    const residents = await inEach("SELECT state FROM residents WHERE workspace_id = ?", person.userId);
    for (const name of ["first", "second"]) {
      expect(copies[name]?.length, name).toBe(name === home ? 1 : 0);
      expect(residents[name], name).toEqual(name === home ? [{ state: "here" }] : []);
    }
    expect((await env.D1_FIRST.prepare("SELECT count(*) AS n FROM users").first("n")) ?? 0).toBe(0);
  });

  test.each(["first", "second"])("by the ids in its path and its body: %s", async (place) => {
    const owner = await registerSeveral();
    const organizationId = await organizationIn(place, owner.token);
    const cluster = await expectSeveral(made, 201, "POST", "/v1/spatial/clusters", {
      ...owner,
      body: { organizationId, name: "Quay" },
    });
    const location = await expectSeveral(made, 201, "POST", "/v1/spatial/locations", {
      ...owner,
      body: { clusterId: cluster.id, name: "Crane" },
    });
    const rows = await inEach("SELECT name FROM locations WHERE id = ?", location.id);
    expect(rows[place]).toEqual([{ name: "Crane" }]);
    expect(Object.values(rows).flat()).toHaveLength(1);
    await expectSeveral(made, 200, "GET", `/v1/spatial/locations/${location.id}`, owner);
    const stranger = await registerSeveral();
    expect((await callSeveral("GET", `/v1/spatial/locations/${location.id}`, stranger)).status).toBe(404);
    expect((await callSeveral("GET", `/v1/spatial/locations/${newId()}`, owner)).status).toBe(404);
  });

  test("a member and a guest of workspaces in both databases act in each of them", async () => {
    const owner = await registerSeveral();
    const person = await registerSeveral();
    for (const place of ["first", "second"]) {
      const organizationId = await organizationIn(place, owner.token);
      await addMemberSeveral(organizationId, owner, person);
      await expectSeveral(made, 200, "GET", `/v1/orgs/${organizationId}`, person);
      await expectSeveral(z.any(), 204, "DELETE", `/v1/orgs/${organizationId}/members/${person.userId}`, {
        ...owner,
        headers: { "if-match": '"1"' },
      });
      expect((await callSeveral("GET", `/v1/orgs/${organizationId}`, person)).status).toBe(404);
      const pointer = env.D1_DIRECTORY.prepare("SELECT 1 FROM pointers WHERE user_id = ? AND workspace_id = ?");
      expect(await pointer.bind(person.userId, organizationId).first()).not.toBeNull();
      await runJobs();
      expect(await pointer.bind(person.userId, organizationId).first()).toBeNull();
    }
  });

  test("a repeated request with an Idempotency-Key makes one organization", async () => {
    const owner = await registerSeveral();
    const headers = { "idempotency-key": newId(), "cf-connecting-ip": "2001:db8:7::1" };
    const create = () => expectSeveral(made, 201, "POST", "/v1/orgs", { ...owner, headers, body: { name: "Quay" } });
    expect(await create()).toEqual(await create());
  });
});

describe("the place of a new workspace", () => {
  let names = 0;

  /** A context over databases that only have a size. */
  function contextOfSizes(all: readonly { bytes: number; isOpen: boolean }[]) {
    const named = all.map((one) => ({ ...one, name: `sized-${names++}` }));
    const open = (name: string) => {
      const size_after = named.find((one) => one.name === name)?.bytes;
      const $client = { prepare: () => ({ bind: () => ({}) }), batch: async () => [{ meta: { size_after } }] };
      return { $client } as unknown as WorkspaceDatabase;
    };
    const closed = new Set(named.flatMap(({ name, isOpen }) => (isOpen ? [] : [name])));
    return {
      named,
      context: {
        databases: { names: named.map(({ name }) => name), closed, regions: new Map(), open },
        now: Date.now(),
      },
    };
  }

  test("is the open database with the most room, and none that is nine tenths full", async () => {
    const size = fc.oneof(
      fc.integer({ min: 0, max: MAX_DATABASE_BYTES }),
      fc.constantFrom(0.9 * MAX_DATABASE_BYTES, 0.9 * MAX_DATABASE_BYTES - 1),
    );
    const databases = fc.array(fc.record({ bytes: size, isOpen: fc.boolean() }), { minLength: 2, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(databases, async (all) => {
        const { named, context } = contextOfSizes(all);
        const possible = named.filter(({ bytes, isOpen }) => isOpen && bytes < 0.9 * MAX_DATABASE_BYTES);
        if (possible.length === 0) {
          await expect(choosePlace(context)).rejects.toThrow("No database has room");
          return;
        }
        const place = await choosePlace(context);
        // Sizes that differ by less than a hundredth of the largest size count as the same.
        const stepOf = (bytes = Number.NaN) => Math.floor(bytes / (0.01 * MAX_DATABASE_BYTES));
        const least = Math.min(...possible.map(({ bytes }) => bytes));
        expect(stepOf(named.find(({ name }) => name === place)?.bytes)).toBe(stepOf(least));
        expect(context.databases.closed.has(place)).toBe(false);
      }),
    );
  });

  test("is each of the databases with the same room in turn", async () => {
    const { named, context } = contextOfSizes([0, 1, 2].map((bytes) => ({ bytes, isOpen: true })));
    const places: string[] = [];
    for (let n = 0; n < 6; n++) places.push(await choosePlace(context));
    const names = named.map(({ name }) => name);
    expect(places).toEqual([...names, ...names]);
  });

  test("is the only database without a question, however full", async () => {
    const { context, named } = contextOfSizes([{ bytes: MAX_DATABASE_BYTES, isOpen: false }]);
    expect(await choosePlace(context)).toBe(named[0]?.name);
  });

  test("is in the region that its creator has chosen", async () => {
    const { token } = await registerSeveral();
    const vars = {
      DATABASES: JSON.stringify([
        { name: "first", binding: "D1_FIRST", region: "eu" },
        { name: "second", binding: "D1_SECOND", region: "us" },
      ]),
    };
    for (const [region, place] of [
      ["us", "second"],
      ["eu", "first"],
    ]) {
      const body = { name: "Harbour", region };
      const { id } = await expectSeveral(made, 201, "POST", "/v1/orgs", { token, vars, body });
      expect(await placeOf(id)).toBe(place);
    }
    const unknown = await callSeveral("POST", "/v1/orgs", { token, vars, body: { name: "Harbour", region: "mars" } });
    expect(unknown.status).toBe(422);
    expect(await unknown.text()).toContain("eu, us");
    const none = await callSeveral("POST", "/v1/orgs", { token, body: { name: "Harbour", region: "eu" } });
    expect(none.status).toBe(422);
  });

  test("administrators see the size of each database", async () => {
    const admin = await registerSeveral();
    await databaseOf("directory").prepare("UPDATE users SET is_admin = 1 WHERE id = ?").bind(admin.userId).run();
    const status = z.object({
      databases: z.array(z.object({ name: z.string(), sizeBytes: z.int(), maxBytes: z.int(), isOpen: z.boolean() })),
    });
    const vars = {
      DATABASES: JSON.stringify([
        { name: "first", binding: "D1_FIRST", state: "closed" },
        { name: "second", binding: "D1_SECOND" },
      ]),
    };
    const { databases } = await expectSeveral(status, 200, "GET", "/v1/admin/status", { ...admin, vars });
    expect(databases.map(({ name, isOpen }) => ({ name, isOpen }))).toEqual([
      { name: "first", isOpen: false },
      { name: "second", isOpen: true },
      { name: "directory", isOpen: false },
    ]);
    for (const { sizeBytes, maxBytes } of databases) {
      expect(sizeBytes).toBeGreaterThan(100_000);
      expect(maxBytes).toBe(MAX_DATABASE_BYTES);
    }
  });
});

describe("lists over several databases", () => {
  const page = z.object({ items: z.array(made), nextCursor: z.string().nullable() });

  /** The ids of all pages of a list. */
  async function idsOf(path: string, limit: number, token: string): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const after: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const { items, nextCursor } = await expectSeveral(page, 200, "GET", `${path}?limit=${limit}${after}`, { token });
      expect(items.length).toBeLessThanOrEqual(limit);
      ids.push(...items.map(({ id }) => id));
      cursor = nextCursor;
    }
    return ids;
  }

  test("pages of every size have the rows of all databases once, in the order of their ids", async () => {
    const owner = await registerSeveral();
    const { token } = owner;
    const wanted: Record<string, string[]> = { organizations: [], clusters: [], locations: [] };
    for (const place of ["second", "first", "first", "second", "first"]) {
      const organizationId = await organizationIn(place, token);
      for (const name of ["Quay", "Dock"]) {
        const cluster = { token, body: { organizationId, name } };
        const { id: clusterId } = await expectSeveral(made, 201, "POST", "/v1/spatial/clusters", cluster);
        wanted.clusters?.push(clusterId);
        const location = { token, body: { clusterId, name: "Crane" } };
        const { id } = await expectSeveral(made, 201, "POST", "/v1/spatial/locations", location);
        wanted.locations?.push(id);
      }
    }
    const personal = { token, body: { organizationId: null, name: "Mine" } };
    wanted.clusters?.push((await expectSeveral(made, 201, "POST", "/v1/spatial/clusters", personal)).id);
    const { results } = await env.D1_DIRECTORY.prepare(
      "SELECT workspace_id AS id FROM pointers JOIN workspaces ON id = workspace_id WHERE user_id = ?",
    )
      .bind(owner.userId)
      .all<{ id: string }>();
    wanted.organizations = results.map(({ id }) => id);
    const paths = { organizations: "/v1/orgs", clusters: "/v1/spatial/clusters", locations: "/v1/spatial/locations" };
    for (const [kind, path] of Object.entries(paths))
      for (const limit of [1, 2, 3, 7, 100]) expect(await idsOf(path, limit, token)).toEqual(wanted[kind]?.sort());
    const me = z.object({
      memberships: z.array(z.object({ organizationId: z.string(), organizationName: z.string() })),
    });
    const { memberships } = await expectSeveral(me, 200, "GET", "/v1/auth/me", owner);
    expect(memberships.map(({ organizationId }) => organizationId).sort()).toEqual(wanted.organizations.sort());
    expect(new Set(memberships.map(({ organizationName }) => organizationName))).toEqual(new Set(["Harbour"]));
  });

  test("deleted resources of all databases are in one trash", async () => {
    const { token } = await registerSeveral();
    const deleted: string[] = [];
    for (const place of ["first", "second"]) {
      const organizationId = await organizationIn(place, token);
      const cluster = { token, body: { organizationId, name: "Quay" } };
      const { id } = await expectSeveral(made, 201, "POST", "/v1/spatial/clusters", cluster);
      await expectSeveral(z.null(), 204, "DELETE", `/v1/spatial/clusters/${id}`, {
        token,
        headers: { "if-match": '"1"' },
      });
      deleted.push(id);
    }
    expect((await idsOf("/v1/trash", 1, token)).length).toBe(2);
    for (const id of deleted) await expectSeveral(made, 200, "POST", `/v1/spatial/clusters/${id}/restore`, { token });
    expect(await idsOf("/v1/trash", 100, token)).toEqual([]);
  });

  test("what a person owns in all databases counts", async () => {
    const owner = await registerSeveral();
    const elsewhere = (await placeOf(owner.userId)) === "first" ? "second" : "first";
    const organizationId = await organizationIn(elsewhere, owner.token);
    // Fifty owned organizations in one database: one more is refused in the other one too.
    await databaseOf(elsewhere).batch([
      databaseOf(elsewhere)
        .prepare(
          `INSERT INTO organizations (id, name, cameras, external_shares, document_storage_bytes, jobs_per_month, max_retention_days, created_at, updated_at)
            SELECT printf('%08x', value) || substr(?1, 9), 'O', 0, 0, 0, 0, 1, 0, 0 FROM json_each(?2)`,
        )
        .bind(organizationId, JSON.stringify(Array.from({ length: 49 }, (_, n) => n))),
      databaseOf(elsewhere)
        .prepare(
          "INSERT INTO memberships (organization_id, user_id, role, created_at) SELECT printf('%08x', value) || substr(?1, 9), ?3, 'owner', 0 FROM json_each(?2)",
        )
        .bind(organizationId, JSON.stringify(Array.from({ length: 49 }, (_, n) => n)), owner.userId),
    ]);
    for (let tries = 0; tries < 6; tries++) {
      const refused = await callSeveral("POST", "/v1/orgs", { token: owner.token, body: { name: "One more" } });
      expect(refused.status).toBe(422);
    }
  });
});
