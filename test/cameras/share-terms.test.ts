import { describe, expect, test } from "vitest";
import { sharedTimelineSchema } from "../../src/cameras/archive/present";
import { PASSCODE_TRIES_PER_NETWORK, SHARE_PASS_LIFETIME_MS } from "../../src/cameras/limits";
import { createdShareSchema, shareSchema } from "../../src/cameras/shares/links";
import { passSchema } from "../../src/cameras/shares/passcode";
import { cameraConditions, cameraShares } from "../../src/cameras/tables";
import { sha256Hex } from "../../src/platform/crypto/bytes";
import { verifyJpeg } from "../../src/platform/jpeg";
import { atOnce } from "../../src/platform/pace";
import { DAY, HOUR, MINUTE, toUtc } from "../../src/platform/time";
import { call, codeOf, expectJson } from "../support/call";
import { mintCameraSite, mintCaptures, mintImage } from "../support/cameras";
import { stopClock } from "../support/patience";
import { commentSegment, exifSegment, jpegFixture } from "../support/pictures";
import { withShare } from "../support/shares";
import { testDatabase } from "../support/statements";

/* The terms of a link: passcode, time, metadata and causes. */

async function shared(terms: Record<string, unknown>) {
  const site = await mintCameraSite();
  const link = await expectJson(
    createdShareSchema,
    201,
    "POST",
    `/v1/spatial/locations/${site.locationId}/camera-shares`,
    { token: site.owner.token, body: { name: "Neighbours", cameraIds: [site.camera.id], ...terms } },
  );
  return { ...site, link };
}

const read = (token: string, path = "", headers: Record<string, string> = {}) =>
  call("GET", `/v1/shared-cameras${path}`, { headers: { ...withShare(token), ...headers } });
const unlock = (token: string, passcode: string) =>
  call("POST", "/v1/shared-cameras/unlock", { headers: withShare(token), body: { passcode } });
const withPass = (pass: string) => ({ "x-camera-share-pass": pass });

describe("a passcode", () => {
  test("is asked for by every call, gives a pass for a while, and is kept as a hash", async () => {
    const { link, camera, owner, organizationId } = await shared({ passcode: "harbour 7" });
    expect(link.hasPasscode).toBe(true);
    for (const path of ["", `/${camera.id}/timeline`, `/captures/${crypto.randomUUID()}/image`])
      expect(await codeOf(await read(link.token, path))).toBe("401 passcode-required");
    expect(await codeOf(await unlock(link.token, "harbour 8"))).toBe("401 passcode-required");
    const { pass } = passSchema.parse(await (await unlock(link.token, "harbour 7")).json());
    expect((await read(link.token, "", withPass(pass))).status).toBe(200);
    const [end, proof] = pass.split(".");
    for (const wrong of [`${Number(end) + 1}.${proof}`, `${end}.${"0".repeat(64)}`, "", "x"])
      expect(await codeOf(await read(link.token, "", withPass(wrong)))).toBe("401 passcode-required");
    expect(JSON.stringify(await testDatabase().select().from(cameraShares))).not.toContain("harbour 7");
    const trail = await (await call("GET", `/v1/orgs/${organizationId}/audit`, owner)).text();
    expect(trail).toContain('"hasPasscode":true');
    expect(trail).not.toContain("scrypt");
    stopClock(Date.now() + SHARE_PASS_LIFETIME_MS);
    expect(await codeOf(await read(link.token, "", withPass(pass)))).toBe("401 passcode-required");
  });

  test("a new passcode ends all passes, and a link without a passcode needs no pass", async () => {
    const { link, owner } = await shared({ passcode: "harbour 7" });
    const { pass } = passSchema.parse(await (await unlock(link.token, "harbour 7")).json());
    const edit = (body: Record<string, unknown>) =>
      expectJson(shareSchema, 200, "PATCH", `/v1/camera-shares/${link.id}`, { token: owner.token, body });
    await edit({ baseRevision: 1, passcode: "another one" });
    expect(await codeOf(await read(link.token, "", withPass(pass)))).toBe("401 passcode-required");
    expect((await edit({ baseRevision: 2, passcode: null })).hasPasscode).toBe(false);
    expect((await read(link.token)).status).toBe(200);
  });

  test("cannot be guessed: tries are counted", async () => {
    const { link } = await shared({ passcode: "harbour 7" });
    for (let i = 0; i < PASSCODE_TRIES_PER_NETWORK.limit; i++)
      expect((await unlock(link.token, `guess ${i}`)).status).toBe(401);
    expect(await codeOf(await unlock(link.token, "harbour 7"))).toBe("429 rate-limited");
  });

  test("is not entered with a NUL behind it", async () => {
    const { link } = await shared({ passcode: "harbour 7" });
    expect((await unlock(link.token, "harbour 7\0")).status).toBe(401);
    expect((await unlock(link.token, "harbour 7")).status).toBe(200);
  });

  test.each(["short", "harbour\0 7", "harbour\t7", "123456", "777777"])(
    "must be long, plain and not common: %j",
    async (passcode) => {
      const { owner, link } = await shared({});
      const body = { baseRevision: 1, passcode };
      const refused = await call("PATCH", `/v1/camera-shares/${link.id}`, { token: owner.token, body });
      expect(await codeOf(refused)).toBe("400 validation-failed");
    },
  );
});

describe("a time", () => {
  test("hides images before and after it, in every view", async () => {
    const now = Date.now();
    const [from, until] = [now - 3 * DAY, now - 2 * DAY];
    const { link, camera, locationId } = await shared({ showFromUtc: toUtc(from), showUntilUtc: toUtc(until) });
    const images = [];
    for (const capturedAt of [from - 1, from, until, until + 1, now - MINUTE])
      images.push(await mintImage(camera, locationId, { capturedAt }));
    const ids = images.map(({ id }) => id ?? "");
    const [, first, last] = ids;
    const timeline = sharedTimelineSchema.parse(await (await read(link.token, `/${camera.id}/timeline`)).json());
    expect([timeline.first?.id, timeline.last?.id, timeline.openGap]).toEqual([first, last, null]);
    const statuses = [];
    for (const id of ids) {
      const response = await read(link.token, `/captures/${id}/image`);
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    expect(statuses).toEqual([404, 200, 200, 404, 404]);
    const text = async (path: string) => (await read(link.token, `/${camera.id}/${path}`)).text();
    const at = encodeURIComponent(toUtc(now));
    expect(await text(`captures/seek?at=${at}`)).toContain(last);
    const step = `captures/seek?at=${encodeURIComponent(toUtc(until))}&captureId=${last}&direction=newer`;
    expect(JSON.parse(await text(step))).toEqual({ capture: null });
    const frames = await text("frames?count=50");
    expect(ids.map((id) => frames.includes(id))).toEqual([false, true, true, false, false]);
    const previews = await call("POST", `/v1/shared-cameras/${camera.id}/previews`, {
      headers: withShare(link.token),
      body: { times: [toUtc(0), toUtc(now)] },
    });
    expect(
      (await previews.text()).match(/"at":"[^"]+","captureId":"([^"]+)"/g)?.map((part) => part.slice(-37, -1)),
    ).toEqual([first, last]);
    // The watermark does not show changes outside the time either.
    await mintImage(camera, locationId, { capturedAt: now });
    const again = sharedTimelineSchema.parse(await (await read(link.token, `/${camera.id}/timeline`)).json());
    expect(again).toEqual(timeline);
  });

  test("cannot end before it begins", async () => {
    const { link, owner } = await shared({ showFromUtc: "2026-02-01T00:00:00Z" });
    const body = { baseRevision: 1, showUntilUtc: "2026-01-01T00:00:00Z" };
    const refused = await call("PATCH", `/v1/camera-shares/${link.id}`, { token: owner.token, body });
    expect(await codeOf(refused)).toBe("422 rule-violated");
  });
});

test("metadata is removed by default, and the pixels do not change", async () => {
  const { link, camera, locationId, owner } = await shared({});
  expect(link.hideMetadata).toBe(true);
  const plain = jpegFixture("baseline-420");
  const bytes = Uint8Array.from([
    ...plain.subarray(0, 2),
    ...exifSegment(6, true),
    ...commentSegment("Astrid Keeper"),
    ...plain.subarray(2),
    ...new TextEncoder().encode("Astrid Keeper"),
  ]);
  const image = await mintImage(camera, locationId, {}, bytes);
  const fetchImage = async () => {
    const response = await read(link.token, `/captures/${image.id}/image`);
    const got = new Uint8Array(await response.arrayBuffer());
    expect(response.headers.get("content-length")).toBe(String(got.byteLength));
    return { got, headers: JSON.stringify([...response.headers]) };
  };
  const { got: bare, headers } = await fetchImage();
  expect(new TextDecoder("latin1").decode(bare)).not.toContain("Astrid");
  const pictured = Uint8Array.from([...plain.subarray(0, 2), ...exifSegment(6, true), ...plain.subarray(2)]);
  const judged = (of: Uint8Array) => atOnce(verifyJpeg(of, { minimumEdge: 128 }));
  expect(judged(bare)).toMatchObject({ verdict: "accepted", decoded: { width: expect.any(Number) } });
  expect(judged(bare)).toEqual(judged(pictured));
  // What describes the original stays with it.
  const row = { checksumSha256: await sha256Hex(bytes), sizeBytes: bytes.length, locationId };
  const told = async () => {
    const at = encodeURIComponent(toUtc(Date.now()));
    const seek = await (await read(link.token, `/${camera.id}/captures/seek?at=${at}`)).json();
    const timeline = await (await read(link.token, `/${camera.id}/timeline`)).json();
    return [seek, timeline].map((answer) => JSON.stringify(answer));
  };
  for (const text of [...(await told()), headers])
    expect(text).not.toMatch(new RegExp(`${row.checksumSha256}|"sizeBytes"|receivedAtUtc|${locationId}`));
  await expectJson(shareSchema, 200, "PATCH", `/v1/camera-shares/${link.id}`, {
    token: owner.token,
    body: { baseRevision: 1, hideMetadata: false },
  });
  expect((await fetchImage()).got).toEqual(bytes);
  const [seek] = await told();
  expect(JSON.parse(seek ?? "")).toMatchObject({ capture: row });
});

test("the causes of gaps can be hidden", async () => {
  const now = Date.now();
  const { link, camera, locationId, owner } = await shared({ showGapCauses: false });
  const times = [...Array(6).keys()].map((i) => now - DAY + i * 20 * MINUTE);
  const after = [...Array(6).keys()].map((i) => now - 4 * HOUR + i * 20 * MINUTE);
  await mintCaptures(
    camera,
    locationId,
    [...times, ...after].map((capturedAt) => ({ capturedAt })),
  );
  await testDatabase()
    .insert(cameraConditions)
    .values({ cameraId: camera.id, kind: "paused", startedAt: now - DAY, endedAt: now, detail: {} });
  const causes = async () => {
    const response = await read(link.token, `/${camera.id}/timeline`);
    const { gaps, openGap } = sharedTimelineSchema.parse(await response.json());
    return [...gaps, openGap].map((gap) => gap?.cause);
  };
  expect(await causes()).toEqual(["unknown", "unknown"]);
  await expectJson(shareSchema, 200, "PATCH", `/v1/camera-shares/${link.id}`, {
    token: owner.token,
    body: { baseRevision: 1, showGapCauses: true },
  });
  expect(await causes()).toEqual(["paused", "paused"]);
});
