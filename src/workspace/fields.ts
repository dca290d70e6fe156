import { z } from "@hono/zod-openapi";
import { CAPABILITIES, type CapabilityMap, LEVELS, levelOf } from "../access";
import { freeJson, lineSchema, textSchema } from "../platform/http/fields";
import { idSchema } from "../platform/ids";
import { utcSchema } from "../platform/time";
import { METADATA_LIMITS } from "./limits";

/** The name of a resource. */
export const nameSchema = lineSchema(200).openapi({ example: "North yard" });

export const descriptionSchema = textSchema(4_000);
export const metadataSchema = freeJson(METADATA_LIMITS);

/** The revision that the client read before its write. A stale revision is refused with 409. */
export const baseRevisionSchema = z.int().min(1).optional();

/** The body of a PATCH: at least one of the fields, and optionally the revision that the client read. */
export const patchSchema = <T extends z.ZodRawShape>(shape: T) =>
  z
    .strictObject({ ...z.object(shape).partial().shape, baseRevision: baseRevisionSchema })
    .refine((body) => Object.keys(body).some((key) => key !== "baseRevision"), "change at least one field");

/** The caller's level of each capability on a resource. */
export const levelsSchema = z.record(z.enum(CAPABILITIES), z.enum(LEVELS)).openapi("Levels");

/** The caller's levels as a part of the ETag, because they change the answer without a new revision. */
export const levelsTag = (levels: Required<CapabilityMap>): string =>
  CAPABILITIES.map((c) => levelOf(levels[c])).join("");

/** Fields of every editable resource. */
export const editableFields = { revision: z.int(), createdAtUtc: utcSchema, updatedAtUtc: utcSchema };

/** The organization of a resource; null means a personal workspace. */
export const organizationIdSchema = idSchema.nullable();

/** Sort key of lists that are ordered by id. */
export const idKey = z.tuple([idSchema]);
