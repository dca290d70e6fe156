import { env } from "cloudflare:workers";
import { PhotonImage } from "@cf-wasm/photon/workerd";
import { and, eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { z } from "zod";
import { deriveImages } from "../../../src/documents";
import { derivativeKeys } from "../../../src/documents/derivatives/derivatives";
import { documentSchema } from "../../../src/documents/document";
import { documents, documentVersions } from "../../../src/documents/tables";
import { openDatabases } from "../../../src/platform/db/database";
import { inSet } from "../../../src/platform/db/statements";
import { encodeJpeg, pictureOf, pictureOfRgba, verifyJpeg } from "../../../src/platform/jpeg";
import { latin1 } from "../../../src/platform/latin1";
import { atOnce } from "../../../src/platform/pace";
import { storedObjects } from "../../../src/uploads/tables";
import { call, expectJson, problem } from "../../support/call";
import { uploadDocument } from "../../support/documents";
import { mintLocation, mintOrganization, type Person } from "../../support/factories";
import { endedJobs, runThrough, systemContext } from "../../support/jobs";
import { eventually, PATIENCE } from "../../support/patience";
import { exifSegment, noise, scene, splice } from "../../support/pictures";

const { workspace: db } = openDatabases(env.DB);

let owner: Person;
let organizationId: string;
let locationId: string;

beforeEach(async () => {
  const organization = await mintOrganization();
  owner = organization.owner;
  organizationId = organization.id;
  locationId = (await mintLocation({ organizationId })).id;
});

// Wait for the jobs of an upload before the test ends.
afterEach(async () => {
  for (const kind of ["derive-images", "extract-document", "index-asset"] as const)
    await endedJobs(organizationId, kind);
});

type Document = z.infer<typeof documentSchema>;
const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);

const jpeg = (width: number, height: number, pixels = scene(width, height)) =>
  own(encodeJpeg(pictureOfRgba(pixels, width, height), 90));

function withPhoton(pixels: Uint8Array, width: number, height: number, write: (image: PhotonImage) => Uint8Array) {
  const image = new PhotonImage(pixels, width, height);
  try {
    return own(write(image));
  } finally {
    image.free();
  }
}
const png = (width: number, height: number, pixels = scene(width, height)) =>
  withPhoton(pixels, width, height, (image) => image.get_bytes());
const webp = (width: number, height: number, pixels = scene(width, height)) =>
  withPhoton(pixels, width, height, (image) => image.get_bytes_webp());

const upload = (fileName: string, bytes: Uint8Array<ArrayBuffer>): Promise<Document> =>
  uploadDocument(owner.token, locationId, { fileName, bytes, contentType: "application/octet-stream" });

const read = (id: string): Promise<Document> =>
  expectJson(documentSchema, 200, "GET", `/v1/documents/${id}`, { token: owner.token });

/** Waits until the derivatives of the document are made or have failed. */
async function settled(id: string): Promise<Document> {
  return vi.waitFor(
    async () => {
      const document = await read(id);
      expect(document.derivativeStatus).not.toBe("pending");
      return document;
    },
    { timeout: PATIENCE, interval: 50 },
  );
}

async function download(id: string, linkType: "small" | "medium") {
  const redirect = await call("GET", `/v1/documents/${id}/download?linkType=${linkType}`, { token: owner.token });
  expect(redirect.status).toBe(302);
  const response = await call("GET", redirect.headers.get("location") ?? "");
  expect(response.headers.get("content-type")).toBe("image/jpeg");
  const bytes = new Uint8Array(await response.arrayBuffer());
  const verdict = atOnce(verifyJpeg(bytes, { minimumEdge: 2000 }));
  if (verdict.verdict === "rejected") throw new Error(verdict.detail);
  return { bytes, decoded: verdict.decoded, picture: pictureOf(verdict.decoded, 2000) };
}

/** The luma of a pixel. The position is in percent of width and height. */
const lumaAt = ({ luma, width, height }: ReturnType<typeof pictureOf>, x: number, y: number) =>
  luma.samples[Math.floor((y * height) / 100) * luma.stride + Math.floor((x * width) / 100)] ?? -1;

const derivativeObjects = async (id: string) =>
  (await env.BUCKET.list({ prefix: `${organizationId}/${id}/derivatives/` })).objects.map(({ key }) => key);

describe("a picture", () => {
  test.each([
    ["JPEG", jpeg],
    ["PNG", png],
    ["WebP", webp],
  ])("that is a small %s has both forms when its upload is complete", async (_, make) => {
    const document = await upload("photo", make(600, 300));
    expect(document).toMatchObject({ derivativeStatus: "ready", derivativeDetail: null, width: 600, height: 300 });
    expect((await download(document.id, "small")).decoded).toMatchObject({ width: 256, height: 128 });
    const { picture } = await download(document.id, "medium");
    expect(picture).toMatchObject({ width: 600, height: 300 });
    const original = pictureOfRgba(scene(600, 300), 600, 300);
    for (const [x, y] of [
      [10, 10],
      [60, 40],
      [90, 90],
    ] as const)
      expect(Math.abs(lumaAt(picture, x, y) - lumaAt(original, x, y))).toBeLessThan(12);
  });

  test.each([
    ["JPEG", () => jpeg(2400, 1800)],
    ["PNG", () => png(1500, 1200)],
    ["WebP", () => webp(1500, 1200)],
  ])("that is a larger %s gets them from the queue", async (_, make) => {
    const document = await settled((await upload("photo", make())).id);
    expect(document.derivativeStatus).toBe("ready");
    const { decoded } = await download(document.id, "medium");
    expect(Math.max(decoded.width, decoded.height)).toBe(1024);
    const small = (await download(document.id, "small")).decoded;
    expect(Math.max(small.width, small.height)).toBe(256);
  });

  test("is upright in both forms, without its metadata", async () => {
    const left = Uint8Array.from({ length: 4 * 400 * 200 }, (_, i) =>
      i % 4 === 3 ? 255 : (i / 4) % 400 < 200 ? 20 : 230,
    );
    const turned = splice(jpeg(400, 200, left), 2, 0, exifSegment(6, true));
    const document = await upload("phone.jpg", own(turned));
    expect(document).toMatchObject({ derivativeStatus: "ready", width: 200, height: 400 });
    for (const form of ["small", "medium"] as const) {
      const { bytes, decoded, picture } = await download(document.id, form);
      expect(decoded.height).toBe(2 * decoded.width);
      expect(decoded.metadata.orientation).toBeUndefined();
      expect(latin1(bytes)).not.toContain("Exif");
      expect(lumaAt(picture, 50, 10)).toBeLessThan(60);
      expect(lumaAt(picture, 50, 90)).toBeGreaterThan(190);
    }
  });

  test("in PNG with an eXIf chunk, and in WebP with an EXIF chunk, is rotated too", async () => {
    const tiff = exifSegment(8, false).slice(10);
    const file = png(300, 200);
    const chunk = [0, 0, 0, tiff.length, ...new TextEncoder().encode("eXIf"), ...tiff, 0, 0, 0, 0];
    // Decoders ignore a wrong CRC of an ancillary chunk.
    const document = await upload("turned.png", own(splice(file, 33, 0, chunk)));
    expect(await settled(document.id)).toMatchObject({ derivativeStatus: "ready", width: 200, height: 300 });
    const picture = webp(300, 200);
    const exif = [...new TextEncoder().encode("EXIF"), tiff.length, 0, 0, 0, ...tiff];
    const longer = own(splice(picture, picture.length, 0, exif));
    new DataView(longer.buffer).setUint32(4, longer.length - 8, true);
    const other = await upload("turned.webp", longer);
    expect(await settled(other.id)).toMatchObject({ derivativeStatus: "ready", width: 200, height: 300 });
  });

  test("shows transparent pixels on white", async () => {
    const document = await upload("logo.png", png(64, 64, new Uint8Array(4 * 64 * 64)));
    const { picture } = await download(document.id, "small");
    expect(lumaAt(picture, 50, 50)).toBeGreaterThan(250);
  });

  test("has forms for each of its versions", async () => {
    const first = await upload("same.jpg", jpeg(300, 200));
    const second = await upload("same.jpg", jpeg(200, 300));
    expect(second).toMatchObject({ id: first.id, version: 2, width: 200, height: 300 });
    const old = await call("GET", `/v1/documents/${first.id}/download?linkType=small&version=1`, {
      token: owner.token,
    });
    expect(old.headers.get("location")).toContain("v00000001");
  });

  test("costs no storage beyond the file", async () => {
    const bytes = jpeg(500, 400);
    await upload("photo.jpg", bytes);
    const rows = await db.select().from(storedObjects).where(eq(storedObjects.tenantId, organizationId));
    expect(rows.map(({ chargedBytes, purgeAfter }) => [chargedBytes, purgeAfter]).sort()).toEqual(
      [
        [0, null],
        [0, null],
        [bytes.length, null],
      ].sort(),
    );
  });
});

describe("a file that is not a picture, or cannot be drawn", () => {
  test("has no derivatives if it is a text", async () => {
    const document = await upload("notes.png", own(new TextEncoder().encode("no picture")));
    expect(document).toMatchObject({ derivativeStatus: "none", width: null, contentType: "application/octet-stream" });
    const refused = await expectJson(problem, 422, "GET", `/v1/documents/${document.id}/download?linkType=small`, {
      token: owner.token,
    });
    expect(refused.code).toBe("not-an-image");
  });

  /** A PNG header with any size, without data. */
  function pngBomb(width: number, height: number) {
    const bomb = png(8, 8);
    new DataView(bomb.buffer).setUint32(16, width);
    new DataView(bomb.buffer).setUint32(20, height);
    return bomb;
  }
  function webpBomb(width: number, height: number) {
    const bomb = webp(8, 8);
    new DataView(bomb.buffer).setUint32(21, (width - 1) | ((height - 1) << 14), true);
    return bomb;
  }
  const jpegBomb = () => {
    const bomb = jpeg(64, 64);
    const frame = bomb.findIndex((byte, i) => byte === 0xff && bomb[i + 1] === 0xc0);
    return own(splice(bomb, frame + 5, 4, [0xff, 0xff, 0xff, 0xff]));
  };
  const cut = (bytes: Uint8Array) => own(bytes.slice(0, bytes.length - 400));

  test.each<[string, () => Uint8Array<ArrayBuffer>, RegExp]>([
    ["a PNG of 4 billion pixels", () => pngBomb(65_000, 65_000), /65000 × 65000 pixels.*limit of 24000000/],
    ["a PNG just above what is safe", () => pngBomb(24_000_001, 1), /24000001 × 1 pixels/],
    ["a PNG that is wider than a row may be", () => pngBomb(65_536, 1), /65536 pixels wide/],
    ["a PNG of no pixels", () => pngBomb(0, 5), /header gives no size/],
    ["a PNG whose data lie about its size", () => pngBomb(900, 900), /damaged/],
    ["a PNG that is cut", () => cut(png(200, 200)), /damaged/],
    ["a PNG of a header alone", () => own(png(8, 8).slice(0, 12)), /header gives no size/],
    ["a WebP of 16,384 pixels a side", () => webpBomb(16_384, 16_384), /16384 × 16384 pixels/],
    ["a WebP that is cut", () => cut(webp(200, 200, noise(200, 200))), /damaged/],
    ["a WebP of a header alone", () => own(webp(8, 8).slice(0, 16)), /header gives no size/],
    ["a JPEG of 4 billion pixels", jpegBomb, /65535 × 65535 pixels, at most 50000000/],
    ["a JPEG that is cut", () => cut(jpeg(200, 200)), /data ends in MCU/],
  ])("%s", async (_, make, reason) => {
    const document = await settled((await upload("hostile", make())).id);
    expect(document.derivativeStatus).toBe("failed");
    expect(document.derivativeDetail).toMatch(reason);
    expect(document.derivativeDetail).toMatch(/the file itself is kept/i);
    const refused = await expectJson(problem, 422, "GET", `/v1/documents/${document.id}/download?linkType=medium`, {
      token: owner.token,
    });
    expect(refused.detail).toMatch(reason);
    expect(await derivativeObjects(document.id)).toEqual([]);
  });

  test("is drawn if it is a JPEG with a gain map after the picture", async () => {
    const document = await upload(
      "phone.jpg",
      own(splice(jpeg(300, 200), jpeg(300, 200).length, 0, [...jpeg(20, 20)])),
    );
    expect(document.derivativeStatus).toBe("ready");
  });
});

describe("the job", () => {
  const again = (id: string) =>
    db
      .update(documentVersions)
      .set({ derivativeStatus: "pending", smallKey: null, mediumKey: null })
      .where(and(eq(documentVersions.documentId, id), eq(documentVersions.version, 1)));

  test("repeated in any state gives the same result and keeps the same objects", async () => {
    const { id } = await upload("photo.jpg", jpeg(300, 200));
    const before = (await download(id, "small")).bytes;
    await runThrough("derive-images", [{ documentId: id, version: 1 }]);
    await again(id);
    await runThrough("derive-images", [
      { documentId: id, version: 1 },
      { documentId: id, version: 1 },
    ]);
    expect((await download(id, "small")).bytes).toEqual(before);
    const held = await db.select().from(storedObjects).where(eq(storedObjects.tenantId, organizationId));
    expect(held).toHaveLength(3);
    expect(held.every(({ purgeAfter }) => purgeAfter === null)).toBe(true);
  });

  test("of a deleted document ends without an error", async () => {
    const { id } = await upload("photo.jpg", jpeg(300, 200));
    await again(id);
    await db.update(documents).set({ deletedAt: Date.now() }).where(eq(documents.id, id));
    await runThrough("derive-images", [{ documentId: id, version: 1 }]);
  });

  test("of a document that is deleted during the drawing leaves no object", async () => {
    const { id } = await upload("photo.jpg", jpeg(300, 200));
    const keys = Object.values(derivativeKeys(organizationId, { documentId: id, version: 1 }));
    await again(id);
    await env.BUCKET.delete(keys);
    await db.delete(storedObjects).where(inSet(storedObjects.key, keys));
    const context = systemContext();
    const job = {
      id,
      kind: "derive-images",
      tenantId: organizationId,
      payload: { documentId: id, version: 1 },
    } as const;
    const rest = { state: null, attempts: 1, progress: { done: 0, total: 0 }, requestedBy: null };
    const outcome = await deriveImages.run(context, { ...job, ...rest });
    expect(await derivativeObjects(id)).toHaveLength(2);
    // After a kill or a deletion at this point, the purge removes the objects.
    const held = await db.select().from(storedObjects).where(inSet(storedObjects.key, keys));
    expect(held.every(({ purgeAfter }) => (purgeAfter ?? 0) > Date.now())).toBe(true);
    await expectDeleted(id);
    await outcome.change?.commit();
    await runThrough("purge-objects", [{}]);
    expect(await derivativeObjects(id)).toEqual([]);
  });

  async function expectDeleted(id: string) {
    const response = await call("DELETE", `/v1/documents/${id}?purge=true`, { token: owner.token });
    expect(response.status).toBe(204);
  }

  test("leaves no derivatives after the deletion of the document", async () => {
    const { id } = await upload("photo.jpg", jpeg(300, 200));
    expect(await derivativeObjects(id)).toHaveLength(2);
    await expectDeleted(id);
    await eventually(async () => expect(await derivativeObjects(id)).toEqual([]));
  });
});
