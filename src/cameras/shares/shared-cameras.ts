import { z } from "@hono/zod-openapi";
import { and, asc, eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/sets";
import { notFound } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import type { Archive } from "../archive";
import { asItStood, type CameraRow, findCameraAt } from "../find";
import { cameraAssignments, cameras } from "../tables";
import { requireOpenShare } from "./authenticate";

export const sharedCamerasSchema = z
  .object({
    name: z.string(),
    revision: z.int(),
    cameras: z.array(
      z.object({
        id: idSchema,
        name: z.string(),
        timeZone: z.string().openapi({ description: "IANA name of the camera's own clock at the link's location." }),
        captureIntervalMinutes: z.int(),
      }),
    ),
  })
  .openapi("SharedCameras");

const presentShared = ({ id, name, timeZone, captureIntervalMinutes }: CameraRow) => ({
  id,
  name,
  timeZone,
  captureIntervalMinutes,
});

/** What a link shows: its name, and the cameras that are still there, in its order. @throws DomainError 404. */
export async function listSharedCameras(context: Context): Promise<z.infer<typeof sharedCamerasSchema>> {
  const { name, revision, locationId, cameraIds } = requireOpenShare(context);
  const found = await context.db
    .select({ camera: cameras, stood: cameraAssignments })
    .from(cameraAssignments)
    .innerJoin(cameras, eq(cameras.id, cameraAssignments.cameraId))
    .where(and(eq(cameraAssignments.locationId, locationId), inSet(cameraAssignments.cameraId, cameraIds)))
    .orderBy(asc(cameraAssignments.generation));
  // Of the times that a camera stood there, the last one.
  const byId = new Map(found.map(({ camera, stood }) => [camera.id, presentShared(asItStood(camera, stood))]));
  return { name, revision, cameras: cameraIds.flatMap((id) => byId.get(id) ?? []) };
}

/** The archive of a camera that the link behind this call shows, at the link's location. @throws DomainError 404. */
export async function requireSharedArchive(context: Context, cameraId: string): Promise<Archive> {
  const { locationId, cameraIds } = requireOpenShare(context);
  if (!cameraIds.includes(cameraId)) throw notFound();
  const camera = await findCameraAt(context, cameraId, locationId);
  if (camera === null) throw notFound();
  return { camera, locationId };
}
