import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { documentSchema } from "../../src/documents/document";
import { folderChangeSchema } from "../../src/documents/folders/changes";
import { folderSchema, walk } from "../../src/documents/folders/folders";
import { changeFolderJob, expireFolders } from "../../src/documents/folders/job";
import { FOLDER_DOCUMENTS_PER_SLICE, MAX_IMMEDIATE_FOLDER_DOCUMENTS } from "../../src/documents/limits";
import { documents, folderChanges, folders } from "../../src/documents/tables";
import { DAY } from "../../src/platform/time";
import { copyRow } from "../limits/fill";
import { call, codeOf, expectJson } from "../support/call";
import { completeUpload, putBytes, startUpload } from "../support/documents";
import {
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPerson,
  type Person,
} from "../support/factories";
import { endedJobs, runThrough, systemContext } from "../support/jobs";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { rowsRead } from "../support/rows-read";
import { testDatabase } from "../support/statements";

let organizationId: string;
let owner: Person;
let place: { id: string; clusterId: string };

beforeEach(async () => {
  const organization = await mintOrganization();
  ({ id: organizationId, owner } = organization);
  place = await mintLocation({ organizationId });
});

const foldersPath = (at = place.id) => `/v1/spatial/locations/${at}/folders`;
const mint = (path: string, fileName = "a.pdf", at = place) =>
  mintDocument({ organizationId }, at, [], { path, fileName });
const create = (path: string, person = owner) => call("POST", foldersPath(), { token: person.token, body: { path } });
const make = (path: string) =>
  expectJson(folderSchema, 201, "POST", foldersPath(), { token: owner.token, body: { path } });
const change = (body: object, person = owner) =>
  call("POST", `${foldersPath()}/changes`, { token: person.token, body });
const changed = (body: object) =>
  expectJson(folderChangeSchema, 202, "POST", `${foldersPath()}/changes`, { token: owner.token, body });
const stateOf = (id: string) => expectJson(folderChangeSchema, 200, "GET", `${foldersPath()}/changes/${id}`, owner);
const move = (path: string, newPath: string) => change({ type: "move", path, newPath });

const page = z.object({ items: z.array(folderSchema), nextCursor: z.string().nullable() });

/** The paths of the folders in a folder, from all pages. */
async function listed(path = "", person = owner, limit = 100): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = new URLSearchParams({ path, limit: String(limit), ...(cursor !== "" && { cursor }) });
    const read: z.infer<typeof page> = await expectJson(page, 200, "GET", `${foldersPath()}?${query}`, person);
    found.push(...read.items.map((folder) => folder.path));
    cursor = read.nextCursor;
  }
  return found;
}

/** The full names of the documents that the owner sees. */
async function names(): Promise<string[]> {
  const list = z.object({ items: z.array(documentSchema) });
  const { items } = await expectJson(list, 200, "GET", `/v1/spatial/locations/${place.id}/documents?limit=100`, owner);
  return items.map(({ path, fileName }) => `${path}/${fileName}`);
}

describe("a list of folders", () => {
  test("has folders that people made and folders of documents, each once, page by page", async () => {
    for (const path of ["", "a", "a", "a-b", "a/x", "a/x/y", "a b", "0", "z/deep/er", "!", "/".replace("/", "ä")])
      await mint(path, `${crypto.randomUUID()}.pdf`);
    await make("empty");
    await make("a/made");
    const expected = ["!", "0", "a b", "a-b", "a", "empty", "z", "ä"];
    for (const limit of [1, 2, 3, 100]) expect(await listed("", owner, limit), `${limit}`).toEqual(expected);
    expect(await listed("a", owner, 1)).toEqual(["a/made", "a/x"]);
    expect(await listed("z")).toEqual(["z/deep"]);
    expect(await listed("nowhere")).toEqual([]);
  });

  test("costs the same for a folder with many documents", async () => {
    const id = await mint("many/of/them");
    await mint("other");
    const read = () => rowsRead((workspace) => workspace.all(walk(place.id, "", "", "", 101)));
    const few = await read();
    await copyRow("documents", id, 2_000, { file_name: "'copy ' || i", sort_name: "'copy ' || i" });
    expect(await read()).toBe(few);
    expect(await listed()).toEqual(["many", "other"]);
  });

  test("does not name folders of deleted documents, of unfinished uploads and of other locations", async () => {
    const id = await mint("gone");
    expect((await call("DELETE", `/v1/documents/${id}`, owner)).status).toBe(204);
    await startUpload(owner.token, place.id, { path: "uploading", fileName: "a.txt", bytes: "a" });
    await mint("elsewhere", "a.pdf", await mintLocation({ organizationId }));
    expect(await listed()).toEqual([]);
  });

  test("has for a guest the folders of the shared documents only", async () => {
    const shared = await mint("plans/2026");
    for (const path of ["plans/secret", "hidden"]) await mint(path);
    await make("made");
    const guest = await mintPerson();
    await mintGrant({ organizationId }, guest.userId, "document", shared, { Documents: "Read" });
    expect(await listed("", guest)).toEqual(["plans"]);
    expect(await listed("plans", guest, 1)).toEqual(["plans/2026"]);
    expect(await codeOf(await create("x", guest))).toMatch(/^40[34]/);
    expect(await codeOf(await change({ type: "delete", path: "plans" }, guest))).toMatch(/^40[34]/);
  });
});

describe("a new folder", () => {
  test("exists until it is deleted, also without documents", async () => {
    expect(await make("plans/2026")).toEqual({ path: "plans/2026", name: "2026" });
    expect(await listed()).toEqual(["plans"]);
    expect(await codeOf(await create("plans/2026"))).toBe("409 already-exists");
    expect(await codeOf(await create("plans"))).toBe("409 already-exists");
    await changed({ type: "delete", path: "plans" });
    expect(await listed()).toEqual([]);
  });

  test("follows the rules of paths: NFC, and capital letters count", async () => {
    await make("Pla\u0308ne");
    expect(await codeOf(await create("Pl\u00e4ne"))).toBe("409 already-exists");
    await make("pläne");
    for (const path of ["", "/a", "a/", "a//b", "..", "a/../b", "a\u0000b", "v00000001", "x".repeat(256)])
      expect(await codeOf(await create(path)), path).toBe("400 validation-failed");
  });

  test("of two people at once exists once", async () => {
    const answers = await Promise.all([create("plans"), create("plans"), create("plans")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  test("needs Write of the documents", async () => {
    const reader = await mintMember(organizationId, "member", { Documents: "Read" });
    expect(await codeOf(await create("plans", reader))).toBe("403 forbidden");
  });
});

describe("a folder that moves", () => {
  test("takes its documents and folders with it, and an upload that is under way", async () => {
    for (const [path, name] of [
      ["a", "1"],
      ["a/b", "2"],
      ["ab", "3"],
      ["", "4"],
    ] as const)
      await mint(path, name);
    await make("a/empty");
    const upload = await startUpload(owner.token, place.id, { path: "a", fileName: "late.txt", bytes: "late" });
    const answer = await changed({ type: "move", path: "a", newPath: "x/y" });
    expect(answer).toMatchObject({ status: "done", total: 3, done: 3, refused: 0, path: "a", newPath: "x/y" });
    expect(await stateOf(answer.id)).toEqual(answer);
    await putBytes(upload, "late");
    expect((await completeUpload(owner.token, place.id, upload.uploadId)).status).toBe(200);
    expect((await names()).sort()).toEqual(["/4", "ab/3", "x/y/1", "x/y/b/2", "x/y/late.txt"]);
    expect(await listed()).toEqual(["ab", "x"]);
    expect(await listed("x/y")).toEqual(["x/y/b", "x/y/empty"]);
    expect(await codeOf(await move("a", "z"))).toBe("409 conflict");
    await changed({ type: "move", path: "x/y", newPath: "a" });
    expect(await listed("a")).toEqual(["a/b", "a/empty"]);
  });

  test("does not move into itself, onto another folder, or from nowhere", async () => {
    await mint("a");
    await make("b");
    expect(await codeOf(await move("a", "a"))).toBe("422 rule-violated");
    expect(await codeOf(await move("a", "a/c"))).toBe("422 rule-violated");
    expect(await codeOf(await move("a", "b"))).toBe("409 already-exists");
    expect(await codeOf(await move("b", "a"))).toBe("409 already-exists");
    expect(await codeOf(await move("nowhere", "c"))).toBe("409 conflict");
    expect((await move("a", "A")).status).toBe(202);
    expect(await listed()).toEqual(["A", "b"]);
  });

  test("is refused if a name below it would be too long, and nothing moves", async () => {
    const deep = Array.from({ length: 3 }, () => "d".repeat(200)).join("/");
    await mint(`a/${deep}`, `${"f".repeat(200)}.pdf`);
    expect(await codeOf(await move("a", "x".repeat(200)))).toBe("400 validation-failed");
    expect(await listed()).toEqual(["a"]);
  });

  test("and another that crosses it are made one after the other, or one is refused", async () => {
    for (const path of ["a", "b"]) await mint(path);
    await Promise.all([move("a", "b/a"), move("b", "a/b")]);
    // One alone, or the other after it: never each into a folder that has left.
    expect([
      ["b/a.pdf", "b/a/a.pdf"],
      ["a/a.pdf", "a/b/a.pdf"],
      ["a/b/a.pdf", "a/b/a/a.pdf"],
      ["b/a/a.pdf", "b/a/b/a.pdf"],
    ]).toContainEqual((await names()).sort());
  });
});

test("a deletion puts a folder's documents into the trash, and one restoration brings all of it back", async () => {
  await mint("b", "0");
  const [first, second] = [await mint("a", "1"), await mint("a/b", "2")];
  await make("a/empty/deep");
  await make("a/taken");
  const earlier = await mint("a", "earlier");
  expect((await call("DELETE", `/v1/documents/${earlier}`, owner)).status).toBe(204);
  const deletion = await changed({ type: "delete", path: "a" });
  expect(deletion).toMatchObject({ status: "done", total: 2, done: 2 });
  expect(await listed()).toEqual(["b"]);
  expect(await names()).toEqual(["b/0"]);
  const trash = z.object({ items: z.array(z.object({ id: z.string() })) });
  const { items } = await expectJson(trash, 200, "GET", `/v1/trash?organizationId=${organizationId}`, owner);
  expect(items.map(({ id }) => id).sort()).toEqual([first, second, earlier].sort());
  await make("a/taken");
  const back = await changed({ type: "restore", changeId: deletion.id });
  expect(back).toMatchObject({ status: "done", total: 2, done: 2, refused: 0, path: "a" });
  expect(await listed("a")).toEqual(["a/b", "a/empty", "a/taken"]);
  expect((await names()).sort()).toEqual(["a/1", "a/b/2", "b/0"]);
  expect(await codeOf(await change({ type: "restore", changeId: deletion.id }))).toBe("409 conflict");
  expect(await codeOf(await change({ type: "restore", changeId: back.id }))).toBe("404 not-found");
});

test("a restored document whose name is taken stays in the trash, and the change says why", async () => {
  await mint("a", "1");
  await mint("a", "2");
  const { id: changeId } = await changed({ type: "delete", path: "a" });
  await mint("a", "1");
  const back = await changed({ type: "restore", changeId });
  expect(back).toMatchObject({ status: "done", total: 2, done: 1, refused: 1 });
  expect(back.reason).toContain("Choose another name");
});

describe("a folder that moves to another location", () => {
  let other: { id: string; clusterId: string };
  beforeEach(async () => {
    other = await mintLocation({ organizationId });
  });
  const across = (path: string, newPath = path, at = other.id) => ({ type: "move", path, newPath, newLocationId: at });
  const documentsAt = async (id: string) =>
    (await testDatabase().select().from(documents).where(eq(documents.locationId, id)))
      .map(({ path, fileName, clusterId }) => [path, fileName, clusterId].join(" "))
      .sort();
  const foldersAt = async (id: string) =>
    (await expectJson(page, 200, "GET", foldersPath(id), owner)).items.map(({ path }) => path);

  test("takes documents, folders and uploads with it, and one move back undoes it", async () => {
    const [shared] = [await mint("a", "1"), await mint("a/b", "2"), await mint("", "3")];
    await make("a/empty");
    const guest = await mintPerson();
    await mintGrant({ organizationId }, guest.userId, "document", shared, { Documents: "Read" });
    const upload = await startUpload(owner.token, place.id, { path: "a", fileName: "late.txt", bytes: "late" });
    const answer = await changed(across("a", "x/a"));
    expect(answer).toMatchObject({ status: "done", done: 3, newPath: "x/a", newLocationId: other.id });
    expect(await stateOf(answer.id)).toEqual(answer);
    await putBytes(upload, "late");
    expect((await completeUpload(owner.token, place.id, upload.uploadId)).status).toBe(200);
    const there = ["x/a 1", "x/a late.txt", "x/a/b 2"].map((name) => `${name} ${other.clusterId}`);
    expect(await documentsAt(other.id)).toEqual(there);
    expect(await documentsAt(place.id)).toEqual([` 3 ${place.clusterId}`]);
    expect([await foldersAt(place.id), await foldersAt(other.id)]).toEqual([[], ["x"]]);
    expect((await call("GET", `/v1/documents/${shared}`, guest)).status).toBe(200);
    const back = { type: "move", path: "x/a", newPath: "a", newLocationId: place.id };
    await expectJson(folderChangeSchema, 202, "POST", `${foldersPath(other.id)}/changes`, {
      token: owner.token,
      body: back,
    });
    expect([await foldersAt(place.id), await foldersAt(other.id)]).toEqual([["a"], []]);
    expect(await listed("a")).toEqual(["a/b", "a/empty"]);
    expect(await documentsAt(other.id)).toEqual([]);
  });

  test("tells the readers of both locations, and the audit trail", async () => {
    const feed = z.object({ items: z.array(z.unknown()), position: z.string() });
    const read = (at: string, query = "") =>
      expectJson(feed, 200, "GET", `/v1/spatial/locations/${at}/changes${query}`, owner);
    await mint("a", "1");
    const places = [place.id, other.id];
    const before = await Promise.all(places.map((at) => read(at)));
    const { id } = await changed(across("a"));
    for (const [n, at] of places.entries())
      await eventually(async () => {
        const { items } = await read(at, `?since=${before[n]?.position}`);
        expect(JSON.stringify(items)).toContain(id);
      }, LONG_PATIENCE);
    const audit = z.object({ items: z.array(z.looseObject({ action: z.string(), details: z.unknown() })) });
    const { items } = await expectJson(audit, 200, "GET", `/v1/orgs/${organizationId}/audit`, owner);
    expect(items.find(({ action }) => action === "folder.moved")?.details).toMatchObject({
      path: "a",
      newPath: "a",
      newLocationId: other.id,
    });
  });

  test("needs Write at both, the same workspace and a free path", async () => {
    await mint("a", "1");
    const reader = await mintMember(organizationId, "guest");
    await mintGrant({ organizationId }, reader.userId, "location", place.id, {
      LocationView: "Read",
      Documents: "Write",
    });
    expect(await codeOf(await change(across("a"), reader))).toBe("404 not-found");
    await mintGrant({ organizationId }, reader.userId, "location", other.id, {
      LocationView: "Read",
      Documents: "Read",
    });
    expect(await codeOf(await change(across("a"), reader))).toBe("403 forbidden");
    const foreign = await mintOrganization();
    const abroad = await mintLocation({ organizationId: foreign.id });
    expect(await codeOf(await change(across("a", "a", abroad.id)))).toBe("404 not-found");
    await mint("taken/deep", "2", other);
    expect(await codeOf(await change(across("a", "taken")))).toBe("409 already-exists");
    expect(await codeOf(await change(across("nowhere")))).toBe("409 conflict");
    expect(await codeOf(await change(across("a", "a/b", place.id)))).toBe("422 rule-violated");
    // In another location, the same path is another place.
    expect((await changed(across("a", "a/b"))).done).toBe(1);
  });

  test("does not name the other location to a reader who may not see it", async () => {
    await mint("a", "1");
    const { id } = await changed(across("a", "secret"));
    const reader = await mintMember(organizationId, "guest");
    await mintGrant({ organizationId }, reader.userId, "location", place.id, {
      LocationView: "Read",
      Documents: "Read",
    });
    const seen = await expectJson(folderChangeSchema, 200, "GET", `${foldersPath()}/changes/${id}`, reader);
    expect(seen).toMatchObject({ status: "done", path: "a", newPath: null, newLocationId: null });
  });

  test("with many documents moves by a job, and both locations wait for it", async () => {
    const total = MAX_IMMEDIATE_FOLDER_DOCUMENTS + 1;
    const first = await mint("many", "1");
    await copyRow("documents", first, total - 1, { file_name: "'copy ' || i", sort_name: "'copy ' || i" });
    await make("waits");
    const row = {
      ...{ id: crypto.randomUUID(), tenantId: organizationId, locationId: other.id, type: "move" as const },
      ...{ path: "elsewhere", newPlace: { locationId: place.id, path: "arrives" }, status: "running" as const },
      ...{ total: 0, done: 0, refused: 0, createdBy: owner.userId, createdAt: Date.now() },
    };
    await testDatabase().insert(folderChanges).values(row);
    for (const body of [{ type: "move", path: "waits", newPath: "w" }, across("waits")])
      expect(await codeOf(await change(body))).toBe("409 conflict");
    await testDatabase().delete(folderChanges).where(eq(folderChanges.id, row.id));
    const begun = await changed(across("many", "moved"));
    expect(begun).toMatchObject({ status: "running", total, newLocationId: other.id });
    await eventually(async () => expect((await stateOf(begun.id)).status).toBe("done"), LONG_PATIENCE);
    expect(await documentsAt(place.id)).toEqual([]);
    expect(await documentsAt(other.id)).toHaveLength(total);
    expect(await endedJobs(organizationId, "change-folder")).toEqual([]);
  });

  test("stops when the person may not write at the other location any more", async () => {
    const member = await mintMember(organizationId, "guest");
    await mintGrant({ organizationId }, member.userId, "location", place.id, {
      LocationView: "Read",
      Documents: "Write",
    });
    await mint("a", "1");
    const row = {
      ...{ id: crypto.randomUUID(), tenantId: organizationId, locationId: place.id, type: "move" as const },
      ...{ path: "a", newPlace: { locationId: other.id, path: "a" }, status: "running" as const },
      ...{ total: 1, done: 0, refused: 0, createdBy: member.userId, createdAt: Date.now() },
    };
    await testDatabase().insert(folderChanges).values(row);
    await runThrough("change-folder", [{ changeId: row.id }]);
    expect(await stateOf(row.id)).toMatchObject({ status: "stopped", done: 0 });
    expect(await documentsAt(place.id)).toHaveLength(1);
  });
});

describe("more documents than one request changes", () => {
  const fill = async (count: number) => {
    const id = await mint("many/of/them");
    await copyRow("documents", id, count - 1, { file_name: "'copy ' || i", sort_name: "'copy ' || i" });
    await env.DB.prepare(
      `INSERT INTO document_versions (document_id, version, object_key, file_name, content_type, size_bytes, checksum_sha256, created_at)
       SELECT d.id, 1, d.id, 'x', 'application/pdf', 1, '', 0 FROM documents d
       WHERE d.location_id = ? AND NOT EXISTS (SELECT 1 FROM document_versions v WHERE v.document_id = d.id)`,
    )
      .bind(place.id)
      .run();
  };
  const ended = async (id: string) => {
    await eventually(async () => expect((await stateOf(id)).status).not.toBe("running"), LONG_PATIENCE);
    return stateOf(id);
  };
  const at = (path: string) =>
    testDatabase().$count(documents, and(eq(documents.locationId, place.id), eq(documents.path, path)));

  test("are moved, deleted and restored by a job; MAX_IMMEDIATE_FOLDER_DOCUMENTS within the request", async () => {
    await fill(MAX_IMMEDIATE_FOLDER_DOCUMENTS);
    expect((await changed({ type: "move", path: "many", newPath: "some" })).status).toBe("done");
    await mint("some", "one more");
    const total = MAX_IMMEDIATE_FOLDER_DOCUMENTS + 1;
    const begun = await changed({ type: "move", path: "some", newPath: "all" });
    expect(begun).toMatchObject({ status: "running", total, done: 0, finishedAtUtc: null });
    expect(await ended(begun.id)).toMatchObject({ status: "done", total, done: total, refused: 0 });
    expect(await at("all/of/them")).toBe(MAX_IMMEDIATE_FOLDER_DOCUMENTS);
    expect(await listed()).toEqual(["all"]);
    const deletion = await changed({ type: "delete", path: "all" });
    expect(deletion.status).toBe("running");
    expect(await ended(deletion.id)).toMatchObject({ status: "done", done: total });
    expect(await listed()).toEqual([]);
    const back = await changed({ type: "restore", changeId: deletion.id });
    expect(await ended(back.id)).toMatchObject({ status: "done", done: total, refused: 0 });
    expect(await listed("all")).toEqual(["all/of"]);
    expect(await endedJobs(organizationId, "change-folder")).toEqual([]);
  });

  test("move alone: another change of folders of the location waits, and a taken name stays", async () => {
    await fill(MAX_IMMEDIATE_FOLDER_DOCUMENTS + 1);
    await make("other");
    const begun = await changed({ type: "move", path: "many", newPath: "moved" });
    const meanwhile = await move("other", "another");
    // The job may have moved the document with this name before.
    await mint("moved/of/them", "copy 100").catch(() => null);
    const state = await ended(begun.id);
    expect([202, 409]).toContain(meanwhile.status);
    expect(state.done + state.refused).toBe(MAX_IMMEDIATE_FOLDER_DOCUMENTS + 1);
    expect((await at("many/of/them")) === state.refused).toBe(true);
  });

  test("stop when the person who asked may not write any more, and the rest stays with the reason", async () => {
    const total = MAX_IMMEDIATE_FOLDER_DOCUMENTS + 1;
    await fill(total);
    const member = await mintMember(organizationId);
    const [id, createdAt] = [crypto.randomUUID(), Date.now()];
    const plan = {
      locationId: place.id,
      type: "move" as const,
      path: "many",
      newPlace: { locationId: null, path: "moved" },
    };
    const counts = { total, done: 0, refused: 0, reason: null };
    const by = { tenantId: organizationId, createdBy: member.userId, createdAt };
    await testDatabase()
      .insert(folderChanges)
      .values({ id, status: "running", ...plan, ...counts, ...by });
    const slice = { payload: { changeId: id }, state: null } as never;
    const first = await changeFolderJob.run(systemContext(), slice);
    expect(first.kind).toBe("continue");
    await first.change?.commit();
    expect(await stateOf(id)).toMatchObject({ status: "running", done: FOLDER_DOCUMENTS_PER_SLICE });
    expect((await call("DELETE", `/v1/orgs/${organizationId}/members/${member.userId}`, owner)).status).toBe(204);
    await runThrough("change-folder", [{ changeId: id }]);
    const state = await stateOf(id);
    expect(state).toMatchObject({ status: "stopped", done: FOLDER_DOCUMENTS_PER_SLICE, total });
    expect(state.reason).toContain("may not change documents here any more");
    expect(state.finishedAtUtc).not.toBeNull();
    expect(await at("many/of/them")).toBe(total - FOLDER_DOCUMENTS_PER_SLICE);
    expect((await changed({ type: "move", path: "many/of/them", newPath: "rest" })).status).toBe("done");
  });

  test("stop when the location is deleted, and the rest stays", async () => {
    await fill(MAX_IMMEDIATE_FOLDER_DOCUMENTS + 1);
    const begun = await changed({ type: "move", path: "many", newPath: "moved" });
    const gone = await call("DELETE", `/v1/spatial/locations/${place.id}`, owner);
    expect(gone.status).toBe(204);
    await eventually(async () => {
      const [row] = await testDatabase().select().from(folderChanges).where(eq(folderChanges.id, begun.id));
      expect(row?.status).not.toBe("running");
    }, LONG_PATIENCE);
  });
});

test("deleted folders and ended changes are forgotten after the recovery window", async () => {
  await make("a");
  await make("b");
  const { id } = await changed({ type: "delete", path: "a" });
  const db = testDatabase();
  const context = systemContext();
  const later = Date.now() - (context.settings.RECOVERY_WINDOW_DAYS + 1) * DAY;
  await db.update(folders).set({ deletedAt: later }).where(eq(folders.path, "a"));
  await db.update(folderChanges).set({ finishedAt: later }).where(eq(folderChanges.id, id));
  const outcome = await expireFolders.run(context, { payload: {}, state: null } as never);
  expect(outcome.kind).toBe("complete");
  await outcome.change?.commit();
  expect((await db.select().from(folders).where(eq(folders.locationId, place.id))).map(({ path }) => path)).toEqual([
    "b",
  ]);
  expect(await db.select().from(folderChanges).where(eq(folderChanges.id, id))).toEqual([]);
});
