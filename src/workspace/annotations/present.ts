import { z } from "@hono/zod-openapi";
import { orNull } from "../../platform/http/router";
import { textSchema } from "../../platform/http/text";
import { idSchema } from "../../platform/ids";
import { toUtc } from "../../platform/time";
import { editableFields, metadataSchema, nameSchema, organizationIdSchema } from "../fields";
import type { annotations } from "../tables";

export type AnnotationRow = typeof annotations.$inferSelect;

const degrees = z.strictObject({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  altitude: z.number().optional(),
});
const ownFrame = z.strictObject({ x: z.number(), y: z.number(), z: z.number().optional() });

export const positionSchema = z.union([degrees, ownFrame]).openapi("Position");

/** What one writes of an annotation. */
export const annotationFields = {
  kind: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "is 1 to 64 letters, digits, dots, hyphens and underscores")
    .openapi({ example: "defect" }),
  title: nameSchema,
  body: textSchema(20_000),
  position: orNull(positionSchema),
  metadata: metadataSchema,
};

export const annotationSchema = z
  .object({
    id: idSchema,
    organizationId: organizationIdSchema,
    clusterId: idSchema,
    locationId: idSchema,
    ...annotationFields,
    ...editableFields,
  })
  .openapi("Annotation");

export const presentAnnotation = (row: AnnotationRow): z.infer<typeof annotationSchema> => ({
  id: row.id,
  organizationId: row.organizationId,
  clusterId: row.clusterId,
  locationId: row.locationId,
  kind: row.kind,
  title: row.title,
  body: row.body,
  position: row.position,
  metadata: row.metadata,
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  updatedAtUtc: toUtc(row.updatedAt),
});
