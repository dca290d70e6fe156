import { z } from "@hono/zod-openapi";
import { and, desc, eq, lt, type SQL } from "drizzle-orm";
import { WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { idSchema } from "../../platform/ids";
import { uploads } from "../../uploads/tables";
import { type FoundCamera, requireCamera, requireCameraAt } from "../find";
import { captureOperations } from "../tables";

/** Where the images to be looked at were taken: where the camera stands now, unless said otherwise. */
export const placeQuery = z.object({
  locationId: idSchema
    .optional()
    .openapi({ description: "Where they were taken; where the camera stands if left out." }),
});

/**
 * The camera at the place whose operations are looked at, for those who may change it there.
 * @throws DomainError 401, 403, 404.
 */
export const requireReviewed = (
  context: Context,
  cameraId: string,
  locationId: string | undefined,
): Promise<FoundCamera> =>
  locationId === undefined
    ? requireCamera(context, cameraId, WRITE)
    : requireCameraAt(context, cameraId, locationId, WRITE);

/** Operations of a camera at a location, with their uploads, that `more` selects. */
export const operationsAt = ({ db }: Context, { camera, location }: FoundCamera, more: SQL | undefined) =>
  db
    .select({ operation: captureOperations, upload: uploads })
    .from(uploads)
    .innerJoin(captureOperations, eq(captureOperations.id, uploads.id))
    .where(and(eq(uploads.targetId, camera.id), eq(captureOperations.locationId, location.id), more));

type Reviewed = { operation: typeof captureOperations.$inferSelect; upload: typeof uploads.$inferSelect };

/** Which page is asked for, and of which place. */
export type ReviewQuery = PageQuery & z.infer<typeof placeQuery>;

const cursorKey = z.tuple([z.string()]);

/** A page of a camera's operations at a place that `which` selects, newest first. @throws DomainError 401, 403, 404. */
export async function pageOfOperations<Item>(
  context: Context,
  cameraId: string,
  { locationId, limit, cursor }: ReviewQuery,
  which: SQL | undefined,
  present: (row: Reviewed) => Item,
) {
  const found = await requireReviewed(context, cameraId, locationId);
  const after = readCursor(cursor, cursorKey);
  const rows = await operationsAt(context, found, and(which, after === null ? undefined : lt(uploads.id, after[0])))
    .orderBy(desc(uploads.id))
    .limit(limit + 1);
  return toPage(rows, limit, ({ upload }) => [upload.id], present);
}
