import { z } from "@hono/zod-openapi";
import { CAPABILITIES, type CapabilityMap, LEVELS, levelOf } from "../access";
import { freeJson } from "../platform/http/free-json";
import { lineSchema, textSchema } from "../platform/http/text";
import { idSchema } from "../platform/ids";
import { utcSchema } from "../platform/time";

/** Largest size of a thing's `metadata`, bytes as JSON, and its deepest nesting. */
export const METADATA_LIMITS = { largestBytes: 16 * 1024, deepest: 8 };

/** What things are called. */
export const nameSchema = lineSchema(200).openapi({ example: "North yard" });

export const descriptionSchema = textSchema(4_000);
export const metadataSchema = freeJson(METADATA_LIMITS);

/** The revision a write was made from; a stale one is refused with 409. */
export const baseRevisionSchema = z.int().min(1).optional();

/** A PATCH body: any of the fields, at least one, and the revision it was made from. */
export const patchSchema = <T extends z.ZodRawShape>(shape: T) =>
  z
    .strictObject({ ...z.object(shape).partial().shape, baseRevision: baseRevisionSchema })
    .refine((body) => Object.keys(body).some((key) => key !== "baseRevision"), "name at least one field to change");

/** The caller's level of each capability at a place. */
export const levelsSchema = z.record(z.enum(CAPABILITIES), z.enum(LEVELS)).openapi("Levels");

/** The caller's levels as a part of a validator: they change what is shown, and no revision. */
export const levelsTag = (levels: Required<CapabilityMap>): string =>
  CAPABILITIES.map((c) => levelOf(levels[c])).join("");

/** Fields that everything editable shows. */
export const editableFields = { revision: z.int(), createdAtUtc: utcSchema, updatedAtUtc: utcSchema };

/** Where a thing is: null organization is somebody's personal workspace. */
export const organizationIdSchema = idSchema.nullable();

/** Sort key of lists in order of id. */
export const idKey = z.tuple([idSchema]);
