import { sql } from "drizzle-orm";
import { requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { newId } from "../../platform/ids";
import type { ExpectedBytes } from "../../platform/objects/store";
import { toUtc } from "../../platform/time";
import { findUpload, startUpload } from "../../uploads";
import { locationExists } from "../../workspace";
import { isTooLong, LONGEST_FULL_NAME } from "../names";
import { documentNotDeleted, documents } from "../tables";
import { DOCUMENT_PURPOSE, documentSubject } from "./purpose";
import { requireUploadTarget } from "./target";

/** Largest document, bytes. */
export const LARGEST_DOCUMENT = 100 * 1024 * 1024;

export interface NewDocument extends ExpectedBytes {
  path: string;
  fileName: string;
}

/** Refuses a path and file name that are too long together. @throws DomainError validation-failed. */
export function requireShortName(name: { path: string; fileName: string }): void {
  if (isTooLong(name))
    throw new DomainError(
      "validation-failed",
      `Path and file name may have ${LONGEST_FULL_NAME} bytes together. Shorten one of them.`,
      { errors: [{ path: "path", message: "too long together with fileName" }] },
    );
}

/**
 * Begins the upload of a document, or of a new version where the location has one of that name.
 * @throws DomainError 401, 403, 404, content-too-large, storage-full.
 */
export async function startDocumentUpload(context: Context, locationId: string, given: NewDocument) {
  const { location, documentId: only } = await requireUploadTarget(context, locationId, given);
  const { userId } = requireUser(context);
  if (given.sizeBytes > LARGEST_DOCUMENT)
    throw new DomainError("content-too-large", "A document may have 100 MiB at most. Split it into several.");
  requireShortName(given);
  const { path, fileName, ...expected } = given;
  const { db, now } = context;
  const { id, tenantId, organizationId } = location;
  const name = sql`${documents.locationId} = ${id} AND ${documents.path} = ${path} AND ${documents.fileName} = ${fileName}
    AND ${documentNotDeleted()}`;
  const change = beginChange(context).guard(locationExists(id), notFound());
  if (only !== null)
    change.guard(sql`EXISTS (SELECT 1 FROM ${documents} WHERE ${name} AND ${documents.id} = ${only})`, notFound());
  change.add(
    db
      .insert(documents)
      .values({
        id: newId(),
        tenantId,
        organizationId,
        clusterId: sql`(SELECT cluster_id FROM locations WHERE id = ${id})`,
        locationId: id,
        path,
        fileName,
        nextVersion: 2,
        createdBy: userId,
        createdAt: now,
        updatedAt: now,
      })
      .onConflictDoUpdate({
        target: [documents.locationId, documents.path, documents.fileName],
        targetWhere: sql`deleted_at IS NULL`,
        set: { nextVersion: sql`${documents.nextVersion} + 1` },
      }),
  );
  const { uploadId, uploadUrl, requiredHeaders, expiresAt } = await startUpload(context, change, {
    purpose: DOCUMENT_PURPOSE,
    tenant: { tenantId, organizationId },
    targetId: sql`(SELECT ${documents.id} FROM ${documents} WHERE ${name})`,
    subject: sql`(SELECT json_object('documentId', ${documents.id}, 'version', ${documents.nextVersion} - 1,
      'locationId', ${id}, 'path', ${path}, 'fileName', ${fileName}) FROM ${documents} WHERE ${name})`,
    expected,
    createdBy: userId,
  });
  await change.commit();
  const { documentId, version } = documentSubject.parse((await findUpload(context, uploadId))?.subject);
  return { uploadId, documentId, version, uploadUrl, requiredHeaders, expiresAtUtc: toUtc(expiresAt) };
}
