import { z } from "@hono/zod-openapi";
import { idSchema } from "../platform/ids";
import { toUtc, utcSchema } from "../platform/time";
import type { FoundDocument } from "./find";
import { DERIVATIVE_STATUSES, TEXT_STATUSES } from "./tables";

export const checksumSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hex characters")
  .openapi({
    description: "SHA-256 of the bytes.",
    example: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  });

export const documentSchema = z
  .object({
    id: idSchema,
    locationId: idSchema,
    clusterId: idSchema,
    organizationId: idSchema.nullable(),
    path: z.string(),
    fileName: z.string(),
    contentType: z.string(),
    sizeBytes: z.int(),
    checksumSha256: checksumSchema,
    version: z.int(),
    versionCount: z.int(),
    textStatus: z.enum(TEXT_STATUSES),
    textDetail: z.string().nullable(),
    pageCount: z.int().nullable(),
    derivativeStatus: z
      .enum(DERIVATIVE_STATUSES)
      .openapi({ description: "Small and medium forms: none for what is no picture." }),
    derivativeDetail: z.string().nullable().openapi({ description: "Why there are no small and medium forms." }),
    width: z.int().nullable().openapi({ description: "Pixels of the upright picture." }),
    height: z.int().nullable(),
    revision: z.int(),
    createdBy: idSchema.nullable(),
    createdAtUtc: utcSchema,
    updatedAtUtc: utcSchema,
  })
  .openapi("Document");

/** A document on the wire: its own fields and those of its latest version. */
export const presentDocument = ({
  document,
  version,
  versionCount,
}: FoundDocument): z.infer<typeof documentSchema> => ({
  id: document.id,
  locationId: document.locationId,
  clusterId: document.clusterId,
  organizationId: document.organizationId,
  path: document.path,
  fileName: document.fileName,
  contentType: version.contentType,
  sizeBytes: version.sizeBytes,
  checksumSha256: version.checksumSha256,
  version: version.version,
  versionCount,
  textStatus: document.textStatus,
  textDetail: document.textDetail,
  pageCount: document.pageCount,
  derivativeStatus: version.derivativeStatus,
  derivativeDetail: version.derivativeDetail,
  width: version.width,
  height: version.height,
  revision: document.revision,
  createdBy: document.createdBy,
  createdAtUtc: toUtc(document.createdAt),
  updatedAtUtc: toUtc(document.updatedAt),
});

/**
 * What jobs change of a document between two revisions. It is part of the ETag, so that a reader sees
 * it, and no part of the revision, so that a writer is not refused for it.
 */
export const progressOf = ({ document, version }: FoundDocument): string =>
  [document.textStatus, document.textVersion, document.pageCount ?? "none", version.derivativeStatus].join("-");
