import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { auditEntries } from "../../src/access/tables";
import { documentSchema } from "../../src/documents/document";
import { documents } from "../../src/documents/tables";
import { call, codeOf, expectJson, problem } from "../support/call";
import { announce, startUpload, uploadDocument } from "../support/documents";
import {
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPerson,
  type Person,
} from "../support/factories";
import { eventually } from "../support/patience";
import { testDatabase } from "../support/statements";
import { storageOf } from "../support/storage";

let organizationId: string;
let owner: Person;
let place: { id: string; clusterId: string };

beforeEach(async () => {
  const organization = await mintOrganization();
  organizationId = organization.id;
  owner = organization.owner;
  place = await mintLocation({ organizationId });
});

const page = z.object({ items: z.array(documentSchema), nextCursor: z.string().nullable() });
const listOf = (person: Person, query = "", locationId = place.id) =>
  expectJson(page, 200, "GET", `/v1/spatial/locations/${locationId}/documents${query}`, person);
const upload = (fileName: string, path = "", bytes = "x") =>
  uploadDocument(owner.token, place.id, { fileName, path, bytes });
const patch = (documentId: string, body: object, headers: Record<string, string> = {}, person = owner) =>
  call("PATCH", `/v1/documents/${documentId}`, { token: person.token, body, headers });

test("a change by a job is visible to a polling reader and does not make a writer's revision stale", async () => {
  const id = await mintDocument({ organizationId }, place);
  const read = (etag?: string) =>
    call("GET", `/v1/documents/${id}`, {
      token: owner.token,
      headers: etag === undefined ? {} : { "if-none-match": etag },
    });
  const etag = (await read()).headers.get("etag") ?? "";
  expect((await read(etag)).status).toBe(304);
  for (const change of [{ textStatus: "too-large" as const }, { pageCount: 7 }]) {
    const known = (await read()).headers.get("etag") ?? "";
    await testDatabase().update(documents).set(change).where(eq(documents.id, id));
    const response = await read(known);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject(change);
  }
  expect((await patch(id, { fileName: "renamed.txt" }, { "if-match": etag })).status).toBe(200);
});

test("pages continue after names of the maximum length", async () => {
  for (const character of ["\u6f22", '"']) {
    const name = (n: number) => `${character.repeat(character === '"' ? 250 : 83)}${n}`;
    const path = [1, 2, 3].map(name).join("/");
    for (const n of [1, 2]) await mintDocument({ organizationId }, place, [], { path, fileName: `${character}${n}` });
  }
  const names: string[] = [];
  for (let query = "?limit=1"; query !== ""; ) {
    const { items, nextCursor } = await listOf(owner, query);
    names.push(...items.map(({ fileName }) => fileName));
    query = nextCursor === null ? "" : `?limit=1&cursor=${encodeURIComponent(nextCursor)}`;
  }
  expect(new Set(names).size).toBe(4);
});

describe("uploading a document", () => {
  test("makes it readable, with unchanged bytes", async () => {
    const document = await upload("notes.txt", "plans/2026", "hello");
    expect(document).toMatchObject({
      path: "plans/2026",
      fileName: "notes.txt",
      version: 1,
      sizeBytes: 5,
      revision: 1,
    });
    const read = await expectJson(documentSchema, 200, "GET", `/v1/documents/${document.id}`, owner);
    expect(read).toMatchObject({ id: document.id, checksumSha256: document.checksumSha256, createdBy: owner.userId });
  });

  test("under an existing name creates a new version of the same document", async () => {
    const first = await upload("a.txt", "", "one");
    const second = await upload("a.txt", "", "two");
    expect(second).toMatchObject({ id: first.id, version: 2, versionCount: 2, revision: 2 });
    const started = await startUpload(owner.token, place.id, { fileName: "a.txt", bytes: "three" });
    expect(started).toMatchObject({ documentId: first.id, version: 3 });
  });

  test("with one name in two Unicode forms creates one document", async () => {
    const first = await upload("Ma\u0308rz.txt");
    const second = await upload("M\u00e4rz.txt");
    expect(second).toMatchObject({ id: first.id, fileName: "M\u00e4rz.txt", version: 2 });
  });

  test.each([
    ["an absolute path", { path: "/a" }],
    ["a path with an empty segment", { path: "a//b" }],
    ["a path that ends in a slash", { path: "a/" }],
    ["a path upwards", { path: "a/../b" }],
    ["a path to itself", { path: "./a" }],
    ["a path that looks like a version", { path: "a/v00000001" }],
    ["a control character", { fileName: "a\u0000.txt" }],
    ["a line break", { path: "a\nb" }],
    ["an empty name", { fileName: "" }],
    ["a name with a slash", { fileName: "a/b.txt" }],
    ["a name upwards", { fileName: ".." }],
    ["half a character", { fileName: "a\ud800" }],
    ["a segment of 256 characters", { path: "\u00e4".repeat(256) }],
    ["too much in all", { path: Array(4).fill("a".repeat(220)).join("/"), fileName: "b".repeat(50) }],
    ["an upper-case digest", { checksumSha256: "A".repeat(64) }],
    ["no media type", { contentType: "pdf" }],
    ["a media type that breaks a header", { contentType: "text/plain\r\nx: y" }],
    ["a negative size", { sizeBytes: -1 }],
    ["half a byte", { sizeBytes: 0.5 }],
    ["an unknown field", { name: "x" }],
  ])("with %s is refused", async (_, wrong) => {
    const body = { ...(await announce({ fileName: "a.txt", bytes: "x" })), ...wrong };
    const path = `/v1/spatial/locations/${place.id}/documents/upload-start`;
    expect((await expectJson(problem, 400, "POST", path, { token: owner.token, body })).code).toBe("validation-failed");
    expect((await storageOf(organizationId)).reserved).toBe(0);
  });

  test("with a name of the maximum length succeeds", async () => {
    const path = Array(3).fill("\u00e4".repeat(110)).join("/");
    const document = await upload(`${"b".repeat(225)}.txt`, path);
    const link = await call("GET", `/v1/documents/${document.id}/download`, owner);
    expect((await call("GET", link.headers.get("location") ?? "")).status).toBe(200);
  });
});

describe("the documents of a location", () => {
  test("are listed by path and name, in pages, without incomplete ones", async () => {
    const names = ["b.txt", "a.txt", "c.txt"];
    for (const name of names) await upload(name, "x");
    await upload("z.txt", "");
    await startUpload(owner.token, place.id, { fileName: "pending.txt", bytes: "x" });
    const first = await listOf(owner, "?limit=3");
    const second = await listOf(owner, `?limit=3&cursor=${encodeURIComponent(first.nextCursor ?? "")}`);
    const found = [...first.items, ...second.items].map(({ path, fileName }) => `${path}/${fileName}`);
    expect(found).toEqual(["/z.txt", "x/a.txt", "x/b.txt", "x/c.txt"]);
    expect(second.nextCursor).toBeNull();
  });

  test("can be limited to a folder and the folders below it", async () => {
    for (const path of ["plans", "plans/2026", "plans-old", "plan", "Plans"]) await upload("a.txt", path);
    const paths = async (path: string) => (await listOf(owner, `?path=${path}`)).items.map((d) => d.path);
    expect(await paths("plans")).toEqual(["plans", "plans/2026"]);
    expect(await paths("plans%2F2026")).toEqual(["plans/2026"]);
    expect(await paths("nothing")).toEqual([]);
  });

  test("are visible to a guest only with a grant", async () => {
    const [seen, hidden] = [await upload("seen.txt"), await upload("hidden.txt")];
    const guest = await mintPerson();
    const path = `/v1/spatial/locations/${place.id}/documents`;
    expect(await codeOf(await call("GET", path, guest))).toBe("404 not-found");
    await mintGrant({ organizationId }, guest.userId, "document", seen.id, { Documents: "Read" });
    expect((await listOf(guest)).items.map(({ id }) => id)).toEqual([seen.id]);
    expect((await listOf(guest, "?path=elsewhere")).items).toEqual([]);
    for (const method of ["GET", "PATCH", "DELETE"] as const) {
      const body = method === "PATCH" ? { fileName: "x" } : undefined;
      const answer = await call(method, `/v1/documents/${hidden.id}`, { token: guest.token, body });
      expect(await codeOf(answer)).toBe("404 not-found");
    }
    const refused = await call("DELETE", `/v1/documents/${seen.id}`, guest);
    expect(await codeOf(refused)).toBe("403 forbidden");
  });

  test("are an empty list for a caller who may only view the location, whose uploads are refused", async () => {
    await upload("a.txt");
    const member = await mintMember(organizationId, "member", { Documents: "None" });
    expect((await listOf(member)).items).toEqual([]);
    const body = await announce({ fileName: "b.txt", bytes: "x" });
    const path = `/v1/spatial/locations/${place.id}/documents/upload-start`;
    expect(await codeOf(await call("POST", path, { token: member.token, body }))).toBe("403 forbidden");
  });
});

describe("moving a document", () => {
  test("changes its location and name, and keeps its id, versions and bytes", async () => {
    const document = await upload("a.txt", "old", "hello");
    const target = await mintLocation({ organizationId });
    const response = await patch(document.id, {
      path: "new",
      fileName: "b.txt",
      locationId: target.id,
      baseRevision: 1,
    });
    const moved = documentSchema.parse(await response.json());
    expect(moved).toMatchObject({
      id: document.id,
      path: "new",
      fileName: "b.txt",
      locationId: target.id,
      clusterId: target.clusterId,
      revision: 2,
      version: 1,
    });
    expect((await listOf(owner)).items).toEqual([]);
    expect((await listOf(owner, "", target.id)).items.map(({ id }) => id)).toEqual([document.id]);
    const link = await call("GET", `/v1/documents/${document.id}/download`, owner);
    const bytes = await call("GET", link.headers.get("location") ?? "");
    expect(await bytes.text()).toBe("hello");
    expect(bytes.headers.get("content-disposition")).toBe('attachment; filename="b.txt"');
    const audit = await testDatabase().select().from(auditEntries).where(eq(auditEntries.subjectId, document.id));
    expect(audit.map(({ action }) => action)).toEqual(["document.moved"]);
  });

  test("makes its old name free for another document with separate bytes", async () => {
    const first = await upload("a.txt", "", "first");
    await patch(first.id, { fileName: "b.txt" });
    const second = await upload("a.txt", "", "second");
    expect(second.id).not.toBe(first.id);
    for (const [id, text] of [
      [first.id, "first"],
      [second.id, "second"],
    ]) {
      const link = await call("GET", `/v1/documents/${id}/download`, owner);
      expect(await (await call("GET", link.headers.get("location") ?? "")).text()).toBe(text);
    }
  });

  test("to the name of another document is refused", async () => {
    const [a] = [await upload("a.txt"), await upload("b.txt")];
    expect(await codeOf(await patch(a.id, { fileName: "b.txt" }))).toBe("409 already-exists");
  });

  test("from an old revision is refused, and from the current one is not", async () => {
    const { id } = await upload("a.txt");
    expect((await patch(id, { fileName: "b.txt" })).status).toBe(200);
    expect(await codeOf(await patch(id, { fileName: "c.txt", baseRevision: 1 }))).toBe("409 stale-revision");
    expect(await codeOf(await patch(id, { fileName: "c.txt" }, { "if-match": '"1"' }))).toBe("412 precondition-failed");
    const etag = (await call("GET", `/v1/documents/${id}`, owner)).headers.get("etag") ?? "";
    expect((await patch(id, { fileName: "c.txt" }, { "if-match": etag })).status).toBe(200);
    expect((await patch(id, { fileName: "d.txt" }, { "if-match": '"3"' })).status).toBe(200);
  });

  test("needs Write at both locations, and is refused to another workspace", async () => {
    const document = await upload("a.txt");
    const target = await mintLocation({ organizationId });
    const helper = await mintPerson();
    await mintGrant({ organizationId }, helper.userId, "document", document.id, { Documents: "Write" });
    const body = { locationId: target.id };
    expect(await codeOf(await patch(document.id, body, {}, helper))).toBe("404 not-found");
    await mintGrant({ organizationId }, helper.userId, "location", target.id, { Documents: "Read" });
    expect(await codeOf(await patch(document.id, body, {}, helper))).toBe("403 forbidden");
    const own = await mintLocation({ ownerUserId: owner.userId });
    expect(await codeOf(await patch(document.id, { locationId: own.id }))).toBe("422 rule-violated");
    expect((await patch(document.id, { fileName: "b.txt" }, {}, helper)).status).toBe(200);
  });

  test("refuses an empty change and an invalid name", async () => {
    const { id } = await upload("a.txt");
    for (const body of [{}, { baseRevision: 1 }, { fileName: "../x" }, { path: "/x" }, { version: 2 }])
      expect(await codeOf(await patch(id, body))).toBe("400 validation-failed");
  });
});

describe("deleting a document", () => {
  test("with purge hides it at once and removes its bytes and its row", async () => {
    const document = await upload("a.txt", "", "12345");
    await upload("a.txt", "", "123");
    expect((await call("DELETE", `/v1/documents/${document.id}?purge=true`, owner)).status).toBe(204);
    for (const path of ["", "/versions", "/passages", "/download"])
      expect((await call("GET", `/v1/documents/${document.id}${path}`, owner)).status).toBe(404);
    expect((await listOf(owner)).items).toEqual([]);
    expect((await upload("a.txt", "", "new")).id).not.toBe(document.id);
    await eventually(async () => {
      expect(await storageOf(organizationId)).toMatchObject({ used: 3, bucketBytes: 3, reserved: 0 });
    });
    const audit = await testDatabase().select().from(auditEntries).where(eq(auditEntries.subjectId, document.id));
    expect(audit.map(({ action }) => action)).toEqual(["document.purged"]);
  });

  test("from an old revision is refused", async () => {
    const { id } = await upload("a.txt");
    await patch(id, { fileName: "b.txt" });
    const options = { token: owner.token, headers: { "if-match": '"1"' } };
    expect(await codeOf(await call("DELETE", `/v1/documents/${id}`, options))).toBe("412 precondition-failed");
  });

  test("with its location hides it at once", async () => {
    const { id } = await upload("a.txt");
    expect((await call("DELETE", `/v1/spatial/locations/${place.id}`, owner)).status).toBe(204);
    expect((await call("GET", `/v1/documents/${id}`, owner)).status).toBe(404);
    expect((await call("GET", `/v1/documents/${id}/download`, owner)).status).toBe(404);
  });
});

test("a document follows its location to another cluster", async () => {
  const { id } = await upload("a.txt");
  const { clusterId } = await mintLocation({ organizationId });
  const body = { clusterId };
  expect((await call("PATCH", `/v1/spatial/locations/${place.id}`, { token: owner.token, body })).status).toBe(200);
  expect((await expectJson(documentSchema, 200, "GET", `/v1/documents/${id}`, owner)).clusterId).toBe(clusterId);
});
