import { env } from "cloudflare:workers";
import { and, asc, eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { openContext } from "../../../src/compose";
import { extractDocument, queueExtraction } from "../../../src/documents";
import { documents, documentVersions, textSections } from "../../../src/documents/tables";
import { beginChange } from "../../../src/platform/db/change";
import type { Job } from "../../../src/platform/jobs/handlers";
import { jobs } from "../../../src/platform/jobs/tables";
import { call } from "../../support/call";
import { uploadDocument } from "../../support/documents";
import { mintLocation, mintOrganization, mintPerson, type Person } from "../../support/factories";
import { endedJobs, keepJobs } from "../../support/jobs";
import { pdfOfPages, sentenceOf } from "../../support/long-pdf";
import { eventually } from "../../support/patience";
import { testDatabase } from "../../support/statements";
import { fixture } from "./read";

let owner: Person;
let organizationId: string;
let locationId: string;

beforeEach(async () => {
  const organization = await mintOrganization();
  [owner, organizationId] = [organization.owner, organization.id];
  locationId = (await mintLocation({ organizationId })).id;
});

const context = () => openContext(env, () => undefined).context;
const upload = (fileName: string, bytes: Uint8Array | string) =>
  uploadDocument(owner.token, locationId, {
    fileName,
    bytes: typeof bytes === "string" ? bytes : Uint8Array.from(bytes),
    contentType: "application/octet-stream",
  });

async function documentRow(id: string) {
  const [row] = await context().workspace.select().from(documents).where(eq(documents.id, id));
  if (row === undefined) throw new Error("no such document");
  return row;
}

/** Waits until the extraction of the latest version has ended. */
async function extracted(id: string) {
  await eventually(async () => expect((await documentRow(id)).textStatus).not.toBe("pending"));
  return documentRow(id);
}

const sectionsOf = (documentId: string, version = 1) =>
  context()
    .workspace.select()
    .from(textSections)
    .where(and(eq(textSections.documentId, documentId), eq(textSections.version, version)))
    .orderBy(asc(textSections.chunkIndex));

/** Gives a document another text than the text of its file, as an earlier version of the service did. */
const falsify = (documentId: string) =>
  env.DB.prepare("UPDATE text_sections SET texts = '[\"Outdated.\"]', revision = revision + 1 WHERE document_id = ?")
    .bind(documentId)
    .run();

const passagesOf = async (documentId: string, version = 1) =>
  (await sectionsOf(documentId, version)).flatMap(({ id, page, chunkIndex, texts }) =>
    texts.map((text, i) => ({ id, page, chunkIndex: chunkIndex + i, text })),
  );

const jobFor = (documentId: string, version: number, state: unknown = null): Job<"extract-document"> => ({
  id: crypto.randomUUID(),
  kind: "extract-document",
  tenantId: organizationId,
  payload: { documentId, version },
  state,
  attempts: 1,
  progress: { done: 0, total: 0 },
  requestedBy: null,
});

describe("an uploaded document", () => {
  test("gets passages with page numbers, and is queued for the index", async () => {
    await keepJobs(organizationId);
    const { id } = await upload("report.pdf", fixture("report.pdf"));
    expect(await extracted(id)).toMatchObject({
      textStatus: "indexed",
      textDetail: null,
      textVersion: 1,
      pageCount: 3,
    });
    const found = await passagesOf(id);
    expect(found.map(({ chunkIndex }) => chunkIndex)).toEqual(found.map((_, i) => i));
    expect(found.find(({ text }) => text.includes("sapphire lens"))?.page).toBe(2);
    const [job] = await endedJobs(organizationId, "extract-document");
    expect(job).toMatchObject({ status: "succeeded", progressDone: 3, progressTotal: 3 });
    const queued = await testDatabase().select().from(jobs).where(eq(jobs.kind, "index-document"));
    expect(queued.filter(({ payload }) => (payload as { documentId: string }).documentId === id)).toHaveLength(1);
  });

  test.each([
    ["locked.pdf", "encrypted"],
    ["locked.doc", "encrypted"],
  ] as const)("%s ends as %s, and says so on the wire", async (file, status) => {
    const { id } = await upload(file, fixture(file));
    await extracted(id);
    const response = await call("GET", `/v1/documents/${id}`, { token: owner.token });
    expect(await response.json()).toMatchObject({ textStatus: status, textDetail: expect.stringMatching(/\.$/) });
    expect(await passagesOf(id)).toEqual([]);
  });

  test("of many pages is read in slices of fifty, each sentence once and on its page", async () => {
    const { id } = await upload("long.pdf", await pdfOfPages(120));
    expect(await extracted(id)).toMatchObject({ textStatus: "indexed", pageCount: 120 });
    const found = await passagesOf(id);
    expect(found.map(({ chunkIndex }) => chunkIndex)).toEqual(found.map((_, i) => i));
    for (const page of [1, 50, 51, 100, 101, 120])
      expect(found.filter(({ text }) => text.includes(sentenceOf(page, 9))).map((p) => p.page)).toEqual([page]);
    expect(found.every(({ text }) => text.length <= 1_200)).toBe(true);
  });

  test("with more text than one slice reads is read to its end", async () => {
    const line = (n: number) => `Line ${n} of the log tells what the pump did at that minute and why it stopped.\n`;
    const lines = Array.from({ length: 115_000 }, (_, n) => line(n));
    const { id } = await upload("pump.log", lines.join(""));
    expect(await extracted(id)).toMatchObject({ textStatus: "indexed", pageCount: null });
    const found = await passagesOf(id);
    expect(found.map(({ chunkIndex }) => chunkIndex)).toEqual(found.map((_, i) => i));
    for (const n of [0, 104_000, 114_999])
      expect(found.filter(({ text }) => text.includes(line(n).trim()))).toHaveLength(1);
  });
});

describe("repeats and races", () => {
  test("a slice that runs twice leaves the same passages under the same ids", async () => {
    const { id } = await upload("report.docx", fixture("report.docx"));
    await extracted(id);
    const before = await passagesOf(id);
    expect(await extractDocument.run(context(), jobFor(id, 1))).toMatchObject({ kind: "complete" });
    expect(await passagesOf(id)).toEqual(before);
  });

  test("a repeated extraction replaces changed passages, and keeps equal ones", async () => {
    const { id } = await upload("tides.txt", fixture("tides.txt"));
    await extracted(id);
    const [first] = await passagesOf(id);
    const left = { documentId: id, version: 1, page: 9, chunkIndex: 1, texts: ["left over"] };
    await context().workspace.insert(textSections).values(left);
    await context().workspace.update(documents).set({ textStatus: "failed" }).where(eq(documents.id, id));
    await endedJobs(organizationId, "extract-document");
    await keepJobs(organizationId);
    const change = beginChange(context(), organizationId);
    queueExtraction(change, { documentId: id, version: 1 }, { tenantId: organizationId });
    queueExtraction(change, { documentId: id, version: 1 }, { tenantId: organizationId });
    await change.commit();
    await eventually(async () => expect((await documentRow(id)).textStatus).toBe("indexed"));
    expect(await passagesOf(id)).toEqual([first]);
    expect(await endedJobs(organizationId, "extract-document")).toHaveLength(1);
  });

  test("a late extraction of an older version changes nothing", async () => {
    const { id } = await upload("a.txt", "The first text.");
    await extracted(id);
    await upload("a.txt", "The second text.");
    await eventually(async () => expect((await documentRow(id)).textVersion).toBe(2));
    await context()
      .workspace.delete(textSections)
      .where(and(eq(textSections.documentId, id), eq(textSections.version, 1)));
    const outcome = await extractDocument.run(context(), jobFor(id, 1));
    await outcome.change?.commit();
    expect(await documentRow(id)).toMatchObject({ textVersion: 2, textStatus: "indexed" });
    expect(await passagesOf(id, 1)).toEqual([]);
    expect((await passagesOf(id, 2)).map(({ text }) => text)).toEqual(["The second text."]);
  });

  test("the deletion of the document ends the job without an error", async () => {
    const { id } = await upload("a.txt", "Soon to be gone.");
    await extracted(id);
    await context().workspace.update(documents).set({ deletedAt: Date.now() }).where(eq(documents.id, id));
    expect(await extractDocument.run(context(), jobFor(id, 1))).toMatchObject({ kind: "complete" });
    expect((await documentRow(id)).textStatus).toBe("indexed");
  });
});

describe("failures", () => {
  test("a failure of the object store is retried and does not change the document's status", async () => {
    const { id } = await upload("a.txt", "Present for now.");
    const before = await extracted(id);
    await context()
      .workspace.update(documentVersions)
      .set({ objectKey: "gone" })
      .where(eq(documentVersions.documentId, id));
    await expect(extractDocument.run(context(), jobFor(id, 1))).rejects.toThrow("the object is missing");
    expect(await documentRow(id)).toEqual(before);
  });

  test("a job that fails for good sets the document's status, unless its text was published before", async () => {
    const { id } = await upload("a.txt", "Present for now.");
    await extracted(id);
    const reason = { code: "worker-died", detail: "The work stopped several times." };
    const fail = async () => {
      const change = beginChange(context(), organizationId);
      await extractDocument.failed?.(context(), jobFor(id, 1), change, reason);
      await change.commit();
    };
    await fail();
    expect(await documentRow(id)).toMatchObject({ textStatus: "indexed" });
    await context().workspace.update(documents).set({ textStatus: "pending" }).where(eq(documents.id, id));
    await fail();
    expect(await documentRow(id)).toMatchObject({
      textStatus: "failed",
      textDetail: "The text could not be extracted. The work stopped several times.",
    });
    expect(await passagesOf(id)).toEqual([]);
  });
});

test("an administrator has a text read again, which a new rule of the extraction needs", async () => {
  const admin = await mintPerson({ isAdmin: true });
  const { id: documentId } = await upload("notes.txt", "The caisson has settled.");
  await extracted(documentId);
  await falsify(documentId);
  const index = (query: string) =>
    call("POST", `/v1/search/index/documents/${documentId}${query}`, { token: admin.token });
  expect((await index("?readTextAgain=true")).status).toBe(202);
  await eventually(async () =>
    expect((await passagesOf(documentId)).map(({ text }) => text)).toEqual(["The caisson has settled."]),
  );
});
