import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { eventually } from "../support/patience";
import { mixedPdf, paper, SCANNED, scanOf } from "../support/scans";
import { openBrowser, openTab } from "./support/browser";
import { entitle, newSite, RunningService, type Site } from "./support/running";

vi.setConfig({ testTimeout: 900_000 });

let service: RunningService;
let site: Site;
let page: Uint8Array;
let scan: Uint8Array;
let photo: Uint8Array;

beforeAll(async () => {
  const browser = await openBrowser();
  const tab = await openTab(browser);
  await tab.setViewport({ width: 700, height: 360, deviceScaleFactor: 2 });
  const shot = async (text: string, type: "png" | "jpeg") => {
    await tab.setContent(paper(text));
    return tab.screenshot({ type });
  };
  page = await shot(SCANNED.german, "png");
  scan = await scanOf([page]);
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
  expect(await jobsOfMonth()).toBe(2);
});

async function jobsOfMonth(): Promise<number> {
  const used = z.object({ usage: z.object({ jobsThisMonth: z.int() }) });
  const { usage } = await service.api(used, "GET", `/v1/orgs/${site.organizationId}/entitlements`, site.token);
  return usage.jobsThisMonth;
}

test("a service that is killed in a slice continues after its restart, with the same text and the same charge", async () => {
  const before = await jobsOfMonth();
  const SCANS = 10;
  const id = await upload("mixed.pdf", "application/pdf", await mixedPdf(["text", ...Array(SCANS).fill("scan")], page));
  const headers = { authorization: `Bearer ${site.token}` };
  // The first slice has ended, and the second one reads the other two pages.
  await eventually(async () => {
    const words = await fetch(`${service.url}/v1/documents/${id}/pages/2/words`, { headers });
    expect(words.status).toBe(200);
  }, 200_000);
  await service.restart();
  const state = z.object({ textStatus: z.string(), textDetail: z.string().nullable() });
  await eventually(async () => {
    const read = await service.api(state, "GET", `/v1/documents/${id}`, site.token);
    expect(read).toEqual({ textStatus: "recognized", textDetail: null });
  }, 400_000);
  const passages = z.object({ items: z.array(z.object({ pageNumber: z.int(), text: z.string() })) });
  const { items } = await service.api(passages, "GET", `/v1/documents/${id}/passages?limit=100`, site.token);
  expect(items.map(({ pageNumber }) => pageNumber)).toEqual(Array.from({ length: SCANS + 1 }, (_, n) => n + 1));
  expect(items[1]?.text).toContain("Spundwand");
  // All scans are the same picture.
  expect(new Set(items.slice(1).map(({ text }) => text)).size).toBe(1);
  expect(await jobsOfMonth()).toBe(before + SCANS);
});
