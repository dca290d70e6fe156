import { z } from "@hono/zod-openapi";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { credentialRefOf, READ, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/sets";
import { notFound } from "../../platform/errors";
import { orNull } from "../../platform/http/router";
import { idSchema, NIL_ID } from "../../platform/ids";
import { requireLocation } from "../../workspace";
import { filterVisible, mayReadImages, signImage } from "../archive";
import { captureSchema, presentCapture } from "../capture";
import { cameraCaptures, cameras } from "../tables";
import { visibleOfJoinedCamera } from "../visibility";
import { MOST_PREVIEWS } from "./limits";
import { readPreviews } from "./read";

export const latestBody = z
  .strictObject({
    cameraIds: z
      .array(idSchema)
      .min(1)
      .max(MOST_PREVIEWS)
      .refine((ids) => new Set(ids).size === ids.length, "must name each camera once")
      .refine((ids) => !ids.includes(NIL_ID), "must name cameras, which the nil UUID does not"),
  })
  .openapi("LatestPreviewsRequest");

export const latestSchema = z
  .object({
    items: z.array(
      z
        .object({
          cameraId: idSchema,
          capture: orNull(captureSchema),
          jpegBase64: z.string().nullable(),
          thumbnailUrl: z.string().nullable(),
        })
        .openapi("LatestPreview"),
    ),
  })
  .openapi("LatestPreviewList");

/** The id of a camera's newest image at a location, by capture time, then id. */
const newestAt = (
  locationId: string,
): SQL => sql`(SELECT c.id FROM ${cameraCaptures} AS c WHERE c.camera_id = ${cameras.id}
  AND c.location_id = ${locationId} AND c.deleted_at IS NULL ORDER BY c.captured_at DESC, c.id DESC LIMIT 1)`;

async function latestImages({ db, now }: Context, locationId: string, cameraIds: readonly string[]) {
  const rows = await db
    .select({ capture: cameraCaptures })
    .from(cameras)
    .innerJoin(cameraCaptures, and(eq(cameraCaptures.id, newestAt(locationId)), visibleOfJoinedCamera(now)))
    .where(inSet(cameras.id, cameraIds));
  return rows.map(({ capture }) => capture);
}

/**
 * The latest image of each camera at a location, in the order asked for: as a tiny picture and an address of
 * its thumbnail. Nulls for cameras that never stood there, show nothing, or are not known.
 * @throws DomainError 401, 403, 404.
 */
export async function latestPreviews(
  context: Context,
  locationId: string,
  cameraIds: readonly string[],
): Promise<z.infer<typeof latestSchema>> {
  await requireLocation(context, locationId, "LocationCameras", READ);
  const latest = await latestImages(context, locationId, cameraIds);
  const read = await readPreviews(context, latest);
  // Reading took its time: what was withdrawn or has expired meanwhile is not shown.
  if (!(await mayReadImages(context, credentialRefOf(requireUser(context)), locationId))) throw notFound();
  const visible = await filterVisible(
    context,
    latest.map(({ id }) => id),
  );
  const shown = new Map(latest.filter(({ id }) => visible.has(id)).map((row) => [row.cameraId, row]));
  const items = cameraIds.map(async (cameraId) => {
    const row = shown.get(cameraId);
    const jpegBase64 = row && read.get(row.id);
    if (!row || !jpegBase64) return { cameraId, capture: null, jpegBase64: null, thumbnailUrl: null };
    const { url } = await signImage(context, row, "thumbnail");
    return { cameraId, capture: presentCapture(row), jpegBase64, thumbnailUrl: url };
  });
  return { items: await Promise.all(items) };
}
