import { and, asc, eq } from "drizzle-orm";
import { expect } from "vitest";
import { documentSchema, queueRecognition } from "../../src/documents/document";
import { documents, recognizedPages, textSections } from "../../src/documents/tables";
import { jobHandlers } from "../../src/job-handlers";
import type { Context } from "../../src/platform/context";
import { beginChange } from "../../src/platform/db/change";
import { runJob } from "../../src/platform/jobs/run";
import { jobs } from "../../src/platform/jobs/tables";
import type { PageOutcome, Recognizer } from "../../src/platform/ports";
import { jobUsage } from "../../src/workspace/tables";
import { expectJson } from "./call";
import { uploadDocument } from "./documents";
import { mintLocation, mintOrganization } from "./factories";
import { contextOfJob, insertJob, silentQueues, systemContext } from "./job-rows";
import { eventually } from "./patience";
import type { MixedPage } from "./scans";
import { testDatabase } from "./statements";

type RecognitionContext = Partial<Context> & Pick<Context, "recognizer">;

/** An organization with a location, and the steps of the tests of recognition there. */
export async function mintScanSite() {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });

  const read = (id: string) => expectJson(documentSchema, 200, "GET", `/v1/documents/${id}`, { token: owner.token });
  const reaches = (id: string, textStatus: string) =>
    eventually(async () => expect((await read(id)).textStatus).toBe(textStatus));

  async function upload(fileName: string, bytes: Uint8Array): Promise<string> {
    const type = fileName.endsWith(".pdf") ? "application/pdf" : "image/jpeg";
    const file = { fileName, bytes: Uint8Array.from(bytes), contentType: type };
    const { id } = await uploadDocument(owner.token, locationId, file);
    // Recognition is off in the settings of the tests, and the document says so.
    await reaches(id, "recognition-off");
    return id;
  }

  /** Deletes the recognition jobs of the organization, as if their queue had lost them. */
  const loseJobs = () =>
    testDatabase()
      .delete(jobs)
      .where(and(eq(jobs.tenantId, organizationId), eq(jobs.kind, "recognize-document")));

  /** The jobs of recognition that wait. */
  const waitingJobs = () =>
    testDatabase()
      .select({ id: jobs.id, state: jobs.state })
      .from(jobs)
      .where(and(eq(jobs.kind, "recognize-document"), eq(jobs.status, "queued"), eq(jobs.tenantId, organizationId)));

  /** Runs the slices of the first waiting job here, until it ends or `slices` have run. */
  async function runSlices(more: RecognitionContext, slices = 10): Promise<string[]> {
    const context = systemContext({ queues: silentQueues().queues, ...more });
    const [job] = await waitingJobs();
    const ends: string[] = [];
    while (slices-- > 0) {
      ends.push(await runJob(context, jobHandlers, job?.id ?? ""));
      if (ends.at(-1) !== "continued") break;
    }
    return ends;
  }

  /** Runs the slices of a document's recognition here, until it ends or `slices` have run. */
  async function recognize(id: string, more: RecognitionContext, slices = 10): Promise<string[]> {
    const context = systemContext({ queues: silentQueues().queues, ...more });
    await testDatabase().update(documents).set({ textStatus: "recognizing" }).where(eq(documents.id, id));
    const change = beginChange(context, organizationId);
    queueRecognition(change, { documentId: id, version: 1 }, organizationId);
    await change.commit();
    return runSlices(more, slices);
  }

  /** Extracts a document again here. Its pages wait for recognition afterwards. */
  async function extractAgain(id: string): Promise<void> {
    const payload = { documentId: id, version: 1, recognizesAgain: true };
    const job = await insertJob({ kind: "extract-document", payload, tenantId: organizationId });
    const context = { ...(await contextOfJob(job)), queues: silentQueues().queues };
    expect(await runJob(context, jobHandlers, job)).toBe("succeeded");
  }

  /** The jobs of the month that the organization has used. */
  async function chargedJobs(): Promise<number> {
    const [usage] = await testDatabase().select().from(jobUsage).where(eq(jobUsage.tenantId, organizationId));
    return usage?.jobs ?? 0;
  }

  return {
    organizationId,
    owner,
    locationId,
    read,
    reaches,
    upload,
    recognize,
    waitingJobs,
    runSlices,
    extractAgain,
    loseJobs,
    chargedJobs,
  };
}
export type ScanSite = Awaited<ReturnType<typeof mintScanSite>>;

export const sectionsOf = (id: string) =>
  testDatabase()
    .select()
    .from(textSections)
    .where(eq(textSections.documentId, id))
    .orderBy(asc(textSections.chunkIndex));

/** The passages of all sections. */
export const textsOf = async (id: string) =>
  (await sectionsOf(id)).flatMap(({ page, chunkIndex, texts }) =>
    texts.map((text, i) => ({ page, chunkIndex: chunkIndex + i, text })),
  );

/** The pages that have passages. */
export const pagesOfTexts = async (id: string) => [...new Set((await textsOf(id)).map(({ page }) => page))];

export const pagesOf = (id: string) =>
  testDatabase().select().from(recognizedPages).where(eq(recognizedPages.documentId, id));

/** One page of each kind. Recognition reads pages 2, 4, 5 and 7. */
export const MIXED: MixedPage[] = [
  "text",
  "scan",
  "text",
  "blank",
  "header and scan",
  "scan with invisible text",
  "header and logo",
];

/**
 * A recognizer without a browser, which reads some words of each page, and at most `most` pages at once. Pages in `other`
 * have another outcome.
 */
export const countingRecognizer = (
  most = 8,
  wordsOfPage = 1,
  other: Readonly<Record<number, PageOutcome>> = {},
  word = "lantern",
): Recognizer & { asked: number[]; languages: string[][] } => ({
  isOn: true,
  asked: [],
  languages: [],
  readText: () => Promise.reject(new Error("not asked for")),
  draw: () => Promise.reject(new Error("not asked for")),
  async recognize({ languages }, wanted) {
    this.languages.push([...(languages ?? [])]);
    const numbers = wanted.slice(0, most);
    this.asked.push(...numbers);
    return {
      kind: "pages",
      pages: numbers.map((page) => ({
        page,
        width: 100,
        height: 100,
        words: Array.from({ length: other[page] === undefined ? wordsOfPage : 0 }, () => ({
          text: `${word}${page}`,
          box: [1, 2, 30, 40],
          confidence: 90,
          line: "1.1.1",
        })),
        outcome: other[page] ?? "recognized",
      })),
    };
  },
});
