import { z } from "@hono/zod-openapi";
import { levelsAt, type UserCaller } from "../../access";
import { textSchema } from "../../platform/http/text";
import { idSchema } from "../../platform/ids";
import { toUtc } from "../../platform/time";
import {
  descriptionSchema,
  editableFields,
  levelsSchema,
  metadataSchema,
  nameSchema,
  organizationIdSchema,
} from "../fields";
import { type LocationRow, placeOfLocation } from "../places";

/** What one writes of a location. Coordinates are WGS 84 degrees, both or none. */
export const locationFields = {
  clusterId: idSchema,
  name: nameSchema,
  description: descriptionSchema,
  address: textSchema(500).nullable(),
  latitude: z.number().min(-90).max(90).nullable(),
  longitude: z.number().min(-180).max(180).nullable(),
  metadata: metadataSchema,
};

export const locationSchema = z
  .object({
    id: idSchema,
    organizationId: organizationIdSchema,
    ...locationFields,
    capabilities: levelsSchema,
    ...editableFields,
  })
  .openapi("Location");

/** A location as this caller sees it. */
export const presentLocation = (caller: UserCaller, row: LocationRow): z.infer<typeof locationSchema> => ({
  id: row.id,
  organizationId: row.organizationId,
  clusterId: row.clusterId,
  name: row.name,
  description: row.description,
  address: row.address,
  latitude: row.latitude,
  longitude: row.longitude,
  metadata: row.metadata,
  capabilities: levelsAt(caller.facts, placeOfLocation(row)),
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  updatedAtUtc: toUtc(row.updatedAt),
});
