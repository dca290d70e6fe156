import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { documentSchema } from "../../src/documents/document";
import { bulkSchema } from "../../src/documents/library/bulk";
import { MAX_CHANGED_DOCUMENTS, MAX_TAGS_PER_DOCUMENT } from "../../src/documents/limits";
import { tagSchema } from "../../src/documents/tags/tags";
import { call, codeOf, expectJson } from "../support/call";
import {
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPerson,
  type Person,
} from "../support/factories";

let organizationId: string;
let owner: Person;
let place: { id: string; clusterId: string };

beforeEach(async () => {
  const organization = await mintOrganization();
  ({ id: organizationId, owner } = organization);
  place = await mintLocation({ organizationId });
});

const mint = (fileName: string, at = place) => mintDocument({ organizationId }, at, [], { fileName });
const send = (changes: object[], { person = owner, at = place.id } = {}) =>
  call("POST", `/v1/spatial/locations/${at}/documents/changes`, { token: person.token, body: { changes } });
const change = async (changes: object[], options = {}) => {
  const answer = await send(changes, options);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return bulkSchema.parse(await answer.json());
};
const codesOf = ({ results }: z.infer<typeof bulkSchema>) => results.map(({ error }) => error?.code ?? "done");
const documentOf = (id: string) => expectJson(documentSchema, 200, "GET", `/v1/documents/${id}`, owner);
const stateOf = async (id: string) => {
  const { path, fileName, locationId, tags } = await documentOf(id);
  return { path, fileName, locationId, tags: tags.map(({ name }) => name) };
};
const tagOf = async (name: string, color = "red", person = owner) =>
  expectJson(tagSchema, 201, "POST", "/v1/tags", { token: person.token, body: { organizationId, name, color } });

test("one request moves, tags, deletes and restores documents, and its undo takes all of it back", async () => {
  const [moved, renamed, tagged, deleted, restored] = await Promise.all(
    ["m", "r", "t", "d", "x"].map((name) => mint(name)),
  );
  const ids = [moved, renamed, tagged, deleted, restored].map((id) => id ?? "");
  const target = await mintLocation({ organizationId });
  const tag = await tagOf("Inspection");
  expect((await call("DELETE", `/v1/documents/${restored}`, owner)).status).toBe(204);
  const before = await Promise.all(ids.slice(0, 4).map(stateOf));
  const answer = await change([
    { type: "move", documentId: moved, path: "plans", locationId: target.id },
    { type: "move", documentId: renamed, fileName: "another" },
    { type: "tag", documentId: tagged, add: [tag.id] },
    { type: "delete", documentId: deleted },
    { type: "restore", documentId: restored },
  ]);
  expect(codesOf(answer)).toEqual(Array(5).fill("done"));
  expect(await stateOf(ids[0] ?? "")).toMatchObject({ path: "plans", locationId: target.id });
  expect(await stateOf(ids[1] ?? "")).toMatchObject({ fileName: "another" });
  expect(await stateOf(ids[2] ?? "")).toMatchObject({ tags: ["Inspection"] });
  expect(await codeOf(await call("GET", `/v1/documents/${deleted}`, owner))).toBe("404 not-found");
  expect((await documentOf(ids[4] ?? "")).id).toBe(restored);

  expect(codesOf(await change(answer.undo))).toEqual(Array(5).fill("done"));
  expect(await Promise.all(ids.slice(0, 4).map(stateOf))).toEqual(before);
  expect(await codeOf(await call("GET", `/v1/documents/${restored}`, owner))).toBe("404 not-found");
});

test("a change that is not allowed has its own error, and the others are made", async () => {
  const [a = "", b = "", taken = "", stale = ""] = await Promise.all(["a", "b", "c", "s"].map((name) => mint(name)));
  const foreign = await mintOrganization();
  const elsewhere = await mintDocument(
    { organizationId: foreign.id },
    await mintLocation({ organizationId: foreign.id }),
  );
  const foreignTag = await expectJson(tagSchema, 201, "POST", "/v1/tags", {
    token: foreign.owner.token,
    body: { organizationId: foreign.id, name: "Secret", color: "red" },
  });
  const answer = await change([
    { type: "move", documentId: a, fileName: "c" },
    { type: "delete", documentId: elsewhere },
    { type: "restore", documentId: taken },
    { type: "tag", documentId: stale, add: [foreignTag.id] },
    { type: "delete", documentId: b, baseRevision: 1 },
  ]);
  expect(codesOf(answer)).toEqual(["already-exists", "not-found", "conflict", "not-found", "done"]);
  expect(answer.undo).toEqual([{ type: "restore", documentId: b }]);
  const late = await change([
    { type: "delete", documentId: stale, baseRevision: 7 },
    { type: "move", documentId: a, path: "x" },
    { type: "move", documentId: taken, path: "x", fileName: "a" },
  ]);
  expect(codesOf(late)).toEqual(["stale-revision", "done", "already-exists"]);
  expect(await codeOf(await send([{ type: "delete", documentId: stale, baseRevision: 7 }]))).toBe("409 stale-revision");
});

test("an undo does not overwrite what somebody changed after it", async () => {
  const id = await mint("a");
  const { undo } = await change([{ type: "move", documentId: id, path: "new" }]);
  await call("PATCH", `/v1/documents/${id}`, { token: owner.token, body: { path: "newer" } });
  expect(await codeOf(await send(undo))).toBe("409 stale-revision");
  expect(await stateOf(id)).toMatchObject({ path: "newer" });
});

test("a document is named once, and each change has its own fields only", async () => {
  const documentId = await mint("a");
  const twice = [
    { type: "delete", documentId },
    { type: "restore", documentId },
  ];
  for (const changes of [twice, [], [{ type: "delete", documentId, path: "x" }], [{ type: "copy", documentId }]])
    expect(await codeOf(await send(changes))).toBe("400 validation-failed");
});

describe("a person with a part of the access", () => {
  test("who may only read changes nothing, and who sees nothing learns nothing", async () => {
    const reader = await mintMember(organizationId, "guest");
    const stranger = await mintPerson();
    const documentId = await mint("a");
    const absent = await mintDocument({ organizationId }, place, [], { fileName: "z", deletedAt: 1 });
    await mintGrant({ organizationId }, reader.userId, "document", documentId, { Documents: "Read" });
    expect(await codeOf(await send([{ type: "delete", documentId }], { person: reader }))).toBe("403 forbidden");
    for (const id of [documentId, absent])
      expect(await codeOf(await send([{ type: "delete", documentId: id }], { person: stranger }))).toBe(
        "404 not-found",
      );
  });

  test("who may write one document changes that alone, and undoes it", async () => {
    const guest = await mintPerson();
    const [own = "", other = ""] = [await mint("own"), await mint("other")];
    await mintGrant({ organizationId }, guest.userId, "document", own, { Documents: "Write" });
    const tag = await tagOf("Inspection");
    const both = [own, other].map((documentId) => ({ type: "delete", documentId }));
    const answer = await change(both, { person: guest });
    expect(codesOf(answer)).toEqual(["done", "not-found"]);
    expect(codesOf(await change(answer.undo, { person: guest }))).toEqual(["done"]);
    // The tags of the workspace are hidden from a guest, except on documents.
    expect(await codeOf(await send([{ type: "tag", documentId: own, add: [tag.id] }], { person: guest }))).toBe(
      "404 not-found",
    );
    await change([{ type: "tag", documentId: own, add: [tag.id] }]);
    expect(codesOf(await change([{ type: "tag", documentId: own, remove: [tag.id] }], { person: guest }))).toEqual([
      "done",
    ]);
  });
});

test("MAX_TAGS_PER_DOCUMENT bounds the tags of a document", async () => {
  const documentId = await mint("a");
  const tags = await Promise.all(Array.from({ length: MAX_TAGS_PER_DOCUMENT + 1 }, (_, i) => tagOf(`Tag ${i}`)));
  const ids = tags.map(({ id }) => id);
  await change([{ type: "tag", documentId, add: ids.slice(1) }]);
  expect(await codeOf(await send([{ type: "tag", documentId, add: ids.slice(0, 1) }]))).toBe("422 rule-violated");
  await change([{ type: "tag", documentId, add: ids.slice(0, 1), remove: ids.slice(1, 2) }]);
});

describe("tags", () => {
  test("are renamed, recoloured and deleted, and documents follow", async () => {
    const documentId = await mint("a");
    const tag = await tagOf("North  Yard");
    await change([{ type: "tag", documentId, add: [tag.id] }]);
    const read = (etag = "") =>
      call("GET", `/v1/documents/${documentId}`, { token: owner.token, headers: { "if-none-match": etag } });
    const etag = (await read()).headers.get("etag") ?? "";
    expect((await read(etag)).status).toBe(304);
    const renamed = await expectJson(tagSchema, 200, "PATCH", `/v1/tags/${tag.id}`, {
      token: owner.token,
      body: { name: "South", color: "teal", baseRevision: 1 },
    });
    expect(renamed).toMatchObject({ name: "South", color: "teal", revision: 2 });
    expect((await read(etag)).status).toBe(200);
    expect((await documentOf(documentId)).tags).toEqual([{ id: tag.id, name: "South", color: "teal" }]);
    expect((await call("DELETE", `/v1/tags/${tag.id}`, owner)).status).toBe(204);
    expect((await documentOf(documentId)).tags).toEqual([]);
  });

  test.each(["north-yard", "Nörth Yard!", "NORTHYARD"])("of one workspace differ in more than %s", async (name) => {
    const { id } = await tagOf("North yard");
    const body = { organizationId, name, color: "blue" };
    expect(await codeOf(await call("POST", "/v1/tags", { token: owner.token, body }))).toBe("409 already-exists");
    const other = await tagOf("South");
    const renamed = await call("PATCH", `/v1/tags/${other.id}`, { token: owner.token, body: { name } });
    expect(await codeOf(renamed)).toBe("409 already-exists");
    expect((await call("PATCH", `/v1/tags/${id}`, { token: owner.token, body: { name } })).status).toBe(200);
  });

  test("are listed by workspace, and a list of documents is limited to one", async () => {
    const own = await expectJson(tagSchema, 201, "POST", "/v1/tags", {
      token: owner.token,
      body: { organizationId: null, name: "Private", color: "grey" },
    });
    const tag = await tagOf("Inspection");
    const list = z.object({ items: z.array(tagSchema) });
    const idsOf = async (query: string, person = owner) =>
      (await expectJson(list, 200, "GET", `/v1/tags${query}`, person)).items.map(({ id }) => id).sort();
    expect(await idsOf("")).toEqual([own.id, tag.id].sort());
    expect(await idsOf("?organizationId=personal")).toEqual([own.id]);
    expect(await idsOf(`?organizationId=${organizationId}`)).toEqual([tag.id]);
    expect(await idsOf("", await mintPerson())).toEqual([]);
    const [a = ""] = [await mint("a"), await mint("b")];
    await change([{ type: "tag", documentId: a, add: [tag.id] }]);
    const page = z.object({ items: z.array(documentSchema) });
    const path = `/v1/spatial/locations/${place.id}/documents?tagId=${tag.id}&sort=name`;
    expect((await expectJson(page, 200, "GET", path, owner)).items.map(({ id }) => id)).toEqual([a]);
  });
});

// The suite refuses more statements in an invocation than D1 does.
test("MAX_CHANGED_DOCUMENTS documents are moved, tagged, deleted and restored by a request each", async () => {
  const target = await mintLocation({ organizationId });
  const tag = await tagOf("Inspection");
  const ids = await Promise.all(Array.from({ length: MAX_CHANGED_DOCUMENTS }, (_, i) => mint(`file ${i}`)));
  for (const more of [
    { type: "move", locationId: target.id },
    { type: "tag", add: [tag.id] },
    { type: "delete" },
    { type: "restore" },
  ]) {
    const answer = await change(ids.map((documentId) => ({ ...more, documentId })));
    expect(codesOf(answer)).toEqual(ids.map(() => "done"));
  }
});
