import { env } from "cloudflare:workers";
import puppeteer from "@cloudflare/puppeteer";
import { and, asc, eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { organizations } from "../../src/access/tables";
import { openRecognizer, queueExtraction } from "../../src/documents";
import { documentSchema, queueRecognition } from "../../src/documents/document";
import { pageWordsSchema } from "../../src/documents/recognition/words";
import { documents, documentVersions, recognizedPages, textSections } from "../../src/documents/tables";
import { jobHandlers } from "../../src/job-handlers";
import type { Context } from "../../src/platform/context";
import { beginChange } from "../../src/platform/db/change";
import { runJob } from "../../src/platform/jobs/run";
import { jobs } from "../../src/platform/jobs/tables";
import type { PageOutcome, Recognizer } from "../../src/platform/ports";
import { storedObjects } from "../../src/uploads/tables";
import { organizationSchema } from "../../src/workspace/organizations";
import { jobUsage } from "../../src/workspace/tables";
import { call, expectJson } from "../support/call";
import { uploadDocument } from "../support/documents";
import { mintLocation, mintMember, mintOrganization, type Person } from "../support/factories";
import { silentQueues, systemContext } from "../support/job-rows";
import { endedJobs } from "../support/jobs";
import { eventually } from "../support/patience";
import { type MixedPage, mixedPdf, paper, SCANNED, scanOf } from "../support/scans";
import { testDatabase } from "../support/statements";

// A browser that starts on a busy machine takes its time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let [english, german]: Uint8Array[] = [];
let photo: Uint8Array;

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
  photo = await shot(SCANNED.english, "jpeg");
  await browser.close();
});

let owner: Person;
let organizationId: string;
let locationId: string;

beforeEach(async () => {
  const organization = await mintOrganization();
  [owner, organizationId] = [organization.owner, organization.id];
  locationId = (await mintLocation({ organizationId })).id;
});

const db = testDatabase;

async function upload(fileName: string, bytes: Uint8Array): Promise<string> {
  const type = fileName.endsWith(".pdf") ? "application/pdf" : "image/jpeg";
  const file = { fileName, bytes: Uint8Array.from(bytes), contentType: type };
  const { id } = await uploadDocument(owner.token, locationId, file);
  // Recognition is off in the settings of the tests, and the document says so.
  await reaches(id, "recognition-off");
  return id;
}

const read = (id: string) => expectJson(documentSchema, 200, "GET", `/v1/documents/${id}`, { token: owner.token });
const reaches = (id: string, textStatus: string) =>
  eventually(async () => expect((await read(id)).textStatus).toBe(textStatus));

const real = openRecognizer(env, 1);

/** Runs the slices of a document's recognition here, until it ends or `slices` have run. */
async function recognize(id: string, more: Partial<Context> = {}, slices = 10): Promise<string[]> {
  const context = systemContext({ queues: silentQueues().queues, recognizer: real, ...more });
  await db().update(documents).set({ textStatus: "recognizing" }).where(eq(documents.id, id));
  const change = beginChange(context);
  queueRecognition(change, { documentId: id, version: 1 }, organizationId);
  await change.commit();
  const [job] = await db()
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.kind, "recognize-document"), eq(jobs.status, "queued"), eq(jobs.tenantId, organizationId)));
  const ends: string[] = [];
  while (slices-- > 0) {
    ends.push(await runJob(context, jobHandlers, job?.id ?? ""));
    if (ends.at(-1) !== "continued") break;
  }
  return ends;
}

const sectionsOf = (id: string) =>
  db().select().from(textSections).where(eq(textSections.documentId, id)).orderBy(asc(textSections.chunkIndex));
/** The passages of all sections. */
const textsOf = async (id: string) =>
  (await sectionsOf(id)).flatMap(({ page, chunkIndex, texts }) =>
    texts.map((text, i) => ({ page, chunkIndex: chunkIndex + i, text })),
  );
const pagesOf = (id: string) => db().select().from(recognizedPages).where(eq(recognizedPages.documentId, id));

/** The share of the words of a text that are found in another. */
function share(expected: string, found: string): number {
  const words = expected.toLowerCase().match(/\p{L}+/gu) ?? [];
  const there = new Set(found.toLowerCase().match(/\p{L}+/gu));
  return words.filter((word) => there.has(word)).length / words.length;
}

/**
 * A recognizer without a browser, which reads some words of each page, and at most `most` pages at once. Pages in `other`
 * have another outcome.
 */
const counting = (
  most = 8,
  wordsOfPage = 1,
  other: Readonly<Record<number, PageOutcome>> = {},
): Recognizer & { asked: number[] } => ({
  isOn: true,
  asked: [],
  readText: () => Promise.reject(new Error("not asked for")),
  async recognize(_, wanted) {
    const numbers = wanted.slice(0, most);
    this.asked.push(...numbers);
    return {
      kind: "pages",
      pages: numbers.map((page) => ({
        page,
        width: 100,
        height: 100,
        words: Array.from({ length: other[page] === undefined ? wordsOfPage : 0 }, () => ({
          text: `lantern${page}`,
          box: [1, 2, 30, 40],
          confidence: 90,
          line: "1.1.1",
        })),
        outcome: other[page] ?? "recognized",
      })),
    };
  },
});

describe("a real browser", () => {
  test("reads a scan of two languages, one page upside down, with pages and boxes", async () => {
    const id = await upload("scan.pdf", await scanOf([english ?? photo, german ?? photo], [2]));
    expect(await recognize(id)).toEqual(["succeeded"]);
    expect(await read(id)).toMatchObject({ textStatus: "recognized", textDetail: null, pageCount: 2 });
    expect((await read(id)).recognition?.confidence).toBeGreaterThan(85);
    const texts = await textsOf(id);
    const of = (page: number) => texts.flatMap((text) => (text.page === page ? [text.text] : [])).join(" ");
    expect(share(SCANNED.english, of(1))).toBeGreaterThan(0.95);
    expect(share(SCANNED.german, of(2))).toBeGreaterThan(0.95);
    expect((await pagesOf(id)).map(({ language }) => language)).toEqual(["en", "de"]);
    const words = await expectJson(pageWordsSchema, 200, "GET", `/v1/documents/${id}/pages/2/words`, {
      token: owner.token,
    });
    // The first word is where the upside-down page ends: below and right of the middle.
    const first = words.words.find(({ text }) => text === "Der");
    expect(first?.left).toBeGreaterThan(words.width / 2);
    expect(first?.top).toBeGreaterThan(words.height / 2);
  });

  test("reads a photo", async () => {
    const id = await upload("photo.jpg", photo);
    expect(await recognize(id)).toEqual(["succeeded"]);
    expect(await read(id)).toMatchObject({ textStatus: "recognized", recognition: { language: "en" } });
    expect(share(SCANNED.english, (await textsOf(id)).map(({ text }) => text).join(" "))).toBeGreaterThan(0.95);
  });

  test("cannot open a damaged file", async () => {
    const scan = await scanOf([german ?? photo]);
    const id = await upload("scan.pdf", scan);
    const broken: Context["objects"] = {
      ...systemContext().objects,
      read: async (key, range) => {
        const found = await systemContext().objects.read(key, range);
        const bytes = new Uint8Array(await new Response(found?.body).arrayBuffer()).fill(0);
        return found && { ...found, body: new Blob([bytes]).stream() };
      },
    };
    expect(await recognize(id, { objects: broken })).toEqual(["succeeded"]);
    expect(await read(id)).toMatchObject({ textStatus: "damaged", recognition: null });
  });
});

const MIXED: MixedPage[] = [
  "text",
  "scan",
  "text",
  "blank",
  "header and scan",
  "scan with invisible text",
  "header and logo",
];
const pagesOfTexts = async (id: string) => [...new Set((await textsOf(id)).map(({ page }) => page))];
const outcomesOf = async (id: string) =>
  Object.fromEntries((await pagesOf(id)).map(({ page, outcome }) => [page, outcome]));
const chargedJobs = async () => {
  const [usage] = await db().select().from(jobUsage).where(eq(jobUsage.tenantId, organizationId));
  return usage?.jobs ?? 0;
};

describe("a PDF with text on some pages", () => {
  test("is found by its text first; then its other pages are read, and their text joins in reading order", async () => {
    const id = await upload("mixed.pdf", await mixedPdf(MIXED, german ?? photo));
    expect(await read(id)).toMatchObject({ pageCount: 7, textDetail: expect.stringMatching("switched off") });
    expect(await pagesOfTexts(id)).toEqual([1, 3, 5, 6, 7]);
    await endedJobs(organizationId, "index-document");
    const found = await expectJson(z.unknown(), 200, "POST", "/v1/search", {
      token: owner.token,
      body: { term: "number301" },
    });
    expect(JSON.stringify(found)).toContain(id);

    const recognizer = counting(2, 1, { 4: "blank", 7: "blank" });
    expect(await recognize(id, { recognizer })).toEqual(["continued", "succeeded"]);
    expect(recognizer.asked).toEqual([2, 4, 5, 7]);
    const texts = await textsOf(id);
    expect(texts.map(({ page }) => page)).toEqual([1, 2, 3, 5, 5, 6, 7]);
    expect(texts.filter(({ text }) => text.startsWith("lantern")).map(({ text }) => text)).toEqual([
      "lantern2",
      "lantern5",
    ]);
    expect(await chargedJobs()).toBe(2);
    expect(await read(id)).toMatchObject({
      textStatus: "recognized",
      textDetail: null,
      recognition: { confidence: 90 },
    });
  });

  test("in a real browser: blank pages, logos and pages that were recognized before are not read", async () => {
    const id = await upload("mixed.pdf", await mixedPdf(MIXED, german ?? photo));
    expect(await recognize(id)).toEqual(["succeeded"]);
    expect(await outcomesOf(id)).toEqual({ 2: "recognized", 4: "blank", 5: "recognized", 7: "blank" });
    expect(await chargedJobs()).toBe(2);
    for (const page of [2, 5]) {
      const text = (await textsOf(id)).filter((one) => one.page === page).map((one) => one.text);
      expect(share(SCANNED.german, text.join(" "))).toBeGreaterThan(0.95);
    }
    expect(await read(id)).toMatchObject({ textStatus: "recognized", recognition: { language: "de" } });
  });

  test("is indexed when its pictures have no text", async () => {
    const id = await upload("mixed.pdf", await mixedPdf(["text", "scan", "scan"], german ?? photo));
    expect(await recognize(id, { recognizer: counting(8, 0) })).toEqual(["succeeded"]);
    expect(await read(id)).toMatchObject({ textStatus: "indexed", textDetail: expect.stringMatching("2 pages") });
    expect(await pagesOfTexts(id)).toEqual([1]);
  });

  test("whose pages are lost one after the other is given up, and what was read stays", async () => {
    const id = await upload("mixed.pdf", await mixedPdf(["text", ...Array(14).fill("scan")], german ?? photo));
    const lost = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [n + 3, "deadline" as const]));
    const recognizer = counting(1, 1, lost);
    expect((await recognize(id, { recognizer }, 20)).at(-1)).toBe("succeeded");
    expect(recognizer.asked).toEqual(Array.from({ length: 11 }, (_, n) => n + 2));
    expect(await read(id)).toMatchObject({
      textStatus: "recognized",
      textDetail: expect.stringMatching(/1 of 14 pages.*10 pages.*not end in time.*3 pages.*not read/),
    });
    expect(await chargedJobs()).toBe(1);
  });
});

describe("a PDF of more than 16 MiB", () => {
  const extract = async (id: string, recognizer: Recognizer) => {
    const context = systemContext({ queues: silentQueues().queues, recognizer });
    const change = beginChange(context);
    const job = queueExtraction(change, { documentId: id, version: 1 }, { tenantId: organizationId });
    await change.commit();
    return runJob(context, jobHandlers, job);
  };

  test("gives its text by ranges, and its scanned pages are recognized", async () => {
    const bytes = await mixedPdf(["text", "scan", "text"], german ?? photo, 17 * 1024 * 1024);
    const file = { fileName: "large.pdf", bytes, contentType: "application/pdf" };
    const { id } = await uploadDocument(owner.token, locationId, file);
    // The settings of the tests switch the browsers off.
    await reaches(id, "too-large");
    expect((await read(id)).textDetail).toMatch("Split it");
    await eventually(async () => expect(await endedJobs(organizationId, "extract-document")).toBeDefined());
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
    expect(await read(id)).toMatchObject({ textStatus: "recognizing", pageCount: 3 });
    expect(await pagesOfTexts(id)).toEqual([1, 3]);
    expect(await recognize(id, { objects })).toEqual(["succeeded"]);
    expect(await pagesOfTexts(id)).toEqual([1, 2, 3]);
    expect(await read(id)).toMatchObject({ textStatus: "recognized", textDetail: null });
    // The Worker never holds more than some pieces, and the browser does not ask for the attached file.
    expect(most).toBeLessThanOrEqual(1024 * 1024);
    expect(ranges).toBeLessThan(8 * 1024 * 1024);
  });
});

describe("slices", () => {
  test("of a long scan each read eight pages, and count as jobs of the month", async () => {
    const id = await upload("scan.pdf", await scanOf(Array(18).fill(german ?? photo)));
    const recognizer = counting();
    expect(await recognize(id, { recognizer })).toEqual(["continued", "continued", "succeeded"]);
    expect(recognizer.asked).toEqual(Array.from({ length: 18 }, (_, n) => n + 1));
    const texts = await textsOf(id);
    expect(texts.map(({ page, chunkIndex, text }) => [page, chunkIndex, text])).toEqual(
      Array.from({ length: 18 }, (_, n) => [n + 1, n, `lantern${n + 1}`]),
    );
    const [usage] = await db().select().from(jobUsage).where(eq(jobUsage.tenantId, organizationId));
    expect(usage?.jobs).toBe(18);
  });

  test("of long pages write sections of up to eight passages of one page, and a later slice continues behind them", async () => {
    const id = await upload("scan.pdf", await scanOf(Array(3).fill(german ?? photo)));
    const recognizer = counting(2, 1_200);
    expect(await recognize(id, { recognizer })).toEqual(["continued", "succeeded"]);
    expect(recognizer.asked).toEqual([1, 2, 3]);
    const sections = await sectionsOf(id);
    for (const page of [1, 2, 3]) {
      const texts = sections.filter((section) => section.page === page).map((section) => section.texts);
      const words = texts.flat().flatMap((text) => text.match(/\S+/g) ?? []);
      expect(words).toEqual(Array(1_200).fill(`lantern${page}`));
      expect(texts.slice(0, -1).map(({ length }) => length)).toEqual(texts.slice(1).map(() => 8));
      expect(texts.length).toBeGreaterThan(1);
    }
    const starts = sections.map(({ chunkIndex }) => chunkIndex);
    expect(starts.slice(1)).toEqual(sections.slice(0, -1).map((section) => section.chunkIndex + section.texts.length));
  });

  test("a slice whose worker is killed is read again, and nothing is written twice", async () => {
    const id = await upload("scan.pdf", await scanOf(Array(10).fill(german ?? photo)));
    const recognizer = counting();
    expect(await recognize(id, { recognizer }, 1)).toEqual(["continued"]);
    const stored = systemContext().objects;
    const killed = { ...stored, write: () => Promise.reject(new Error("killed")) };
    await db()
      .delete(jobs)
      .where(and(eq(jobs.tenantId, organizationId), eq(jobs.kind, "recognize-document")));
    expect(await recognize(id, { recognizer, objects: killed })).toEqual(["retry"]);
    expect(await pagesOf(id)).toHaveLength(8);
    await db()
      .delete(jobs)
      .where(and(eq(jobs.tenantId, organizationId), eq(jobs.kind, "recognize-document")));
    expect(await recognize(id, { recognizer })).toEqual(["succeeded"]);
    expect(recognizer.asked).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 9, 10]);
    expect(await textsOf(id)).toHaveLength(10);
    const left = await db().select().from(storedObjects).where(eq(storedObjects.tenantId, organizationId));
    expect(left.filter(({ key, purgeAfter }) => key.includes("/words/") && purgeAfter !== null)).toEqual([]);
  });

  test("the document reports that the month's jobs are used up, and the next month continues", async () => {
    const id = await upload("scan.pdf", await scanOf(Array(5).fill(german ?? photo)));
    await db().update(organizations).set({ jobsPerMonth: 3 }).where(eq(organizations.id, organizationId));
    const recognizer = counting();
    expect(await recognize(id, { recognizer })).toEqual(["continued", "succeeded"]);
    expect(await read(id)).toMatchObject({
      textStatus: "recognition-limit",
      textDetail: expect.stringMatching("month"),
    });
    expect(await textsOf(id)).toHaveLength(3);
    const [waiting] = await db()
      .select()
      .from(jobs)
      .where(and(eq(jobs.kind, "resume-recognition"), eq(jobs.tenantId, organizationId)));
    expect(new Date(waiting?.runAt ?? 0).getUTCDate()).toBe(1);
    await db().update(organizations).set({ jobsPerMonth: 100 }).where(eq(organizations.id, organizationId));
    expect(await recognize(id, { recognizer })).toEqual(["succeeded"]);
    expect(recognizer.asked).toEqual([1, 2, 3, 4, 5]);
    expect(await read(id)).toMatchObject({ textStatus: "recognized" });
  });

  test("an organization that switches recognition off in the middle keeps the pages that were read", async () => {
    const id = await upload("scan.pdf", await scanOf(Array(12).fill(german ?? photo)));
    const recognizer = counting();
    expect(await recognize(id, { recognizer }, 1)).toEqual(["continued"]);
    await db().update(organizations).set({ recognizesScans: false }).where(eq(organizations.id, organizationId));
    await db()
      .delete(jobs)
      .where(and(eq(jobs.tenantId, organizationId), eq(jobs.kind, "recognize-document")));
    expect(await recognize(id, { recognizer })).toEqual(["succeeded"]);
    expect(await read(id)).toMatchObject({ textStatus: "recognition-off", textDetail: expect.stringMatching("off") });
    expect(await textsOf(id)).toHaveLength(8);
    expect(recognizer.asked).toHaveLength(8);
  });

  test("an owner switches recognition off and on, an admin cannot, and the remaining pages are read", async () => {
    const admin = await mintMember(organizationId, "admin");
    const path = `/v1/orgs/${organizationId}`;
    const set = (token: string, recognizesScans: boolean) => call("PATCH", path, { token, body: { recognizesScans } });
    expect((await set(admin.token, false)).status).toBe(403);
    const off = await expectJson(organizationSchema, 200, "PATCH", path, {
      token: owner.token,
      body: { recognizesScans: false },
    });
    expect(off.recognizesScans).toBe(false);
    const id = await upload("scan.pdf", await scanOf([german ?? photo]));
    expect(await recognize(id, { recognizer: counting() })).toEqual(["succeeded"]);
    expect(await read(id)).toMatchObject({
      textStatus: "recognition-off",
      textDetail: expect.stringMatching("organi"),
    });
    expect((await set(owner.token, true)).status).toBe(200);
    await endedJobs(organizationId, "resume-recognition");
    // The settings of the tests switch recognition off on the whole service.
    await eventually(async () => expect((await read(id)).textDetail).toMatch("service"));
  });

  test("a document that is replaced while its pages are read gets none of them", async () => {
    const id = await upload("scan.pdf", await scanOf([german ?? photo]));
    const recognizer: Recognizer = {
      ...counting(),
      async recognize(document, pages) {
        await db().update(documents).set({ latestVersion: 2 }).where(eq(documents.id, id));
        return counting().recognize(document, pages);
      },
    };
    expect(await recognize(id, { recognizer })).toEqual(["retry"]);
    expect(await textsOf(id)).toEqual([]);
    expect(await pagesOf(id)).toEqual([]);
  });

  test("a photo of too many pixels is refused by its header", async () => {
    const id = await upload("photo.jpg", photo);
    const huge = Uint8Array.from(photo);
    const frame = huge.findIndex((byte, at) => byte === 0xff && huge[at + 1] === 0xc0);
    huge.set([0xff, 0x00, 0xff, 0x00], frame + 5);
    const [version] = await db().select().from(documentVersions).where(eq(documentVersions.documentId, id));
    await env.BUCKET.put(version?.objectKey ?? "", huge);
    const recognizer = counting();
    expect(await recognize(id, { recognizer })).toEqual(["succeeded"]);
    expect(await read(id)).toMatchObject({ textStatus: "too-large", textDetail: expect.stringMatching("megapixels") });
    expect(recognizer.asked).toEqual([]);
  });
});
