import { z } from "@hono/zod-openapi";
import { and, eq, isNull, sql } from "drizzle-orm";
import { DomainError } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import { pictureType } from "../../platform/pictures/headers";
import { type UploadPurpose, UploadRejection, type UploadRow } from "../../uploads";
import { uploads } from "../../uploads/tables";
import { locations } from "../../workspace/tables";
import { objectKey } from "../names";
import { documentNotDeleted, documents } from "../tables";
import { publishVersion } from "../versions/publish";
import { mediaTypeOf } from "./media-type";

export const DOCUMENT_PURPOSE = "document";

/** What a document's upload is published by: name and place as they were when it began. */
export const documentSubject = z.object({
  documentId: idSchema,
  locationId: idSchema,
  version: z.int(),
  path: z.string(),
  fileName: z.string(),
});
export type DocumentSubject = z.infer<typeof documentSubject>;

/** The job that makes a picture's derivatives has its upload's id, so that `complete` can run it at once. */
export const derivationOf = ({ id }: Pick<UploadRow, "id">): string => id;

const gone = () => new UploadRejection("target-gone", "The document or its location was deleted in the meantime.");

/** Uploads of document versions. */
export const documentUploads: UploadPurpose<DocumentSubject> = {
  name: DOCUMENT_PURPOSE,
  subject: documentSubject,
  finalKey: (subject, { tenantId }) =>
    objectKey({ tenantId, documentId: subject.documentId }, subject, subject.version),

  async publish(context, change, { documentId, version, fileName }, upload, bytes) {
    const { db } = context;
    const [document] = await db
      .select({ latestVersion: documents.latestVersion })
      .from(documents)
      .innerJoin(locations, and(eq(locations.id, documents.locationId), isNull(locations.deletedAt)))
      .where(and(eq(documents.id, documentId), documentNotDeleted()));
    if (document === undefined) throw gone();
    const lives = sql`EXISTS (SELECT 1 FROM ${documents} JOIN ${locations} ON ${locations.id} = ${documents.locationId}
      WHERE ${documents.id} = ${documentId} AND ${documentNotDeleted()} AND ${locations.deletedAt} IS NULL)`;
    change.guard(lives, new DomainError("conflict", "The document was deleted in the meantime."));
    publishVersion(context, change, {
      documentId,
      tenantId: upload.tenantId,
      version,
      fileName,
      objectKey: bytes.key,
      contentType: mediaTypeOf(bytes.head, upload.contentType),
      sizeBytes: bytes.sizeBytes,
      checksumSha256: bytes.checksumSha256,
      createdBy: upload.createdBy,
      at: bytes.at,
      derivationId: pictureType(bytes.head) === null ? null : derivationOf(upload),
      isNewest: version > document.latestVersion,
    });
  },

  /** A document that never had a version goes with the last upload that could have given it one. */
  abandoned({ db }, change, { documentId }) {
    const open = sql`EXISTS (SELECT 1 FROM ${uploads}
      WHERE ${uploads.targetId} = ${documentId} AND ${uploads.status} IN ('pending', 'verifying'))`;
    change.add(
      db.delete(documents).where(and(eq(documents.id, documentId), eq(documents.latestVersion, 0), sql`NOT ${open}`)),
    );
  },
};
