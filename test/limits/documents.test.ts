import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { addGeneratedVersion } from "../../src/documents";
import { deriveImages } from "../../src/documents/derivatives/derivatives";
import { bytesSource } from "../../src/documents/extraction/extracted";
import { extractMail } from "../../src/documents/extraction/formats/eml";
import { readSlice, type SliceState } from "../../src/documents/extraction/job";
import * as documents from "../../src/documents/limits";
import { documentVersions } from "../../src/documents/tables";
import { beginChange } from "../../src/platform/db/change";
import { locations } from "../../src/workspace/tables";
import { pdfOf, stream } from "../documents/extraction/hostile-pdf";
import { uploadDocument } from "../support/documents";
import { mintDocument, mintLocation, mintOrganization, mintPlace } from "../support/factories";
import { systemContext } from "../support/job-rows";
import { keepJobs } from "../support/jobs";
import { stopClock } from "../support/patience";
import { jpegFixture } from "../support/pictures";
import { scenePng } from "../support/png";
import { countingRecognizer, mintScanSite } from "../support/recognition";
import { mixedPdf, scanOf } from "../support/scans";
import { testDatabase } from "../support/statements";
import { remove, restore } from "../support/trash";

const source = (sizeBytes: number, read: (offset: number, length: number) => Promise<Uint8Array>) => ({
  sizeBytes,
  read,
});

test("MAX_MAIL_BYTES: the rest of a larger mail is not read", async () => {
  const read = async (sizeBytes: number) => {
    let asked = 0;
    const mail = new TextEncoder().encode("Subject: girder\r\n\r\n");
    const spy = source(sizeBytes, async (_, length) => {
      asked = length;
      return mail;
    });
    await Array.fromAsync(extractMail({ source: spy, fileName: "a.eml", contentType: "" }));
    return asked;
  };
  expect(await read(documents.MAX_MAIL_BYTES)).toBe(documents.MAX_MAIL_BYTES);
  expect(await read(documents.MAX_MAIL_BYTES + 1)).toBe(documents.MAX_MAIL_BYTES);
});

/** Reads a large PDF whose pages have a short text each, like scans with a header. */
async function readHeaders(pages: number, state: Partial<SliceState> = {}) {
  const readInBrowser = async () => ({
    kind: "pages" as const,
    pageCount: pages,
    pages: Array.from({ length: pages }, (_, n) => ({ page: n + 1, paragraphs: ["Header"] })),
  });
  const large = source(documents.MAX_PDF_BYTES + 1, () => Promise.reject(new Error("not read")));
  const input = { source: large, readInBrowser, fileName: "a.pdf", contentType: "application/pdf" };
  const begun: SliceState = { format: "pdf", at: 0, chunkIndex: 0, length: 0, unread: [], ...state };
  const end = await readSlice(input, begun, async () => {});
  if (end.kind !== "end") throw new Error("the slice is not the last");
  return end;
}

test("MAX_SCAN_PAGES: no more pages of a PDF with text wait for recognition", async () => {
  const waiting = async (pages: number) =>
    (await readHeaders(pages)).unread.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  expect(await waiting(documents.MAX_SCAN_PAGES)).toBe(documents.MAX_SCAN_PAGES);
  expect(await waiting(documents.MAX_SCAN_PAGES + 1)).toBe(documents.MAX_SCAN_PAGES);
});

test("MAX_PASSAGES_PER_SCANNED_PAGE: each page that waits has this much room, which does not count as passages", async () => {
  const room = documents.MAX_PASSAGES_PER_SCANNED_PAGE;
  // The header of a page is a passage, and the room of the page is behind it.
  const { unread, passages } = await readHeaders(3);
  expect(unread).toEqual([1, 2, 3].map((page) => [page, page, page + (page - 1) * room]));
  expect(passages).toBe(3 * (1 + room));
  const chunkIndex = documents.MAX_PASSAGES - 1 + 2 * room;
  expect(await readHeaders(1, { chunkIndex, unread: [[1, 2, 0]] })).toMatchObject({ status: "recognizing" });
  expect(await readHeaders(1, { chunkIndex: chunkIndex + 1, unread: [[1, 2, 0]] })).toMatchObject({
    status: "too-large",
  });
});

describe("MAX_PASSAGES_PER_SCANNED_PAGE", () => {
  test("pages without text between them are one run", async () => {
    const { addUnread } = await import("../../src/documents/extraction/unread");
    const room = documents.MAX_PASSAGES_PER_SCANNED_PAGE;
    const runs: [number, number, number][] = [];
    addUnread(runs, 4, 7);
    addUnread(runs, 5, 7 + room);
    addUnread(runs, 6, 7 + 2 * room);
    expect(runs).toEqual([[4, 6, 7]]);
  });

  test("a recognized page has at most this many", async () => {
    const site = await mintScanSite();
    const id = await site.upload("scan.pdf", await scanOf([scenePng(120, 60)]));
    await site.recognize(id, { recognizer: countingRecognizer(8, 20_000) });
    const { results } = await env.DB.prepare("SELECT passages FROM recognized_pages WHERE document_id = ?")
      .bind(id)
      .all();
    expect(results).toEqual([{ passages: documents.MAX_PASSAGES_PER_SCANNED_PAGE }]);
  });
});

test("SCAN_PAGES_PER_SLICE: one step asks for no more pages", async () => {
  const site = await mintScanSite();
  const pages = documents.SCAN_PAGES_PER_SLICE + 1;
  const id = await site.upload("scan.pdf", await scanOf(Array(pages).fill(scenePng(120, 60))));
  const recognizer = countingRecognizer(pages);
  expect(await site.recognize(id, { recognizer }, 1)).toEqual(["continued"]);
  expect(recognizer.asked).toHaveLength(documents.SCAN_PAGES_PER_SLICE);
});

test("MAX_PHOTO_PIXELS: a photo of one row more is not read", async () => {
  const site = await mintScanSite();
  for (const [height, outcome] of [
    [documents.MAX_PHOTO_PIXELS / 10_000, "recognized"],
    [documents.MAX_PHOTO_PIXELS / 10_000 + 1, "too-large"],
  ] as const) {
    const photo = jpegFixture("baseline-420");
    const id = await site.upload(`${outcome}.jpg`, photo);
    const frame = photo.findIndex((byte, at) => byte === 0xff && photo[at + 1] === 0xc0);
    const header = Uint8Array.from(photo);
    new DataView(header.buffer).setUint16(frame + 5, height);
    new DataView(header.buffer).setUint16(frame + 7, 10_000);
    const [version] = await testDatabase().select().from(documentVersions).where(eq(documentVersions.documentId, id));
    await env.BUCKET.put(version?.objectKey ?? "", header);
    await site.recognize(id, { recognizer: countingRecognizer() });
    expect((await site.read(id)).textStatus).toBe(outcome);
  }
});

describe("PENDING_OBJECT_LIFETIME_MS: an object that no change refers to is purged after this time", () => {
  const failing = () => ({ ...systemContext().objects, write: () => Promise.reject(new Error("no answer")) });
  const purgedAt = async (tenantId: string) => {
    const { results } = await env.DB.prepare(
      "SELECT DISTINCT purge_after AS at FROM stored_objects WHERE tenant_id = ? AND purge_after IS NOT NULL",
    )
      .bind(tenantId)
      .all<{ at: number }>();
    return results.map(({ at }) => at);
  };

  test("of derivatives", async () => {
    const { organizationId, owner, locationId } = await mintPlace();
    await keepJobs(organizationId);
    const bytes = Uint8Array.from(jpegFixture("baseline-420"));
    const { id } = await uploadDocument(owner.token, locationId, {
      fileName: "a.jpg",
      bytes,
      contentType: "image/jpeg",
    });
    const pending = { derivativeStatus: "pending", smallKey: null, mediumKey: null } as const;
    await testDatabase().update(documentVersions).set(pending).where(eq(documentVersions.documentId, id));
    await env.DB.prepare("DELETE FROM stored_objects WHERE tenant_id = ? AND key LIKE '%/derivatives/%'")
      .bind(organizationId)
      .run();
    const now = stopClock();
    const context = systemContext({ objects: failing(), now });
    const payload = { documentId: id, version: 1 };
    const job = { id, kind: "derive-images", tenantId: organizationId, payload, state: null } as const;
    const run = deriveImages.run(context, { ...job, attempts: 1, progress: { done: 0, total: 0 }, requestedBy: null });
    await expect(run).rejects.toThrow("no answer");
    expect(await purgedAt(organizationId)).toEqual([now + documents.PENDING_OBJECT_LIFETIME_MS]);
  });

  test("of recognized words", async () => {
    const site = await mintScanSite();
    const id = await site.upload("scan.pdf", await scanOf([scenePng(120, 60)]));
    const now = stopClock();
    const more = { recognizer: countingRecognizer(), objects: failing(), now };
    expect(await site.recognize(id, more)).toEqual(["retry"]);
    expect(await purgedAt(site.organizationId)).toEqual([now + documents.PENDING_OBJECT_LIFETIME_MS]);
  });

  test("of a file that the service makes", async () => {
    const { organizationId, owner, locationId } = await mintPlace();
    const now = stopClock();
    const context = systemContext({ objects: failing(), now });
    const [location] = await testDatabase().select().from(locations).where(eq(locations.id, locationId));
    if (location === undefined) throw new Error("no location");
    const bytes = new Uint8Array(8);
    const file = { document: null, path: "", fileName: "a.pdf", contentType: "application/pdf", bytes };
    const change = beginChange(context, organizationId);
    const made = addGeneratedVersion(context, change, location, { ...file, createdBy: owner.userId });
    await expect(made).rejects.toThrow("no answer");
    expect(await purgedAt(organizationId)).toEqual([now + documents.PENDING_OBJECT_LIFETIME_MS]);
  });
});

test("MAX_RESTORED_PICTURES: one restoration queues no more pictures", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  const documentId = await mintDocument({ organizationId }, location);
  const jobsAfter = async (versions: number) => {
    await env.DB.prepare("DELETE FROM document_versions WHERE document_id = ? AND version > 1").bind(documentId).run();
    await env.DB.prepare("UPDATE document_versions SET derivative_status = 'pending' WHERE document_id = ?")
      .bind(documentId)
      .run();
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO document_versions (document_id, version, object_key, file_name, content_type, size_bytes, checksum_sha256, derivative_status, created_at)
       SELECT document_id, i, object_key || i, file_name, content_type, size_bytes, checksum_sha256, 'pending', created_at
       FROM n, document_versions WHERE document_id = ?1 AND version = 1`,
    )
      .bind(documentId, versions)
      .run();
    await remove(owner.token, "document", documentId);
    expect((await restore(owner.token, "document", documentId)).status).toBe(200);
    const found = await env.DB.prepare("SELECT count(*) AS n FROM jobs WHERE tenant_id = ? AND kind = 'derive-images'")
      .bind(organizationId)
      .first<{ n: number }>();
    await env.DB.prepare("DELETE FROM jobs WHERE tenant_id = ? AND kind = 'derive-images'").bind(organizationId).run();
    return found?.n;
  };
  await keepJobs(organizationId);
  expect(await jobsAfter(documents.MAX_RESTORED_PICTURES)).toBe(documents.MAX_RESTORED_PICTURES);
  expect(await jobsAfter(documents.MAX_RESTORED_PICTURES + 1)).toBe(documents.MAX_RESTORED_PICTURES);
});

test("MIN_SCANNED_PIXELS: a picture whose size is in another object counts as a scan", async () => {
  const text = stream("", "BT /T 12 Tf 10 100 Td (Header) Tj ET");
  const pdf = pdfOf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /T 5 0 R >> >> >>",
    text,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    stream("/Type /XObject /Subtype /Image /Width 7 0 R /Height 1", "a"),
    "8",
  );
  const input = { source: bytesSource(pdf), fileName: "a.pdf", contentType: "application/pdf" };
  expect(await readSlice(input, null, async () => {})).toMatchObject({ status: "recognizing", unread: [[1, 1, 1]] });
});

test("a PDF of text and a small picture has no scanned pages", async () => {
  const input = { source: bytesSource(await mixedPdf(["header and logo"], scenePng(120, 60))), fileName: "a.pdf" };
  expect(await readSlice({ ...input, contentType: "application/pdf" }, null, async () => {})).toMatchObject({
    unread: [],
  });
});
