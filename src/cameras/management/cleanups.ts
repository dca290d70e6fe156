import { z } from "@hono/zod-openapi";
import { and, desc, eq, lt } from "drizzle-orm";
import { requireOrganizationAdmin } from "../../access";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { idSchema } from "../../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { cameraCleanups } from "./tables";

type CleanupRow = typeof cameraCleanups.$inferSelect;

export const cleanupSchema = z
  .object({
    id: idSchema,
    organizationId: idSchema,
    locationId: idSchema,
    locationName: z.string(),
    cameraId: idSchema,
    cameraName: z.string(),
    isRetired: z.boolean().openapi({
      description: "The camera stood there, and was retired; else only what it had taken there is gone.",
    }),
    requestedAtUtc: utcSchema,
    capturesRemoved: z.int(),
    bytesRemoved: z.int().openapi({ description: "Bytes of the original images." }),
    finishedAtUtc: utcSchema.nullable(),
  })
  .openapi("CameraCleanup");

const present = (row: CleanupRow): z.infer<typeof cleanupSchema> => ({
  id: row.id,
  organizationId: row.organizationId,
  locationId: row.locationId,
  locationName: row.locationName,
  cameraId: row.cameraId,
  cameraName: row.cameraName,
  isRetired: row.retired,
  requestedAtUtc: toUtc(row.requestedAt),
  capturesRemoved: row.capturesRemoved,
  bytesRemoved: row.bytesRemoved,
  finishedAtUtc: toUtcOrNull(row.finishedAt),
});

/** What deletions of locations did to cameras, newest first; for owners and admins. @throws DomainError 401, 403, 404. */
export async function listCleanups(context: Context, organizationId: string, { limit, cursor }: PageQuery) {
  requireOrganizationAdmin(context, organizationId);
  const [before] = readCursor(cursor, z.tuple([idSchema])) ?? [null];
  const rows = await context.db
    .select()
    .from(cameraCleanups)
    .where(
      and(
        eq(cameraCleanups.organizationId, organizationId),
        before === null ? undefined : lt(cameraCleanups.id, before),
      ),
    )
    .orderBy(desc(cameraCleanups.id))
    .limit(limit + 1);
  return toPage(rows, limit, (row) => [row.id], present);
}
