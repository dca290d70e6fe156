import { z } from "@hono/zod-openapi";
import { and, eq, getTableColumns, isNotNull, isNull, sql } from "drizzle-orm";
import { requireOrganizationAdmin } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { notFound } from "../../platform/errors";
import { DAY } from "../../platform/time";
import { readStorageByKind } from "../../uploads";
import { cameras } from "../tables";
import { bytesNeeded, bytesPerDay, daysUntilFull } from "./forecast";

const bytes = (description: string) => z.int().openapi({ description });

export const storageUseSchema = z
  .object({
    limitBytes: z.int(),
    usedBytes: bytes("The sum of all kinds except the trash, which is not counted."),
    reservedBytes: bytes("Bytes of uploads that have not ended yet."),
    kinds: z.object({
      documentBytes: bytes("The newest versions of documents."),
      olderVersionBytes: bytes("The other versions of documents."),
      imageBytes: bytes("The images of cameras, including images that wait for a review."),
      brandingBytes: bytes("The files of the branding."),
      trashBytes: bytes("Deleted documents and locations that can still be restored."),
    }),
    forecast: z.object({
      cameraCount: z.int().openapi({ description: "Cameras that take images: not paused, retired or revoked." }),
      neededBytes: bytes("What these cameras need when they have run for as long as their images are kept."),
      bytesPerDay: bytes("What they add on a day now."),
      daysUntilFull: z
        .int()
        .nullable()
        .openapi({ description: "Whole days until the limit is reached. Null: not by these cameras." }),
    }),
  })
  .openapi("StorageUse");

/** Newest images of a camera from which the size of one is estimated. */
const MEASURED_IMAGES = 20;

/** The cameras that take images, with the sums of their newest ones and the time of their oldest. */
function selectGrowing({ workspace }: Context, organizationId: string) {
  // If a statement has one table, Drizzle writes its columns without the table. In these subqueries such a name is another column.
  const newest = sql`(SELECT size_bytes, width * height AS pixels FROM camera_captures
    WHERE camera_id = cameras.id AND camera_captures.location_id = cameras.location_id ORDER BY captured_at DESC LIMIT ${MEASURED_IMAGES})`;
  // One seek at each of its locations: a minimum over the view would read the whole archive.
  const oldestAt = sql<number | null>`(SELECT min(at) FROM (SELECT (SELECT captured_at FROM camera_frames
    WHERE place = p.place AND section = 0 ORDER BY captured_at LIMIT 1) AS at FROM camera_places AS p WHERE p.camera_id = cameras.id))`;
  return workspace
    .select({
      plan: getTableColumns(cameras),
      bytes: sql<number | null>`(SELECT sum(size_bytes) FROM ${newest})`,
      pixels: sql<number | null>`(SELECT sum(pixels) FROM ${newest})`,
      oldestAt,
    })
    .from(cameras)
    .where(
      and(
        eq(cameras.organizationId, organizationId),
        eq(cameras.isPaused, false),
        isNull(cameras.retiredAt),
        isNull(cameras.revokedAt),
        isNotNull(cameras.locationId),
      ),
    );
}

/**
 * Reads what an organization stores, by kind, and when its cameras reach the limit. Reads a row of each location and the
 * newest images of each camera. @throws DomainError 401, 403, 404.
 */
export async function readStorageUse(
  context: Context,
  organizationId: string,
): Promise<z.infer<typeof storageUseSchema>> {
  requireOrganizationAdmin(context, organizationId);
  const [[organization], use, growing] = await Promise.all([
    context.workspace
      .select({ limitBytes: organizations.documentStorageBytes })
      .from(organizations)
      .where(eq(organizations.id, organizationId)),
    readStorageByKind(context, organizationId),
    selectGrowing(context, organizationId),
  ]);
  if (organization === undefined) throw notFound();
  const { limitBytes } = organization;
  const { usedBytes, reservedBytes, locatedBytes, documentBytes, olderVersionBytes, trashBytes } = use;
  const plans = growing.map(({ plan, bytes: sum, pixels, oldestAt }) => {
    const measured = sum === null || pixels === null || pixels === 0 ? null : { bytes: sum, pixels };
    const age = oldestAt === null ? 0 : Math.max(0, context.now - oldestAt) / DAY;
    return {
      needed: bytesNeeded(plan, measured),
      growth: { bytesPerDay: bytesPerDay(plan, measured), days: Math.max(0, plan.retentionDays - age) },
    };
  });
  const growths = plans.map(({ growth }) => growth);
  const days = daysUntilFull(growths, limitBytes - usedBytes - reservedBytes);
  const adding = growths.filter((growth) => growth.days > 0);
  return {
    limitBytes,
    usedBytes,
    reservedBytes,
    kinds: {
      documentBytes: documentBytes - olderVersionBytes,
      olderVersionBytes,
      imageBytes: locatedBytes - documentBytes,
      brandingBytes: usedBytes - locatedBytes,
      trashBytes,
    },
    forecast: {
      cameraCount: growing.length,
      neededBytes: Math.round(plans.reduce((sum, { needed }) => sum + needed, 0)),
      bytesPerDay: Math.round(adding.reduce((sum, growth) => sum + growth.bytesPerDay, 0)),
      daysUntilFull: days === null ? null : Math.floor(days),
    },
  };
}
