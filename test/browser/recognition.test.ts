import { env } from "cloudflare:workers";
import puppeteer from "@cloudflare/puppeteer";
import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { organizations } from "../../src/access/tables";
import { openRecognizer, queueExtraction } from "../../src/documents";
import { bytesSource } from "../../src/documents/extraction/extracted";
import { MAX_PDF_PAGE_TEXT_LENGTH } from "../../src/documents/limits";
import { pageWordsSchema } from "../../src/documents/recognition/words";
import { jobHandlers } from "../../src/job-handlers";
import type { Context } from "../../src/platform/context";
import { beginChange } from "../../src/platform/db/change";
import { DomainError } from "../../src/platform/errors";
import { runJob } from "../../src/platform/jobs/run";
import type { RecognitionLanguage } from "../../src/platform/languages/recognition";
import type { Recognizer } from "../../src/platform/ports";
import { pdfOf, stream } from "../documents/extraction/hostile-pdf";
import { expectJson } from "../support/call";
import { uploadDocument } from "../support/documents";
import { silentQueues, systemContext } from "../support/job-rows";
import { endedJobs } from "../support/jobs";
import { eventually } from "../support/patience";
import { scenePng } from "../support/png";
import { MIXED, mintScanSite, pagesOf, pagesOfTexts, type ScanSite, textsOf } from "../support/recognition";
import { mixedPdf, paper, SCANNED, scanOf } from "../support/scans";
import { testDatabase } from "../support/statements";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let [english, german, french, photo]: Uint8Array[] = [];
const real = openRecognizer(env, 1);

beforeAll(async () => {
  const browser = await puppeteer.launch(env.BROWSER);
  const page = await browser.newPage();
  await page.setViewport({ width: 700, height: 360, deviceScaleFactor: 2 });
  const shot = async (text: string, type: "png" | "jpeg") => {
    await page.setContent(paper(text));
    return new Uint8Array(await page.screenshot({ type }));
  };
  english = await shot(SCANNED.english, "png");
  german = await shot(SCANNED.german, "png");
  french = await shot(SCANNED.french, "png");
  photo = await shot(SCANNED.english, "jpeg");
  await browser.close();
});

let site: ScanSite;
beforeEach(async () => {
  site = await mintScanSite();
});

const recognize = (id: string, more: Partial<Context> = {}) => site.recognize(id, { recognizer: real, ...more });
const picture = (bytes: Uint8Array | undefined): Uint8Array => bytes ?? expect.fail("no picture");

/** The share of the words of a text that are found in another. */
function share(expected: string, found: string): number {
  const words = expected.toLowerCase().match(/\p{L}+/gu) ?? [];
  const there = new Set(found.toLowerCase().match(/\p{L}+/gu));
  return words.filter((word) => there.has(word)).length / words.length;
}

const outcomesOf = async (id: string) =>
  Object.fromEntries((await pagesOf(id)).map(({ page, outcome }) => [page, outcome]));

test("a scan of two languages, one page upside down, is read with pages and boxes", async () => {
  const id = await site.upload("scan.pdf", await scanOf([picture(english), picture(german)], [2]));
  expect(await recognize(id)).toEqual(["succeeded"]);
  expect(await site.read(id)).toMatchObject({ textStatus: "recognized", textDetail: null, pageCount: 2 });
  expect((await site.read(id)).recognition?.confidence).toBeGreaterThan(85);
  const texts = await textsOf(id);
  const of = (page: number) => texts.flatMap((text) => (text.page === page ? [text.text] : [])).join(" ");
  expect(share(SCANNED.english, of(1))).toBeGreaterThan(0.95);
  expect(share(SCANNED.german, of(2))).toBeGreaterThan(0.95);
  expect((await pagesOf(id)).map(({ language }) => language)).toEqual(["en", "de"]);
  const words = await expectJson(pageWordsSchema, 200, "GET", `/v1/documents/${id}/pages/2/words`, {
    token: site.owner.token,
  });
  // The first word is where the upside-down page ends: below and right of the middle.
  const first = words.words.find(({ text }) => text === "Der");
  expect(first?.left).toBeGreaterThan(words.width / 2);
  expect(first?.top).toBeGreaterThan(words.height / 2);
});

test("a French scan has its accents only in the languages of its organization", async () => {
  const wordsOf = async (languages: RecognitionLanguage[] | null): Promise<string> => {
    await testDatabase()
      .update(organizations)
      .set({ recognitionLanguages: languages })
      .where(eq(organizations.id, site.organizationId));
    const id = await site.upload(`scan-${languages}.pdf`, await scanOf([picture(french)]));
    expect(await recognize(id)).toEqual(["succeeded"]);
    expect((await site.read(id)).recognition?.language).toBe(languages === null ? null : "fr");
    return (await textsOf(id)).map(({ text }) => text).join(" ");
  };
  expect(share(SCANNED.french, await wordsOf(null))).toBeLessThan(0.9);
  expect(share(SCANNED.french, await wordsOf(["fr", "en"]))).toBeGreaterThan(0.95);
});

test("a photo is read", async () => {
  const id = await site.upload("photo.jpg", picture(photo));
  expect(await recognize(id)).toEqual(["succeeded"]);
  expect(await site.read(id)).toMatchObject({ textStatus: "recognized", recognition: { language: "en" } });
  expect(share(SCANNED.english, (await textsOf(id)).map(({ text }) => text).join(" "))).toBeGreaterThan(0.95);
});

test("a damaged file is not opened", async () => {
  const id = await site.upload("scan.pdf", await scanOf([picture(german)]));
  const broken: Context["objects"] = {
    ...systemContext().objects,
    read: async (key, range) => {
      const found = await systemContext().objects.read(key, range);
      const bytes = new Uint8Array(await new Response(found?.body).arrayBuffer()).fill(0);
      return found && { ...found, body: new Blob([bytes]).stream() };
    },
  };
  expect(await recognize(id, { objects: broken })).toEqual(["succeeded"]);
  expect(await site.read(id)).toMatchObject({ textStatus: "damaged", recognition: null });
});

test("a range that the object store does not give ends the page at once, and the job tries again", async () => {
  const id = await site.upload("scan.pdf", await scanOf([scenePng(2_000, 2_600), picture(german)]));
  let reads = 0;
  const unsteady: Context["objects"] = {
    ...systemContext().objects,
    read: async (key, range) => {
      if (++reads > 3) throw new DomainError("unavailable", "the store does not answer");
      return systemContext().objects.read(key, range);
    },
  };
  // Longer than this test may take: without the end at once, the test ends by its own limit.
  const patient = openRecognizer(env, 1, { pageDeadlineMs: 3_600_000 });
  expect(await recognize(id, { objects: unsteady, recognizer: patient })).toEqual(["retry"]);
});

test("blank pages, logos and pages that were recognized before are not read", async () => {
  const id = await site.upload("mixed.pdf", await mixedPdf(MIXED, picture(german)));
  expect(await recognize(id)).toEqual(["succeeded"]);
  expect(await outcomesOf(id)).toEqual({ 2: "recognized", 4: "blank", 5: "recognized", 7: "blank" });
  expect(await site.chargedJobs()).toBe(2);
  for (const page of [2, 5]) {
    const text = (await textsOf(id)).filter((one) => one.page === page).map((one) => one.text);
    expect(share(SCANNED.german, text.join(" "))).toBeGreaterThan(0.95);
  }
  expect(await site.read(id)).toMatchObject({ textStatus: "recognized", recognition: { language: "de" } });
});

describe("a PDF of more than 16 MiB", () => {
  const extract = async (id: string, recognizer: Recognizer) => {
    const context = systemContext({ queues: silentQueues().queues, recognizer });
    const change = beginChange(context, site.organizationId);
    const job = queueExtraction(change, { documentId: id, version: 1 }, { tenantId: site.organizationId });
    await change.commit();
    return runJob(context, jobHandlers, job);
  };

  test("gives its text by ranges, and its scanned pages are recognized", async () => {
    const bytes = await mixedPdf(["text", "scan", "text"], picture(german), 17 * 1024 * 1024);
    const file = { fileName: "large.pdf", bytes, contentType: "application/pdf" };
    const { id } = await uploadDocument(site.owner.token, site.locationId, file);
    // The settings of the tests switch the browsers off.
    await site.reaches(id, "too-large");
    expect((await site.read(id)).textDetail).toMatch("Split it");
    await eventually(async () => expect(await endedJobs(site.organizationId, "extract-document")).toBeDefined());
    let most = 0;
    let ranges = 0;
    const objects: Context["objects"] = {
      ...systemContext().objects,
      read: (key, range) => {
        ranges += range !== undefined && "length" in range ? range.length : bytes.length;
        most = Math.max(most, range !== undefined && "length" in range ? range.length : bytes.length);
        return systemContext().objects.read(key, range);
      },
    };
    expect(await extract(id, real)).toBe("succeeded");
    expect(await site.read(id)).toMatchObject({ textStatus: "recognizing", pageCount: 3 });
    expect(await pagesOfTexts(id)).toEqual([1, 3]);
    expect(await recognize(id, { objects })).toEqual(["succeeded"]);
    expect(await pagesOfTexts(id)).toEqual([1, 2, 3]);
    expect(await site.read(id)).toMatchObject({ textStatus: "recognized", textDetail: null });
    // The Worker never holds more than some pieces, and the browser does not ask for the attached file.
    expect(most).toBeLessThanOrEqual(1024 * 1024);
    expect(ranges).toBeLessThan(8 * 1024 * 1024);
  });
});

test("MAX_PDF_PAGE_TEXT_LENGTH: the text of a page is read up to the limit, and the pages behind it too", async () => {
  // pdf.js leaves out text beside the page, so the text has many lines.
  const text = (...lines: string[]) =>
    stream("", `BT /T 1 Tf 1 TL 10 900 Td ${lines.map((line) => `(${line}) Tj T*`).join(" ")} ET`);
  const page = (contents: number) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 1000 1000] /Contents ${contents} 0 R /Resources << /Font << /T 7 0 R >> >> >>`;
  const bytes = pdfOf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
    ...[page(5), page(6), text(...Array<string>(250).fill("k".repeat(990))), text("lantern")],
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  );
  const read = await real.readText({ ...bytesSource(bytes), isPdf: true }, 1);
  expect(read.kind === "pages" && read.pages.map(({ paragraphs }) => paragraphs?.join("").length)).toEqual([
    MAX_PDF_PAGE_TEXT_LENGTH,
    "lantern".length,
  ]);
});
