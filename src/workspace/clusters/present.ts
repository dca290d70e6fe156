import { z } from "@hono/zod-openapi";
import { levelsAt, type UserCaller } from "../../access";
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
import { type ClusterRow, placeOfCluster } from "../places";

/** What one writes of a cluster. */
export const clusterFields = { name: nameSchema, description: descriptionSchema, metadata: metadataSchema };

export const clusterSchema = z
  .object({
    id: idSchema,
    organizationId: organizationIdSchema,
    ...clusterFields,
    capabilities: levelsSchema,
    ...editableFields,
  })
  .openapi("Cluster");

/** A cluster as this caller sees it. */
export const presentCluster = (caller: UserCaller, row: ClusterRow): z.infer<typeof clusterSchema> => ({
  id: row.id,
  organizationId: row.organizationId,
  name: row.name,
  description: row.description,
  metadata: row.metadata,
  capabilities: levelsAt(caller.facts, placeOfCluster(row)),
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  updatedAtUtc: toUtc(row.updatedAt),
});
