import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { z } from "zod";
import { toUtc } from "../../src/platform/time";
import { expectJson } from "./call";
import { announce, complete, type Device, decided, factsOf, image, put, viewOf } from "./device";
import { mintDocument, mintLocation, mintMembers, mintOrganization } from "./factories";
import { announceEvent } from "./hub";
import { eventually, LONG_PATIENCE } from "./patience";

/* Units of work whose costs are measured: by test/platform/costs.test.ts and bench/cost. */

/** Waits until no job is queued or running. Jobs of a later time do not count. */
export const jobsDone = (): Promise<void> =>
  eventually(async () => {
    const open = "SELECT count(*) AS n FROM jobs WHERE status = 'running' OR (status = 'queued' AND run_at <= ?)";
    expect(await env.DB.prepare(open).bind(Date.now()).first("n")).toBe(0);
  }, LONG_PATIENCE);

/** Sends one frame like its device, up to the receipt and the end of all work for it. */
export async function sendFrame(device: Device): Promise<void> {
  const bytes = image();
  const view = await viewOf(await announce(device, await factsOf(bytes)));
  await put(view, bytes);
  await complete(device, view.operationId);
  await decided(view.operationId);
  await jobsDone();
}

/** An upload into a workspace in which this many other people may see it. @returns a function that announces it. */
export async function mintEvent(recipients: number): Promise<() => Promise<void>> {
  const { id: organizationId, owner } = await mintOrganization();
  const documentId = await mintDocument({ organizationId }, await mintLocation({ organizationId }));
  await mintMembers(organizationId, recipients);
  const event = { type: "document-uploaded", documentId, version: 1, actorUserId: owner.userId } as const;
  return () => announceEvent(event, organizationId);
}

/** A heartbeat of a device that took its last image at `capturedAt`, milliseconds. */
export const sendHeartbeat = (device: Device, capturedAt: number): Promise<unknown> =>
  expectJson(z.looseObject({}), 200, "POST", "/v1/camera-ingestion/heartbeat", {
    token: device.token,
    body: {
      appliedRevision: 1,
      lastCaptureAtUtc: toUtc(capturedAt),
      queueCount: 0,
      queueBytes: 0,
      freeBytes: 10_000_000_000 - (capturedAt % 1_000_000_000),
      oldestPendingAtUtc: null,
    },
  });
