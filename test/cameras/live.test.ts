import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { LocationEvent } from "../../src/platform/ports";
import { mintDevice, upload } from "../support/device";
import { mintMember } from "../support/factories";
import { announceEvent, HubClient } from "../support/hub";

/* The live event of a published image reaches the connections of people who may see the camera. */

const published = (cameraId: string, capturedAtUtc: string): LocationEvent => ({
  target: "CapturePublished",
  payload: { cameraId, capturedAtUtc },
  requires: "LocationCameras",
  documentId: null,
  subject: null,
  key: cameraId,
});

test("a published image is announced only to people who may see the camera", async () => {
  const device = await mintDevice();
  const { locationId, organizationId, owner } = device;
  const viewer = await mintMember(organizationId, "member", { LocationCameras: "None" });
  const [sees, seesNot] = [await HubClient.connect(owner.token), await HubClient.connect(viewer.token)];
  expect([await sees.join(locationId), await seesNot.join(locationId)]).toEqual([null, null]);
  const { facts } = await upload(device);
  const [place, payload] = await sees.expectEvent("CapturePublished");
  expect([place, payload]).toEqual([
    locationId,
    expect.objectContaining({ cameraId: device.camera.id, capturedAtUtc: expect.stringMatching(/Z$/) }),
  ]);
  expect(Date.parse((payload as { capturedAtUtc: string }).capturedAtUtc)).toBe(Date.parse(facts.capturedAtUtc));
  // Events of a location arrive in one order, so an earlier event would have arrived before this event.
  const next = { type: "state-updated", locationId, subject: "location", subjectId: locationId } as const;
  await announceEvent({ ...next, action: "updated", revision: 2 });
  await seesNot.expectEvent("StateUpdated");
  expect(seesNot.events("CapturePublished")).toEqual([]);
  sees.close();
  seesNot.close();
});

test("of a burst of images, each camera announces the first and the last", async () => {
  const { locationId, owner } = await mintDevice();
  const client = await HubClient.connect(owner.token);
  expect(await client.join(locationId)).toBeNull();
  const burst = Array.from({ length: 500 }, (_, n) => published("busy", new Date(n * 1_000).toISOString()));
  await env.HUB_LOCATION.getByName(locationId).publish([...burst, published("calm", "2026-11-01T00:00:00.000Z")]);
  await client.expectEvent("CapturePublished", ([, payload]) => JSON.stringify(payload).includes("calm"));
  expect(client.events("CapturePublished").map((event) => event.arguments[1])).toEqual([
    expect.objectContaining(burst[0]?.payload),
    expect.objectContaining(burst.at(-1)?.payload),
    expect.objectContaining({ cameraId: "calm", capturedAtUtc: "2026-11-01T00:00:00.000Z" }),
  ]);
  client.close();
});
