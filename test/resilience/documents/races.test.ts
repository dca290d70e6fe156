import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { memberships, organizations } from "../../../src/access/tables";
import { documentSchema } from "../../../src/documents/document";
import { documentVersions } from "../../../src/documents/tables";
import { call, codeOf, expectJson } from "../../support/call";
import { announce, completeUpload, putBytes, startUpload, uploadDocument } from "../../support/documents";
import { mintGrant, mintLocation, mintMember, mintPerson, mintPlace, type Person } from "../../support/factories";
import { eventually } from "../../support/patience";
import { testDatabase } from "../../support/statements";
import { expectCounted, storageOf } from "../../support/storage";

let organizationId: string;
let owner: Person;
let locationId: string;

beforeEach(async () => {
  ({ organizationId, owner, locationId } = await mintPlace());
});

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const setLimit = (documentStorageBytes: number) =>
  testDatabase().update(organizations).set({ documentStorageBytes }).where(eq(organizations.id, organizationId));

test("concurrent starts of one name give different versions of one document", async () => {
  const started = await times(10, (i) =>
    startUpload(owner.token, locationId, { fileName: "a.txt", bytes: `version ${i}` }),
  );
  expect(new Set(started.map(({ documentId }) => documentId)).size).toBe(1);
  expect(started.map(({ version }) => version).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  await Promise.all(started.map((upload, i) => putBytes(upload, `version ${i}`)));
  const ends = await Promise.all(started.map(({ uploadId }) => completeUpload(owner.token, locationId, uploadId)));
  expect(ends.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  const [first] = started;
  const path = `/v1/documents/${first?.documentId}`;
  const document = await expectJson(documentSchema, 200, "GET", path, owner);
  expect(document).toMatchObject({ version: 10, versionCount: 10 });
  const last = started.findIndex(({ version }) => version === 10);
  const link = await call("GET", `${path}/download`, owner);
  expect(await (await call("GET", link.headers.get("location") ?? "")).text()).toBe(`version ${last}`);
  await expectCounted(organizationId);
});

test("an older version that is completed late is kept as the older version", async () => {
  const older = await startUpload(owner.token, locationId, { fileName: "a.txt", bytes: "older" });
  const newer = await uploadDocument(owner.token, locationId, { fileName: "a.txt", bytes: "newer" });
  await putBytes(older, "older");
  const response = await completeUpload(owner.token, locationId, older.uploadId);
  expect(documentSchema.parse(await response.json())).toMatchObject({ id: newer.id, version: 2, versionCount: 2 });
  const link = await call("GET", `/v1/documents/${newer.id}/download?version=1`, owner);
  expect(await (await call("GET", link.headers.get("location") ?? "")).text()).toBe("older");
});

test("completing many times at once publishes once, and all get the document", async () => {
  const started = await startUpload(owner.token, locationId, { fileName: "a.txt", bytes: "once" });
  await putBytes(started, "once");
  const answers = await times(8, () => completeUpload(owner.token, locationId, started.uploadId));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  const bodies = await Promise.all(answers.map(async (a) => documentSchema.parse(await a.json())));
  expect(new Set(bodies.map(({ id, version }) => `${id} ${version}`)).size).toBe(1);
  const rows = testDatabase().select().from(documentVersions);
  expect(await rows.where(eq(documentVersions.documentId, started.documentId))).toHaveLength(1);
  expect(await storageOf(organizationId)).toMatchObject({ used: 4, reserved: 0 });
  expect((await completeUpload(owner.token, locationId, started.uploadId)).status).toBe(200);
});

describe("storage that is nearly full", () => {
  test("admits exactly the uploads that fit, even concurrent uploads", async () => {
    await setLimit(7 * 10 + 9);
    const body = await announce({ fileName: "x", bytes: "0123456789" });
    const path = `/v1/spatial/locations/${locationId}/documents/upload-start`;
    const answers = await times(20, (i) =>
      call("POST", path, { token: owner.token, body: { ...body, fileName: `file ${i}` } }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(7);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(await Promise.all(refused.map(codeOf))).toEqual(Array.from({ length: 13 }, () => "507 storage-full"));
    expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 70 });
    const { results } = await env.DB.prepare("SELECT id FROM documents WHERE location_id = ?").bind(locationId).all();
    expect(results).toHaveLength(7);
  });

  test("with one byte left accepts one byte and no more", async () => {
    await setLimit(1);
    const body = await announce({ fileName: "x", bytes: "1" });
    const path = `/v1/spatial/locations/${locationId}/documents/upload-start`;
    const answers = await times(20, (i) =>
      call("POST", path, { token: owner.token, body: { ...body, fileName: `file ${i}` } }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  test("is counted per person in a personal workspace", async () => {
    const place = await mintLocation({ ownerUserId: owner.userId });
    const body = { ...(await announce({ fileName: "x", bytes: "1" })), sizeBytes: 100 * 1024 ** 2 };
    const path = `/v1/spatial/locations/${place.id}/documents/upload-start`;
    const answers = await times(12, (i) =>
      call("POST", path, { token: owner.token, body: { ...body, fileName: `file ${i}` } }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(await storageOf(owner.userId)).toMatchObject({ reserved: 10 * 100 * 1024 ** 2 });
    expect(await storageOf(organizationId)).toMatchObject({ reserved: 0 });
  });
});

describe("between start and complete", () => {
  test("the caller can lose Write: then nothing is published", async () => {
    const member = await mintMember(organizationId, "member");
    const started = await startUpload(member.token, locationId, { fileName: "a.txt", bytes: "x" });
    await putBytes(started, "x");
    await testDatabase()
      .update(memberships)
      .set({ overrides: { Documents: "Read" } })
      .where(eq(memberships.userId, member.userId));
    expect(await codeOf(await completeUpload(member.token, locationId, started.uploadId))).toBe("403 forbidden");
    await testDatabase().delete(memberships).where(eq(memberships.userId, member.userId));
    expect(await codeOf(await completeUpload(member.token, locationId, started.uploadId))).toBe("404 not-found");
  });

  test("the document can move to a location without Write for the uploader", async () => {
    const uploader = await mintPerson();
    await mintGrant({ organizationId }, uploader.userId, "location", locationId, { Documents: "Write" });
    const document = await uploadDocument(owner.token, locationId, { fileName: "a.txt", bytes: "1" });
    const started = await startUpload(uploader.token, locationId, { fileName: "a.txt", bytes: "2" });
    await putBytes(started, "2");
    const other = await mintLocation({ organizationId });
    const body = { locationId: other.id };
    expect((await call("PATCH", `/v1/documents/${document.id}`, { token: owner.token, body })).status).toBe(200);
    expect(await codeOf(await completeUpload(uploader.token, locationId, started.uploadId))).toBe("404 not-found");
  });

  test("the document can be deleted: the upload ends and its reservation is released", async () => {
    const document = await uploadDocument(owner.token, locationId, { fileName: "a.txt", bytes: "1" });
    const started = await startUpload(owner.token, locationId, { fileName: "a.txt", bytes: "22" });
    await putBytes(started, "22");
    expect((await call("DELETE", `/v1/documents/${document.id}?purge=true`, owner)).status).toBe(204);
    expect((await storageOf(organizationId)).reserved).toBe(0);
    expect(await codeOf(await completeUpload(owner.token, locationId, started.uploadId))).toBe("410 upload-ended");
    await eventually(async () =>
      expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 0, bucketKeys: [] }),
    );
  });

  test("the location can be deleted: the upload ends and its reservation is released", async () => {
    await uploadDocument(owner.token, locationId, { fileName: "a.txt", bytes: "1" });
    const started = await startUpload(owner.token, locationId, { fileName: "b.txt", bytes: "22" });
    await putBytes(started, "22");
    expect((await call("DELETE", `/v1/spatial/locations/${locationId}?purge=true`, owner)).status).toBe(204);
    expect(await codeOf(await completeUpload(owner.token, locationId, started.uploadId))).toBe("404 not-found");
    await eventually(async () =>
      expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 0, bucketKeys: [] }),
    );
  });
});

test("an upload is visible only to its uploader, at its own location", async () => {
  const started = await startUpload(owner.token, locationId, { fileName: "a.txt", bytes: "x" });
  await putBytes(started, "x");
  const other = await mintMember(organizationId, "admin");
  expect(await codeOf(await completeUpload(other.token, locationId, started.uploadId))).toBe("404 not-found");
  const elsewhere = await mintLocation({ organizationId });
  expect(await codeOf(await completeUpload(owner.token, elsewhere.id, started.uploadId))).toBe("404 not-found");
  expect((await completeUpload(owner.token, locationId, started.uploadId)).status).toBe(200);
});

test("a deletion during the publication of a new version never leaves a partial state", async () => {
  const document = await uploadDocument(owner.token, locationId, { fileName: "a.txt", bytes: "1" });
  const started = await startUpload(owner.token, locationId, { fileName: "a.txt", bytes: "22" });
  await putBytes(started, "22");
  const [complete, remove] = await Promise.all([
    completeUpload(owner.token, locationId, started.uploadId),
    call("DELETE", `/v1/documents/${document.id}?purge=true`, owner),
  ]);
  expect([200, 404, 410]).toContain(complete.status);
  expect([204, 409]).toContain(remove.status);
  if (remove.status === 409) await call("DELETE", `/v1/documents/${document.id}?purge=true`, owner);
  await eventually(async () =>
    expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 0, bucketKeys: [] }),
  );
  const list = z.object({ items: z.array(documentSchema) });
  const { items } = await expectJson(list, 200, "GET", `/v1/spatial/locations/${locationId}/documents`, owner);
  expect(items).toEqual([]);
});
