import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";
import { openRecognizer } from "../../src/documents";
import { documentVersions } from "../../src/documents/tables";
import { jobHandlers } from "../../src/job-handlers";
import { beginChange } from "../../src/platform/db/change";
import { runJob } from "../../src/platform/jobs/run";
import { jpegSize } from "../../src/platform/jpeg";
import { decodePicture } from "../../src/platform/pictures/decode";
import { fixture } from "../documents/extraction/read";
import { call } from "../support/call";
import { uploadDocument } from "../support/documents";
import { silentQueues, systemContext } from "../support/job-rows";
import { mintScanSite, type ScanSite } from "../support/recognition";
import { testDatabase } from "../support/statements";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const recognizer = openRecognizer(env, 1);
let site: ScanSite;
beforeEach(async () => {
  site = await mintScanSite();
});

const upload = async (fileName: string, bytes: Uint8Array): Promise<string> => {
  const file = { fileName, bytes: Uint8Array.from(bytes), contentType: "application/pdf" };
  return (await uploadDocument(site.owner.token, site.locationId, file)).id;
};

/** Runs the job of the previews with a browser. The settings of the tests switch the browsers off, so no upload has begun it. */
async function derive(id: string): Promise<string> {
  const context = systemContext({ queues: silentQueues().queues, recognizer });
  await testDatabase()
    .update(documentVersions)
    .set({ derivativeStatus: "pending" })
    .where(eq(documentVersions.documentId, id));
  const change = beginChange(context, site.organizationId);
  const job = change.job("derive-images", { documentId: id, version: 1 }, { tenantId: site.organizationId });
  await change.commit();
  return runJob(context, jobHandlers, job);
}

/** A PDF of one page of this size in points, whose lower half is red. */
function pdfOf(width: number, height: number): Uint8Array {
  const content = `1 0 0 rg 0 0 ${width} ${height / 2} re f`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ];
  let file = "%PDF-1.7\n";
  const offsets = objects.map((object, n) => {
    const at = file.length;
    file += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const start = file.length;
  const rows = offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  file += `xref\n0 5\n0000000000 65535 f \n${rows}trailer << /Size 5 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return new TextEncoder().encode(file);
}

/** The picture that a link leads to. */
async function picture(id: string, linkType: "small" | "medium"): Promise<Uint8Array> {
  const path = `/v1/documents/${id}/download?linkType=${linkType}`;
  const redirect = await call("GET", path, { token: site.owner.token });
  expect(redirect.status).toBe(302);
  return new Uint8Array(await (await call("GET", redirect.headers.get("location") ?? "")).arrayBuffer());
}

test("the first page of a PDF is its preview, in colours, and the PDF is no picture for that", async () => {
  const id = await upload("plan.pdf", pdfOf(600, 300));
  expect(await site.read(id)).toMatchObject({ derivativeStatus: "none" });
  expect(await derive(id)).toBe("succeeded");
  expect(await site.read(id)).toMatchObject({ derivativeStatus: "ready", width: null, height: null, pagePictures: 0 });
  expect(jpegSize(await picture(id, "small"))).toEqual({ width: 256, height: 128 });
  const medium = await picture(id, "medium");
  expect(jpegSize(medium)).toEqual({ width: 1024, height: 512 });
  const { picture: decoded } = await decodePicture(medium, 1024);
  const [white, red] = [100, 400].map((y) => decoded.luma.samples[y * decoded.luma.width + 500] ?? -1);
  expect(white).toBeGreaterThan(250);
  // The luma of pure red is 76 of 255.
  expect(Math.abs((red ?? 0) - 76)).toBeLessThan(6);
});

test.each([
  ["damaged", new TextEncoder().encode("%PDF-1.7\nnothing more")],
  ["protected with a password", fixture("locked.pdf")],
])("a PDF that is %s has no preview, says so, and no job fails", async (_, bytes) => {
  const id = await upload("closed.pdf", bytes);
  expect(await derive(id)).toBe("succeeded");
  expect(await site.read(id)).toMatchObject({
    derivativeStatus: "none",
    derivativeDetail: "The first page cannot be drawn.",
  });
  const path = `/v1/documents/${id}/download?linkType=small`;
  expect((await call("GET", path, { token: site.owner.token })).status).toBe(422);
});
