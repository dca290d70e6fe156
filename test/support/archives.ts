import { env } from "cloudflare:workers";
import { inArray } from "drizzle-orm";
import type { Archive } from "../../src/cameras/archive";
import { cameras } from "../../src/cameras/tables";
import { newIdIn } from "../../src/platform/ids";
import { testDatabase } from "./statements";

/** An image of a random archive. Images with `deleted` are invisible. */
export interface Taken {
  id: string;
  capturedAt: number;
  deleted?: boolean;
}

/** Writes archives, each of a new camera, with four statements. The operation of an image has the image's id. */
export async function mintArchives(
  organizationId: string,
  locationId: string,
  archives: readonly (readonly Taken[])[],
  {
    retentionDays,
    sizeBytes = 1,
    crc32 = 0,
    checksumSha256 = "0".repeat(64),
  }: { retentionDays: number; sizeBytes?: number; crc32?: number; checksumSha256?: string },
): Promise<Archive[]> {
  const ids = archives.map(() => newIdIn(organizationId));
  const frames = archives.flatMap((taken, i) => taken.map((frame) => ({ ...frame, cameraId: ids[i] })));
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO cameras (id, tenant_id, organization_id, location_id, name, capture_interval_minutes, retention_days,
         capture_width, capture_height, jpeg_quality, time_zone, created_at, updated_at)
       SELECT value, ?1, ?1, ?2, 'Camera', 20, ?3, 1920, 1080, 90, 'UTC', 0, 0 FROM json_each(?4)`,
    ).bind(organizationId, locationId, retentionDays, JSON.stringify(ids)),
    env.DB.prepare(
      "INSERT INTO camera_assignments (camera_id, generation, location_id, started_at) SELECT value, 1, ?1, 0 FROM json_each(?2)",
    ).bind(locationId, JSON.stringify(ids)),
    env.DB.prepare(
      `INSERT INTO camera_captures (id, tenant_id, organization_id, camera_id, location_id, assignment_generation, operation_id,
         captured_at, received_at, completed_at, clock_quality, size_bytes, checksum_sha256, crc32, width, height,
         preview_width, preview_height)
       SELECT value ->> 'id', ?1, ?1, value ->> 'cameraId', ?2, 1, value ->> 'id', value ->> 'capturedAt', value ->> 'capturedAt',
         value ->> 'capturedAt', 'synchronized', ?3, ?4, ?5, 1920, 1080, 128, 72
       FROM json_each(?6)`,
    ).bind(organizationId, locationId, sizeBytes, checksumSha256, crc32, JSON.stringify(frames)),
    env.DB.prepare(
      `UPDATE camera_frames SET section = 2, deleted_at = 1 WHERE id IN (SELECT value ->> 'id' FROM json_each(?)
         WHERE value ->> 'deleted')`,
    ).bind(JSON.stringify(frames)),
  ]);
  const rows = await testDatabase().select().from(cameras).where(inArray(cameras.id, ids));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const camera = byId.get(id);
    return camera === undefined ? [] : [{ camera, locationId }];
  });
}
