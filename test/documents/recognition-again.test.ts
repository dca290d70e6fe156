import { eq, like } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { organizations } from "../../src/access/tables";
import { documents, unreadPages } from "../../src/documents/tables";
import type { Recognizer } from "../../src/platform/ports";
import { storedObjects } from "../../src/uploads/tables";
import { call } from "../support/call";
import { mintPerson } from "../support/factories";
import { systemContext } from "../support/job-rows";
import { scenePng } from "../support/png";
import { countingRecognizer, mintScanSite, pagesOf, type ScanSite, sectionsOf, textsOf } from "../support/recognition";
import { mixedPdf, scanOf } from "../support/scans";
import { testDatabase } from "../support/statements";

/* Scans that were recognized and are recognized again, from their files. */

const db = testDatabase();
const scanned = scenePng(120, 60);
/** A PDF with text needs pictures of so many pixels to have scanned pages. */
const large = scenePng(640, 400);

let site: ScanSite;
beforeEach(async () => {
  site = await mintScanSite();
});

const first = (most = 8, words = 1) => countingRecognizer(most, words, {}, "lantern");
const second = (most = 8, words = 1, other: Parameters<typeof countingRecognizer>[2] = {}) =>
  countingRecognizer(most, words, other, "quayside");

/** The words of each page, once each, in the order of the passages. */
const wordsOf = async (id: string) => [
  ...new Set((await textsOf(id)).map(({ page, text }) => `${page} ${text.split(" ")[0]}`)),
];

async function recognized(pages: number, words = 1): Promise<string> {
  const id = await site.upload("scan.pdf", await scanOf(Array(pages).fill(scanned)));
  expect((await site.recognize(id, { recognizer: first(8, words) })).at(-1)).toBe("succeeded");
  return id;
}

test("each page keeps its text until it is read again, and has only the new text then", async () => {
  const id = await recognized(3, 900);
  await site.extractAgain(id);
  expect(await site.read(id)).toMatchObject({ textStatus: "recognizing" });
  const recognizer = second(1, 1, { 2: "blank" });
  expect(await site.runSlices({ recognizer }, 1)).toEqual(["continued"]);
  expect(await wordsOf(id)).toEqual(["2 lantern2", "3 lantern3", "1 quayside1"]);
  expect(await site.runSlices({ recognizer })).toEqual(["continued", "succeeded"]);
  expect((await textsOf(id)).map(({ page, chunkIndex, text }) => [page, chunkIndex, text])).toEqual([
    [1, 0, "quayside1"],
    [3, 1, "quayside3"],
  ]);
  expect(await site.read(id)).toMatchObject({ textStatus: "recognized", textDetail: null, pageCount: 3 });
  expect((await pagesOf(id)).map(({ page, outcome, words }) => [page, outcome, words])).toEqual([
    [1, "recognized", 1],
    [2, "blank", 0],
    [3, "recognized", 1],
  ]);
  expect(await site.chargedJobs()).toBe(3 + 2);
});

test("an administrator has a recognized scan read again", async () => {
  const id = await recognized(2);
  const { token } = await mintPerson({ isAdmin: true });
  const answer = await call("POST", `/v1/search/index/documents/${id}?readTextAgain=true`, { token });
  expect(answer.status).toBe(202);
  // Recognition is off in the settings of the tests: the pages wait, and keep their text.
  await site.reaches(id, "recognition-off");
  const waiting = await db.select().from(unreadPages).where(eq(unreadPages.documentId, id));
  expect(waiting.map(({ firstPage, lastPage }) => [firstPage, lastPage])).toEqual([[1, 2]]);
  expect(await wordsOf(id)).toEqual(["1 lantern1", "2 lantern2"]);
});

test("a scan whose job is lost is read after a backfill, as after the restore of a backup", async () => {
  const id = await recognized(1);
  await db.update(documents).set({ textStatus: "recognizing" }).where(eq(documents.id, id));
  const { token } = await mintPerson({ isAdmin: true });
  expect((await call("POST", "/v1/search/index/backfill", { token })).status).toBe(202);
  await site.reaches(id, "recognized");
});

test("the words of a page that has none now are deleted", async () => {
  const id = await recognized(2);
  await site.extractAgain(id);
  expect(await site.runSlices({ recognizer: second(8, 1, { 2: "blank" }) })).toEqual(["succeeded"]);
  const objects = await db
    .select()
    .from(storedObjects)
    .where(like(storedObjects.key, `%/${id}/words/%`));
  expect(objects.filter(({ purgeAfter }) => purgeAfter === null).map(({ key }) => key.split("/").at(-1))).toEqual([
    "1.json",
  ]);
});

test("a worker that is killed loses and doubles no page", async () => {
  const id = await recognized(10, 300);
  await site.extractAgain(id);
  const recognizer = second(4, 300);
  expect(await site.runSlices({ recognizer }, 1)).toEqual(["continued"]);
  const killed = { ...systemContext().objects, write: () => Promise.reject(new Error("killed")) };
  expect(await site.runSlices({ recognizer, objects: killed })).toEqual(["retry"]);
  expect(await wordsOf(id)).toEqual([
    ...[5, 6, 7, 8, 9, 10].map((page) => `${page} lantern${page}`),
    ...[1, 2, 3, 4].map((page) => `${page} quayside${page}`),
  ]);
  await site.loseJobs();
  expect((await site.recognize(id, { recognizer })).at(-1)).toBe("succeeded");
  expect(await wordsOf(id)).toEqual(Array.from({ length: 10 }, (_, n) => `${n + 1} quayside${n + 1}`));
  const sections = await sectionsOf(id);
  expect(sections[0]?.chunkIndex).toBe(0);
  expect(sections.slice(1).map(({ chunkIndex }) => chunkIndex)).toEqual(
    sections.slice(0, -1).map(({ chunkIndex, texts }) => chunkIndex + texts.length),
  );
});

test("a scan that is still being recognized begins anew, and is read once", async () => {
  const id = await site.upload("scan.pdf", await scanOf(Array(6).fill(scanned)));
  expect(await site.recognize(id, { recognizer: first(2) }, 2)).toEqual(["continued", "continued"]);
  await site.extractAgain(id);
  // The job of the first reading goes on with the new pages. The job that was queued with them finds nothing to do.
  expect(await site.waitingJobs()).toHaveLength(2);
  const recognizer = second(4);
  expect(await site.runSlices({ recognizer })).toEqual(["continued", "succeeded"]);
  expect(await site.runSlices({ recognizer })).toEqual(["succeeded"]);
  expect(recognizer.asked).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await wordsOf(id)).toEqual([1, 2, 3, 4, 5, 6].map((page) => `${page} quayside${page}`));
});

/** A recognizer during whose first reading something happens. */
function during(recognizer: Recognizer, happens: () => Promise<unknown>): Recognizer {
  let isFirst = true;
  return {
    ...recognizer,
    recognize: async (document, pages) => {
      const result = await recognizer.recognize(document, pages);
      if (isFirst) await happens();
      isFirst = false;
      return result;
    },
  };
}

test("pages that were read while the scan began anew are read again", async () => {
  const id = await recognized(2);
  await site.extractAgain(id);
  const old = countingRecognizer(1, 1, {}, "outdated");
  expect(await site.runSlices({ recognizer: old }, 1)).toEqual(["continued"]);
  expect(await site.runSlices({ recognizer: during(old, () => site.extractAgain(id)) }, 1)).toEqual(["succeeded"]);
  expect(await wordsOf(id)).toEqual(["2 lantern2", "1 outdated1"]);
  expect(await site.waitingJobs()).toHaveLength(1);
  expect(await site.runSlices({ recognizer: second() })).toEqual(["succeeded"]);
  expect(await wordsOf(id)).toEqual(["1 quayside1", "2 quayside2"]);
});

test("pages that were read while the organization chose other languages are read again", async () => {
  const id = await recognized(1);
  await site.extractAgain(id);
  const choose = () =>
    db
      .update(organizations)
      .set({ recognitionLanguages: ["fr"] })
      .where(eq(organizations.id, site.organizationId));
  expect(await site.runSlices({ recognizer: during(second(), choose) }, 1)).toEqual(["retry"]);
  expect(await wordsOf(id)).toEqual(["1 lantern1"]);
  await site.loseJobs();
  const recognizer = second();
  expect(await site.recognize(id, { recognizer })).toEqual(["succeeded"]);
  expect(recognizer.languages).toEqual([["fr"]]);
});

test("a PDF with text keeps it, and its scanned pages have only the new text", async () => {
  const id = await site.upload("mixed.pdf", await mixedPdf(["scan", "scan", "text", "header and scan", "scan"], large));
  const own = await textsOf(id);
  expect((await site.recognize(id, { recognizer: first(8, 900) })).at(-1)).toBe("succeeded");
  await site.extractAgain(id);
  expect(await textsOf(id)).toEqual(own);
  expect(await site.runSlices({ recognizer: second(2, 1, { 2: "blank" }) })).toEqual(["continued", "succeeded"]);
  const texts = await textsOf(id);
  expect(texts.filter(({ text }) => text.includes("lantern"))).toEqual([]);
  expect(texts.filter(({ text }) => text.includes("quayside")).map(({ text }) => text)).toEqual([
    "quayside1",
    "quayside4",
    "quayside5",
  ]);
  expect(texts.filter(({ text }) => !text.includes("quayside"))).toEqual(own);
  const left = await db.select().from(unreadPages).where(eq(unreadPages.documentId, id));
  expect(left).toEqual([]);
});
