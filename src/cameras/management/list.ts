import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, isNull, max, sql } from "drizzle-orm";
import { holds, READ, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import type { Database } from "../../platform/db/database";
import { idSchema } from "../../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { locationPath, requireLocation } from "../../workspace";
import { locations } from "../../workspace/tables";
import { asItStood } from "../find";
import { cameraHealth } from "../health/tables";
import { cameraAssignments, cameraCaptures, cameras } from "../tables";
import { retainedAfter } from "../visibility";
import { cameraSchema, presentCamera } from "./present";
import { stateColumns } from "./state";

const standingSchema = cameraSchema.extend({ isHistorical: z.literal(false) }).openapi("CurrentCamera");

const historicalSchema = z
  .object({
    isHistorical: z.literal(true),
    id: idSchema,
    organizationId: idSchema,
    locationId: idSchema,
    name: z.string().openapi({ description: "What it was called when it left." }),
    timeZone: z.string().openapi({ description: "Its time zone when it left." }),
    captureIntervalMinutes: z.int().openapi({ description: "Its interval when it left." }),
    leftAtUtc: utcSchema,
    lastCaptureAtUtc: utcSchema.nullable().openapi({ description: "Its newest image here." }),
    standsAt: idSchema.nullable().openapi({ description: "Where it stands now, if you may see cameras there." }),
  })
  .openapi("HistoricalCamera", { description: "A camera that stood here once: what it took here is its history." });

export const listedCameraSchema = z.union([standingSchema, historicalSchema]).openapi("LocationCamera");

/** The statement behind the list of a location's cameras, those that stood there once included, in order of id. */
export function selectCameras(db: Database, locationId: string, after: string | null, limit: number, now: number) {
  // Of the times it stood here, the last one: SQLite takes bare columns from the row of the maximum.
  const stood = db
    .select({
      cameraId: cameraAssignments.cameraId,
      generation: max(cameraAssignments.generation).as("last_generation"),
      endedAt: cameraAssignments.endedAt,
      cameraName: cameraAssignments.cameraName,
      timeZone: cameraAssignments.timeZone,
      captureIntervalMinutes: cameraAssignments.captureIntervalMinutes,
    })
    .from(cameraAssignments)
    .where(and(eq(cameraAssignments.locationId, locationId), gt(cameraAssignments.cameraId, after ?? "")))
    .groupBy(cameraAssignments.cameraId)
    .orderBy(asc(cameraAssignments.cameraId))
    .limit(limit)
    .as("stood");
  const newestHere = sql<number | null>`(SELECT max(${cameraCaptures.capturedAt}) FROM ${cameraCaptures}
    WHERE ${cameraCaptures.cameraId} = ${cameras.id} AND ${cameraCaptures.locationId} = ${locationId}
      AND ${cameraCaptures.deletedAt} IS NULL)`;
  return db
    .select({
      camera: cameras,
      location: locations,
      state: stateColumns(now),
      stood: {
        endedAt: stood.endedAt,
        cameraName: stood.cameraName,
        timeZone: stood.timeZone,
        captureIntervalMinutes: stood.captureIntervalMinutes,
      },
      newestHere: newestHere.as("newest_here"),
    })
    .from(stood)
    .innerJoin(cameras, eq(cameras.id, stood.cameraId))
    .innerJoin(cameraHealth, eq(cameraHealth.cameraId, cameras.id))
    .leftJoin(locations, and(eq(locations.id, cameras.locationId), isNull(locations.deletedAt)))
    .orderBy(asc(stood.cameraId));
}

/** The cameras of a location, and those whose history is there. @throws DomainError 401, 403, 404. */
export async function listCameras(context: Context, locationId: string, { limit, cursor }: PageQuery) {
  await requireLocation(context, locationId, "LocationCameras", READ);
  const caller = requireUser(context);
  const { db, now } = context;
  const [after] = readCursor(cursor, z.tuple([idSchema])) ?? [null];
  const rows = await selectCameras(db, locationId, after, limit + 1, now);
  const present = (row: (typeof rows)[number]): z.infer<typeof listedCameraSchema> => {
    const { camera, location, newestHere } = row;
    if (camera.locationId === locationId)
      return { ...presentCamera(camera, locationId, row.state), isHistorical: false };
    const isVisible = location !== null && holds(caller, "LocationCameras", locationPath(location));
    const { name, timeZone, captureIntervalMinutes } = asItStood(camera, row.stood);
    const isRetained = newestHere !== null && newestHere > retainedAfter(camera, now);
    return {
      isHistorical: true,
      id: camera.id,
      organizationId: camera.organizationId,
      locationId,
      name,
      timeZone,
      captureIntervalMinutes,
      leftAtUtc: toUtc(row.stood.endedAt ?? camera.retiredAt ?? camera.updatedAt),
      lastCaptureAtUtc: toUtcOrNull(isRetained ? newestHere : null),
      standsAt: isVisible ? location.id : null,
    };
  };
  return toPage(rows, limit, (row) => [row.camera.id], present);
}
