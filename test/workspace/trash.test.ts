import { env } from "cloudflare:workers";
import { and, eq, like } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { auditEntries, organizations } from "../../src/access/tables";
import { documentVersions } from "../../src/documents/tables";
import { searchAs } from "../search/searching";
import { call, codeOf, problem } from "../support/call";
import { completeUpload, putBytes, startUpload, uploadDocument } from "../support/documents";
import {
  mintAnnotation,
  mintCluster,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPerson,
  type Person,
} from "../support/factories";
import { HubClient } from "../support/hub";
import { endedJobs } from "../support/jobs";
import { eventually } from "../support/patience";
import { testDatabase } from "../support/statements";
import { expectCounted, runToEnd, storageOf } from "../support/storage";
import {
  emptyTrash,
  endWindow,
  idsInTrash,
  type Kind,
  pathOf,
  purge,
  remove,
  restore,
  trashOf,
} from "../support/trash";

let organizationId: string;
let owner: Person;
let place: { id: string; clusterId: string };

beforeEach(async () => {
  const organization = await mintOrganization();
  organizationId = organization.id;
  owner = organization.owner;
  place = await mintLocation({ organizationId }, { name: "Lighthouse" });
});

const KINDS = ["document", "location", "cluster"] as const;
const TEXT = "the lantern room was painted";
const file = (fileName: string, bytes = TEXT) => ({ fileName, bytes });
const upload = (fileName: string, bytes = TEXT) => uploadDocument(owner.token, place.id, file(fileName, bytes));
const usedBytes = async () => (await storageOf(organizationId)).used;
const idOf = (kind: (typeof KINDS)[number], documentId: string): string =>
  ({ document: documentId, location: place.id, cluster: place.clusterId })[kind];

/** Titles of the search results. */
const titles = async (term: string) => (await searchAs(owner.token, term)).results.map(({ title }) => title);
const expectFound = (term: string) => eventually(async () => expect(await titles(term)).toContain("report.txt"));

/** The bytes of a document from its download. */
async function bytesOf(id: string): Promise<string> {
  const link = await call("GET", `/v1/documents/${id}/download`, owner);
  return (await call("GET", link.headers.get("location") ?? "")).text();
}

const audited = async (action: string) =>
  testDatabase()
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.organizationId, organizationId), like(auditEntries.action, action)));

describe.each(KINDS)("a deleted %s", (kind) => {
  test("is hidden and not counted at once, and is restored with its bytes, text and events", async () => {
    const document = await upload("report.txt");
    await mintAnnotation({ organizationId }, place, { title: "Here" });
    await expectFound("lantern");
    const id = idOf(kind, document.id);
    const before = await usedBytes();
    expect(before).toBe(TEXT.length);
    const live = await HubClient.connect(owner.token);
    await live.join(place.id);

    expect((await remove(owner.token, kind, id)).status).toBe(204);
    expect((await call("GET", pathOf(kind, id), owner)).status).toBe(404);
    expect([await titles("lantern"), await titles("report")]).toEqual([[], []]);
    expect(await usedBytes()).toBe(0);
    await expectCounted(organizationId);
    const { items } = await trashOf(owner.token);
    const name = { document: "report.txt", location: "Lighthouse", cluster: "Cluster" }[kind];
    expect(items).toMatchObject([{ kind, id, name, organizationId, clusterId: place.clusterId }]);
    const [item] = items;
    expect(Date.parse(item?.purgeAtUtc ?? "") - Date.parse(item?.deletedAtUtc ?? "")).toBe(30 * 86_400_000);
    // The jobs that remove deleted resources find nothing.
    await emptyTrash();
    await runToEnd("purge-objects");
    expect((await storageOf(organizationId)).bucketBytes).toBe(TEXT.length);

    const restored = await restore(owner.token, kind, id);
    expect(restored.status).toBe(200);
    expect(await restored.json()).toMatchObject({ id });
    expect((await call("GET", pathOf(kind, id), owner)).status).toBe(200);
    expect(await bytesOf(document.id)).toBe(TEXT);
    expect(await usedBytes()).toBe(before);
    await expectCounted(organizationId);
    await expectFound("lantern");
    await expectFound("report");
    expect(await idsInTrash(owner.token)).toEqual([]);
    expect(await audited(`${kind}.%`)).toMatchObject([
      { action: `${kind}.deleted`, subjectId: id },
      { action: `${kind}.restored`, subjectId: id },
    ]);
    if (kind === "document")
      await live.expectEvent("StateUpdated", ([, payload]) => JSON.stringify(payload).includes('"created"'));
    live.close();
  });

  test("is removed when its window ends, and cannot be restored after that", async () => {
    const document = await upload("report.txt");
    const id = idOf(kind, document.id);
    expect((await remove(owner.token, kind, id)).status).toBe(204);
    await endWindow(id);
    expect(await idsInTrash(owner.token)).toEqual([]);
    expect(await codeOf(await restore(owner.token, kind, id))).toBe("404 not-found");
    await emptyTrash();
    expect(await endedJobs(organizationId, "delete-tree")).toEqual([]);
    await runToEnd("purge-objects");
    expect(await codeOf(await restore(owner.token, kind, id))).toBe("404 not-found");
    expect(await storageOf(organizationId)).toMatchObject({ used: 0, keptKeys: [], bucketBytes: 0 });
    const versions = testDatabase().select().from(documentVersions);
    expect(await versions.where(eq(documentVersions.documentId, document.id))).toEqual([]);
  });

  test("stays in the trash when the storage limit does not allow its restoration", async () => {
    const document = await upload("report.txt");
    const id = idOf(kind, document.id);
    expect((await remove(owner.token, kind, id)).status).toBe(204);
    const limit = (documentStorageBytes: number) =>
      testDatabase().update(organizations).set({ documentStorageBytes }).where(eq(organizations.id, organizationId));
    await limit(TEXT.length - 1);
    expect(await codeOf(await restore(owner.token, kind, id))).toBe("507 storage-full");
    expect(await idsInTrash(owner.token)).toEqual([id]);
    expect(await usedBytes()).toBe(0);
    await limit(TEXT.length);
    expect((await restore(owner.token, kind, id)).status).toBe(200);
  });

  test("can be purged by owners only, from the trash or not, at once and with an audit entry", async () => {
    const admin = await mintMember(organizationId, "admin");
    const document = await upload("report.txt");
    const id = idOf(kind, document.id);
    expect(await codeOf(await purge(admin.token, kind, id))).toBe("403 forbidden");
    expect(await codeOf(await purge((await mintPerson()).token, kind, id))).toBe("404 not-found");
    expect((await remove(admin.token, kind, id)).status).toBe(204);
    expect(await codeOf(await purge(admin.token, kind, id))).toBe("403 forbidden");
    expect((await purge(owner.token, kind, id)).status).toBe(204);
    expect(await idsInTrash(owner.token)).toEqual([]);
    expect(await codeOf(await restore(owner.token, kind, id))).toBe("404 not-found");
    expect(await codeOf(await purge(owner.token, kind, id))).toBe("404 not-found");
    await endedJobs(organizationId, "delete-tree");
    await eventually(async () => expect((await env.BUCKET.list({ prefix: organizationId })).objects).toEqual([]));
    expect(await audited(`${kind}.purged`)).toMatchObject([{ subjectId: id, actorUserId: owner.userId }]);

    const other = await mintLocation({ organizationId });
    const living = await uploadDocument(owner.token, other.id, file("other.txt"));
    const livingId = { document: living.id, location: other.id, cluster: other.clusterId }[kind];
    expect((await purge(owner.token, kind, livingId)).status).toBe(204);
    expect((await call("GET", pathOf(kind, livingId), owner)).status).toBe(404);
    expect(await usedBytes()).toBe(0);
    await endedJobs(organizationId, "delete-tree");
    await eventually(async () => expect((await storageOf(organizationId)).keptKeys).toEqual([]));
  });

  test("can be restored and purged by the owner of a personal workspace", async () => {
    const person = await mintPerson();
    place = await mintLocation({ ownerUserId: person.userId });
    for (const end of [restore, purge]) {
      const document = await uploadDocument(person.token, place.id, file(`${end.name}.txt`));
      const id = idOf(kind, document.id);
      expect((await remove(person.token, kind, id)).status).toBe(204);
      expect(await idsInTrash(person.token, "organizationId=personal")).toEqual([id]);
      expect(await idsInTrash(owner.token)).toEqual([]);
      expect(await codeOf(await end(owner.token, kind, id))).toBe("404 not-found");
      expect([200, 204]).toContain((await end(person.token, kind, id)).status);
    }
  });
});

describe("a resource whose container is deleted", () => {
  test("cannot be restored first: the answer says what to restore before it", async () => {
    const document = await upload("report.txt");
    await remove(owner.token, "document", document.id);
    await remove(owner.token, "location", place.id);
    await remove(owner.token, "cluster", place.clusterId);
    const refusal = async (kind: Kind, id: string) => {
      const response = await restore(owner.token, kind, id);
      expect(response.status).toBe(409);
      return problem.parse(await response.json()).detail;
    };
    expect(await refusal("document", document.id)).toContain(`/v1/spatial/clusters/${place.clusterId}/restore`);
    expect(await refusal("location", place.id)).toContain(`/v1/spatial/clusters/${place.clusterId}/restore`);
    expect((await restore(owner.token, "cluster", place.clusterId)).status).toBe(200);
    expect((await call("GET", pathOf("location", place.id), owner)).status).toBe(404);
    expect(await refusal("document", document.id)).toContain(`/v1/spatial/locations/${place.id}/restore`);
    expect((await restore(owner.token, "location", place.id)).status).toBe(200);
    expect((await call("GET", pathOf("document", document.id), owner)).status).toBe(404);
    expect(await usedBytes()).toBe(0);
    expect((await restore(owner.token, "document", document.id)).status).toBe(200);
    expect(await usedBytes()).toBe(TEXT.length);
    await expectCounted(organizationId);
  });

  test("is restored with the container, unless it was deleted separately", async () => {
    const document = await upload("report.txt");
    const second = await mintLocation({ organizationId }, { clusterId: place.clusterId });
    await remove(owner.token, "cluster", place.clusterId);
    expect(await codeOf(await restore(owner.token, "location", second.id))).toBe("409 conflict");
    expect(await codeOf(await restore(owner.token, "document", document.id))).toBe("409 conflict");
    expect((await trashOf(owner.token)).items).toMatchObject([{ kind: "cluster", id: place.clusterId }]);
    // An owner may purge one document of it.
    expect((await purge(owner.token, "location", second.id)).status).toBe(204);
    await endedJobs(organizationId, "delete-tree");
    expect((await restore(owner.token, "cluster", place.clusterId)).status).toBe(200);
    expect((await call("GET", pathOf("location", second.id), owner)).status).toBe(404);
    expect((await call("GET", pathOf("document", document.id), owner)).status).toBe(200);
  });
});

test("a resource that is not deleted cannot be restored", async () => {
  const document = await upload("report.txt");
  for (const kind of KINDS)
    expect(await codeOf(await restore(owner.token, kind, idOf(kind, document.id)))).toBe("409 conflict");
});

test("a document whose name is taken cannot be restored until the name is free", async () => {
  const document = await upload("report.txt");
  await remove(owner.token, "document", document.id);
  const other = await upload("report.txt", "another text");
  expect(other.id).not.toBe(document.id);
  expect(await codeOf(await restore(owner.token, "document", document.id))).toBe("409 already-exists");
  expect(await idsInTrash(owner.token)).toEqual([document.id]);
  const renamed = { token: owner.token, body: { fileName: "newer.txt" } };
  expect((await call("PATCH", pathOf("document", other.id), renamed)).status).toBe(200);
  expect((await restore(owner.token, "document", document.id)).status).toBe(200);
  expect(await bytesOf(document.id)).toBe(TEXT);
});

test("text that was not extracted before the deletion is extracted after the restoration", async () => {
  const document = await upload("report.txt");
  await env.DB.prepare("UPDATE documents SET text_status = 'pending', text_version = 0 WHERE id = ?")
    .bind(document.id)
    .run();
  await remove(owner.token, "document", document.id);
  await restore(owner.token, "document", document.id);
  await expectFound("lantern");
});

test("a deleted location releases its reserved bytes, and its uploads end", async () => {
  const started = await startUpload(owner.token, place.id, file("late.txt"));
  await remove(owner.token, "location", place.id);
  await eventually(async () => expect((await storageOf(organizationId)).reserved).toBe(0));
  expect((await restore(owner.token, "location", place.id)).status).toBe(200);
  await putBytes(started, TEXT);
  const late = await completeUpload(owner.token, place.id, started.uploadId);
  expect([404, 410]).toContain(late.status);
  expect((await upload("late.txt")).version).toBe(1);
});

test("the open upload of a moved document ends with its new location, and not with the old one", async () => {
  const document = await upload("report.txt");
  await startUpload(owner.token, place.id, file("report.txt", "a second version"));
  const reserved = async () => (await storageOf(organizationId)).reserved;
  const before = await reserved();
  expect(before).toBeGreaterThan(0);
  const other = await mintLocation({ organizationId });
  const moved = { token: owner.token, body: { locationId: other.id } };
  expect((await call("PATCH", pathOf("document", document.id), moved)).status).toBe(200);
  await remove(owner.token, "location", place.id);
  await runToEnd("expire-uploads");
  expect(await reserved()).toBe(before);
  await remove(owner.token, "location", other.id);
  await runToEnd("expire-uploads");
  expect(await reserved()).toBe(0);
});

test("a moved document's bytes are counted at its new location", async () => {
  const document = await upload("report.txt");
  const other = await mintLocation({ organizationId });
  const moved = { token: owner.token, body: { locationId: other.id } };
  expect((await call("PATCH", pathOf("document", document.id), moved)).status).toBe(200);
  await remove(owner.token, "location", place.id);
  expect(await usedBytes()).toBe(TEXT.length);
  await remove(owner.token, "location", other.id);
  expect(await usedBytes()).toBe(0);
  await expectCounted(organizationId);
});

describe("the trash", () => {
  test("shows each caller the entries that they may delete, by role or by grant", async () => {
    const [kept, document] = [await upload("kept.txt"), await upload("gone.txt")];
    const other = await mintLocation({ organizationId });
    const guests = {
      reader: await mintPerson(),
      writer: await mintPerson(),
      ofDocument: await mintPerson(),
      ofLocation: await mintPerson(),
    };
    const grant = (to: Person, target: (typeof KINDS)[number], id: string, capabilities: object) =>
      mintGrant({ organizationId }, to.userId, target, id, capabilities);
    await grant(guests.reader, "cluster", place.clusterId, { LocationView: "Read", Documents: "Read" });
    await grant(guests.writer, "cluster", place.clusterId, { LocationView: "Write", Documents: "Write" });
    await grant(guests.ofDocument, "document", document.id, { Documents: "Write" });
    await grant(guests.ofLocation, "location", place.id, { LocationView: "Write" });
    const emptied = await mintCluster({ organizationId });
    await remove(owner.token, "document", document.id);
    await remove(owner.token, "location", place.id);
    await remove(owner.token, "location", other.id);
    await remove(owner.token, "cluster", emptied);
    const all = [document.id, place.id, other.id, emptied];
    expect(await idsInTrash(owner.token)).toEqual(all);
    expect(await idsInTrash(owner.token, "kind=location")).toEqual([place.id, other.id]);
    expect(await idsInTrash(owner.token, `organizationId=${organizationId}`)).toEqual(all);
    expect(await idsInTrash(owner.token, "organizationId=personal")).toEqual([]);
    expect(await idsInTrash(guests.reader.token)).toEqual([]);
    expect(await idsInTrash(guests.writer.token)).toEqual([document.id, place.id]);
    expect(await idsInTrash(guests.ofDocument.token)).toEqual([document.id]);
    expect(await idsInTrash(guests.ofLocation.token)).toEqual([place.id]);
    expect(await idsInTrash((await mintPerson()).token)).toEqual([]);
    expect(all).not.toContain(kept.id);
    const first = await trashOf(owner.token, "limit=3");
    expect(first.items.map(({ id }) => id)).toEqual(all.slice(0, 3));
    expect(await idsInTrash(owner.token, `limit=3&cursor=${first.nextCursor}`)).toEqual([emptied]);
    // A grant of Write allows the restoration, and a grant of Read does not.
    expect(await codeOf(await restore(guests.reader.token, "location", place.id))).toBe("403 forbidden");
    expect((await restore(guests.ofLocation.token, "location", place.id)).status).toBe(200);
    expect((await restore(guests.ofDocument.token, "document", document.id)).status).toBe(200);
  });
});
