import { createHash, randomBytes, randomUUID } from "node:crypto";
import { encode } from "jpeg-js";
import { expect } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import type { RunningService, Site } from "./running";

/* Cameras of the running service, with images that a device sent. */

/** The time from which the ages of images are counted. */
export const STARTED: number = Date.now();

/** A plain picture whose red value identifies it, with sides of 16 : 9. */
export function picture(red: number, width = 64): Uint8Array<ArrayBuffer> {
  const height = (width * 9) / 16;
  const data = new Uint8Array(4 * width * height);
  for (let at = 0; at < data.length; at += 4) data.set([red, 90, 140, 255], at);
  return Uint8Array.from(encode({ data, width, height }, 90).data);
}

export const operation = z.looseObject({
  operationId: z.string(),
  uploadUrl: z.string(),
  requiredHeaders: z.record(z.string(), z.string()),
  statusUrl: z.string(),
});
const withId = z.looseObject({ id: z.string() });

/** A camera with a paired device. */
export interface PairedCamera {
  id: string;
  /** The device's bearer. */
  bearer: string;
  assignmentGeneration: number;
  /**
   * Sends an image of this age, milliseconds, and waits until it is published. `red` identifies the picture. `width` is 64
   * pixels unless given. The service accepts four images a minute from one camera.
   */
  send(age: number, red: number, width?: number): Promise<void>;
}

/** Creates a camera with these settings at the site and pairs a device with it. */
export async function pairCamera(
  service: RunningService,
  site: Site,
  name: string,
  settings: { timeZone?: string; retentionDays?: number } = {},
): Promise<PairedCamera> {
  const path = `/v1/spatial/locations/${site.locationId}/cameras`;
  const { id } = await service.api(withId, "POST", path, site.token, { name, ...settings });
  const codes = z.looseObject({ pairingCode: z.string() });
  const { pairingCode } = await service.api(codes, "POST", `/v1/cameras/${id}/enrollments`, site.token);
  const credentialSecret = randomBytes(32).toString("hex");
  const paired = z.looseObject({ credentialId: z.string(), assignmentGeneration: z.int() });
  const redeem = "/v1/camera-ingestion/enrollments/redeem";
  const proposal = { pairingCode, credentialSecret, redemptionId: randomUUID() };
  const { credentialId, assignmentGeneration } = await service.api(paired, "POST", redeem, undefined, proposal);
  const bearer = `svccam1.${credentialId.replaceAll("-", "")}.${credentialSecret}`;
  const send = async (age: number, red: number, width?: number) => {
    const bytes = picture(red, width);
    const started = await service.api(operation, "POST", "/v1/camera-ingestion/uploads", bearer, {
      captureId: randomUUID(),
      assignmentGeneration,
      capturedAtUtc: new Date(STARTED - age).toISOString(),
      sizeBytes: bytes.byteLength,
      checksumSha256: createHash("sha256").update(bytes).digest("hex"),
      clockQuality: "synchronized",
      contentType: "image/jpeg",
    });
    const put = await fetch(started.uploadUrl, { method: "PUT", headers: started.requiredHeaders, body: bytes });
    expect(put.ok).toBe(true);
    await service.api(z.unknown(), "POST", `${started.statusUrl}/complete`, bearer);
    const state = z.looseObject({ status: z.string() });
    await eventually(
      async () => expect((await service.api(state, "GET", started.statusUrl, bearer)).status).toBe("completed"),
      LONG_PATIENCE,
    );
  };
  return { id, bearer, assignmentGeneration, send };
}

/**
 * A paired camera that has sent images of these ages, milliseconds. The red value of each image is 60 higher than the
 * red value of the image before.
 * @returns its id.
 */
export async function sendImages(
  service: RunningService,
  site: Site,
  name: string,
  ages: readonly number[],
): Promise<string> {
  const camera = await pairCamera(service, site, name);
  for (const [n, age] of ages.entries()) await camera.send(age, 60 * n);
  return camera.id;
}

const COLUMNS = `tenant_id, organization_id, camera_id, location_id, assignment_generation, received_at, completed_at,
  clock_quality, size_bytes, checksum_sha256, crc32, width, height, preview_width, preview_height`;

/**
 * Adds frames to the archive of a camera before its newest one, at equal steps. Their objects do not exist. The
 * service restarts.
 */
export const addFrames = (service: RunningService, cameraId: string, count: number, stepMs: number): Promise<void> =>
  service.restart((database) => {
    database
      .prepare(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
         INSERT INTO camera_captures (id, operation_id, captured_at, ${COLUMNS})
         SELECT printf('0192f0c1-5b7e-7cc3-8d43-%012x', n), printf('0192f0c1-5b7e-7cc3-9d43-%012x', n),
           captured_at - n * ?, ${COLUMNS}
         FROM numbers CROSS JOIN camera_captures
         WHERE id = (SELECT id FROM camera_captures WHERE camera_id = ? ORDER BY captured_at DESC LIMIT 1)`,
      )
      .run(count, stepMs, cameraId);
  });
