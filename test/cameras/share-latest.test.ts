import { describe, expect, test } from "vitest";
import { sharedLatestSchema } from "../../src/cameras/previews/previews";
import { DAY, HOUR, MINUTE, toUtc } from "../../src/platform/time";
import { call, expectJson } from "../support/call";
import { hideCaptures, mintAssignment, mintCamera, mintCameraSite, mintImage } from "../support/cameras";
import { mintLocation } from "../support/factories";
import { mintShare, withShare } from "../support/shares";

const path = "/v1/shared-cameras/latest-previews";
const now = Date.now();

const previewsOf = async (token: string, cameraIds: string[]) =>
  (await expectJson(sharedLatestSchema, 200, "POST", path, { headers: withShare(token), body: { cameraIds } })).items;
/** The id of the latest capture of each camera; null without one. */
const latestOf = async (token: string, cameraIds: string[]) =>
  (await previewsOf(token, cameraIds)).map(({ preview }) => preview?.captureId ?? null);

describe("latest previews of a link", () => {
  test("are in the requested order, with null for a camera without an image and for one of another link", async () => {
    const { organizationId, locationId, camera: gate } = await mintCameraSite();
    const [crane, hidden] = [
      await mintCamera(organizationId, locationId),
      await mintCamera(organizationId, locationId),
    ];
    await mintImage(gate, locationId, { capturedAt: now - 2 * HOUR });
    const last = await mintImage(gate, locationId, { capturedAt: now - HOUR });
    await mintImage(hidden, locationId, { capturedAt: now - HOUR });
    const { token } = await mintShare(organizationId, locationId, [gate.id, crane.id]);
    const items = await previewsOf(token, [hidden.id, crane.id, gate.id]);
    expect(items).toEqual([
      { cameraId: hidden.id, preview: null },
      { cameraId: crane.id, preview: null },
      {
        cameraId: gate.id,
        preview: {
          captureId: last.id,
          capturedAtUtc: toUtc(now - HOUR),
          width: 128,
          height: 72,
          jpegBase64: expect.stringMatching(/^\/9j\//),
        },
      },
    ]);
    await hideCaptures([last.id], now);
    expect(await latestOf(token, [gate.id])).not.toEqual([last.id]);
  });

  test("show nothing from another location, nor from outside the link's time", async () => {
    const { organizationId, locationId, camera } = await mintCameraSite();
    const { id: elsewhere } = await mintLocation({ organizationId });
    await mintAssignment(camera.id, elsewhere, { generation: 2 });
    const [from, until] = [now - 3 * DAY, now - 2 * DAY];
    const before = await mintImage(camera, locationId, { capturedAt: from - 1 });
    const link = (terms: Parameters<typeof mintShare>[3]) => mintShare(organizationId, locationId, [camera.id], terms);
    const [all, early, timed] = [
      await link({}),
      await link({ shownUntil: from - 1 }),
      await link({ shownFrom: from, shownUntil: until }),
    ];
    expect(await latestOf(timed.token, [camera.id])).toEqual([null]);
    const within = await mintImage(camera, locationId, { capturedAt: until });
    const after = await mintImage(camera, locationId, { capturedAt: now - MINUTE });
    await mintImage(camera, elsewhere, { capturedAt: now });
    expect(await latestOf(all.token, [camera.id])).toEqual([after.id]);
    expect(await latestOf(early.token, [camera.id])).toEqual([before.id]);
    expect(await latestOf(timed.token, [camera.id])).toEqual([within.id]);
  });

  test("accept one to thirty-two distinct cameras", async () => {
    const { organizationId, locationId, camera } = await mintCameraSite();
    const { token } = await mintShare(organizationId, locationId, [camera.id]);
    const ids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());
    for (const [cameraIds, status] of [
      [[], 400],
      [[camera.id, camera.id], 400],
      [ids(33), 400],
      [ids(32), 200],
    ] as const)
      expect((await call("POST", path, { headers: withShare(token), body: { cameraIds } })).status).toBe(status);
  });
});
