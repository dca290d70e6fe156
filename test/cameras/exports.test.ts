import { env } from "cloudflare:workers";
import { crc32 } from "node:zlib";
import { and, eq } from "drizzle-orm";
import { unzipSync } from "fflate";
import { beforeEach, describe, expect, test } from "vitest";
import type { z } from "zod";
import { memberships, organizations } from "../../src/access/tables";
import { captureKey } from "../../src/cameras/captures";
import { exportSchema } from "../../src/cameras/exports/exports";
import { cameraExports } from "../../src/cameras/exports/tables";
import { cameraFrames, cameras } from "../../src/cameras/tables";
import { sha256Hex } from "../../src/platform/crypto/bytes";
import { DAY, HOUR, MINUTE, toUtc } from "../../src/platform/time";
import { jobUsage } from "../../src/workspace/tables";
import { mintArchives } from "../support/archives";
import { BASE_URL, call, codeOf, expectJson } from "../support/call";
import {
  type CameraSite,
  hideCaptures,
  mintCameraSite,
  mintCaptures,
  mintImage,
  showCaptures,
} from "../support/cameras";
import { mintLocation, mintMember, type Person } from "../support/factories";
import { endedJobs, runThrough } from "../support/jobs";
import { notificationsOf } from "../support/notifications";
import fc from "../support/properties";
import { testDatabase } from "../support/statements";

let organizationId: string;
let owner: Person;
let locationId: string;
let camera: CameraSite["camera"];
const now = Date.now();

beforeEach(async () => {
  ({ organizationId, owner, locationId, camera } = await mintCameraSite({ name: 'Gate "north"/1' }));
});

type Export = z.infer<typeof exportSchema>;
const path = (more = "", of = camera) => `/v1/cameras/${of.id}/exports${more}?locationId=${locationId}`;
const ask = (body?: Record<string, string>, who = owner, of = camera) =>
  expectJson(exportSchema, 202, "POST", path("", of), { ...who, body });
const read = (id: string, who = owner, of = camera) => expectJson(exportSchema, 200, "GET", path(`/${id}`, of), who);

/** Requests an export and waits until it is ready. */
async function ready(
  body?: Record<string, string>,
  who = owner,
  of = camera,
): Promise<Export & { downloadUrl: string }> {
  const { operationId } = await ask(body, who, of);
  await endedJobs(organizationId, "prepare-export");
  const made = await read(operationId, who, of);
  return { ...made, downloadUrl: made.downloadUrl ?? "" };
}

/** An image with correct bytes, digest and CRC. */
async function mintFrame(bytes: Uint8Array, capturedAt: number, of = camera) {
  const clockQuality = bytes.length % 2 === 0 ? ("synchronized" as const) : ("estimated" as const);
  return mintImage(of, locationId, { capturedAt, completedAt: capturedAt, crc32: crc32(bytes), clockQuality }, bytes);
}

/** Ranges with random borders that together make the whole ZIP. */
const RANGES = 200;

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const download = async (url: string, headers: Record<string, string> = {}) => call("GET", url, { headers });
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

describe("an export", () => {
  test("is a ZIP of the originals with evidence and checksums, and its size is known before the download", async () => {
    const contents = ["first", "second picture", "3"].map((content) => new TextEncoder().encode(content));
    const rows = [];
    for (const [i, bytes] of contents.entries()) rows.push(await mintFrame(bytes, now - (5 - i) * HOUR));
    await mintCaptures(camera, locationId, [
      { capturedAt: now - HOUR, deletedAt: now },
      { capturedAt: now - 31 * DAY },
    ]);
    const queued = await ask();
    expect(queued).toMatchObject({ imageCount: null, totalBytes: null, downloadUrl: null, progress: { total: 3 } });
    await endedJobs(organizationId, "prepare-export");
    const made = await read(queued.operationId);
    expect(made).toMatchObject({ status: "ready", imageCount: 3, progress: { done: 3, total: 3 } });
    const response = await download(made.downloadUrl ?? "");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBe(String(made.totalBytes));
    expect(response.headers.get("content-disposition")).toContain('filename="Gate _north__1 ');
    const zip = await bytesOf(response);
    expect(zip.length).toBe(made.totalBytes);
    const files = unzipSync(zip);
    const names = rows.map(({ id, capturedAt }) => `${toUtc(capturedAt ?? 0).replace(/[-:]/g, "")}_${id}.jpg`);
    expect(Object.keys(files)).toEqual([...names, "evidence.json", "SHA256SUMS"]);
    expect(names.map((name) => text(files[name]))).toEqual(contents.map(text));
    const digests = await Promise.all(contents.map((bytes) => sha256Hex(bytes.slice())));
    const evidenceDigest = await sha256Hex((files["evidence.json"] ?? new Uint8Array()).slice());
    const sums = [...names.map((name, i) => `${digests[i]}  ${name}\n`), `${evidenceDigest}  evidence.json\n`];
    expect(text(files.SHA256SUMS)).toBe(sums.join(""));
    const evidence: unknown = JSON.parse(text(files["evidence.json"]));
    expect(evidence).toMatchObject({
      cameraId: camera.id,
      locationId,
      images: rows.map((row, i) => ({
        name: names[i],
        captureId: row.id,
        capturedAtUtc: toUtc(row.capturedAt ?? 0),
        receivedAtUtc: toUtc(row.receivedAt ?? 0),
        clockQuality: row.clockQuality,
        checksumSha256: digests[i],
      })),
    });
    expect(await bytesOf(await download(made.downloadUrl ?? ""))).toEqual(zip);
  });

  test("contains the images of the range that were completed before the request", async () => {
    const at = [5, 4, 3, 2].map((hours) => now - hours * HOUR);
    const rows = [];
    for (const capturedAt of at) rows.push(await mintFrame(new TextEncoder().encode(`${capturedAt}`), capturedAt));
    await mintImage(camera, locationId, { capturedAt: now - 3.5 * HOUR, completedAt: now + HOUR });
    const [, from = 0, to = 0] = at;
    const made = await ready({ fromUtc: toUtc(from), toUtc: toUtc(to) });
    expect(made).toMatchObject({ imageCount: 2, fromUtc: toUtc(from), toUtc: toUtc(to) });
    const files = Object.keys(unzipSync(await bytesOf(await download(made.downloadUrl))));
    expect(files.map((name) => name.slice(21, 57)).slice(0, 2)).toEqual([rows[1]?.id, rows[2]?.id]);
    const latest = await expectJson(exportSchema, 200, "GET", path("/latest"), owner);
    expect(latest.operationId).toBe(made.operationId);
  });

  test("of more images than a slice prepares contains all of them, in order", async () => {
    const byte = Uint8Array.of(65);
    const frames = Array.from({ length: 4_321 }, (_, i) => ({
      id: crypto.randomUUID(),
      capturedAt: now - 20 * DAY + i * MINUTE,
    }));
    const image = { sizeBytes: 1, crc32: crc32(byte), checksumSha256: await sha256Hex(byte) };
    const [archive] = await mintArchives(organizationId, locationId, [frames], { retentionDays: 30, ...image });
    const of = archive?.camera ?? camera;
    for (const { id: operationId } of frames.slice(995, 1_005))
      await env.BUCKET.put(captureKey({ ...of, cameraId: of.id, operationId }, "original"), byte);
    const made = await ready(undefined, owner, of);
    expect(made.imageCount).toBe(4_321);
    const tail = await download(made.downloadUrl, { range: "bytes=-600000" });
    const directory = text(await bytesOf(tail));
    const names = [...directory.matchAll(/_([0-9a-f-]{36})\.jpg/g)].map(([, id]) => id);
    expect(names.slice(-4_321)).toEqual(frames.map(({ id }) => id));
    // The images at the border of two pages, each of one byte after its header.
    const entry = 30 + 61 + 9 + 1;
    const around = await download(made.downloadUrl, { range: `bytes=${998 * entry}-${1_003 * entry - 1}` });
    const images = text(await bytesOf(around));
    for (const { id } of frames.slice(998, 1_003)) expect(images).toContain(id);
  });

  test("notifies its requester, is counted and audited, and is visible to its requester only", async () => {
    await mintFrame(Uint8Array.of(1), now - HOUR);
    const { operationId } = await ready();
    await endedJobs(organizationId, "announce");
    const [told] = await notificationsOf(owner.userId);
    expect(told).toMatchObject({
      type: "export-ready",
      originId: camera.id,
      originData: { operationId, imageCount: 1 },
    });
    const [usage] = await testDatabase().select().from(jobUsage).where(eq(jobUsage.tenantId, organizationId));
    expect(usage?.jobs).toBe(1);
    const member = await mintMember(organizationId, "member");
    expect(await codeOf(await call("GET", path(`/${operationId}`), member))).toBe("404 not-found");
    expect(await codeOf(await call("GET", path("/latest"), member))).toBe("404 not-found");
    await testDatabase().update(organizations).set({ jobsPerMonth: 1 }).where(eq(organizations.id, organizationId));
    expect(await codeOf(await call("POST", path(), owner))).toBe("422 rule-violated");
  });

  test("of a camera that moved has the camera's former name in its file name and notification", async () => {
    await mintFrame(Uint8Array.of(1), now - HOUR);
    const { id: elsewhere } = await mintLocation({ organizationId });
    const change = async (method: string, more: string, body: Record<string, unknown>) =>
      expect((await call(method, `/v1/cameras/${camera.id}${more}`, { ...owner, body })).status).toBe(200);
    await change("POST", "/relinks", { baseRevision: 1, locationId: elsewhere });
    await change("PATCH", "", { baseRevision: 2, name: "The minister's house" });
    const { downloadUrl } = await ready();
    await endedJobs(organizationId, "announce");
    expect((await notificationsOf(owner.userId)).map(({ body }) => body)).toEqual(['Gate "north"/1']);
    const response = await download(downloadUrl);
    await response.body?.cancel();
    expect(response.headers.get("content-disposition")).toContain("Gate");
  });

  test("is refused without images, and for invalid ranges", async () => {
    expect(await codeOf(await call("POST", path(), owner))).toBe("422 rule-violated");
    const body = { fromUtc: toUtc(now), toUtc: toUtc(now - 1) };
    expect(await codeOf(await call("POST", path(), { ...owner, body }))).toBe("400 validation-failed");
  });
});

describe("a download", () => {
  test("supports any ranges, and continues after an interruption", async () => {
    for (let i = 0; i < 5; i++)
      await mintFrame(crypto.getRandomValues(new Uint8Array(3_000 + i)), now - (5 - i) * HOUR);
    const made = await ready();
    const whole = await download(made.downloadUrl);
    const etag = whole.headers.get("etag") ?? "";
    const zip = await bytesOf(whole);
    const border = fc.nat({ max: zip.length - 1 });
    const [cuts = []] = fc.sample(fc.uniqueArray(border, { minLength: RANGES, maxLength: RANGES }), 1);
    const starts = [...new Set([0, ...cuts])].sort((a, b) => a - b);
    const assembled = new Uint8Array(zip.length);
    const fetchPart = async (first: number, i: number) => {
      const last = (starts[i + 1] ?? zip.length) - 1;
      const part = await download(made.downloadUrl, { range: `bytes=${first}-${last}`, "if-range": etag });
      expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes ${first}-${last}/${zip.length}`]);
      assembled.set(await bytesOf(part), first);
    };
    for (let i = 0; i < starts.length; i += 20)
      await Promise.all(starts.slice(i, i + 20).map((first, n) => fetchPart(first, i + n)));
    expect(assembled).toEqual(zip);
    const changed = await download(made.downloadUrl, { range: "bytes=5-9", "if-range": '"another"' });
    expect([changed.status, (await bytesOf(changed)).length]).toEqual([200, zip.length]);
    const beyond = await download(made.downloadUrl, { range: `bytes=${zip.length}-` });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${zip.length}`]);
    const known = await download(made.downloadUrl, { "if-none-match": etag });
    expect(known.status).toBe(304);
    const otherCase = await download(made.downloadUrl, { range: "Bytes=5-9" });
    expect([otherCase.status, await bytesOf(otherCase)]).toEqual([206, zip.slice(5, 10)]);
    for (const method of ["GET", "HEAD"]) {
      const other = await call(method, made.downloadUrl, { headers: { "if-match": '"another"' } });
      expect([method, other.status]).toEqual([method, 412]);
      const same = await call(method, made.downloadUrl, { headers: { "if-match": `"another", ${etag}` } });
      expect([method, same.status]).toEqual([method, 200]);
      await same.body?.cancel();
    }
    const headOfRange = await call("HEAD", made.downloadUrl, { headers: { range: "bytes=5-9" } });
    expect([headOfRange.status, headOfRange.headers.get("content-length")]).toEqual([200, String(zip.length)]);
    const head = await call("HEAD", made.downloadUrl);
    expect([head.status, head.headers.get("content-length"), (await bytesOf(head)).length]).toEqual([
      200,
      `${zip.length}`,
      0,
    ]);
  });

  test("ends early when an image's bytes are missing or changed", async () => {
    const row = await mintFrame(new Uint8Array(100), now - HOUR);
    const made = await ready();
    const key = captureKey({ ...row, operationId: row.operationId }, "original");
    await env.BUCKET.put(key, new Uint8Array(99));
    await expect(download(made.downloadUrl).then(bytesOf)).rejects.toThrow();
    await env.BUCKET.delete(key);
    await expect(download(made.downloadUrl).then(bytesOf)).rejects.toThrow();
  });

  test("checks access on every use, and accepts only signed addresses", async () => {
    await mintFrame(Uint8Array.of(1), now - HOUR);
    const member = await mintMember(organizationId, "member");
    const { downloadUrl, operationId } = await ready(undefined, member);
    const range = { range: "bytes=0-3" };
    expect((await download(downloadUrl, range)).status).toBe(206);
    const url = new URL(downloadUrl);
    const ticket = url.searchParams.get("ticket") ?? "";
    const other = (await ready()).operationId;
    for (const wrong of [
      downloadUrl.replace(ticket, `${ticket.slice(0, -2)}${ticket.endsWith("AA") ? "BB" : "AA"}`),
      downloadUrl.replace(ticket, "x"),
      downloadUrl.replace(operationId, other),
      `${BASE_URL}/v1/camera-exports/${operationId}/download?ticket=`,
    ])
      expect(await codeOf(await download(wrong, range))).toBe("404 not-found");
    const mine = and(eq(memberships.userId, member.userId), eq(memberships.organizationId, organizationId));
    await testDatabase()
      .update(memberships)
      .set({ overrides: { LocationCameras: "None" } })
      .where(mine);
    expect(await codeOf(await download(downloadUrl, range))).toBe("404 not-found");
    await testDatabase().update(memberships).set({ overrides: {} }).where(mine);
    expect((await download(downloadUrl, range)).status).toBe(206);
    await testDatabase().update(organizations).set({ cameras: false }).where(eq(organizations.id, organizationId));
    expect(await codeOf(await download(downloadUrl, range))).toBe("404 not-found");
  });

  test("ends when an image is deleted, removed or expires, and after its lifetime", async () => {
    await mintFrame(Uint8Array.of(1), now - 10 * DAY);
    const [expired] = await mintCaptures(camera, locationId, [{ capturedAt: now - 31 * DAY }]);
    const newest = await mintFrame(Uint8Array.of(2), now - HOUR);
    const one = { id: newest.id };
    const db = testDatabase();
    const ended = async ({ operationId, downloadUrl }: Export & { downloadUrl: string }) => {
      expect(await codeOf(await download(downloadUrl))).toBe("410 export-ended");
      expect(await read(operationId)).toMatchObject({ status: "expired", downloadUrl: null });
    };
    const beside = await ready({ toUtc: toUtc(now - DAY) });
    const hidden = await ready();
    await hideCaptures([one.id], now);
    await ended(hidden);
    await db.delete(cameraFrames).where(eq(cameraFrames.id, expired ?? ""));
    expect((await download(beside.downloadUrl)).status).toBe(200);
    await showCaptures([one.id]);
    const removed = await ready();
    await db.delete(cameraFrames).where(eq(cameraFrames.id, one.id));
    await ended(removed);
    const retained = await ready();
    await db.update(cameras).set({ retentionDays: 10 }).where(eq(cameras.id, camera.id));
    await ended(retained);
    const mine = eq(cameraExports.id, retained.operationId);
    await db.update(cameraExports).set({ expiresAt: now }).where(mine);
    await ended(retained);
    await db
      .update(cameraExports)
      .set({ expiresAt: now - 8 * DAY })
      .where(mine);
    await runThrough("expire-exports", [{}]);
    expect(await codeOf(await call("GET", path(`/${retained.operationId}`), owner))).toBe("404 not-found");
  });

  test("is refused during the preparation, and after a failed one", async () => {
    await mintFrame(Uint8Array.of(1), now - HOUR);
    const made = await ready();
    const set = (values: Partial<typeof cameraExports.$inferInsert>) =>
      testDatabase().update(cameraExports).set(values).where(eq(cameraExports.id, made.operationId));
    await set({ status: "preparing" });
    expect(await codeOf(await download(made.downloadUrl))).toBe("409 conflict");
    await set({ status: "failed", errorCode: "internal", errorDetail: "It stopped." });
    expect(await codeOf(await download(made.downloadUrl))).toBe("410 export-ended");
    expect(await read(made.operationId)).toMatchObject({
      status: "failed",
      error: { code: "internal" },
      downloadUrl: null,
    });
  });
});
