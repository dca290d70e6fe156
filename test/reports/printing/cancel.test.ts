import { expect, test } from "vitest";
import { callerOf } from "../../../src/access/authentication/authenticate";
import { jobHandlers } from "../../../src/job-handlers";
import { runJob } from "../../../src/platform/jobs/run";
import type { Printer } from "../../../src/platform/ports";
import { generatePdf, reportJobSchema } from "../../../src/reports/printing/jobs/jobs";
import { expectJson, problem } from "../../support/call";
import { mintLocation, mintOrganization } from "../../support/factories";
import { silentQueues, systemContext } from "../../support/job-rows";
import { mintReport, mintReportJob } from "../../support/reports";

const NO_PRINTER: Printer = { print: () => Promise.reject(new Error("nothing is to be printed")) };

test("a queued PDF can be cancelled: it is not printed, and the report can be printed again", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const reportId = await mintReport({ organizationId }, await mintLocation({ organizationId }));
  const quiet = systemContext({ queues: silentQueues().queues, printer: NO_PRINTER });
  const asked = async () => generatePdf({ ...quiet, caller: await callerOf(quiet, owner.token) }, reportId);
  const jobId = await asked();
  const cancel = () =>
    expectJson(reportJobSchema, 200, "POST", `/v1/reports/jobs/${jobId}/cancel`, { token: owner.token });
  const cancelled = await cancel();
  expect(cancelled).toMatchObject({ id: jobId, status: "cancelled", error: null, documentId: null });
  expect(cancelled.finishedAtUtc).not.toBeNull();
  expect(await cancel()).toEqual(cancelled);
  expect(await runJob(quiet, jobHandlers, jobId)).toBe("succeeded");
  const read = await expectJson(reportJobSchema, 200, "GET", `/v1/reports/jobs/${jobId}`, { token: owner.token });
  expect(read).toEqual(cancelled);
  expect(await asked()).not.toBe(jobId);
});

test("a PDF that is being printed or has ended cannot be cancelled", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const reportId = await mintReport({ organizationId }, await mintLocation({ organizationId }));
  for (const status of ["running", "succeeded", "failed"] as const) {
    const jobId = await mintReportJob({ organizationId }, reportId, owner.userId, { status, inputDigest: status });
    const path = `/v1/reports/jobs/${jobId}/cancel`;
    expect((await expectJson(problem, 409, "POST", path, { token: owner.token })).code).toBe("conflict");
  }
});
