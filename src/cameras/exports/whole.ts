import { and, asc, lte, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { imageName, isBeyond, visibleInRange } from "../archive";
import { captureKey } from "../captures";
import { type CameraRow, findCameraAt } from "../find";
import { cameraCaptures, cameraPlaces, cameras, nameAtLocation } from "../tables";

/** The images of a whole workspace that an export has. Times in milliseconds since the epoch, both ends included. */
interface ImagesOfWorkspace {
  /** Null for all cameras. */
  cameraIds: readonly string[] | null;
  from: number | null;
  to: number | null;
}

/** A camera at a location. */
export interface CameraPlace {
  cameraId: string;
  locationId: string;
  name: string;
}

/** The chosen cameras of a workspace at each of their locations, also at former ones. */
export const readCameraPlaces = (
  { workspace }: Pick<Context, "workspace">,
  tenantId: string,
  cameraIds: readonly string[] | null,
): Promise<CameraPlace[]> =>
  workspace.all<CameraPlace>(sql`SELECT cameras.id AS cameraId, p.location_id AS locationId,
      ${nameAtLocation(sql`p.location_id`)} AS name
    FROM cameras CROSS JOIN camera_places AS p ON p.camera_id = cameras.id
    WHERE cameras.tenant_id = ${tenantId} ${cameraIds === null ? sql`` : sql`AND cameras.id IN (SELECT value FROM json_each(${JSON.stringify(cameraIds)}))`}
    ORDER BY p.location_id, p.place`);

/** An image that an export has. */
interface ExportedImage {
  id: string;
  capturedAt: number;
  fileName: string;
  key: string;
  sizeBytes: number;
  crc32: number;
}

interface Asked extends Pick<ImagesOfWorkspace, "from" | "to"> {
  /** Images that were published later are left out. */
  publishedUntil: number;
  /** Images whose retention ends before are left out. */
  retainedUntil: number;
}

const chosen = (camera: CameraRow, locationId: string, { from, to, publishedUntil, retainedUntil }: Asked) =>
  and(
    visibleInRange({ camera, locationId }, retainedUntil, { from: from ?? undefined, to: to ?? undefined }),
    lte(cameraCaptures.completedAt, publishedUntil),
  );

/** The next images of a camera at a location in the order of their times, at most `limit`. Access is not checked. */
export async function readImagesOfPlace(
  context: Pick<Context, "workspace">,
  { cameraId, locationId }: Pick<CameraPlace, "cameraId" | "locationId">,
  asked: Asked,
  after: { capturedAt: number; id: string } | null,
  limit: number,
): Promise<ExportedImage[]> {
  const camera = await findCameraAt(context, cameraId, locationId);
  if (camera === null) return [];
  const rows = await context.workspace
    .select()
    .from(cameraCaptures)
    .where(
      and(
        chosen(camera, locationId, { ...asked, from: after?.capturedAt ?? asked.from }),
        after === null ? undefined : isBeyond("newer", after.capturedAt, after.id),
      ),
    )
    .orderBy(asc(cameraCaptures.capturedAt), asc(cameraCaptures.id))
    .limit(limit);
  return rows.map((row) => ({
    ...{ id: row.id, capturedAt: row.capturedAt, sizeBytes: row.sizeBytes, crc32: row.crc32 },
    ...{ fileName: imageName(row), key: captureKey(row, "original") },
  }));
}

/** Counts the images of a workspace that an export would have, up to one more than `most`, and sums their bytes. */
export async function countImagesOfWorkspace(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  tenantId: string,
  { cameraIds, from, to }: ImagesOfWorkspace,
  most: number,
): Promise<{ count: number; bytes: number }> {
  const [row] = await workspace.all<{ count: number; bytes: number }>(
    sql`SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes FROM (SELECT ${cameraCaptures.sizeBytes} AS size
      FROM ${cameras} CROSS JOIN ${cameraPlaces} ON ${cameraPlaces.cameraId} = ${cameras.id}
      CROSS JOIN ${cameraCaptures} ON ${cameraCaptures.place} = ${cameraPlaces.place}
        AND ${cameraCaptures.capturedAt} >= ${from ?? 0} AND ${cameraCaptures.capturedAt} <= ${to ?? now}
      WHERE ${cameras.tenantId} = ${tenantId}
        ${cameraIds === null ? sql`` : sql`AND ${cameras.id} IN (SELECT value FROM json_each(${JSON.stringify(cameraIds)}))`}
      LIMIT ${most + 1})`,
  );
  return row ?? { count: 0, bytes: 0 };
}
