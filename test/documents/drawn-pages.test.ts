import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { documentVersions } from "../../src/documents/tables";
import { jobHandlers } from "../../src/job-handlers";
import { beginChange } from "../../src/platform/db/change";
import { runJob } from "../../src/platform/jobs/run";
import { BrowsersBusy, type Recognizer } from "../../src/platform/ports";
import { call } from "../support/call";
import { uploadDocument } from "../support/documents";
import { silentQueues, systemContext } from "../support/job-rows";
import { eventually } from "../support/patience";
import { jpegFixture } from "../support/pictures";
import { countingRecognizer, mintScanSite } from "../support/recognition";
import { testDatabase } from "../support/statements";
import { tiffOf } from "../support/tiff";
import { fixture } from "./extraction/read";

/** A recognizer that draws the same picture for each page. */
const drawing = (): Recognizer & { drawn: number[] } => {
  const drawn: number[] = [];
  return {
    ...countingRecognizer(),
    drawn,
    draw: async (_, pages) => {
      drawn.push(...pages);
      const jpeg = Uint8Array.from(jpegFixture("baseline-420"));
      return { kind: "pages", pages: pages.map((page) => ({ page, drawn: { jpeg, width: 64, height: 48 } })) };
    },
  };
};

async function scan(bytes: Uint8Array) {
  const site = await mintScanSite();
  const file = { fileName: "scan.tif", bytes: Uint8Array.from(bytes), contentType: "image/tiff" };
  const { id } = await uploadDocument(site.owner.token, site.locationId, file);
  await eventually(async () => expect((await site.read(id)).derivativeStatus).toBe("failed"));
  await testDatabase()
    .update(documentVersions)
    .set({ derivativeStatus: "pending", derivativeDetail: null })
    .where(eq(documentVersions.documentId, id));
  const change = beginChange(systemContext({ queues: silentQueues().queues }), site.organizationId);
  const job = change.job("derive-images", { documentId: id, version: 1 }, { tenantId: site.organizationId });
  await change.commit();
  const run = (recognizer: Recognizer) =>
    runJob(systemContext({ queues: silentQueues().queues, recognizer }), jobHandlers, job);
  return { site, id, run };
}

test("the pages that were drawn are counted, shown before the last one is drawn, and deleted with their document", async () => {
  const { site, id, run } = await scan(tiffOf(Array(9).fill({ width: 64, height: 48 })));
  const recognizer = drawing();
  const keys = async () => (await env.BUCKET.list({ prefix: `${site.organizationId}/${id}/` })).objects;
  expect(await run(recognizer)).toBe("continued");
  expect(await site.read(id)).toMatchObject({ derivativeStatus: "pending", pagePictures: 8, width: 64, height: 48 });
  const link = (page: number) =>
    call("GET", `/v1/documents/${id}/download?linkType=page&page=${page}`, { token: site.owner.token });
  expect((await link(8)).status).toBe(302);
  expect((await link(9)).status).toBe(503);
  expect(await run(recognizer)).toBe("succeeded");
  expect(recognizer.drawn).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await site.read(id)).toMatchObject({ derivativeStatus: "ready", pagePictures: 9 });
  expect((await link(9)).status).toBe(302);
  // The file, both derivatives and nine pages.
  expect(await keys()).toHaveLength(12);
  const deleted = await call("DELETE", `/v1/documents/${id}?purge=true`, { token: site.owner.token });
  expect(deleted.status).toBe(204);
  await eventually(async () => expect(await keys()).toEqual([]));
});

test("the job waits while all browsers are busy, and keeps what it has drawn", async () => {
  const { site, id, run } = await scan(fixture("scans.tif"));
  const busy: Recognizer = { ...drawing(), draw: () => Promise.reject(new BrowsersBusy(1_000)) };
  expect(await run(busy)).toBe("continued");
  expect(await site.read(id)).toMatchObject({ derivativeStatus: "pending", pagePictures: 0 });
});
