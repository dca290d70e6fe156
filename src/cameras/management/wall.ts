import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { idsInScope, inScope, pageAcross, requireUser, scopeOf } from "../../access";
import type { Context } from "../../platform/context";
import { pageSchema, readCursor, toPage } from "../../platform/db/cursor";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { idKey, spatialQuery, tenantFilter, within } from "../../workspace";
import { locations } from "../../workspace/tables";
import { gapSchema, lastDayOf, presentGap } from "../archive";
import { cameraHealth, cameras } from "../tables";
import { cameraSchema, presentCamera, stateColumns } from "./cameras";

export const wallQuery = spatialQuery.extend({
  locationId: idSchema.optional().openapi({ description: "Lists only cameras of this location." }),
});

const wallCameraSchema = cameraSchema
  .extend({
    locationName: z.string(),
    lastDay: z
      .object({ fromUtc: utcSchema, toUtc: utcSchema, gaps: z.array(gapSchema) })
      .openapi({ description: "The last 24 hours. A gap lasts at least three intervals and half an hour." }),
  })
  .openapi("WallCamera");

export const wallSchema = pageSchema("WallCameraList", wallCameraSchema);

/** The cameras that the caller may see and that are not retired, ordered by id. @throws DomainError 401. */
export async function listWallCameras(context: Context, query: z.infer<typeof wallQuery>) {
  const { now } = context;
  const caller = requireUser(context);
  const [after] = readCursor(query.cursor, idKey) ?? [null];
  const { includeShared, organizationId, limit } = query;
  const scope = within(scopeOf(caller.facts, "LocationCameras", "content", { includeShared }), caller, organizationId);
  const where = and(
    isNull(cameras.retiredAt),
    tenantFilter(cameras, organizationId),
    sql`EXISTS (SELECT 1 FROM ${locations} WHERE ${locations.id} = ${cameras.locationId} AND ${locations.deletedAt} IS NULL)`,
  );
  const columns = { tenantId: cameras.tenantId, locationId: cameras.locationId };
  // A camera's row names its location alone, so a grant on a cluster is a grant on its locations.
  const locationsOf = (clusterIds: SQL) =>
    sql`(SELECT ${locations.id} AS value FROM ${locations}
      WHERE ${locations.clusterId} IN (SELECT value FROM ${clusterIds}) AND ${locations.deletedAt} IS NULL)`;
  const table = { table: cameras, id: cameras.id, columns, where: where ?? sql`1`, locationsOf };
  const condition =
    query.locationId === undefined
      ? sql`${cameras.id} IN (${idsInScope(scope, table, { after, limit: limit + 1 })})`
      : and(
          eq(cameras.locationId, query.locationId),
          gt(cameras.id, after ?? ""),
          where,
          inScope(scope, { ...columns, clusterId: locations.clusterId }),
        );
  const rows = await pageAcross(context, limit + 1, async (there) => {
    const found = await there.workspace
      .select({ camera: cameras, location: { id: locations.id, name: locations.name }, state: stateColumns(now) })
      .from(cameras)
      .innerJoin(cameraHealth, eq(cameraHealth.cameraId, cameras.id))
      .innerJoin(locations, eq(locations.id, cameras.locationId))
      .where(condition)
      .orderBy(asc(cameras.id))
      .limit(limit + 1);
    const days = await lastDayOf(
      there,
      found.slice(0, limit).map(({ camera }) => camera.id),
    );
    return found.map((row) => ({ ...row, id: row.camera.id, day: days.get(row.camera.id) }));
  });
  const present = ({ camera, location, state, day }: (typeof rows)[number]): z.infer<typeof wallCameraSchema> => ({
    ...presentCamera(camera, location.id, state),
    locationName: location.name,
    lastDay: {
      fromUtc: toUtc(day?.from ?? now),
      toUtc: toUtc(day?.to ?? now),
      gaps: (day?.gaps ?? []).map(presentGap),
    },
  });
  return toPage(rows, limit, (row) => [row.id], present);
}
