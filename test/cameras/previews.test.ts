import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { captureKey } from "../../src/cameras/captures";
import {
  latestSchema,
  limitPreviewRequests,
  previewsSchema,
  timelinePreviews,
} from "../../src/cameras/previews/previews";
import { embeddedPreview, embedPreview } from "../../src/platform/jpeg";
import { DAY, HOUR, toUtc } from "../../src/platform/time";
import { call, codeOf, expectJson } from "../support/call";
import { type CameraSite, hideCaptures, mintCamera, mintCameraSite, mintImage } from "../support/cameras";
import { objectBytes } from "../support/device";
import { mintLocation, type Person } from "../support/factories";
import { systemContext } from "../support/jobs";
import { stopClock } from "../support/patience";
import { jpegFixture } from "../support/pictures";

let organizationId: string;
let owner: Person;
let locationId: string;
let camera: CameraSite["camera"];
const now = Date.now();

beforeEach(async () => {
  ({ organizationId, owner, locationId, camera } = await mintCameraSite());
});

const at = (path: string, query = "", where = locationId) =>
  `/v1/cameras/${camera.id}/${path}?locationId=${where}${query}`;

describe("previews", () => {
  const previewOf = async (row: Parameters<typeof captureKey>[0]) =>
    embeddedPreview((await objectBytes(captureKey(row, "thumbnail"))) ?? new Uint8Array())?.toBase64();
  const ask = (times: number[], where = locationId) =>
    expectJson(previewsSchema, 200, "POST", at("previews", "", where), { ...owner, body: { times: times.map(toUtc) } });

  test("are in the requested order, each capture once, with its capture time", async () => {
    const a = await mintImage(camera, locationId, { capturedAt: now - 2 * HOUR });
    const b = await mintImage(camera, locationId, { capturedAt: now - HOUR });
    const { samples, images } = await ask([now, now - 5 * HOUR, now - HOUR]);
    expect(samples).toEqual([
      { at: toUtc(now), captureId: b.id },
      { at: toUtc(now - 5 * HOUR), captureId: a.id },
      { at: toUtc(now - HOUR), captureId: b.id },
    ]);
    const jpegBase64 = await previewOf(a);
    const size = { width: 128, height: 72, jpegBase64 };
    expect(images).toEqual([
      { captureId: b.id, capturedAtUtc: toUtc(now - HOUR), ...size },
      { captureId: a.id, capturedAtUtc: toUtc(now - 2 * HOUR), ...size },
    ]);
  });

  test("leave out previews that are too large or missing, and are empty without captures", async () => {
    expect(await ask([now])).toEqual({ samples: [{ at: toUtc(now), captureId: null }], images: [] });
    const large = await mintImage(camera, locationId, { capturedAt: now - HOUR });
    expect((await ask([now])).images).toHaveLength(1);
    const thumbnail = captureKey(large, "thumbnail");
    await env.BUCKET.put(thumbnail, embedPreview(jpegFixture("baseline-420"), new Uint8Array(3_200)));
    expect((await ask([now])).samples).toEqual([{ at: toUtc(now), captureId: null }]);
    await env.BUCKET.put(thumbnail, jpegFixture("baseline-420"));
    expect((await ask([now])).images).toEqual([]);
    await env.BUCKET.delete(thumbnail);
    expect((await ask([now])).images).toEqual([]);
  });

  test("do not show images that were deleted while they were read", async () => {
    const { id } = await mintImage(camera, locationId, { capturedAt: now - HOUR }, Uint8Array.of(1));
    const context = systemContext();
    const read: typeof context.objects.read = async (key) => {
      await hideCaptures([id], now);
      return context.objects.read(key);
    };
    const found = await timelinePreviews(
      { ...context, objects: { ...context.objects, read } },
      { camera, locationId },
      [now],
    );
    expect(found).toEqual({ samples: [{ at: toUtc(now), captureId: null }], images: [] });
  });

  test("accept one to thirty-two times", async () => {
    for (const times of [[], Array.from({ length: 33 }, () => toUtc(now)), ["noon"], toUtc(now)])
      expect((await call("POST", at("previews"), { ...owner, body: { times } })).status).toBe(400);
  });

  test("are limited by network, together with latest previews", async () => {
    const ip = "2001:db8:7::1";
    const headers = { "cf-connecting-ip": ip };
    const latest = `/v1/spatial/locations/${locationId}/cameras/latest-previews`;
    const stopped = stopClock();
    for (let n = 0; n < 118; n++)
      limitPreviewRequests({ origin: { ip, userAgent: "", language: "en" }, counted: [], now: stopped });
    expect((await call("POST", at("previews"), { ...owner, headers, body: { times: [toUtc(now)] } })).status).toBe(200);
    expect((await call("POST", latest, { ...owner, headers, body: { cameraIds: [camera.id] } })).status).toBe(200);
    const refused = await call("POST", latest, { ...owner, headers, body: { cameraIds: [camera.id] } });
    expect(await codeOf(refused.clone())).toBe("429 rate-limited");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const elsewhere = { "cf-connecting-ip": "2001:db8:8::1" };
    expect(
      (await call("POST", latest, { ...owner, headers: elsewhere, body: { cameraIds: [camera.id] } })).status,
    ).toBe(200);
  });
});

describe("latest previews", () => {
  const path = () => `/v1/spatial/locations/${locationId}/cameras/latest-previews`;

  test("refuse the nil UUID", async () => {
    const body = { cameraIds: [camera.id, "00000000-0000-0000-0000-000000000000"] };
    expect(await codeOf(await call("POST", path(), { ...owner, body }))).toBe("400 validation-failed");
  });

  const ask = (cameraIds: string[]) => expectJson(latestSchema, 200, "POST", path(), { ...owner, body: { cameraIds } });

  test("are in the requested order, with nulls for a camera without an image", async () => {
    const moment = now - HOUR;
    const mint = (of: typeof camera, where: string, capturedAt: number) =>
      mintImage(of, where, { capturedAt }, Uint8Array.of(1));
    await mint(camera, locationId, moment - 1);
    const tied = [await mint(camera, locationId, moment), await mint(camera, locationId, moment)];
    const empty = await mintCamera(organizationId, locationId);
    const elsewhere = await mintCamera(organizationId, (await mintLocation({ organizationId })).id);
    await mint(elsewhere, elsewhere.locationId ?? "", moment);
    const old = await mintCamera(organizationId, locationId, { retentionDays: 1 });
    await mint(old, locationId, now - 2 * DAY);
    const unknown = crypto.randomUUID();
    const { items } = await ask([empty.id, camera.id, elsewhere.id, old.id, unknown]);
    expect(items.map(({ cameraId }) => cameraId)).toEqual([empty.id, camera.id, elsewhere.id, old.id, unknown]);
    expect(items.map(({ capture }) => capture?.id ?? null)).toEqual([
      null,
      tied
        .map(({ id }) => id)
        .sort()
        .at(-1),
      null,
      null,
      null,
    ]);
    expect(items[0]).toEqual({ cameraId: empty.id, capture: null, jpegBase64: null, thumbnailUrl: null });
    const shown = await call("GET", items[1]?.thumbnailUrl ?? "");
    expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  });

  test("accept one to thirty-two distinct cameras", async () => {
    const many = Array.from({ length: 33 }, () => crypto.randomUUID());
    for (const cameraIds of [[], many, [camera.id, camera.id], ["x"]])
      expect((await call("POST", path(), { ...owner, body: { cameraIds } })).status).toBe(400);
  });
});
