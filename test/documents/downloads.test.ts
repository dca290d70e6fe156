import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { grants } from "../../src/access/tables";
import { documents, documentVersions, textSections } from "../../src/documents/tables";
import { passageSchema, versionSchema } from "../../src/documents/versions/versions";
import { downloadSchema, prefersJson } from "../../src/platform/objects/store";
import { call, codeOf, expectJson } from "../support/call";
import { uploadDocument } from "../support/documents";
import { mintGrant, mintPerson, mintPlace, type Person } from "../support/factories";
import { endedJobs } from "../support/jobs";
import { testDatabase } from "../support/statements";

let organizationId: string;
let owner: Person;
let locationId: string;

beforeEach(async () => {
  ({ organizationId, owner, locationId } = await mintPlace());
});

const upload = (fileName: string, bytes: string, contentType = "text/plain") =>
  uploadDocument(owner.token, locationId, { fileName, bytes, contentType });
const asJson = { accept: "application/json" };

describe("a download", () => {
  test("is a redirect for a browser and JSON for a program", async () => {
    const { id } = await upload("a.txt", "hello");
    const path = `/v1/documents/${id}/download`;
    const redirect = await call("GET", path, { token: owner.token, headers: { accept: "text/html, */*" } });
    expect(redirect.status).toBe(302);
    const link = await expectJson(downloadSchema, 200, "GET", path, { token: owner.token, headers: asJson });
    expect(link).toMatchObject({ contentType: "text/plain", sizeBytes: 5 });
    const left = Date.parse(link.expiresAtUtc) - Date.now();
    expect(left).toBeGreaterThan(200_000);
    expect(left).toBeLessThanOrEqual(300_000);
    const part = await call("GET", link.url, { headers: { range: "bytes=1-3" } });
    expect([part.status, await part.text()]).toEqual([206, "ell"]);
  });

  test("of an older version has the file name of that version", async () => {
    const { id } = await upload("a.txt", "one");
    await upload("a.txt", "two");
    await call("PATCH", `/v1/documents/${id}`, { token: owner.token, body: { fileName: "b.txt" } });
    for (const [query, text, name] of [
      ["", "two", "b.txt"],
      ["?version=2", "two", "b.txt"],
      ["?version=1", "one", "a.txt"],
    ]) {
      const redirect = await call("GET", `/v1/documents/${id}/download${query}`, owner);
      const bytes = await call("GET", redirect.headers.get("location") ?? "");
      expect(await bytes.text()).toBe(text);
      expect(bytes.headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
    }
    expect(await codeOf(await call("GET", `/v1/documents/${id}/download?version=3`, owner))).toBe("404 not-found");
  });

  test("checks the permission each time", async () => {
    const { id } = await upload("a.txt", "hello");
    const path = `/v1/documents/${id}/download`;
    const reader = await mintPerson();
    expect(await codeOf(await call("GET", path, reader))).toBe("404 not-found");
    const grant = await mintGrant({ organizationId }, reader.userId, "document", id, { Documents: "Read" });
    expect((await call("GET", path, reader)).status).toBe(302);
    await testDatabase().delete(grants).where(eq(grants.id, grant));
    expect(await codeOf(await call("GET", path, reader))).toBe("404 not-found");
    expect((await call("GET", path)).status).toBe(401);
  });

  test("of a derivative of a file that is not a picture is refused with the reason", async () => {
    const { id } = await upload("a.txt", "hello");
    for (const linkType of ["small", "medium"])
      expect(await codeOf(await call("GET", `/v1/documents/${id}/download?linkType=${linkType}`, owner))).toBe(
        "422 not-an-image",
      );
    expect((await call("GET", `/v1/documents/${id}/download?linkType=large`, owner)).status).toBe(400);
  });

  test("of a pending derivative says when to try again, and later succeeds", async () => {
    const { id } = await upload("a.txt", "hello");
    const version = and(eq(documentVersions.documentId, id), eq(documentVersions.version, 1));
    const set = (row: Partial<typeof documentVersions.$inferInsert>) =>
      testDatabase().update(documentVersions).set(row).where(version);
    await set({ derivativeStatus: "pending" });
    const path = `/v1/documents/${id}/download?linkType=small`;
    const pending = await call("GET", path, owner);
    expect(pending.headers.get("retry-after")).toBe("2");
    expect(await codeOf(pending)).toBe("503 unavailable");
    const smallKey = `${organizationId}/${id}/small`;
    await env.BUCKET.put(smallKey, "picture");
    await set({ derivativeStatus: "ready", smallKey });
    const link = await expectJson(downloadSchema, 200, "GET", path, { token: owner.token, headers: asJson });
    expect(link).toMatchObject({ contentType: "image/jpeg", sizeBytes: 7 });
    const bytes = await call("GET", link.url);
    expect(bytes.headers.get("content-disposition")).toBe('inline; filename="a-small.jpg"');
    await set({ derivativeStatus: "failed", smallKey: null });
    expect(await codeOf(await call("GET", path, owner))).toBe("422 not-an-image");
  });
});

describe("the media type of a document", () => {
  test.each([
    ["a JPEG, whatever it was announced as", "\xff\xd8\xff\xe0rest", "text/plain", "image/jpeg"],
    ["a PNG", "\x89PNG\r\n\x1a\nrest", "image/jpeg", "image/png"],
    ["a WebP", "RIFF\x00\x00\x00\x00WEBPrest", "image/webp", "image/webp"],
    ["no picture, though announced as one", "hello", "image/png", "application/octet-stream"],
    ["what it was announced as otherwise", "hello", "text/csv; charset=utf-8", "text/csv; charset=utf-8"],
  ])("is %s", async (_, latin1, contentType, kept) => {
    const bytes = Uint8Array.from(latin1, (c) => c.charCodeAt(0));
    const document = await uploadDocument(owner.token, locationId, { fileName: "a", bytes, contentType });
    expect(document.contentType).toBe(kept);
    expect(document.derivativeStatus).toBe(/^image/.test(kept) ? document.derivativeStatus : "none");
    expect(document.derivativeStatus === "none").toBe(!/^image/.test(kept));
  });
});

test("versions are listed newest first, in pages", async () => {
  let id = "";
  for (const bytes of ["1", "22", "333"]) id = (await upload("a.txt", bytes)).id;
  const page = z.object({ items: z.array(versionSchema), nextCursor: z.string().nullable() });
  const path = `/v1/documents/${id}/versions?limit=2`;
  const first = await expectJson(page, 200, "GET", path, owner);
  expect(first.items.map(({ version, sizeBytes }) => [version, sizeBytes])).toEqual([
    [3, 3],
    [2, 2],
  ]);
  const cursor = encodeURIComponent(first.nextCursor ?? "");
  const second = await expectJson(page, 200, "GET", `${path}&cursor=${cursor}`, owner);
  expect(second.items.map(({ version }) => version)).toEqual([1]);
  expect(second.nextCursor).toBeNull();
});

test("passages belong to the current version, in order, of the document or of one page", async () => {
  const { id } = await upload("a.bin", "\u0000\u0001", "application/x-unknown");
  await endedJobs(organizationId, "extract-document");
  const db = testDatabase();
  const row = { documentId: id, version: 7 };
  await db.insert(textSections).values([
    { ...row, page: 1, chunkIndex: 0, texts: ["text 0", "text 1"] },
    { ...row, page: 2, chunkIndex: 2, texts: ["text 2"] },
    { ...row, version: 6, page: 1, chunkIndex: 9, texts: ["old"] },
  ]);
  await db.update(documents).set({ textVersion: 7 }).where(eq(documents.id, id));
  const page = z.object({ items: z.array(passageSchema), nextCursor: z.string().nullable() });
  const read = (query: string) => expectJson(page, 200, "GET", `/v1/documents/${id}/passages${query}`, owner);
  expect((await read("")).items.map(({ text }) => text)).toEqual(["text 0", "text 1", "text 2"]);
  expect((await read("?page=1")).items.map(({ chunkIndex }) => chunkIndex)).toEqual([0, 1]);
  const first = await read("?page=1&limit=1");
  const second = await read(`?page=1&limit=1&cursor=${encodeURIComponent(first.nextCursor ?? "")}`);
  expect(second.items).toEqual([{ chunkIndex: 1, pageNumber: 1, text: "text 1" }]);
});

test.each([
  [undefined, false],
  ["*/*", false],
  ["text/html, application/json", false],
  ["application/json, text/plain, */*", true],
  ["application/json", true],
  ["text/html;q=0.5, application/json;q=0.9", true],
  ["application/json;q=0", false],
  ["Application/JSON; charset=utf-8", true],
])("Accept: %s puts JSON first: %s", (accept, first) => {
  expect(prefersJson(accept)).toBe(first);
});
