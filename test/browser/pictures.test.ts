import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { openRecognizer } from "../../src/documents";
import { bytesSource } from "../../src/documents/extraction/extracted";
import { framesOf } from "../../src/documents/frames";
import { MAX_FRAME_PICTURE_BYTES } from "../../src/documents/limits";
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
import { eventually } from "../support/patience";
import { mintScanSite, pagesOf, type ScanSite, textsOf } from "../support/recognition";
import { testDatabase } from "../support/statements";
import { tiffOf } from "../support/tiff";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const recognizer = openRecognizer(env, 1);
let site: ScanSite;
beforeEach(async () => {
  site = await mintScanSite();
});

/** The words of the pages of the fixtures. */
const PAGES = [
  ["surveyor", "caisson", "sheet", "anchor", "winter"],
  ["pilot", "lantern", "breakwater", "warden", "gauge"],
  ["fender", "ferry", "barge", "bollard", "foundation"],
];

/** Uploads a file. The settings of the tests switch the browsers off, so its text and its preview wait for them. */
async function upload(fileName: string, bytes: Uint8Array): Promise<string> {
  const contentType = fileName.endsWith(".heic") ? "image/heic" : "image/tiff";
  const file = { fileName, bytes: Uint8Array.from(bytes), contentType };
  const { id } = await uploadDocument(site.owner.token, site.locationId, file);
  await eventually(async () =>
    expect(await site.read(id)).toMatchObject({
      textStatus: expect.stringMatching(/^(?:recognition-off|damaged|too-large)$/),
      derivativeStatus: "failed",
    }),
  );
  return id;
}

/** Runs the job of the previews with a browser. */
async function derive(id: string): Promise<string[]> {
  const context = systemContext({ queues: silentQueues().queues, recognizer });
  await testDatabase()
    .update(documentVersions)
    .set({ derivativeStatus: "pending", derivativeDetail: null })
    .where(eq(documentVersions.documentId, id));
  const change = beginChange(context, site.organizationId);
  const job = change.job("derive-images", { documentId: id, version: 1 }, { tenantId: site.organizationId });
  await change.commit();
  const ends: string[] = [];
  do ends.push(await runJob(context, jobHandlers, job));
  while (ends.at(-1) === "continued");
  return ends;
}

/** The picture that a link leads to. */
async function picture(id: string, query: string): Promise<Uint8Array<ArrayBuffer>> {
  const redirect = await call("GET", `/v1/documents/${id}/download?${query}`, { token: site.owner.token });
  expect(redirect.status).toBe(302);
  const file = await call("GET", redirect.headers.get("location") ?? "");
  expect(file.headers.get("content-type")).toBe("image/jpeg");
  return new Uint8Array(await file.arrayBuffer());
}

const wordsOf = async (id: string, page: number) =>
  (await textsOf(id)).flatMap((one) => (one.page === page ? one.text.toLowerCase().match(/\p{L}+/gu) : [])) as string[];

const recognize = (id: string) => site.recognize(id, { recognizer });

test("a HEIC photo that lies on its side has an upright preview, its text is read, and the file stays as it was", async () => {
  const bytes = fixture("pier.heic");
  const id = await upload("pier.heic", bytes);
  expect(await derive(id)).toEqual(["succeeded"]);
  const shown = { contentType: "image/heic", derivativeStatus: "ready", width: 1200, height: 560, pagePictures: 1 };
  expect(await site.read(id)).toMatchObject(shown);
  expect(jpegSize(await picture(id, "linkType=small"))).toEqual({ width: 256, height: 120 });
  expect(jpegSize(await picture(id, "linkType=medium"))).toEqual({ width: 1024, height: 478 });
  expect(jpegSize(await picture(id, "linkType=page"))).toEqual({ width: 1200, height: 560 });
  expect(await recognize(id)).toEqual(["succeeded"]);
  expect(await site.read(id)).toMatchObject({ textStatus: "recognized", pageCount: 1 });
  expect(await wordsOf(id, 1)).toEqual(expect.arrayContaining(PAGES[0] ?? []));
  const file = await call("GET", `/v1/documents/${id}/download`, { token: site.owner.token });
  const same = await call("GET", file.headers.get("location") ?? "");
  expect(new Uint8Array(await same.arrayBuffer())).toEqual(bytes);
});

test("the pages of a TIFF are drawn and read: in Group 4, as a fax with flat pixels, and turned with colours", async () => {
  const id = await upload("scans.tif", fixture("scans.tif"));
  expect(await derive(id)).toEqual(["succeeded"]);
  expect(await site.read(id)).toMatchObject({ derivativeStatus: "ready", pagePictures: 3 });
  const sizes = [];
  for (const page of [1, 2, 3]) sizes.push(jpegSize(await picture(id, `linkType=page&page=${page}`)));
  expect(sizes).toEqual([
    { width: 1200, height: 560 },
    { width: 1200, height: 560 },
    { width: 1200, height: 560 },
  ]);
  expect(await recognize(id)).toEqual(["succeeded"]);
  expect(await site.read(id)).toMatchObject({ textStatus: "recognized", textDetail: null, pageCount: 3 });
  for (const [index, words] of PAGES.entries())
    expect(await wordsOf(id, index + 1)).toEqual(expect.arrayContaining(words));
  const missing = await call("GET", `/v1/documents/${id}/download?linkType=page&page=4`, { token: site.owner.token });
  expect(missing.status).toBe(422);
});

test("the pages of a long TIFF are drawn in slices, and a job that runs again continues behind the last one", async () => {
  const page = { width: 64, height: 64, strip: new Uint8Array(512).fill(0x0f) };
  const id = await upload("long.tif", tiffOf(Array(10).fill(page)));
  expect(await derive(id)).toEqual(["continued", "succeeded"]);
  expect(await site.read(id)).toMatchObject({ derivativeStatus: "ready", pagePictures: 10, pageCount: 10 });
  await testDatabase().update(documentVersions).set({ pagePictures: 8 }).where(eq(documentVersions.documentId, id));
  expect(await derive(id)).toEqual(["succeeded"]);
  // The left half of each eight pixels is black.
  const { picture: drawn } = await decodePicture(await picture(id, "linkType=page&page=10"), 64);
  const row = drawn.luma.samples.subarray(0, 8);
  expect([row[1], row[6]].map((value) => (value ?? 0) > 128)).toEqual([true, false]);
});

describe("a file that cannot be decoded", () => {
  test.each([
    ["cut.heic", fixture("pier.heic").slice(0, 9_000), "damaged", "cannot be read"],
    ["empty strips.tif", tiffOf([{ width: 1_000, height: 1_000 }]), "damaged", "cannot be read"],
    ["zstd.tif", fixture("zstd.tif"), "unsupported", "a form that the service does not read"],
  ])("says so: %s", async (fileName, bytes, status, detail) => {
    const id = await upload(fileName, bytes);
    expect(await derive(id)).toEqual(["failed"]);
    expect(await site.read(id)).toMatchObject({
      derivativeStatus: "failed",
      derivativeDetail: expect.stringContaining(detail),
    });
    expect(await recognize(id)).toEqual(["succeeded"]);
    expect((await site.read(id)).textStatus).toBe(status);
  });

  test("says so before a browser opens it if it declares too many pixels", async () => {
    const id = await upload("bomb.tif", tiffOf([{ width: 30_000, height: 30_000, compression: 8 }]));
    expect(await site.read(id)).toMatchObject({
      textStatus: "too-large",
      derivativeDetail: expect.stringContaining("30000 × 30000 pixels"),
    });
  });

  test("does not keep the other pages from being read", async () => {
    const bytes = Uint8Array.from(fixture("scans.tif"));
    const frames = await framesOf("image/tiff", bytesSource(bytes));
    const [, second] = frames !== null && "frames" in frames ? frames.frames : [];
    // The second page's directory stays; its compression becomes one that nobody knows.
    const view = new DataView(bytes.buffer);
    const entries = view.getUint16(second?.offset ?? 0, true);
    for (let at = (second?.offset ?? 0) + 2, left = entries; left > 0; left--, at += 12)
      if (view.getUint16(at, true) === 259) view.setUint16(at + 8, 60_000, true);
    const id = await upload("partly.tif", bytes);
    expect(await derive(id)).toEqual(["succeeded"]);
    expect(await site.read(id)).toMatchObject({ derivativeStatus: "ready", pagePictures: 3 });
    expect(await recognize(id)).toEqual(["succeeded"]);
    const outcomes = (await pagesOf(id)).map(({ page, outcome }) => [page, outcome]);
    expect(outcomes).toEqual([
      [1, "recognized"],
      [2, "broken"],
      [3, "recognized"],
    ]);
    expect(await site.read(id)).toMatchObject({
      textStatus: "recognized",
      textDetail: expect.stringContaining("1 page: damaged"),
    });
  });
});

test("MAX_FRAME_PICTURE_BYTES: the picture of a page of noise is smaller", async () => {
  const strip = crypto.getRandomValues(new Uint8Array(65_536));
  const noise = new Uint8Array((4_096 * 4_096) / 8);
  for (let at = 0; at < noise.length; at += strip.length) noise.set(strip, at);
  const bytes = tiffOf([{ width: 4_096, height: 4_096, strip: noise }]);
  const frames = await framesOf("image/tiff", bytesSource(bytes));
  if (frames === null || "status" in frames) return expect.fail("not read");
  const drawing = await recognizer.draw({ ...bytesSource(bytes), isPdf: false, frames }, [1]);
  const [drawn] = drawing.kind === "pages" ? drawing.pages : [];
  expect(drawn?.drawn?.jpeg.length).toBeLessThanOrEqual(MAX_FRAME_PICTURE_BYTES);
  expect(drawn?.drawn).toMatchObject({ width: 4_096, height: 4_096 });
});
