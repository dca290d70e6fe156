import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { withBucket } from "../../scripts/backup/bucket.mjs";
import { loadCarry } from "../../scripts/backup/carry.mjs";
import { openDatabase } from "../../scripts/backup/database.mjs";
import { overHttp } from "../../scripts/backup/remote.mjs";
import { withStore } from "../../scripts/backup/store.mjs";
import { localSecrets } from "../../scripts/secrets.mjs";
import { freePort } from "../../scripts/service/options.mjs";
import { copyPreparedState, preparedWorker } from "../../scripts/service/prepared.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import type { BackedUp } from "../../src/backups/take";
import type { BackupStore } from "../../src/platform/objects/backup-store";
import { eventually } from "../support/patience";
import { readState } from "./support/state";

/*
 * Writes to a running service, backs it up while it runs, writes again, and restores the backup into an empty state
 * with the two commands of docs/how-to/back-up.md.
 */

const folder = mkdtempSync(join(tmpdir(), "backup-"));
const [first, second, copy] = [join(folder, "first"), join(folder, "second"), join(folder, "copy")];
type Service = Awaited<ReturnType<typeof serve>>;
let service: Service | undefined;

const start = async (stateDir: string): Promise<Service> =>
  serve({
    ...preparedWorker,
    hasExplorer: true,
    port: await freePort(),
    stateDir,
    secretsFile: localSecrets(stateDir),
    vars: { REGISTRATION: "open", FIRST_USER_IS_ADMIN: "true" },
  });

const command = (name: "backup" | "restore", stateDir: string, ...options: string[]) =>
  commandAt(copy, name, stateDir, ...options);
const commandAt = (place: string, name: "backup" | "restore", stateDir: string, ...options: string[]) =>
  promisify(execFile)(process.execPath, [`scripts/backup/${name}.mjs`, place, ...options], {
    env: { ...process.env, STATE_DIR: stateDir },
    maxBuffer: 64 * 1024 ** 2,
  });

/** Reads every row of these tables from the files of the service, without the service. */
const rowsOf = (stateDir: string, tables: readonly string[]): Record<string, unknown[]> =>
  readState(stateDir, (database) =>
    Object.fromEntries(tables.map((table) => [table, database.prepare(`SELECT * FROM "${table}"`).all()])),
  );

async function api<T extends z.ZodType>(schema: T, method: string, path: string, token: string, body?: unknown) {
  const response = await fetch(`${service?.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return schema.parse(text === "" ? null : JSON.parse(text)) as z.infer<T>;
}

const withId = z.object({ id: z.string() });
const upload = z.object({
  uploadId: z.string(),
  uploadUrl: z.string(),
  requiredHeaders: z.record(z.string(), z.string()),
});

async function uploadFile(token: string, locationId: string, fileName: string, bytes: Uint8Array<ArrayBuffer>) {
  const path = `/v1/spatial/locations/${locationId}/documents`;
  const started = await api(upload, "POST", `${path}/upload-start`, token, {
    fileName,
    contentType: "text/plain",
    sizeBytes: bytes.length,
    checksumSha256: createHash("sha256").update(bytes).digest("hex"),
  });
  const put = await fetch(started.uploadUrl, { method: "PUT", headers: started.requiredHeaders, body: bytes });
  expect(put.status).toBe(200);
  return (await api(withId, "POST", `${path}/upload-complete`, token, { uploadId: started.uploadId })).id;
}

const download = async (token: string, id: string): Promise<Buffer> => {
  const response = await fetch(`${service?.url}/v1/documents/${id}/download`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
};

const credentials = { email: "keeper@people.test", password: "correct horse battery" };
const account = { ...credentials, displayName: "Keeper" };
const signedIn = z.object({ accessToken: z.string() });
const results = z.object({ results: z.array(z.object({ title: z.string() })) });
const find = (token: string, term: string) => api(results, "POST", "/v1/search", token, { term });

beforeAll(() => copyPreparedState(first));
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The commands start many programs, among them one for each migration: minutes beside other suites on two cores. */
const COMMANDS_MS = 900_000;

test("a backup of the running service restores its data, byte for byte", { timeout: COMMANDS_MS }, async () => {
  service = await start(first);
  const { accessToken: token } = await api(signedIn, "POST", "/v1/auth/register", "", account);
  const { id: organizationId } = await api(withId, "POST", "/v1/orgs", token, { name: "It's a harbour" });
  const { id: clusterId } = await api(withId, "POST", "/v1/spatial/clusters", token, { organizationId, name: "North" });
  const { id: locationId } = await api(withId, "POST", "/v1/spatial/locations", token, { clusterId, name: "Quay" });
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const text = (words: string) => Uint8Array.from(new TextEncoder().encode(words));
  for (const [name, bytes] of [
    ["plain.txt", text("The 'sapphire' lens, with a quote;\nand a second line.\r\n")],
    ["empty-ish.txt", text(" ")],
    ["random.bin", Uint8Array.from(randomBytes(9_000_000))],
    [`${"long name ".repeat(24)}.txt`, text("A long name.")],
  ] as const)
    files.set(await uploadFile(token, locationId, name, bytes), bytes);
  const trashed = await uploadFile(token, locationId, "trashed.txt", text("Deleted before the backup."));
  files.set(trashed, text("Deleted before the backup."));
  await api(z.null(), "DELETE", `/v1/documents/${trashed}`, token);
  // Rows longer than the maximum of a statement, with every kind of character that a text can contain.
  const note = "C:\\new\\readme\n'quoted' \u{1f6a2}; -- no comment\r\n\"";
  const body = { kind: "note", title: "Here", body: note.repeat(300) };
  const annotation = await api(withId, "POST", `/v1/spatial/locations/${locationId}/annotations`, token, body);
  const layout = `<main>{{title}}</main><!-- ${"it's long \u{1f6a2}\n".repeat(6_000)} -->`;
  await api(z.unknown(), "POST", "/v1/reports/templates/users/me", token, {
    key: "long",
    displayName: "Long",
    htmlLayoutTemplate: layout,
    contentTemplateJson: {},
  });
  await eventually(async () => expect((await find(token, "sapphire")).results.length).toBeGreaterThan(0));

  // The service is written to during the backup. The second backup reads only what has changed since the first.
  let isWriting = true;
  const write = async () => {
    for (let n = 0; isWriting; n++)
      await uploadFile(token, locationId, `busy-${n}.txt`, text(`Written meanwhile, ${n}.`));
  };
  const twice = async () => {
    await command("backup", first);
    await command("backup", first);
  };
  await Promise.all([write(), twice().finally(() => (isWriting = false))]);
  // The first backup is removed after the second one is complete.
  const [manifest = "", ...others] = readdirSync(join(copy, "backups"));
  expect(others).toEqual([]);
  expect(JSON.parse(readFileSync(join(copy, "backups", manifest), "utf8"))).toMatchObject({ missing: 0 });
  const late = await uploadFile(token, locationId, "late.txt", text("Written after the backup."));
  await service.stop();

  await command("restore", second);
  service = await start(second);
  const { accessToken: again } = await api(signedIn, "POST", "/v1/auth/login", "", credentials);
  expect(
    (await fetch(`${service.url}/v1/documents/${late}`, { headers: { authorization: `Bearer ${again}` } })).status,
  ).toBe(404);
  await api(withId, "POST", `/v1/documents/${trashed}/restore`, again);
  for (const [id, bytes] of files) expect(Buffer.compare(await download(again, id), bytes)).toBe(0);
  const restored = await api(z.object({ body: z.string() }), "GET", `/v1/annotations/${annotation.id}`, again);
  expect(restored.body).toBe(body.body);
  await eventually(async () =>
    expect((await find(again, "sapphire")).results.map(({ title }) => title)).toContain("plain.txt"),
  );
  const usage = z.object({ usage: z.object({ usedBytes: z.int() }) });
  const { usage: counted } = await api(usage, "GET", `/v1/orgs/${organizationId}/entitlements`, again);
  // Every row is in the state of one moment: the count of the bytes fits the documents.
  const { document_versions: versions = [] } = rowsOf(second, ["document_versions"]);
  const sizes = z.array(z.object({ document_id: z.string(), size_bytes: z.int() })).parse(versions);
  expect(sizes.length).toBeGreaterThan(files.size);
  expect(counted.usedBytes).toBe(sizes.reduce((sum, { size_bytes }) => sum + size_bytes, 0));
  // Rows that nobody changed in the meantime are equal in every column.
  const same = [
    "document_versions",
    "report_templates",
    "memberships",
    "organizations",
    "annotations",
    "people",
    "users",
  ];
  const [before, after] = [rowsOf(first, same), rowsOf(second, same)];
  const restoredIds = new Set(sizes.map(({ document_id }) => document_id));
  const known = (rows: unknown[] = []) =>
    rows.filter((row) => {
      const { document_id: id } = row as { document_id?: string };
      return id === undefined || restoredIds.has(id);
    });
  for (const table of same) expect([table, after[table]]).toEqual([table, known(before[table])]);
  // The command asks before it writes into a database that is in use. A workspace that is there stays as it is.
  await service.stop();
  await expect(command("restore", second)).rejects.toThrow("There are accounts in");
  expect((await command("restore", second, "--yes")).stdout).toContain("there already");
  // One workspace comes back alone, from a bucket, with its people. The template is in the personal workspace, and nobody becomes an administrator.
  const third = join(folder, "third");
  await commandAt("bucket:copies", "backup", second);
  const options = ["--bucket-state", second, "--workspace", organizationId];
  expect((await commandAt("bucket:copies", "restore", third, ...options)).stdout).toContain("1 got one");
  const users = after.users?.map((user) => ({ ...(user as object), is_admin: 0 }));
  expect(rowsOf(third, same)).toEqual({ ...after, users, report_templates: [] });
});

/** The address for batches of the database in Cloudflare's own local form of its HTTP API. */
async function apiOf({ url }: Service): Promise<string> {
  const api = `${url}/cdn-cgi/local/explorer/api/d1/database`;
  const { result } = z
    .object({ result: z.array(z.object({ uuid: z.string() })) })
    .parse(await (await fetch(api)).json());
  return `${api}/${result[0]?.uuid}/raw`;
}

test("a backup over the HTTP API has the same rows as one of the local file", async () => {
  service = await start(first);
  const carry = await loadCarry();
  const tables = { workspace: carry.OF_WORKSPACE, service: carry.OF_SERVICE };
  const objects = (() => ({ head: async () => null })) as unknown as Parameters<typeof withStore>[1];
  const file = await openDatabase({ stateDir: first, remote: false }, { readOnly: true });
  const take = (name: string, from: BackedUp) =>
    withStore({ folder: join(folder, name) }, objects, async (store: BackupStore) => {
      const given = { store, tables, schema: "1", databases: [from], directory: from, mayContinue: () => true, now: 1 };
      const { stamp, rows } = await carry.takeBackup(given, await carry.beginBackup(given));
      const sums: string[] = [];
      for await (const list of store.list(`workspaces/${stamp}/`)) {
        const { workspace, slices } = JSON.parse((await store.read(list)) ?? "");
        for (const { table, rows: count, a, b } of slices) sums.push(JSON.stringify([workspace, table, count, a, b]));
      }
      return { rows, sums: sums.sort() };
    });
  const http = await take("http", { name: "first", source: overHttp(await apiOf(service), "") });
  expect(http.rows).toBeGreaterThan(50);
  expect(http).toEqual(await take("file", { name: "first", source: file }));
  file.close();
  await service.stop();
});

test("the fence of a command outside of the service refuses changes of its workspace, and no others", async () => {
  service = await start(first);
  const { accessToken: token } = await api(signedIn, "POST", "/v1/auth/login", "", credentials);
  const [{ id: organizationId }, { id: other }] = [
    await api(withId, "POST", "/v1/orgs", token, { name: "Fenced" }),
    await api(withId, "POST", "/v1/orgs", token, { name: "Open" }),
  ];
  const addCluster = (id: string, name: string) =>
    fetch(`${service?.url}/v1/spatial/clusters`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ organizationId: id, name }),
    });
  const { Fence } = await loadCarry();
  const database = overHttp(await apiOf(service), "");
  const fence = new Fence(database, organizationId);
  expect(await fence.close()).toBe(true);
  const [refused, accepted] = await Promise.all([
    addCluster(organizationId, "Now"),
    addCluster(other, "Now"),
    api(withId, "GET", `/v1/orgs/${organizationId}`, token),
  ]);
  expect([refused.status, accepted.status]).toEqual([503, 201]);
  expect(await refused.json()).toMatchObject({ code: "workspace-moving" });
  expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(5);
  await fence.open();
  expect((await addCluster(organizationId, "Again")).status).toBe(201);
  // A command that was killed leaves its fence behind.
  expect(await fence.close()).toBe(true);
  await eventually(async () => expect((await addCluster(organizationId, "Later")).status).toBe(201));
  database.close();
});

test("an owner's export is imported into another installation, with its files", async () => {
  service ??= await start(first);
  const owner = { email: "owner@people.test", password: "correct horse battery", displayName: "Owner" };
  const { accessToken: token } = await api(signedIn, "POST", "/v1/auth/register", "", owner);
  const { id: organizationId } = await api(withId, "POST", "/v1/orgs", token, { name: "Moved out" });
  const { id: clusterId } = await api(withId, "POST", "/v1/spatial/clusters", token, { organizationId, name: "North" });
  const { id: locationId } = await api(withId, "POST", "/v1/spatial/locations", token, { clusterId, name: "Quay" });
  const bytes = Uint8Array.from(randomBytes(70_000));
  const kept = await uploadFile(token, locationId, "Plan: ä?.bin", bytes);
  await uploadFile(token, locationId, "words.txt", Uint8Array.from(Buffer.from("A lighthouse in the fog.")));
  const trashed = await uploadFile(token, locationId, "trashed.txt", Uint8Array.from(Buffer.from("In the trash.")));
  await api(z.null(), "DELETE", `/v1/documents/${trashed}`, token);
  const exports = `/v1/orgs/${organizationId}/exports`;
  const made = z.object({ status: z.string(), downloadUrl: z.string().nullable() });
  await api(z.unknown(), "POST", exports, token, {});
  await eventually(async () => expect((await api(made, "GET", `${exports}/latest`, token)).status).toBe("ready"));
  const { downloadUrl } = await api(made, "GET", `${exports}/latest`, token);
  const zip = join(folder, "Moved out.zip");
  writeFileSync(zip, Buffer.from(await (await fetch(downloadUrl ?? "")).arrayBuffer()));
  await service?.stop();

  const other = join(folder, "other");
  const { stdout } = await commandAt(zip, "restore", other);
  expect(stdout).toContain("0 have an account here with the same address, 1 got one, 0 have none");
  expect(stdout).toContain("1 files are not in the export");
  expect((await commandAt(zip, "restore", other, "--yes")).stdout).toContain("was there already");
  const tables = ["organizations", "memberships", "clusters", "locations", "documents"];
  const [before, after] = [rowsOf(first, tables), rowsOf(other, tables)];
  for (const table of tables) {
    const own = before[table]?.filter((row) => Object.values(row as object).includes(organizationId));
    expect([table, after[table]]).toEqual([table, own]);
  }
  // An address in an export proves nothing.
  expect(rowsOf(other, ["users"]).users).toMatchObject([{ email_verified_at: null, password_hash: null, is_admin: 0 }]);
  const counted = (state: string) =>
    readState(state, (database) => [
      database.prepare("SELECT * FROM storage_usage WHERE tenant_id = ?").get(organizationId),
      database.prepare("SELECT * FROM location_storage WHERE tenant_id = ?").all(organizationId),
    ]);
  expect(counted(other)).toEqual(counted(first));

  await withBucket({ stateDir: other, remote: false }, async (bucket) => {
    const { key } = readState(other, (database) =>
      database.prepare("SELECT object_key AS key FROM document_versions WHERE document_id = ?").get(kept),
    ) as { key: string };
    const found = await bucket.get(key);
    expect(Buffer.compare(Buffer.from((await found?.arrayBuffer()) ?? new ArrayBuffer(0)), bytes)).toBe(0);
  });
});

test("rows that are not those of the backup are not restored in silence", async () => {
  const folders = readdirSync(join(copy, "rows"), { recursive: true, encoding: "utf8" });
  const file = join(copy, "rows", folders.find((name) => /locations-[^/]*\.ndjson$/.test(name)) ?? "");
  writeFileSync(file, readFileSync(file, "utf8").replace("Quay", "Quai"));
  await expect(command("restore", join(folder, "fourth"))).rejects.toThrow("locations has rows with other values");
});
