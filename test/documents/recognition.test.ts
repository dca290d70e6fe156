import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { organizations } from "../../src/access/tables";
import { documents, documentVersions } from "../../src/documents/tables";
import { jobs } from "../../src/platform/jobs/tables";
import type { Recognizer } from "../../src/platform/ports";
import { storedObjects } from "../../src/uploads/tables";
import { organizationSchema } from "../../src/workspace/organizations/organizations";
import { call, expectJson } from "../support/call";
import { mintMember } from "../support/factories";
import { systemContext } from "../support/job-rows";
import { endedJobs } from "../support/jobs";
import { eventually } from "../support/patience";
import { jpegFixture } from "../support/pictures";
import { scenePng } from "../support/png";
import {
  countingRecognizer,
  MIXED,
  mintScanSite,
  pagesOf,
  pagesOfTexts,
  type ScanSite,
  sectionsOf,
  textsOf,
} from "../support/recognition";
import { mixedPdf, scanOf } from "../support/scans";
import { testDatabase } from "../support/statements";

/* The jobs of recognition, with a recognizer without a browser. `test/browser/recognition.test.ts` has a browser. */

/** A PDF with text needs pictures of so many pixels to have scanned pages. */
const large = scenePng(640, 400);
const scanned = scenePng(120, 60);
const db = testDatabase;

let site: ScanSite;
beforeEach(async () => {
  site = await mintScanSite();
});

describe("a PDF with text on some pages", () => {
  test("is found by its text first; then its other pages are read, and their text joins in reading order", async () => {
    const id = await site.upload("mixed.pdf", await mixedPdf(MIXED, large));
    expect(await site.read(id)).toMatchObject({ pageCount: 7, textDetail: expect.stringMatching("switched off") });
    expect(await pagesOfTexts(id)).toEqual([1, 3, 5, 6, 7]);
    await endedJobs(site.organizationId, "index-document");
    const found = await expectJson(z.unknown(), 200, "POST", "/v1/search", {
      token: site.owner.token,
      body: { term: "number301" },
    });
    expect(JSON.stringify(found)).toContain(id);

    const recognizer = countingRecognizer(2, 1, { 4: "blank", 7: "blank" });
    expect(await site.recognize(id, { recognizer })).toEqual(["continued", "succeeded"]);
    expect(recognizer.asked).toEqual([2, 4, 5, 7]);
    const texts = await textsOf(id);
    expect(texts.map(({ page }) => page)).toEqual([1, 2, 3, 5, 5, 6, 7]);
    expect(texts.filter(({ text }) => text.startsWith("lantern")).map(({ text }) => text)).toEqual([
      "lantern2",
      "lantern5",
    ]);
    expect(await site.chargedJobs()).toBe(2);
    expect(await site.read(id)).toMatchObject({
      textStatus: "recognized",
      textDetail: null,
      recognition: { confidence: 90 },
    });
  });

  test("is indexed when its pictures have no text", async () => {
    const id = await site.upload("mixed.pdf", await mixedPdf(["text", "scan", "scan"], large));
    expect(await site.recognize(id, { recognizer: countingRecognizer(8, 0) })).toEqual(["succeeded"]);
    expect(await site.read(id)).toMatchObject({ textStatus: "indexed", textDetail: expect.stringMatching("2 pages") });
    expect(await pagesOfTexts(id)).toEqual([1]);
  });

  test("whose pages are lost one after the other is given up, and what was read stays", async () => {
    const id = await site.upload("mixed.pdf", await mixedPdf(["text", ...Array(14).fill("scan")], large));
    const lost = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [n + 3, "deadline" as const]));
    const recognizer = countingRecognizer(1, 1, lost);
    expect((await site.recognize(id, { recognizer }, 20)).at(-1)).toBe("succeeded");
    expect(recognizer.asked).toEqual(Array.from({ length: 11 }, (_, n) => n + 2));
    expect(await site.read(id)).toMatchObject({
      textStatus: "recognized",
      textDetail: expect.stringMatching(/1 of 14 pages.*10 pages.*not end in time.*3 pages.*not read/),
    });
    expect(await site.chargedJobs()).toBe(1);
  });
});

describe("slices", () => {
  test("of a long scan each read eight pages, and count as jobs of the month", async () => {
    const id = await site.upload("scan.pdf", await scanOf(Array(18).fill(scanned)));
    const recognizer = countingRecognizer();
    expect(await site.recognize(id, { recognizer })).toEqual(["continued", "continued", "succeeded"]);
    expect(recognizer.asked).toEqual(Array.from({ length: 18 }, (_, n) => n + 1));
    const texts = await textsOf(id);
    expect(texts.map(({ page, chunkIndex, text }) => [page, chunkIndex, text])).toEqual(
      Array.from({ length: 18 }, (_, n) => [n + 1, n, `lantern${n + 1}`]),
    );
    expect(await site.chargedJobs()).toBe(18);
  });

  test("of long pages write sections of up to eight passages of one page, and a later slice continues behind them", async () => {
    const id = await site.upload("scan.pdf", await scanOf(Array(3).fill(scanned)));
    const recognizer = countingRecognizer(2, 1_200);
    expect(await site.recognize(id, { recognizer })).toEqual(["continued", "succeeded"]);
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
    const id = await site.upload("scan.pdf", await scanOf(Array(10).fill(scanned)));
    const recognizer = countingRecognizer();
    expect(await site.recognize(id, { recognizer }, 1)).toEqual(["continued"]);
    const stored = systemContext().objects;
    const killed = { ...stored, write: () => Promise.reject(new Error("killed")) };
    await site.loseJobs();
    expect(await site.recognize(id, { recognizer, objects: killed })).toEqual(["retry"]);
    expect(await pagesOf(id)).toHaveLength(8);
    await site.loseJobs();
    expect(await site.recognize(id, { recognizer })).toEqual(["succeeded"]);
    expect(recognizer.asked).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 9, 10]);
    expect(await textsOf(id)).toHaveLength(10);
    const left = await db().select().from(storedObjects).where(eq(storedObjects.tenantId, site.organizationId));
    expect(left.filter(({ key, purgeAfter }) => key.includes("/words/") && purgeAfter !== null)).toEqual([]);
  });

  test("the document reports that the month's jobs are used up, and the next month continues", async () => {
    const id = await site.upload("scan.pdf", await scanOf(Array(5).fill(scanned)));
    await db().update(organizations).set({ jobsPerMonth: 3 }).where(eq(organizations.id, site.organizationId));
    const recognizer = countingRecognizer();
    expect(await site.recognize(id, { recognizer })).toEqual(["continued", "succeeded"]);
    expect(await site.read(id)).toMatchObject({
      textStatus: "recognition-limit",
      textDetail: expect.stringMatching("month"),
    });
    expect(await textsOf(id)).toHaveLength(3);
    const [waiting] = await db()
      .select()
      .from(jobs)
      .where(and(eq(jobs.kind, "resume-recognition"), eq(jobs.tenantId, site.organizationId)));
    expect(new Date(waiting?.runAt ?? 0).getUTCDate()).toBe(1);
    await db().update(organizations).set({ jobsPerMonth: 100 }).where(eq(organizations.id, site.organizationId));
    expect(await site.recognize(id, { recognizer })).toEqual(["succeeded"]);
    expect(recognizer.asked).toEqual([1, 2, 3, 4, 5]);
    expect(await site.read(id)).toMatchObject({ textStatus: "recognized" });
  });

  test("an organization that switches recognition off in the middle keeps the pages that were read", async () => {
    const id = await site.upload("scan.pdf", await scanOf(Array(12).fill(scanned)));
    const recognizer = countingRecognizer();
    expect(await site.recognize(id, { recognizer }, 1)).toEqual(["continued"]);
    await db().update(organizations).set({ recognizesScans: false }).where(eq(organizations.id, site.organizationId));
    await site.loseJobs();
    expect(await site.recognize(id, { recognizer })).toEqual(["succeeded"]);
    expect(await site.read(id)).toMatchObject({
      textStatus: "recognition-off",
      textDetail: expect.stringMatching("off"),
    });
    expect(await textsOf(id)).toHaveLength(8);
    expect(recognizer.asked).toHaveLength(8);
  });

  test("an owner switches recognition off and on, an admin cannot, and the remaining pages are read", async () => {
    const admin = await mintMember(site.organizationId, "admin");
    const path = `/v1/orgs/${site.organizationId}`;
    const set = (token: string, recognizesScans: boolean) => call("PATCH", path, { token, body: { recognizesScans } });
    expect((await set(admin.token, false)).status).toBe(403);
    const off = await expectJson(organizationSchema, 200, "PATCH", path, {
      token: site.owner.token,
      body: { recognizesScans: false },
    });
    expect(off.recognizesScans).toBe(false);
    const id = await site.upload("scan.pdf", await scanOf([scanned]));
    expect(await site.recognize(id, { recognizer: countingRecognizer() })).toEqual(["succeeded"]);
    expect(await site.read(id)).toMatchObject({
      textStatus: "recognition-off",
      textDetail: expect.stringMatching("organi"),
    });
    expect((await set(site.owner.token, true)).status).toBe(200);
    await endedJobs(site.organizationId, "resume-recognition");
    // The settings of the tests switch recognition off on the whole service.
    await eventually(async () => expect((await site.read(id)).textDetail).toMatch("service"));
  });

  test("a document that is replaced while its pages are read gets none of them", async () => {
    const id = await site.upload("scan.pdf", await scanOf([scanned]));
    const recognizer: Recognizer = {
      ...countingRecognizer(),
      async recognize(document, pages) {
        await db().update(documents).set({ latestVersion: 2 }).where(eq(documents.id, id));
        return countingRecognizer().recognize(document, pages);
      },
    };
    expect(await site.recognize(id, { recognizer })).toEqual(["retry"]);
    expect(await textsOf(id)).toEqual([]);
    expect(await pagesOf(id)).toEqual([]);
  });

  test("a photo of too many pixels is refused by its header", async () => {
    const photo = jpegFixture("baseline-420");
    const id = await site.upload("photo.jpg", photo);
    const huge = Uint8Array.from(photo);
    const frame = huge.findIndex((byte, at) => byte === 0xff && huge[at + 1] === 0xc0);
    huge.set([0xff, 0x00, 0xff, 0x00], frame + 5);
    const [version] = await db().select().from(documentVersions).where(eq(documentVersions.documentId, id));
    await env.BUCKET.put(version?.objectKey ?? "", huge);
    const recognizer = countingRecognizer();
    expect(await site.recognize(id, { recognizer })).toEqual(["succeeded"]);
    expect(await site.read(id)).toMatchObject({
      textStatus: "too-large",
      textDetail: expect.stringMatching("megapixels"),
    });
    expect(recognizer.asked).toEqual([]);
  });
});
