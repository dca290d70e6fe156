import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { callerOf } from "../../../src/access/authentication/authenticate";
import { memberships } from "../../../src/access/tables";
import { captureKey } from "../../../src/cameras/captures";
import { documentSchema } from "../../../src/documents/document";
import { documents } from "../../../src/documents/tables";
import { jobHandlers } from "../../../src/job-handlers";
import { notificationSchema } from "../../../src/notifications/inbox";
import type { Context } from "../../../src/platform/context";
import { DomainError } from "../../../src/platform/errors";
import { runJob } from "../../../src/platform/jobs/run";
import { jobs } from "../../../src/platform/jobs/tables";
import { BrowsersBusy, type Printer } from "../../../src/platform/ports";
import { HOUR } from "../../../src/platform/time";
import { openPrinter } from "../../../src/reports";
import { reportSchema } from "../../../src/reports/drafts/reports";
import { generatePdf, reportJobSchema } from "../../../src/reports/printing/jobs/jobs";
import { reportJobs, reports, reportTemplates } from "../../../src/reports/tables";
import { storedObjects } from "../../../src/uploads/tables";
import { jobUsage, locations } from "../../../src/workspace/tables";
import { call, expectJson, problem } from "../../support/call";
import { mintCamera, mintImage } from "../../support/cameras";
import { mintDocument, mintLocation, mintMember, mintOrganization, mintPerson } from "../../support/factories";
import { readJobRow, silentQueues, systemContext } from "../../support/job-rows";
import { eventually, stopClock } from "../../support/patience";
import { mintReport, mintReportJob, mintTemplate } from "../../support/reports";
import { testDatabase } from "../../support/statements";
import { expectCounted, storageOf } from "../../support/storage";
import { readPdf } from "./pdf";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const started = z.strictObject({ jobId: z.string(), statusUrl: z.string() });
const inbox = z.object({ items: z.array(notificationSchema) });

/** An organization with a location, a report, and a user who may write reports and documents there. */
async function mintSite(draft: { title?: string; body?: string; jobsPerMonth?: number; storage?: number } = {}) {
  const { id: organizationId, owner } = await mintOrganization({
    ...(draft.jobsPerMonth !== undefined && { jobsPerMonth: draft.jobsPerMonth }),
    ...(draft.storage !== undefined && { documentStorageBytes: draft.storage }),
  });
  const tenant = { organizationId };
  const location = await mintLocation(tenant);
  const writer = await mintMember(organizationId, "member");
  const template = await mintTemplate(tenant, { htmlLayoutTemplate: "<h1>{{report.title}}</h1>{{body_html}}" });
  const reportId = await mintReport(tenant, location, {
    title: draft.title ?? "Quay wall, inspection №1",
    templateId: template.id,
    contentJson: { body: draft.body ?? "The sheet piles stand upright." },
  });
  return { organizationId, tenant, location, owner, writer, reportId, template };
}
type Site = Awaited<ReturnType<typeof mintSite>>;

const ask = (site: Site, token = site.writer.token) =>
  expectJson(started, 202, "POST", `/v1/reports/${site.reportId}/generate-pdf`, { token });
const readJob = (site: Site, jobId: string) =>
  expectJson(reportJobSchema, 200, "GET", `/v1/reports/jobs/${jobId}`, { token: site.writer.token });
const readReport = (site: Site) =>
  expectJson(reportSchema, 200, "GET", `/v1/reports/${site.reportId}`, { token: site.writer.token });

/** Polls the job like a client. */
const ended = (site: Site, jobId: string) =>
  vi.waitFor(
    async () => {
      const job = await readJob(site, jobId);
      if (job.finishedAtUtc === null) throw new Error(`still ${job.status}, ${job.progress.step}`);
      return job;
    },
    { timeout: 60_000, interval: 100 },
  );

/** Requests a PDF without a message to a queue, so that a test decides when the job runs. */
async function askQuietly(site: Site): Promise<string> {
  const context = systemContext({ queues: silentQueues().queues });
  const caller = await callerOf(context, site.writer.token);
  return generatePdf({ ...context, caller }, site.reportId);
}

const work = (jobId: string, more: Partial<Context> = {}) =>
  runJob(systemContext({ queues: silentQueues().queues, ...more }), jobHandlers, jobId);

const libraryOf = (site: Site) =>
  testDatabase().select().from(documents).where(eq(documents.locationId, site.location.id));

/** A failed job leaves only objects that the next purge deletes. */
async function expectNothingLeft(site: Site): Promise<void> {
  expect(await libraryOf(site)).toEqual([]);
  expect((await readReport(site)).latestPdf).toBeNull();
  const kept = await testDatabase().select().from(storedObjects).where(eq(storedObjects.tenantId, site.organizationId));
  expect(kept.filter(({ purgeAfter }) => purgeAfter === null)).toEqual([]);
  await expectCounted(site.organizationId);
}

describe("a requested PDF", () => {
  test("becomes a document and the report's latest PDF, with a notification and a counted job; a repeat changes nothing", async () => {
    const site = await mintSite();
    const { jobId, statusUrl } = await ask(site);
    expect(statusUrl).toBe(`/v1/reports/jobs/${jobId}`);
    const job = await ended(site, jobId);
    expect(job).toMatchObject({
      id: jobId,
      reportId: site.reportId,
      status: "succeeded",
      progress: { done: 4, total: 4, step: "done" },
      error: null,
      missingImages: [],
      warnings: [],
      version: 1,
    });
    const { documentId, downloadUrl } = job;
    const token = site.writer.token;
    const document = await expectJson(documentSchema, 200, "GET", `/v1/documents/${documentId}`, { token });
    expect(document).toMatchObject({
      path: "reports",
      fileName: "quay-wall-inspection-no1.pdf",
      contentType: "application/pdf",
      version: 1,
      createdBy: site.writer.userId,
    });
    const report = await readReport(site);
    expect(report).toMatchObject({ revision: 1, latestPdf: { documentId, version: 1, jobId } });

    const file = await call("GET", downloadUrl ?? "", { token });
    const bytes = await call("GET", file.headers.get("location") ?? "");
    const pdf = await readPdf(new Uint8Array(await bytes.arrayBuffer()));
    expect(pdf.pages[0]?.text).toContain("sheet piles");
    expect(pdf).toMatchObject({ Title: "Quay wall, inspection №1", tagged: true });

    // Its text is extracted like the text of any document, and the requester is notified once.
    await eventually(async () => {
      const { textStatus } = await expectJson(documentSchema, 200, "GET", `/v1/documents/${documentId}`, { token });
      expect(textStatus).toBe("indexed");
      const { items } = await expectJson(inbox, 200, "GET", "/v1/notifications", { token });
      expect(items).toMatchObject([
        {
          type: "report-pdf-ready",
          severity: "info",
          body: "Quay wall, inspection №1",
          origin: { type: "report", id: site.reportId, data: { jobId, documentId, version: 1 } },
        },
      ]);
    });

    expect(await ask(site)).toEqual({ jobId, statusUrl });
    const charged = await testDatabase().select().from(jobUsage).where(eq(jobUsage.tenantId, site.organizationId));
    expect(charged.map(({ jobs }) => jobs)).toEqual([1]);
    expect(await storageOf(site.organizationId)).toMatchObject({ used: document.sizeBytes });
    await expectCounted(site.organizationId);

    const body = { contentJson: { body: "They lean by four degrees." }, title: "Another title", baseRevision: 1 };
    expect((await call("PUT", `/v1/reports/${site.reportId}`, { token, body })).status).toBe(200);
    const next = await ended(site, (await ask(site)).jobId);
    expect(next).toMatchObject({ status: "succeeded", documentId, version: 2 });
    expect((await libraryOf(site)).map(({ path, fileName }) => `${path}/${fileName}`)).toEqual([
      "reports/quay-wall-inspection-no1.pdf",
    ]);
    expect((await readReport(site)).contentJson).toEqual(body.contentJson);
  });

  test("is printed with the state at its request", async () => {
    const site = await mintSite({ body: "First words." });
    const jobId = await askQuietly(site);
    await testDatabase()
      .update(reports)
      .set({ contentJson: { body: "Later words." } })
      .where(eq(reports.id, site.reportId));
    expect(await work(jobId)).toBe("succeeded");
    const { documentId } = await readJob(site, jobId);
    const [version] = await env.DB.prepare("SELECT object_key FROM document_versions WHERE document_id = ?")
      .bind(documentId)
      .raw<[string]>();
    const bytes = await (await env.BUCKET.get(version?.[0] ?? ""))?.arrayBuffer();
    expect((await readPdf(new Uint8Array(bytes ?? new ArrayBuffer(0)))).pages[0]?.text).toContain("First words.");
    expect(version?.[0]).toMatch(/\/documents\/reports\/v00000001\/quay-wall-inspection-no1\.pdf$/);
  });

  test("that is requested twice at once is one job and counts once", async () => {
    const site = await mintSite({ jobsPerMonth: 1 });
    const asked = await Promise.all(Array.from({ length: 4 }, () => askQuietly(site)));
    expect(new Set(asked).size).toBe(1);
    await testDatabase().update(reports).set({ title: "Changed" }).where(eq(reports.id, site.reportId));
    const refused = await expectJson(problem, 422, "POST", `/v1/reports/${site.reportId}/generate-pdf`, {
      token: site.writer.token,
    });
    expect(refused).toMatchObject({ code: "rule-violated", detail: expect.stringContaining("This month's jobs") });
  });

  test("needs Write of documents and of reports", async () => {
    const site = await mintSite();
    const half = await mintPerson();
    await testDatabase()
      .insert(memberships)
      .values({
        organizationId: site.organizationId,
        userId: half.userId,
        role: "member",
        overrides: { Documents: "Read" },
        createdAt: Date.now(),
      });
    const refused = await expectJson(problem, 403, "POST", `/v1/reports/${site.reportId}/generate-pdf`, {
      token: half.token,
    });
    expect(refused.code).toBe("forbidden");
  });
});

describe("the document of a report", () => {
  test("never replaces another document with the same name, and is found after it was moved", async () => {
    const site = await mintSite({ title: "Plan" });
    const theirs = await mintDocument(site.tenant, site.location, [], { path: "reports", fileName: "plan.pdf" });
    const first = await askQuietly(site);
    expect(await work(first)).toBe("succeeded");
    const { documentId } = await readJob(site, first);
    expect(documentId).not.toBe(theirs);
    const mine = eq(documents.id, documentId ?? "");
    const [made] = await testDatabase().select().from(documents).where(mine);
    expect(made?.fileName).toBe(`plan-${site.reportId.slice(-12)}.pdf`);
    await testDatabase().update(documents).set({ path: "signed", fileName: "the plan.pdf" }).where(mine);
    await testDatabase().update(reports).set({ title: "Plan B", revision: 2 }).where(eq(reports.id, site.reportId));
    const second = await askQuietly(site);
    expect(await work(second)).toBe("succeeded");
    expect(await readJob(site, second)).toMatchObject({ documentId, version: 2 });
  });

  test("is created again after its deletion, even for an unchanged draft", async () => {
    const site = await mintSite();
    const first = await askQuietly(site);
    await work(first);
    const { documentId } = await readJob(site, first);
    await testDatabase()
      .update(documents)
      .set({ deletedAt: Date.now() })
      .where(eq(documents.id, documentId ?? ""));
    expect((await readReport(site)).latestPdf).toBeNull();
    const second = await askQuietly(site);
    expect(second).not.toBe(first);
    await work(second);
    expect(await readJob(site, second)).toMatchObject({ status: "succeeded", version: 1 });
  });
});

describe("a failing job", () => {
  const bomb = "<div style='columns:2'>x<p>y</p>".repeat(60);

  test("ends at the deadline with advice, and its requester is notified", async () => {
    const site = await mintSite({ body: bomb });
    const jobId = await askQuietly(site);
    expect(await work(jobId, { printer: openPrinter(env, { deadlineMs: 1_500 }) })).toBe("failed");
    const job = await readJob(site, jobId);
    expect(job).toMatchObject({ status: "failed", documentId: null, downloadUrl: null });
    expect(job.error).toMatchObject({ code: "print-deadline", detail: expect.stringContaining("Simplify") });
    await expectNothingLeft(site);
    const [told] = await testDatabase()
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(eq(jobs.kind, "announce"), eq(jobs.tenantId, site.organizationId)));
    await work(told?.id ?? "");
    const { items } = await expectJson(inbox, 200, "GET", "/v1/notifications", { token: site.writer.token });
    expect(items).toMatchObject([{ type: "report-pdf-failed", severity: "error", origin: { type: "report" } }]);
    // The draft is unchanged, and its PDF can be requested again.
    expect(await askQuietly(site)).not.toBe(jobId);
  });

  test("names a full storage, lost access or a deleted location, and leaves no partial result", async () => {
    const full = await mintSite({ storage: 100 });
    const lost = await mintSite();
    const gone = await mintSite();
    const [a, b, c] = [await askQuietly(full), await askQuietly(lost), await askQuietly(gone)];
    const db = testDatabase();
    await db.delete(memberships).where(eq(memberships.userId, lost.writer.userId));
    await db.update(locations).set({ deletedAt: Date.now() }).where(eq(locations.id, gone.location.id));
    expect(await Promise.all([a, b, c].map((id) => work(id)))).toEqual(["failed", "failed", "failed"]);
    const codes = await Promise.all([a, b, c].map(async (id) => (await readJobRow(id)).errorCode));
    expect(codes).toEqual(["storage-full", "access-lost", "location-gone"]);
    expect((await readJob(full, a)).error?.code).toBe("storage-full");
    await expectNothingLeft(full);
    expect(await libraryOf(lost)).toEqual([]);
    expect(await libraryOf(gone)).toEqual([]);
    expect((await call("GET", `/v1/reports/jobs/${c}`, { token: gone.writer.token })).status).toBe(404);
  });

  test("shows no frame that was deleted or hidden from the requester after the request", async () => {
    const site = await mintSite();
    const camera = await mintCamera(site.organizationId, site.location.id);
    const [first, second] = [
      await mintImage(camera, site.location.id, { capturedAt: Date.now() - 2 * HOUR }),
      await mintImage(camera, site.location.id, { capturedAt: Date.now() - HOUR }),
    ];
    const frames = [first, second].map((image) => ({
      cameraId: camera.id,
      at: new Date(image.capturedAt).toISOString(),
    }));
    const db = testDatabase();
    const layout = { htmlLayoutTemplate: '{{image_list "frames"}}' };
    await db.update(reportTemplates).set(layout).where(eq(reportTemplates.id, site.template.id));
    await db.update(reports).set({ contentJson: { frames } }).where(eq(reports.id, site.reportId));
    const missingOf = async (jobId: string) => {
      expect(await work(jobId)).toBe("succeeded");
      return (await readJob(site, jobId)).missingImages.map(({ image, code }) => [JSON.parse(image), code]);
    };

    const whole = await askQuietly(site);
    expect(await missingOf(whole)).toEqual([]);
    await db.update(reports).set({ title: "Again" }).where(eq(reports.id, site.reportId));
    const deleted = await askQuietly(site);
    const remove = await call("DELETE", `/v1/camera-captures/${first.id}`, { token: site.owner.token });
    expect(remove.status).toBe(204);
    expect(await missingOf(deleted)).toEqual([[frames[0], "not-found"]]);

    await db
      .update(reports)
      .set({ contentJson: { frames: [frames[1]] } })
      .where(eq(reports.id, site.reportId));
    const hidden = await askQuietly(site);
    const overrides = { LocationCameras: "None" as const };
    await db.update(memberships).set({ overrides }).where(eq(memberships.userId, site.writer.userId));
    expect(await missingOf(hidden)).toEqual([[frames[1], "not-found"]]);

    await db.update(memberships).set({ overrides: {} }).where(eq(memberships.userId, site.writer.userId));
    const shown = await askQuietly(site);
    expect(await missingOf(shown)).toEqual([]);
  });

  test("lists a frame with damaged bytes, and prints the rest", async () => {
    const site = await mintSite();
    const camera = await mintCamera(site.organizationId, site.location.id);
    const image = await mintImage(camera, site.location.id, { capturedAt: Date.now() - HOUR });
    await env.BUCKET.put(captureKey(image, "original"), "rotten");
    const frame = { cameraId: camera.id, at: new Date(image.capturedAt).toISOString() };
    const db = testDatabase();
    const layout = { htmlLayoutTemplate: '<h1>Still here</h1>{{image "frame"}}' };
    await db.update(reportTemplates).set(layout).where(eq(reportTemplates.id, site.template.id));
    await db.update(reports).set({ contentJson: { frame } }).where(eq(reports.id, site.reportId));
    const jobId = await askQuietly(site);
    expect(await work(jobId)).toBe("succeeded");
    const { missingImages } = await readJob(site, jobId);
    expect(missingImages.map(({ image: shown, code }) => [JSON.parse(shown), code])).toEqual([[frame, "damaged"]]);
  });

  test("ends without an error when its report was deleted, even during printing", async () => {
    const [before, during] = [await mintSite(), await mintSite()];
    const [a, b] = [await askQuietly(before), await askQuietly(during)];
    const remove = (site: Site) => call("DELETE", `/v1/reports/${site.reportId}`, { token: site.owner.token });
    expect((await remove(before)).status).toBe(204);
    expect(await work(a)).toBe("succeeded");
    const real = openPrinter(env);
    const printer: Printer = {
      print: async (compose) => {
        const printed = await real.print(compose);
        expect((await remove(during)).status).toBe(204);
        return printed;
      },
    };
    expect(await work(b, { printer })).toBe("retry");
    await testDatabase().update(jobs).set({ runAt: 0 }).where(eq(jobs.id, b));
    expect(await work(b)).toBe("succeeded");
    for (const site of [before, during]) expect(await libraryOf(site)).toEqual([]);
    await expectCounted(during.organizationId);
  });

  test("waits for a browser without using up its tries, and fails after an hour", async () => {
    const site = await mintSite();
    const jobId = await askQuietly(site);
    const now = stopClock();
    const busy: Printer = { print: async () => Promise.reject(new BrowsersBusy(7_000)) };
    for (let round = 0; round < 3; round++) {
      expect(await work(jobId, { printer: busy })).toBe("continued");
      const row = await readJobRow(jobId);
      expect(row).toMatchObject({ status: "queued", attempts: 0 });
      expect(row.runAt - now).toBeGreaterThan(5_000);
      await testDatabase().update(jobs).set({ runAt: 0 }).where(eq(jobs.id, jobId));
    }
    const none: Printer = { print: async () => Promise.reject(new DomainError("unavailable", "No browser.")) };
    expect(await work(jobId, { printer: none })).toBe("retry");
    await testDatabase().update(jobs).set({ runAt: 0 }).where(eq(jobs.id, jobId));
    await testDatabase()
      .update(reportJobs)
      .set({ createdAt: now - 2 * HOUR })
      .where(eq(reportJobs.id, jobId));
    expect(await work(jobId, { printer: busy })).toBe("failed");
    expect((await readJob(site, jobId)).error?.code).toBe("browser-unavailable");
  });

  test("waits for older jobs of its report", async () => {
    const site = await mintSite();
    const older = await mintReportJob(site.tenant, site.reportId, site.writer.userId, { status: "queued" });
    const jobId = await askQuietly(site);
    expect(await work(jobId)).toBe("continued");
    await testDatabase().update(reportJobs).set({ status: "failed" }).where(eq(reportJobs.id, older));
    await testDatabase().update(jobs).set({ runAt: 0 }).where(eq(jobs.id, jobId));
    expect(await work(jobId)).toBe("succeeded");
  });
});
