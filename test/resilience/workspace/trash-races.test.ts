import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { documents } from "../../../src/documents/tables";
import { trash } from "../../../src/workspace/tables";
import { call } from "../../support/call";
import { completeUpload, putBytes, startUpload, uploadDocument } from "../../support/documents";
import { mintLocation, mintOrganization, type Person } from "../../support/factories";
import { contextOf, endedJobs, runThrough } from "../../support/jobs";
import { eventually } from "../../support/patience";
import { scaled } from "../../support/properties";
import { testDatabase } from "../../support/statements";
import { expectCounted, storageOf } from "../../support/storage";
import { emptyTrash, pathOf, purge, remove, restore } from "../../support/trash";

/** Rounds of each test: every kind of resource once. */
const ROUNDS = scaled(3);
const LONG = { timeout: 240_000 };

let organizationId: string;
let owner: Person;

beforeEach(async () => {
  const organization = await mintOrganization();
  organizationId = organization.id;
  owner = organization.owner;
});

/** A resource of each kind with a document in it. */
async function mintTree(round: number) {
  const kind = (["document", "location", "cluster"] as const)[round % 3] ?? "document";
  const place = await mintLocation({ organizationId });
  const document = await uploadDocument(owner.token, place.id, { fileName: "a.txt", bytes: "bytes of it" });
  return { kind, document, place, id: { document: document.id, location: place.id, cluster: place.clusterId }[kind] };
}

const lives = async (documentId: string) => (await call("GET", `/v1/documents/${documentId}`, owner)).status === 200;

/** Checks that the row and the bytes of a document both exist, or that neither exists. */
async function expectWholeOrGone(documentId: string, isWhole: boolean): Promise<void> {
  const rows = await testDatabase().select().from(documents).where(eq(documents.id, documentId));
  expect(rows.length).toBe(isWhole ? 1 : 0);
  if (!isWhole) return;
  const link = await call("GET", `/v1/documents/${documentId}/download`, owner);
  expect(await (await call("GET", link.headers.get("location") ?? "")).text()).toBe("bytes of it");
}

test("one of two concurrent restorations succeeds, and its bytes are counted once", LONG, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { kind, id, document } = await mintTree(round);
    await remove(owner.token, kind, id);
    const answers = await Promise.all([restore(owner.token, kind, id), restore(owner.token, kind, id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await lives(document.id)).toBe(true);
    await expectCounted(organizationId);
  }
});

test("either a restoration or a concurrent purge succeeds, completely", LONG, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { kind, id, document } = await mintTree(round);
    await remove(owner.token, kind, id);
    const [restored, purged] = await Promise.all([restore(owner.token, kind, id), purge(owner.token, kind, id)]);
    const isRestored = restored.status === 200;
    // The purge after the restoration removed the restored resource.
    if (purged.status === 204) expect([200, 404, 409]).toContain(restored.status);
    else expect([restored.status, [404, 409].includes(purged.status)]).toEqual([200, true]);
    await endedJobs(organizationId, "delete-tree");
    await expectWholeOrGone(document.id, isRestored && purged.status !== 204);
    await expectCounted(organizationId);
  }
});

test("either a restoration or the concurrent end of the window succeeds, completely", LONG, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { kind, id, document } = await mintTree(round);
    await remove(owner.token, kind, id);
    // The window ends while both requests run.
    await testDatabase()
      .update(trash)
      .set({ purgeAt: Date.now() + 5 * round })
      .where(eq(trash.resourceId, id));
    const [restored] = await Promise.all([restore(owner.token, kind, id), emptyTrash()]);
    expect([200, 404, 409]).toContain(restored.status);
    const left = testDatabase().select().from(trash).where(eq(trash.resourceId, id));
    await eventually(async () => {
      await emptyTrash();
      expect(await left).toEqual([]);
    });
    await endedJobs(organizationId, "delete-tree");
    await expectWholeOrGone(document.id, restored.status === 200);
    await expectCounted(organizationId);
  }
});

test("a removal job deletes nothing that was restored in the meantime", async () => {
  for (let round = 0; round < 3; round++) {
    const { kind, id, document } = await mintTree(round);
    await remove(owner.token, kind, id);
    expect((await restore(owner.token, kind, id)).status).toBe(200);
    await runThrough("delete-tree", [{ type: kind, id }], "succeeded", await contextOf(id));
    expect(await lives(document.id)).toBe(true);
  }
});

test(
  "an upload that completes while its document or place is deleted is published or refused, never both",
  LONG,
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { kind, id, document, place } = await mintTree(round);
      const next = await startUpload(owner.token, place.id, { fileName: "a.txt", bytes: "bytes of it" });
      await putBytes(next, "bytes of it");
      const [completed, removed] = await Promise.all([
        completeUpload(owner.token, place.id, next.uploadId),
        remove(owner.token, kind, id),
      ]);
      // A deletion with the revision before the new version is refused.
      expect([204, 409]).toContain(removed.status);
      expect([200, 404, 409, 410, 422, 503]).toContain(completed.status);
      await endedJobs(organizationId, "verify-upload");
      if (removed.status === 409) expect((await remove(owner.token, kind, id)).status).toBe(204);
      await eventually(async () => expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 0 }));
      expect((await restore(owner.token, kind, id)).status).toBe(200);
      const { versionCount } = (await (await call("GET", pathOf("document", document.id), owner)).json()) as {
        versionCount: number;
      };
      expect(await storageOf(organizationId)).toMatchObject({ used: 11 * versionCount });
      await expectCounted(organizationId);
      expect((await purge(owner.token, "cluster", place.clusterId)).status).toBe(204);
      await endedJobs(organizationId, "delete-tree");
    }
  },
);
