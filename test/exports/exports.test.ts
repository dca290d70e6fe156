import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { unzipSync } from "fflate";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { z } from "zod";
import { memberships, organizations } from "../../src/access/tables";
import { EXPORTED, NOT_EXPORTED, OF_WORKSPACE } from "../../src/carried";
import { documents, documentVersions } from "../../src/documents/tables";
import { downloadExport } from "../../src/exports/download";
import { workspaceExportSchema } from "../../src/exports/exports";
import { EXPORT_OBJECTS_GRACE_MS } from "../../src/exports/limits";
import { prepareWorkspaceExport } from "../../src/exports/prepare";
import { workspaceExports } from "../../src/exports/tables";
import { takeStatement } from "../../src/platform/db/carry/statements";
import type { ObjectStore } from "../../src/platform/objects/store";
import { DAY, HOUR, toUtc } from "../../src/platform/time";
import { FIRST_CHECK_MS } from "../../src/platform/zip/send";
import { TEMPORARY_PREFIX } from "../../src/uploads";
import { storedObjects } from "../../src/uploads/tables";
import { call, codeOf, expectJson } from "../support/call";
import { mintCameraSite, mintImage } from "../support/cameras";
import { uploadDocument } from "../support/documents";
import { mintLocation, mintMember, mintPerson, type Person } from "../support/factories";
import { endedJobs, systemContext } from "../support/jobs";
import { notificationsOf } from "../support/notifications";
import { eventually } from "../support/patience";
import fc from "../support/properties";
import { testDatabase } from "../support/statements";

type Export = z.infer<typeof workspaceExportSchema>;

let organizationId: string;
let owner: Person;
let locationId: string;
let camera: Awaited<ReturnType<typeof mintCameraSite>>["camera"];
const now = Date.now();

beforeEach(async () => {
  ({ organizationId, owner, locationId, camera } = await mintCameraSite({ name: "Gate: north?" }));
});

const path = (more = "") => `/v1/orgs/${organizationId}/exports${more}`;
const start = (body: Record<string, unknown> = {}, who = owner) =>
  expectJson(workspaceExportSchema, 202, "POST", path(), { ...who, body });
const read = (id: string, who = owner) => expectJson(workspaceExportSchema, 200, "GET", path(`/${id}`), who);
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
const download = (url: string, headers: Record<string, string> = {}) => call("GET", url, { headers });

/** Starts an export and waits until it is ready. */
async function ready(body: Record<string, unknown> = {}): Promise<Export & { downloadUrl: string }> {
  const { operationId } = await start(body);
  await endedJobs(organizationId, "prepare-workspace-export");
  const made = await read(operationId);
  expect(made).toMatchObject({ status: "ready", error: null });
  return { ...made, downloadUrl: made.downloadUrl ?? "" };
}

const filesOf = async (made: { downloadUrl: string }) => unzipSync(await bytesOf(await download(made.downloadUrl)));
const linesOf = (bytes: Uint8Array | undefined): Record<string, unknown>[] =>
  text(bytes)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("an export of an organization", () => {
  test("has documents with versions, images, rows without secrets, a schema and an index", async () => {
    await uploadDocument(owner.token, locationId, { fileName: "Plan ä.txt", path: "a/b", bytes: "first" });
    const image = await mintImage(camera, locationId, { capturedAt: now - 2 * HOUR, crc32: 0 });
    const made = await ready({ images: { fromUtc: toUtc(now - 3 * HOUR) } });
    expect(made).toMatchObject({ fileCount: 2, requestedBy: owner.userId });
    const response = await download(made.downloadUrl);
    expect(response.headers.get("content-length")).toBe(String(made.totalBytes));
    const zip = await bytesOf(response);
    expect(zip.length).toBe(made.totalBytes);
    const names = new TextDecoder("latin1").decode(zip);
    expect(names).toContain(image.id ?? "no id");
    const files = Object.keys(await filesOf(await ready()));
    expect(files.filter((name) => name.startsWith("documents/"))).toEqual([
      expect.stringMatching(/^documents\/[^/]+\/[^/]+\/a\/b\/Plan ä\.txt$/),
    ]);
    const {
      "index.html": index,
      "export.json": manifest,
      "data/schema.json": schema,
      ...rest
    } = await filesOf(await ready());
    expect(text(index)).toContain("Plan%20%C3%A4.txt");
    expect(text(index)).not.toMatch(/https?:/);
    expect(JSON.parse(text(manifest))).toMatchObject({ format: "workspace-export/1", organizationId, files: 1 });
    expect(Object.keys(JSON.parse(text(schema)).$defs)).toEqual(EXPORTED.workspace.map(({ id }) => id));
    expect(linesOf(rest["data/memberships.ndjson"])).toMatchObject([{ user_id: owner.userId, role: "owner" }]);
    expect(linesOf(rest["data/documents.ndjson"])).toMatchObject([{ file_name: "Plan ä.txt", path: "a/b" }]);
    const [notification] = await notificationsOf(owner.userId);
    expect(notification).toMatchObject({ type: "export-ready" });
  });

  test("keeps names apart that are one name on Windows, and puts older versions aside", async () => {
    const texts = { "a:b.txt": "one", "a?b.txt": "two", "A_B.txt": "three", "con.txt": "four", "x. ": "five" };
    for (const [fileName, bytes] of Object.entries(texts))
      await uploadDocument(owner.token, locationId, { fileName: fileName.trim(), bytes });
    const twice = await uploadDocument(owner.token, locationId, { fileName: "twice.txt", bytes: "old" });
    await uploadDocument(owner.token, locationId, { fileName: "twice.txt", bytes: "new" });
    expect(twice).toBeDefined();
    const files = await filesOf(await ready());
    const names = Object.keys(files).filter((name) => /^(documents|versions)\//.test(name));
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    for (const name of names) for (const part of name.split("/")) expect(part).toMatch(/^[^<>:"|?*\\]*[^<>:"|?*\\. ]$/);
    const contents = names.map((name) => text(files[name])).sort();
    expect(contents).toEqual([...Object.values(texts), "new", "old"].sort());
    expect(names.find((name) => name.startsWith("versions/"))).toMatch(/\/twice\.txt\/1\.txt$/);
  });

  test("gives the same bytes from any offset, and honours If-Range", async () => {
    await uploadDocument(owner.token, locationId, { fileName: "a.txt", bytes: "x".repeat(5_000) });
    const { downloadUrl, totalBytes } = await ready();
    const whole = await download(downloadUrl);
    const etag = whole.headers.get("etag") ?? "";
    const zip = await bytesOf(whole);
    await fc.assert(
      fc.asyncProperty(fc.nat(zip.length - 1), fc.nat(3_000), async (first, more) => {
        const last = Math.min(first + more, zip.length - 1);
        const part = await download(downloadUrl, { range: `bytes=${first}-${last}`, "if-range": etag });
        expect(part.status).toBe(206);
        expect(await bytesOf(part)).toEqual(zip.slice(first, last + 1));
      }),
      { numRuns: 40 },
    );
    const other = await download(downloadUrl, { range: "bytes=5-9", "if-range": '"other"' });
    expect([other.status, (await bytesOf(other)).length]).toEqual([200, totalBytes]);
    expect((await download(downloadUrl, { range: `bytes=${zip.length}-` })).status).toBe(416);
  });

  test("is for owners only, and for nobody who has lost the role", async () => {
    const admin = await mintMember(organizationId, "admin");
    for (const who of [admin, await mintMember(organizationId, "member")])
      expect((await call("POST", path(), { ...who, body: {} })).status).toBe(403);
    expect((await call("POST", path(), { ...(await mintPerson()), body: {} })).status).toBe(404);
    const { downloadUrl, operationId } = await ready();
    await testDatabase().update(memberships).set({ role: "admin" }).where(eq(memberships.userId, owner.userId));
    expect((await download(downloadUrl)).status).toBe(404);
    expect((await call("GET", path(`/${operationId}`), owner)).status).toBe(403);
  });

  test("is one at a time, can be cancelled, and leaves no objects", async () => {
    const db = testDatabase();
    const first = await start();
    const second = await call("POST", path(), { ...owner, body: {} });
    if (second.status !== 202) expect([second.status, await codeOf(second)]).toEqual([409, "409 conflict"]);
    await endedJobs(organizationId, "prepare-workspace-export");
    const { downloadUrl } = await read(first.operationId);
    expect((await call("DELETE", path(`/${first.operationId}`), owner)).status).toBe(204);
    expect((await call("DELETE", path(`/${first.operationId}`), owner)).status).toBe(404);
    expect(await read(first.operationId)).toMatchObject({ status: "cancelled", downloadUrl: null });
    if (downloadUrl !== null) expect((await download(downloadUrl)).status).toBe(410);
    const rows = await db.select().from(storedObjects).where(eq(storedObjects.tenantId, organizationId));
    const own = rows.filter(({ key }) => key.includes(first.operationId));
    expect(own.length).toBeGreaterThan(0);
    for (const { purgeAfter } of own) expect(purgeAfter).toBeLessThan(Date.now() + HOUR);
  });

  test("has objects that a backup leaves out, beside those that it copies", async () => {
    await uploadDocument(owner.token, locationId, { fileName: "kept.txt", bytes: "kept" });
    await ready();
    const declared = OF_WORKSPACE.find(({ name }) => name === "stored_objects");
    if (declared === undefined) throw new Error("stored objects are not carried");
    const { sql, params } = takeStatement(declared, organizationId);
    const { results } = await env.DB.prepare(sql)
      .bind(...params)
      .all<{ identity: string; objects: string | null }>();
    const copied = (isOfExport: boolean) =>
      results.filter(({ identity }) => identity.includes("exports/") === isOfExport).map(({ objects }) => objects);
    expect(copied(true).length).toBeGreaterThan(0);
    expect(copied(true).filter((objects) => objects !== null)).toEqual([]);
    expect(copied(false)).not.toContain(null);
    expect(copied(false).length).toBeGreaterThan(0);
  });

  test("keeps its status when it has ended and is cancelled then", async () => {
    const { operationId } = await ready();
    for (const status of ["failed", "lost"] as const) {
      await testDatabase().update(workspaceExports).set({ status }).where(eq(workspaceExports.id, operationId));
      expect((await call("DELETE", path(`/${operationId}`), owner)).status).toBe(404);
      expect((await read(operationId)).status).toBe(status);
    }
  });

  test("releases its objects when it ends", async () => {
    const { operationId, expiresAtUtc } = await ready();
    const rows = await testDatabase().select().from(storedObjects).where(eq(storedObjects.tenantId, organizationId));
    const own = rows.filter(({ key }) => key.includes(operationId));
    expect(own.length).toBeGreaterThan(0);
    for (const { purgeAfter } of own)
      expect((purgeAfter ?? 0) - Date.parse(expiresAtUtc ?? "")).toBe(EXPORT_OBJECTS_GRACE_MS);
  });

  test("is cut when its reader loses access while the bytes are sent", async () => {
    await uploadDocument(owner.token, locationId, { fileName: "large.bin", bytes: "x".repeat(1_000_000) });
    const { downloadUrl, operationId } = await ready();
    const warned = vi.spyOn(console, "warn");
    const timers = vi.spyOn(globalThis, "setTimeout");
    // In the test's own context, so that the test can run its timer.
    const ticket = new URL(downloadUrl).searchParams.get("ticket") ?? "";
    const response = await downloadExport(systemContext(), operationId, ticket, new Request(downloadUrl));
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await testDatabase().update(memberships).set({ role: "admin" }).where(eq(memberships.userId, owner.userId));
    const check = timers.mock.calls.find(([, ms]) => ms === FIRST_CHECK_MS)?.[0] as (() => void) | undefined;
    timers.mockRestore();
    check?.();
    const rest = async () => {
      while ((await reader?.read())?.done === false);
    };
    await expect(rest()).rejects.toThrow();
    expect(warned).toHaveBeenCalledWith(expect.stringContaining(`"event":"export.cut","exportId":"${operationId}"`));
  });

  test("ends when a file of it was deleted meanwhile", async () => {
    await uploadDocument(owner.token, locationId, { fileName: "gone.txt", bytes: "gone" });
    const { downloadUrl, operationId } = await ready();
    const [version] = await testDatabase()
      .select({ key: documentVersions.objectKey })
      .from(documentVersions)
      .innerJoin(documents, eq(documents.id, documentVersions.documentId))
      .where(and(eq(documents.tenantId, organizationId), eq(documentVersions.fileName, "gone.txt")));
    await env.BUCKET.delete(version?.key ?? "");
    await expect(bytesOf(await download(downloadUrl))).rejects.toThrow();
    await eventually(async () => expect((await read(operationId)).status).toBe("lost"));
    expect((await download(downloadUrl)).status).toBe(410);
  });

  test("of an organization that is deleted meanwhile ends, and leaves no object", async () => {
    const { operationId } = await ready();
    const db = testDatabase();
    const again = { status: "preparing" as const, expiresAt: Date.now() + DAY };
    await db.update(workspaceExports).set(again).where(eq(workspaceExports.id, operationId));
    const prefix = `${TEMPORARY_PREFIX}${organizationId}/${operationId}/`;
    const keys = async () => (await env.BUCKET.list({ prefix })).objects.map(({ key }) => key).sort();
    const before = await keys();
    const { run } = prepareWorkspaceExport(EXPORTED);
    const job = { payload: { exportId: operationId }, state: null } as Parameters<typeof run>[1];
    // The removal of the workspace is between the row of an object and its bytes.
    const context = systemContext();
    const removing: ObjectStore = {
      ...context.objects,
      write: async (key, bytes, properties) => {
        await db.delete(storedObjects).where(eq(storedObjects.key, key));
        return context.objects.write(key, bytes, properties);
      },
      remove: (removed) => context.objects.remove(removed),
    };
    await expect(run({ ...context, objects: removing }, job)).rejects.toThrow("were removed");
    expect(await keys()).toEqual(before);
    await db.update(organizations).set({ deletedAt: 1 }).where(eq(organizations.id, organizationId));
    await expect(run(systemContext(), job)).rejects.toThrow("was deleted");
    expect(await keys()).toEqual(before);
  });

  test("leaves out images whose retention ends while it can be downloaded", async () => {
    const kept = await mintImage(camera, locationId, { capturedAt: now - HOUR, crc32: 0 });
    const ending = await mintImage(camera, locationId, { capturedAt: now - 30 * DAY + HOUR, crc32: 0 });
    const made = await ready({ images: {} });
    const zip = new TextDecoder("latin1").decode(await bytesOf(await download(made.downloadUrl)));
    expect([kept.id, ending.id].map((id) => zip.includes(`${id}.jpg`))).toEqual([true, false]);
  });

  test("expires", async () => {
    const { downloadUrl, operationId } = await ready();
    await testDatabase().update(workspaceExports).set({ expiresAt: now }).where(eq(workspaceExports.id, operationId));
    expect(await read(operationId)).toMatchObject({ status: "expired", downloadUrl: null });
    expect((await download(downloadUrl)).status).toBe(410);
  });
});

describe("an export of a person", () => {
  test("has their own data and personal workspace, and no secret", async () => {
    const person = await mintPerson({ displayName: "Ada" });
    const { id } = await mintLocation({ ownerUserId: person.userId });
    await uploadDocument(person.token, id, { fileName: "mine.txt", bytes: "mine" });
    const mine = "/v1/auth/me/exports";
    const { operationId } = await expectJson(workspaceExportSchema, 202, "POST", mine, person);
    await endedJobs(person.userId, "prepare-workspace-export");
    const made = await expectJson(workspaceExportSchema, 200, "GET", `${mine}/${operationId}`, person);
    expect(made).toMatchObject({ status: "ready", fileCount: 1 });
    const files = await filesOf({ downloadUrl: made.downloadUrl ?? "" });
    expect(linesOf(files["data/users.ndjson"])).toMatchObject([{ id: person.userId, display_name: "Ada" }]);
    expect(linesOf(files["data/access_tokens.ndjson"]).length).toBe(1);
    expect(Object.keys(files).some((name) => name.endsWith("/mine.txt"))).toBe(true);
    for (const [name, bytes] of Object.entries(files))
      if (name.startsWith("data/")) expect(text(bytes)).not.toMatch(/password_hash|secret_hash/);
    expect((await call("GET", `${mine}/${operationId}`, await mintPerson())).status).toBe(404);
    expect(await expectJson(workspaceExportSchema, 200, "GET", `${mine}/latest`, person)).toMatchObject({
      operationId,
    });
  });
});

test("no exported column is a secret, and each table is exported or left out with a reason", () => {
  const all = [...EXPORTED.workspace, ...EXPORTED.person.directory, ...EXPORTED.person.workspace];
  const suspicious = all.flatMap(({ id, columns }) =>
    columns
      .filter(({ name }) => /hash|secret|passcode|password|lease|staging/.test(name))
      .map(({ name }) => `${id}.${name}`),
  );
  expect(suspicious).toEqual([]);
  const exported = new Set(EXPORTED.workspace.map(({ id }) => id));
  expect(
    OF_WORKSPACE.filter(({ id }) => !exported.has(id))
      .map(({ id }) => id)
      .sort(),
  ).toEqual(Object.keys(NOT_EXPORTED).sort());
});
