import { and, eq, ne } from "drizzle-orm";
import { AFRelationship, PDFDocument, PDFName, PDFString } from "pdf-lib";
import { beforeEach, describe, expect, test } from "vitest";
import { memberships } from "../../src/access/tables";
import { containedFilesSchema } from "../../src/documents/contained/contained";
import { filesOfPdf } from "../../src/documents/extraction";
import { FILED_DOCUMENTS_PER_SLICE, MAX_ATTACHMENTS } from "../../src/documents/limits";
import { type ContainedFiles, documents, documentVersions } from "../../src/documents/tables";
import { jobHandlers } from "../../src/job-handlers";
import { sha256Hex } from "../../src/platform/crypto/bytes";
import { runJob } from "../../src/platform/jobs/run";
import { jobs } from "../../src/platform/jobs/tables";
import { expectJson, problem } from "../support/call";
import { bytesOf, uploadDocument } from "../support/documents";
import { mintGrant, mintLocation, mintMember, mintPerson, mintPlace } from "../support/factories";

import { contextOfJob, insertJob, silentQueues, systemContext } from "../support/job-rows";
import { deliver, documentsAt, mailOf, mintMailPlace, settled } from "../support/mails";
import { eventually } from "../support/patience";
import { scenePng } from "../support/png";
import { testDatabase } from "../support/statements";
import { fixture } from "./extraction/read";

/* Files that are attached to mails and PDFs become documents. */

const db = testDatabase;

let place: Awaited<ReturnType<typeof mintPlace>>;
beforeEach(async () => {
  place = await mintPlace();
});

const pathOf = (id: string) => `/v1/documents/${id}/contained-files`;
const begin = (id: string, token = place.owner.token) =>
  expectJson(containedFilesSchema, 202, "POST", pathOf(id), { token });
const read = (id: string, token = place.owner.token) =>
  expectJson(containedFilesSchema, 200, "GET", pathOf(id), { token });

const upload = async (fileName: string, bytes: Uint8Array | string, contentType: string, path?: string) =>
  (
    await uploadDocument(place.owner.token, place.locationId, {
      fileName,
      bytes: typeof bytes === "string" ? bytes : Uint8Array.from(bytes),
      contentType,
      ...(path !== undefined && { path }),
    })
  ).id;

/** Waits until the job has ended. */
async function ended(id: string) {
  let state = await read(id);
  await eventually(async () => {
    state = await read(id);
    expect(state.status).not.toBe("running");
  });
  return state;
}

/** The documents beside `id`, with the checksum of their bytes. */
const made = (id: string) =>
  db()
    .select({
      path: documents.path,
      fileName: documents.fileName,
      createdBy: documents.createdBy,
      contentType: documentVersions.contentType,
      checksum: documentVersions.checksumSha256,
    })
    .from(documents)
    .innerJoin(documentVersions, eq(documentVersions.documentId, documents.id))
    .where(and(eq(documents.locationId, place.locationId), ne(documents.id, id)))
    .orderBy(documents.id);

const text = (name: string, content: string) => ({ name, type: "text/plain", text: content });
const mailWith = (count: number) =>
  mailOf("ada@sender.test", { attachments: Array.from({ length: count }, (_, n) => text("a.txt", `Number ${n}`)) });

test("the attachments of a mail become documents in a folder beside it, once", async () => {
  const attachments = [text("plan.txt", "The plan."), { name: "list.csv", type: "text/csv", text: "a,b\n1,2\n" }];
  const id = await upload("Report.eml", mailOf("ada@sender.test", { attachments }), "message/rfc822", "post");
  expect(await read(id)).toEqual({ version: 1, status: "none", path: null, total: null, done: 0, reason: null });
  expect(await begin(id)).toMatchObject({ status: expect.stringMatching(/running|done/), path: "post/Report" });
  expect(await ended(id)).toEqual({ version: 1, status: "done", path: "post/Report", total: 2, done: 2, reason: null });
  const expected = await Promise.all(
    attachments.map(async ({ name, type, text: content }) => ({
      ...{ path: "post/Report", fileName: name, contentType: type, createdBy: place.owner.userId },
      checksum: await sha256Hex(bytesOf({ bytes: content })),
    })),
  );
  expect(await made(id)).toEqual(expected);
  expect(await begin(id)).toMatchObject({ status: "done", done: 2 });
  expect(await made(id)).toHaveLength(2);
});

test("the attachments of a mail that came by mail are documents already", async () => {
  const at = await mintMailPlace({ senders: ["sender.test"] });
  place = at;
  await deliver({ to: at.to, from: "ada@sender.test", raw: mailWith(2) });
  await settled(at);
  const mail = (await documentsAt(at.locationId)).find(({ fileName }) => fileName.endsWith(".eml"));
  const id = mail?.id ?? "";
  expect(await read(id)).toMatchObject({ status: "done", total: 2, done: 2, reason: null });
  await begin(id);
  expect(await documentsAt(at.locationId)).toHaveLength(3);
});

test("several requests at once begin one job", async () => {
  const id = await upload("Report.eml", mailWith(3), "message/rfc822");
  await Promise.all([begin(id), begin(id), begin(id), begin(id)]);
  expect(await ended(id)).toMatchObject({ status: "done", total: 3, done: 3 });
  expect((await made(id)).map(({ fileName }) => fileName)).toEqual(["a.txt", "a (2).txt", "a (3).txt"]);
});

test("the attachments of a message of Outlook become documents, and a message within it stays inside", async () => {
  const id = await upload("nested.msg", fixture("outlook-nested.msg"), "application/vnd.ms-outlook");
  await begin(id);
  expect(await ended(id)).toMatchObject({ status: "done", reason: null, path: "nested" });
  // Its other attachment is a message, whose picture is not taken out.
  expect((await made(id)).map(({ fileName, contentType }) => [fileName, contentType])).toEqual([
    ["green.png", "image/png"],
  ]);
});

describe("a PDF", () => {
  const data = bytesOf({ bytes: '{"pump": 4}\n'.repeat(400) });
  /** A PDF as a whole file: stored without packing, it has objects and ends of streams inside. */
  async function innerPdf(): Promise<Uint8Array<ArrayBuffer>> {
    const pdf = await PDFDocument.create();
    pdf.addPage([200, 200]).drawText("inner");
    return Uint8Array.from(await pdf.save({ useObjectStreams: false }));
  }

  async function pdfWithFiles(useObjectStreams: boolean) {
    const pdf = await PDFDocument.create();
    const page = pdf.addPage([200, 200]);
    await pdf.attach(data, "Daten – März.json", { mimeType: "application/json", afRelationship: AFRelationship.Data });
    const inner = await innerPdf();
    const stream = pdf.context.stream(inner, { Type: "EmbeddedFile", Subtype: "application/pdf" });
    const file = pdf.context.obj({
      ...{ Type: "Filespec", F: PDFString.of("inner.pdf") },
      EF: { F: pdf.context.register(stream) },
    });
    const clip = pdf.context.obj({ Type: "Annot", Subtype: "FileAttachment", Rect: [0, 0, 20, 20], FS: file });
    page.node.set(PDFName.of("Annots"), pdf.context.obj([pdf.context.register(clip)]));
    return { bytes: Uint8Array.from(await pdf.save({ useObjectStreams })), inner };
  }

  test.each([true, false])("gives the files of the document and of its pages (object streams: %s)", async (packed) => {
    const { bytes, inner } = await pdfWithFiles(packed);
    const id = await upload("outer.pdf", bytes, "application/pdf");
    await begin(id);
    expect(await ended(id)).toMatchObject({ status: "done", total: 2, done: 2, reason: null, path: "outer" });
    expect((await made(id)).map(({ fileName, contentType, checksum }) => [fileName, contentType, checksum])).toEqual([
      ["Daten – März.json", "application/json", await sha256Hex(data)],
      ["inner.pdf", "application/pdf", await sha256Hex(inner)],
    ]);
  });

  test("with a file that claims to be a picture gives the others, and says so", async () => {
    const pdf = await PDFDocument.create();
    pdf.addPage([200, 200]);
    await pdf.attach(data, "data.json", { mimeType: "application/json" });
    const trap = pdf.context.stream(new Uint8Array(60), { Type: "EmbeddedFile", Filter: "DCTDecode" });
    const file = pdf.context.obj({
      Type: "Filespec",
      F: PDFString.of("trap.bin"),
      EF: { F: pdf.context.register(trap) },
    });
    const clip = pdf.context.obj({ Type: "Annot", Subtype: "FileAttachment", Rect: [0, 0, 20, 20], FS: file });
    pdf.getPage(0).node.set(PDFName.of("Annots"), pdf.context.obj([clip]));
    const id = await upload("trap.pdf", await pdf.save(), "application/pdf");
    await begin(id);
    expect(await ended(id)).toMatchObject({
      status: "done",
      total: 2,
      done: 1,
      reason: expect.stringMatching("stored in a way"),
    });
  });

  test("with many clips of one stream without an end is read in linear time", async () => {
    const clips = 20_000;
    const clip = "<</Subtype/FileAttachment/FS 4 0 R>>\n";
    const head = `%PDF-1.4\n1 0 obj<</Pages 2 0 R>>endobj\n2 0 obj<</Kids[3 0 R]>>endobj\n4 0 obj<</F(a)/EF<</F 5 0 R>>>>endobj\n`;
    const page = `3 0 obj<</Annots[${clip.repeat(clips)}]>>endobj\n5 0 obj<</Length ${" ".repeat(900)}9>>stream\n`;
    const pdf = new Uint8Array(15 * 1024 * 1024).fill(32);
    pdf.set(new TextEncoder().encode(head + page));
    pdf.set(new TextEncoder().encode("\nendstream endobj trailer<</Root 1 0 R>>"), pdf.length - 64);
    const began = performance.now();
    expect(await filesOfPdf(pdf, 100)).toHaveLength(1);
    // Looking for the end of the stream once for each clip takes more than a minute.
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  test("that is encrypted, cut off, or has none says so", async () => {
    const locked = await upload("locked.pdf", fixture("lock-aes-256.pdf"), "application/pdf");
    await begin(locked);
    expect(await ended(locked)).toMatchObject({ status: "stopped", reason: expect.stringMatching("encrypted") });
    const { bytes } = await pdfWithFiles(false);
    const cut = await upload("cut.pdf", bytes.slice(0, bytes.length / 2), "application/pdf");
    await begin(cut);
    expect((await ended(cut)).status).toBe("done");
    const none = await upload("report.pdf", fixture("report.pdf"), "application/pdf");
    await begin(none);
    expect(await ended(none)).toMatchObject({
      status: "done",
      total: 0,
      done: 0,
      reason: "There are no files inside.",
    });
  });
});

test("a picture has no files inside", async () => {
  const id = await upload("a.png", scenePng(20, 20), "image/png");
  await begin(id);
  expect(await ended(id)).toMatchObject({ status: "done", total: 0 });
});

test("of more than 100 files the first 100 are taken out", async () => {
  const id = await upload("many.eml", mailWith(MAX_ATTACHMENTS + 3), "message/rfc822");
  await begin(id);
  expect(await ended(id)).toMatchObject({ total: 100, done: 100, reason: "Only the first 100 files were taken out." });
  expect(await made(id)).toHaveLength(100);
});

test("Write of the document alone is not enough: the new documents are documents of the location", async () => {
  const id = await upload("Report.eml", mailWith(1), "message/rfc822");
  const guest = await mintPerson();
  const { organizationId } = place;
  await mintGrant({ organizationId }, guest.userId, "document", id, { Documents: "Write" });
  expect(await read(id, guest.token)).toMatchObject({ status: "none" });
  await begin(id);
  await ended(id);
  // The folder of the location is not shown to who sees the document alone.
  expect(await read(id, guest.token)).toMatchObject({ status: "done", done: 1, path: null });
  await expectJson(problem, 403, "POST", pathOf(id), { token: guest.token });
  expect(await made(id)).toHaveLength(1);
  const { id: locationId } = await mintLocation({ organizationId });
  await db().update(documents).set({ locationId }).where(eq(documents.id, id));
  expect(await read(id)).toMatchObject({ status: "done", path: null });
});

describe("a job in slices", () => {
  /** A mail whose job runs here. */
  const begunHere = async (count: number) => runsHere(await upload("Report.eml", mailWith(count), "message/rfc822"));

  async function runsHere(id: string): Promise<{ id: string; job: string }> {
    const state: ContainedFiles = {
      ...{
        status: "running",
        path: "Report",
        locationId: place.locationId,
        total: null,
        done: 0,
        unread: 0,
        reason: null,
      },
      createdBy: place.owner.userId,
    };
    await db().update(documentVersions).set({ containedFiles: state }).where(eq(documentVersions.documentId, id));
    const payload = { documentId: id, version: 1 };
    return { id, job: await insertJob({ kind: "take-out-files", payload, tenantId: place.organizationId }) };
  }
  const run = async (job: string, more: object = {}) =>
    runJob({ ...(await contextOfJob(job)), queues: silentQueues().queues, ...more }, jobHandlers, job);

  test("loses and doubles nothing if its worker is killed", async () => {
    const count = 2 * FILED_DOCUMENTS_PER_SLICE + 1;
    const { id, job } = await begunHere(count);
    expect(await run(job)).toBe("continued");
    const { objects } = systemContext();
    let writes = 0;
    const killed = {
      ...objects,
      write: (...given: Parameters<typeof objects.write>) =>
        ++writes > 4 ? Promise.reject(new Error("killed")) : objects.write(...given),
    };
    expect(await run(job, { objects: killed })).toBe("retry");
    expect(await made(id)).toHaveLength(FILED_DOCUMENTS_PER_SLICE);
    await db().update(jobs).set({ runAt: 0 }).where(eq(jobs.id, job));
    expect([await run(job), await run(job)]).toEqual(["continued", "succeeded"]);
    expect(await read(id)).toMatchObject({ status: "done", total: count, done: count });
    const checksums = (await made(id)).map(({ checksum }) => checksum);
    expect(new Set(checksums).size).toBe(count);
    expect(checksums).toHaveLength(count);
  });

  test("makes no document if another job was faster", async () => {
    const { id, job } = await begunHere(2);
    const [row] = await db().select().from(documentVersions).where(eq(documentVersions.documentId, id));
    const others = { ...(row?.containedFiles as ContainedFiles), status: "done" as const, total: 2, done: 2 };
    const { objects } = systemContext();
    const slow = {
      ...objects,
      write: async (...given: Parameters<typeof objects.write>) => {
        await db().update(documentVersions).set({ containedFiles: others }).where(eq(documentVersions.documentId, id));
        return objects.write(...given);
      },
    };
    expect(await run(job, { objects: slow })).toBe("retry");
    await db().update(jobs).set({ runAt: 0 }).where(eq(jobs.id, job));
    expect(await run(job)).toBe("succeeded");
    expect(await made(id)).toEqual([]);
  });

  test("begins again with a request if it was lost, as after the restore of a backup", async () => {
    const { id, job } = await begunHere(2);
    await db().delete(jobs).where(eq(jobs.id, job));
    await begin(id);
    expect(await ended(id)).toMatchObject({ status: "done", done: 2 });
  });

  test("stops when the person loses access, and goes on behind the files that are documents", async () => {
    const { id, job } = await begunHere(FILED_DOCUMENTS_PER_SLICE + 2);
    expect(await run(job)).toBe("continued");
    const editor = await mintMember(place.organizationId, "admin");
    const states = await db().select().from(documentVersions).where(eq(documentVersions.documentId, id));
    const state = { ...(states[0]?.containedFiles as ContainedFiles), createdBy: editor.userId };
    await db().update(documentVersions).set({ containedFiles: state }).where(eq(documentVersions.documentId, id));
    await db().delete(memberships).where(eq(memberships.userId, editor.userId));
    expect(await run(job)).toBe("succeeded");
    expect(await read(id)).toMatchObject({ status: "stopped", done: 10, reason: expect.stringMatching("may not add") });
    await begin(id);
    expect(await ended(id)).toMatchObject({ status: "done", total: 12, done: 12, reason: null });
    expect(new Set((await made(id)).map(({ checksum }) => checksum)).size).toBe(12);
    expect(await made(id)).toHaveLength(12);
  });

  test("holds few of the files that a few bytes unpack to", async () => {
    const pdf = await PDFDocument.create();
    pdf.addPage([200, 200]);
    for (let n = 0; n < 3; n++) await pdf.attach(new Uint8Array(12 * 1024 * 1024).fill(n), `${n}.bin`);
    const { id, job } = await runsHere(await upload("large.pdf", await pdf.save(), "application/pdf"));
    expect(await run(job)).toBe("continued");
    expect(await read(id)).toMatchObject({ total: 3, done: 2 });
    expect(await run(job)).toBe("succeeded");
    expect(new Set((await made(id)).map(({ checksum }) => checksum)).size).toBe(3);
  });

  test("ends when the document is deleted meanwhile", async () => {
    const { id, job } = await begunHere(FILED_DOCUMENTS_PER_SLICE + 2);
    expect(await run(job)).toBe("continued");
    await db().update(documents).set({ deletedAt: Date.now() }).where(eq(documents.id, id));
    expect(await run(job)).toBe("succeeded");
    expect(await made(id)).toHaveLength(FILED_DOCUMENTS_PER_SLICE);
    await db().update(documents).set({ deletedAt: null }).where(eq(documents.id, id));
    expect(await read(id)).toMatchObject({ status: "stopped", done: 10, reason: "The document was deleted." });
    await begin(id);
    expect(await ended(id)).toMatchObject({ status: "done", done: 12 });
  });
});
