import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { eventually } from "../support/patience";
import { paper, SCANNED, scanOf } from "../support/scans";
import { openBrowser, openTab } from "./support/browser";
import { entitle, newSite, RunningService, type Site } from "./support/running";

let service: RunningService;
let site: Site;
let scan: Uint8Array;
let photo: Uint8Array;

beforeAll(async () => {
  const browser = await openBrowser();
  const page = await openTab(browser);
  await page.setViewport({ width: 700, height: 360, deviceScaleFactor: 2 });
  const shot = async (text: string, type: "png" | "jpeg") => {
    await page.setContent(paper(text));
    return page.screenshot({ type });
  };
  scan = await scanOf([await shot(SCANNED.german, "png")]);
  photo = await shot(SCANNED.english, "jpeg");
  await browser.close();
  service = await RunningService.start({ FIRST_USER_IS_ADMIN: "true", RECOGNITION_BROWSERS: "1" });
  site = await newSite(service);
  await entitle(service, site);
});

afterAll(() => service?.stop());

const started = z.object({
  uploadId: z.string(),
  documentId: z.string(),
  uploadUrl: z.string(),
  requiredHeaders: z.record(z.string(), z.string()),
});

async function upload(fileName: string, contentType: string, bytes: Uint8Array): Promise<string> {
  const path = `/v1/spatial/locations/${site.locationId}/documents`;
  const checksumSha256 = createHash("sha256").update(bytes).digest("hex");
  const given = { fileName, contentType, sizeBytes: bytes.length, checksumSha256 };
  const upload = await service.api(started, "POST", `${path}/upload-start`, site.token, given);
  const { uploadId, documentId, uploadUrl, requiredHeaders } = upload;
  const put = await fetch(uploadUrl, { method: "PUT", headers: requiredHeaders, body: Uint8Array.from(bytes) });
  expect(put.status).toBe(200);
  await service.api(z.unknown(), "POST", `${path}/upload-complete`, site.token, { uploadId });
  return documentId;
}

test("a scan and a photo are recognized, and search finds their words", async () => {
  const scanned = await upload("scan.pdf", "application/pdf", scan);
  const pictured = await upload("photo.jpg", "image/jpeg", photo);
  const state = z.object({ textStatus: z.string() });
  for (const id of [scanned, pictured])
    await eventually(async () => {
      const { textStatus } = await service.api(state, "GET", `/v1/documents/${id}`, site.token);
      expect(textStatus).toBe("recognized");
    }, 200_000);
  for (const [term, id] of [
    ["Spundwand Korrosionsschutz", scanned],
    ["surveyor caisson", pictured],
  ] as const)
    await eventually(async () => {
      const found = await service.api(z.unknown(), "POST", "/v1/search", site.token, { term });
      expect(JSON.stringify(found)).toContain(id);
    });
  // Both pages count as jobs of the month.
  const used = z.object({ usage: z.object({ jobsThisMonth: z.int() }) });
  const path = `/v1/orgs/${site.organizationId}/entitlements`;
  expect((await service.api(used, "GET", path, site.token)).usage.jobsThisMonth).toBe(2);
});
