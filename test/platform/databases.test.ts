import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { jobHandlers } from "../../src/job-handlers";
import { contextIn, databaseNames } from "../../src/platform/context";
import { openDatabases, queriesOf } from "../../src/platform/db/database";
import { topologyOf } from "../../src/platform/db/topology";
import { newId } from "../../src/platform/ids";
import { sweepJobs } from "../../src/platform/jobs/sweep";
import {
  callSeveral,
  contextOfDatabase,
  databaseOf,
  expectSeveral,
  inEach,
  migrateSeveral,
  placeOf,
  registerSeveral,
  runJobs,
  severalContext,
} from "../support/databases";

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
    ["an unknown field", [{ ...first, region: "eu" }], "DATABASES"],
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
  test("a statement of no chosen database is refused, and an unknown name too", async () => {
    const context = severalContext();
    expect(databaseNames(context)).toEqual(["first", "second", "directory"]);
    await expect(async () => context.workspace.all(sql`SELECT 1`)).rejects.toThrow("in which database");
    expect(() => context.databases.open("third")).toThrow("third");
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
    await env.D1_SECOND.prepare("UPDATE d1_migrations SET name = 'x' WHERE name LIKE '0017%'").run();
    expect((await callSeveral("GET", "/readyz")).status).toBe(503);
    await env.D1_SECOND.prepare("UPDATE d1_migrations SET name = '0017_databases.sql' WHERE name = 'x'").run();
  });
});

const made = z.object({ id: z.string() });

/** An organization of a person in a given database. */
async function organizationIn(place: string, token: string): Promise<string> {
  for (;;) {
    const { id } = await expectSeveral(made, 201, "POST", "/v1/orgs", { token, body: { name: "Harbour" } });
    if ((await placeOf(id)) === place) return id;
  }
}

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
    await env.D1_DIRECTORY.prepare("UPDATE users SET email_verified_at = 1 WHERE id = ?").bind(person.userId).run();
    for (const place of ["first", "second"]) {
      const organizationId = await organizationIn(place, owner.token);
      await expectSeveral(z.any(), 201, "POST", `/v1/orgs/${organizationId}/members`, {
        ...owner,
        body: { email: person.email, role: "member" },
      });
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
