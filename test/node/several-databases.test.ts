import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withBuckets } from "../../scripts/backup/bucket.mjs";
import { loadCarry } from "../../scripts/backup/carry.mjs";
import { tablesOf } from "../../scripts/backup/database.mjs";
import { openFile } from "../../scripts/backup/local.mjs";
import { folderStore, putObjectInto } from "../../scripts/backup/store.mjs";
import { readDatabases } from "../../scripts/service/deployment.mjs";
import type { Carried } from "../../src/platform/db/carry/declare";
import type { BackupStore } from "../../src/platform/objects/backup-store";

/*
 * The commands with a directory of its own and two workspace databases: everything is backed up, restored into another set of
 * databases and compared.
 */

const folder = mkdtempSync(join(tmpdir(), "several-"));
const schema = readdirSync("migrations")
  .sort()
  .map((name) => readFileSync(join("migrations", name), "utf8"));
type Database = Awaited<ReturnType<typeof openFile>>;
type Row = Record<string, string | number | null>;
const opened: Database[] = [];
afterAll(() => {
  for (const database of opened) database.close();
  rmSync(folder, { recursive: true, force: true });
});
let carry: Awaited<ReturnType<typeof loadCarry>>;
beforeAll(async () => {
  carry = await loadCarry();
}, 60_000);

async function emptySet(name: string) {
  const [directory, first, second] = await Promise.all(
    ["directory", "first", "second"].map((one) => openFile(join(folder, `${name}-${one}.sqlite`), { schema })),
  );
  if (directory === undefined || first === undefined || second === undefined) throw new Error("no databases");
  opened.push(directory, first, second);
  return {
    directory,
    directoryName: "directory",
    workspaces: new Map([
      ["first", first],
      ["second", second],
    ]),
  };
}
type Set_ = Awaited<ReturnType<typeof emptySet>>;

const rowsOf = async (database: Database, sql: string, params: (string | number)[] = []): Promise<Row[]> =>
  ((await database.batch([{ sql, params }]))[0] ?? []) as Row[];
const insert = (database: Database, table: string, row: Row) =>
  rowsOf(
    database,
    `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${Object.keys(row)
      .map((_, n) => `?${n + 1}`)
      .join(", ")})`,
    Object.values(row) as (string | number)[],
  );

const id = (number: number, n: number) =>
  `019aa000-0000-7${number.toString(16).padStart(3, "0")}-8000-${n.toString(16).padStart(12, "0")}`;
const limits = { cameras: 1, external_shares: 1, document_storage_bytes: 1, jobs_per_month: 1, max_retention_days: 1 };
const times = { created_at: 1, updated_at: 1, revision: 1 };

/** A person and an organization in each database, and each person is a member of both organizations. */
async function fill({ directory, workspaces }: Set_) {
  const all = [...workspaces].map(([name, database], n) => ({
    ...{ name, database, person: id(n + 1, 1), organization: id(n + 3, 1), email: `${name}@people.test` },
  }));
  for (const { name, person, email } of all) {
    const account = { id: person, email, display_name: name };
    await insert(directory, "users", { ...account, email_verified_at: 1, created_at: 1 });
  }
  for (const [n, { name, database, person, organization }] of all.entries()) {
    for (const own of [person, organization]) {
      await insert(directory, "workspaces", { id: own, number: carry.numberOf(own), database: name });
      await insert(database, "residents", { workspace_id: own, state: "here" });
    }
    for (const one of all)
      await insert(database, "people", { id: one.person, email: one.email, display_name: one.name });
    await insert(database, "organizations", { id: organization, name, ...limits, ...times });
    for (const one of all) {
      await insert(directory, "pointers", { user_id: one.person, workspace_id: organization });
      const member = {
        organization_id: organization,
        user_id: one.person,
        role: "owner",
        created_at: 1,
      };
      await insert(database, "memberships", member);
    }
    await insert(database, "clusters", { id: id(n + 20, 1), tenant_id: organization, name, ...times });
    // An event of the organization is in the inbox of both people, and each person has a notification of their own.
    const event = {
      ...{ type: "document-uploaded", severity: "info", title: name, body: "", origin_data: "{}" },
      ...{ created_at: 1, page_after: "", page_seq: 1 },
    };
    const [no, own] = [10 * n + 1, 10 * n + 2];
    const of = { ...event, no, event_id: id(n + 30, 1), organization_id: organization };
    await insert(database, "notification_events", { ...of, recipients: 2 });
    await insert(database, "notification_events", { ...event, no: own, event_id: id(n + 30, 2), recipients: 1 });
    for (const one of all) await insert(database, "notifications", { user_id: one.person, seq: no, event_no: no });
    await insert(database, "notifications", { user_id: person, seq: own, event_no: own });
  }
  return all;
}

const TABLES = [
  "residents",
  "organizations",
  "memberships",
  "people",
  "clusters",
  "users",
  "workspaces",
  "pointers",
].concat(["notification_events", "notifications"]);
const dump = async ({ directory, workspaces }: Set_) => {
  const found: unknown[] = [];
  for (const [name, database] of [["directory", directory] as const, ...workspaces])
    for (const table of TABLES)
      found.push([name, table, await rowsOf(database, `SELECT * FROM ${table} ORDER BY 1, 2`)]);
  return found;
};

function storeIn(name: string): BackupStore & ReturnType<typeof folderStore> {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return folderStore(path, () => ({ head: async () => null }));
}

async function backUp(from: Set_, store: BackupStore, now: number) {
  const given = {
    ...{ store, tables: tablesOf(carry, from), schema: carry.SCHEMA_VERSION, mayContinue: () => true, now },
    databases: [...from.workspaces].map(([name, source]) => ({ name, source })),
    directory: { name: "directory", source: from.directory },
  };
  return carry.takeBackup(given, await carry.beginBackup(given));
}

const restoringInto = (
  to: Set_,
  store: BackupStore,
  manifest: Awaited<ReturnType<typeof backUp>>,
  open?: string[],
) => ({
  ...{ store, manifest, tables: tablesOf(carry, to), directory: to.directory, databases: to.workspaces },
  ...{ database: to.workspaces.get("first") as Database, putObject: async () => {}, ...(open && { open }) },
});

test("a backup of several databases is restored into others, each workspace where it was, also twice", async () => {
  const [from, to] = [await emptySet("from"), await emptySet("to")];
  await fill(from);
  const store = storeIn("whole");
  const manifest = await backUp(from, store, 1_000);
  expect(manifest.workspaces).toBe(4);
  const restoring = restoringInto(to, store, manifest);
  expect(await carry.restoreBackup(restoring)).toEqual({ restored: 4, present: [] });
  expect(await dump(to)).toEqual(await dump(from));
  expect((await carry.restoreBackup(restoring)).present).toHaveLength(4);
  expect(await dump(to)).toEqual(await dump(from));
});

test("one workspace comes into the open database with the fewest, with the pointers of its people", async () => {
  const [from, to] = [await emptySet("one-from"), await emptySet("one-to")];
  const [one] = await fill(from);
  const store = storeIn("one");
  const organization = one?.organization ?? "";
  const restoring = restoringInto(to, store, await backUp(from, store, 1_000), ["second"]);
  const done = await carry.importWorkspace(restoring, organization);
  expect(done).toMatchObject({ database: "second", isPresent: false, people: { added: 2 } });
  const [first, second] = [to.workspaces.get("first"), to.workspaces.get("second")] as [Database, Database];
  expect(await rowsOf(first, "SELECT id FROM organizations")).toEqual([]);
  expect(await rowsOf(second, "SELECT id FROM organizations")).toEqual([{ id: organization }]);
  const places = await rowsOf(to.directory, "SELECT id, database FROM workspaces ORDER BY id");
  expect(places).toContainEqual({ id: organization, database: "second" });
  // The people who are new here have a workspace, and the directory says where.
  expect(places).toHaveLength(3);
  for (const { id: own, database } of places)
    expect(
      await rowsOf(database === "first" ? first : second, "SELECT state FROM residents WHERE workspace_id = ?1", [
        String(own),
      ]),
    ).toEqual([{ state: "here" }]);
  expect(
    await rowsOf(to.directory, "SELECT user_id FROM pointers WHERE workspace_id = ?1", [organization]),
  ).toHaveLength(2);
  expect(await carry.importWorkspace({ ...restoring, open: ["first"] }, organization)).toMatchObject({
    isPresent: true,
  });
});

test("a backup of one database is restored into several", async () => {
  const [from, to] = [await emptySet("alone"), await emptySet("many")];
  await fill(from);
  const store = storeIn("alone");
  const alone: Set_ = { ...from, workspaces: new Map([["old", from.workspaces.get("first") as Database]]) };
  const restoring = restoringInto(to, store, await backUp(alone, store, 1_000));
  const { restored } = await carry.restoreBackup(restoring);
  expect(restored).toBeGreaterThan(1);
  for (const [name, database] of to.workspaces)
    for (const { id: own } of await rowsOf(database, "SELECT workspace_id AS id FROM residents"))
      expect(await rowsOf(to.directory, "SELECT database FROM workspaces WHERE id = ?1", [String(own)])).toEqual([
        { database: name },
      ]);
});

test("the inboxes are the same in one database and in several, also from a backup of an earlier version", async () => {
  const [from, one, to] = [await emptySet("inbox-from"), await emptySet("inbox-one"), await emptySet("inbox-to")];
  await fill(from);
  const inboxes = async ({ workspaces }: Set_) => {
    const found = [...new Set(workspaces.values())].map((database) =>
      rowsOf(database, "SELECT n.*, e.title FROM notifications n JOIN notification_events e ON e.no = n.event_no"),
    );
    return (await Promise.all(found)).flat().sort((a, b) => Number(a.seq) - Number(b.seq));
  };
  const before = await inboxes(from);
  expect(before).toHaveLength(6);
  const alone: Set_ = { ...one, workspaces: new Map([["only", one.workspaces.get("first") as Database]]) };
  const first = storeIn("inbox-first");
  const several = await backUp(from, first, 1_000);
  const whole = { ...restoringInto(alone, first, several), database: alone.workspaces.get("only") as Database };
  await carry.restoreBackup(whole);
  expect(await inboxes(alone)).toEqual(before);
  const second = storeIn("inbox-second");
  const manifest = await backUp(alone, second, 2_000);
  await carry.restoreBackup(restoringInto(to, second, manifest));
  expect(await inboxes(to)).toEqual(before);

  // A backup of an earlier version has each inbox with its person.
  const [third, then] = [storeIn("inbox-third"), await emptySet("inbox-then")];
  const tables = tablesOf(carry, alone);
  const former = (tables.workspace as Carried[])
    .filter(({ id: table }) => table !== "notifications.events")
    .map((table) => (table.former === null ? table : { ...table, from: `${table.name} AS row`, ...table.former }));
  const database = alone.workspaces.get("only") as Database;
  const given = {
    ...{ store: third, tables: { ...tables, workspace: former }, schema: carry.SCHEMA_VERSION },
    ...{ mayContinue: () => true, now: 3_000, databases: [{ name: "only", source: database }] },
    directory: { name: "directory", source: alone.directory },
  };
  const old = await carry.takeBackup(given, await carry.beginBackup(given));
  const target: Set_ = { ...then, workspaces: new Map([["only", then.workspaces.get("first") as Database]]) };
  await carry.restoreBackup({
    ...restoringInto(target, third, old),
    database: target.workspaces.get("only") as Database,
  });
  expect(await inboxes(target)).toEqual(before);
});

test("objects are backed up from the bucket of their database, and restored into the bucket of their database", async () => {
  const databases = readDatabases(`
    d1_databases = [{ binding = "DB", database_name = "one" }, { binding = "DB_EU", database_name = "two" }]
    r2_buckets = [{ binding = "BUCKET", bucket_name = "files" }, { binding = "BUCKET_EU", bucket_name = "files-eu" }]
    [vars]
    DATABASES = '[{"name": "first", "binding": "DB"}, {"name": "second", "binding": "DB_EU", "bucket": "BUCKET_EU"}]'`);
  const target = (name: string) => ({ stateDir: join(folder, name), remote: false });
  const place = join(folder, "objects");
  mkdirSync(place);
  const properties = await withBuckets(
    target("objects-from"),
    async (bucketOf) => {
      await bucketOf("first").put("a", "of the first", { customMetadata: { of: "first" } });
      await bucketOf("second").put("a", "of the second");
      const store = folderStore(place, bucketOf);
      expect(await store.copyObject("b", "objects/b", "second")).toBeNull();
      const copied = new Map<string, object | null>();
      for (const name of ["first", "second"]) copied.set(name, await store.copyObject("a", `objects/${name}`, name));
      return copied;
    },
    databases,
  );
  await withBuckets(
    target("objects-to"),
    async (bucketOf) => {
      const put = putObjectInto(bucketOf, folderStore(place, bucketOf));
      // The workspaces are in other databases than before.
      await put("objects/first", { key: "a", ...properties.get("first") }, "second");
      await put("objects/second", { key: "a", ...properties.get("second") }, "first");
      expect(await (await bucketOf("first").get("a"))?.text()).toBe("of the second");
      const moved = await bucketOf("second").get("a");
      expect([await moved?.text(), moved?.customMetadata]).toEqual(["of the first", { of: "first" }]);
    },
    databases,
  );
  expect(() =>
    readDatabases(`
    d1_databases = [{ binding = "DB", database_name = "one" }]
    r2_buckets = [{ binding = "BUCKET", bucket_name = "files" }]
    [vars]
    DATABASES = '[{"name": "first", "binding": "DB", "bucket": "BUCKET_EU"}]'`),
  ).toThrow("BUCKET_EU");
});
