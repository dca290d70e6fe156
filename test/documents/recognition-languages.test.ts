import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { auditEntries } from "../../src/access/tables";
import { RESUMED_DOCUMENTS_PER_SLICE } from "../../src/documents/limits";
import { documents } from "../../src/documents/tables";
import { jobHandlers } from "../../src/job-handlers";
import { runJob } from "../../src/platform/jobs/run";
import { jobs } from "../../src/platform/jobs/tables";
import { RECOGNITION_LANGUAGES } from "../../src/platform/languages/recognition";
import { MAX_RECOGNITION_LANGUAGES } from "../../src/workspace/limits";
import { organizationSchema } from "../../src/workspace/organizations/organizations";
import { call, expectJson, problem } from "../support/call";
import { mintDocument, mintLocation, mintMember } from "../support/factories";
import { contextOfJob, insertJob, silentQueues } from "../support/job-rows";
import { scenePng } from "../support/png";
import { countingRecognizer, mintScanSite, type ScanSite } from "../support/recognition";
import { scanOf } from "../support/scans";
import { testDatabase } from "../support/statements";

/* The languages in which the scans of an organization are recognized. */

const db = testDatabase();
const scanned = scenePng(120, 60);

let site: ScanSite;
let path: string;
beforeEach(async () => {
  site = await mintScanSite();
  path = `/v1/orgs/${site.organizationId}`;
});

const change = (body: object, status = 200, token = site.owner.token) =>
  expectJson(status === 200 ? organizationSchema : problem, status, "PATCH", path, { token, body });

describe("an organization", () => {
  test("has one to three languages, each once, chosen by an owner", async () => {
    const { recognitionLanguages } = await expectJson(organizationSchema, 200, "GET", path, {
      token: site.owner.token,
    });
    expect(recognitionLanguages).toEqual(["de", "en"]);
    const most = RECOGNITION_LANGUAGES.slice(0, MAX_RECOGNITION_LANGUAGES);
    expect(await change({ recognitionLanguages: most })).toMatchObject({ recognitionLanguages: most });
    expect(await change({ name: "Other" })).toMatchObject({ recognitionLanguages: most });
    const wrong = [[], RECOGNITION_LANGUAGES.slice(0, MAX_RECOGNITION_LANGUAGES + 1), ["fr", "fr"], ["ru"], ["deu"]];
    for (const languages of wrong) await change({ recognitionLanguages: languages }, 400);
    const admin = await mintMember(site.organizationId, "admin");
    for (const body of [{ recognitionLanguages: ["fr"] }, { recognizeAgain: true }])
      await change(body, 403, admin.token);
    const entries = await db.select().from(auditEntries).where(eq(auditEntries.organizationId, site.organizationId));
    expect(
      entries
        .filter(({ action }) => action === "organization.recognition-languages-changed")
        .map(({ details }) => details),
    ).toEqual([{ from: null, to: most }]);
  });

  test("has its scans recognized in its languages, and pages named in no other", async () => {
    await change({ recognitionLanguages: ["es", "en"] });
    const id = await site.upload("scan.pdf", await scanOf([scanned]));
    const recognizer = countingRecognizer();
    expect(await site.recognize(id, { recognizer })).toEqual(["succeeded"]);
    expect(recognizer.languages).toEqual([["es", "en"]]);
  });
});

describe("recognition again", () => {
  /** Runs the job with the real handlers, slice by slice, and returns the documents whose extraction it has queued. */
  async function runAgain(): Promise<string[]> {
    const kind = "recognize-again";
    const payload = { organizationId: site.organizationId };
    const id = await insertJob({ kind, payload, tenantId: site.organizationId });
    const context = { ...(await contextOfJob(id)), queues: silentQueues().queues };
    const ends: string[] = [];
    while (ends.length < 10) {
      ends.push(await runJob(context, jobHandlers, id));
      if (ends.at(-1) !== "continued") break;
    }
    expect(ends.at(-1)).toBe("succeeded");
    const rows = await db.select().from(jobs).where(eq(jobs.tenantId, site.organizationId));
    return rows
      .filter((row) => row.kind === "extract-document")
      .map(({ payload }) => (payload as { documentId: string }).documentId)
      .sort();
  }

  test("reads the recognized scans from their files, and no other documents, also behind many others", async () => {
    const first = await site.upload("first.pdf", await scanOf([scanned]));
    const waiting = await site.upload("waiting.pdf", await scanOf([scanned]));
    expect(await site.recognize(first, { recognizer: countingRecognizer() })).toEqual(["succeeded"]);
    for (let n = 0; n < RESUMED_DOCUMENTS_PER_SLICE; n++)
      await mintDocument(
        { organizationId: site.organizationId },
        await mintLocation({ organizationId: site.organizationId }),
      );
    const last = await site.upload("last.pdf", await scanOf([scanned]));
    expect(await site.recognize(last, { recognizer: countingRecognizer(8, 0) })).toEqual(["succeeded"]);
    const deleted = await site.upload("deleted.pdf", await scanOf([scanned]));
    expect(await site.recognize(deleted, { recognizer: countingRecognizer() })).toEqual(["succeeded"]);
    expect((await call("DELETE", `/v1/documents/${deleted}`, { token: site.owner.token })).status).toBe(204);
    expect(await runAgain()).toEqual([first, last].sort());
    expect((await site.read(waiting)).textStatus).toBe("recognition-off");
  });

  test("begins with the change that asks for it, once", async () => {
    const id = await site.upload("scan.pdf", await scanOf([scanned]));
    expect(await site.recognize(id, { recognizer: countingRecognizer() })).toEqual(["succeeded"]);
    expect((await site.read(id)).textStatus).toBe("recognized");
    await change({ recognitionLanguages: ["fr"], recognizeAgain: true });
    // The extraction ends: recognition is off in the settings of the tests, and the document says so.
    await site.reaches(id, "recognition-off");
    const [row] = await db.select().from(documents).where(eq(documents.id, id));
    expect(row?.latestVersion).toBe(1);
  });
});
