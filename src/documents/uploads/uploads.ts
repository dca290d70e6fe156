import { z } from "@hono/zod-openapi";
import { and, eq, isNull, sql } from "drizzle-orm";
import { holds, READ, requireLevel, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, forbidden, notFound } from "../../platform/errors";
import { idSchema, newIdIn } from "../../platform/ids";
import type { ExpectedBytes } from "../../platform/objects/store";
import { drawnType, hasPreview } from "../../platform/pictures/drawn";
import { pictureType } from "../../platform/pictures/headers";
import { toUtc } from "../../platform/time";
import {
  cancelUpload,
  completeUpload,
  findUpload,
  partCount,
  receivedParts,
  resumeUpload,
  resumeUploadInParts,
  signParts,
  startUpload,
  startUploadInParts,
  type UploadPurpose,
  UploadRejection,
  type UploadRow,
} from "../../uploads";
import { uploads } from "../../uploads/tables";
import { findLocation, type LocationRow, locationExists, locationPath, requireLocation } from "../../workspace";
import { locations } from "../../workspace/tables";
import { deriveImmediately, wantsDerivatives } from "../derivatives/derivatives";
import {
  documentPath,
  type FoundDocument,
  objectKey,
  requireDocument,
  requireShortName,
  selectDocuments,
} from "../document";
import { MAX_DOCUMENT_BYTES, MAX_WHOLE_UPLOAD_BYTES } from "../limits";
import { sortNameOf } from "../sorting/sorting";
import { documentNotDeleted, documents } from "../tables";
import { publishVersion } from "../versions/versions";

/** The target of an upload. */
interface UploadTarget {
  location: LocationRow;
  /** The only document that the caller may add a version to. Null if the caller may also add documents. */
  documentId: string | null;
}

interface NewDocument extends ExpectedBytes {
  path: string;
  fileName: string;
}

/**
 * Starts the upload of a document, or of a new version if the location has a document with that path and name. The
 * caller's open upload of the same file continues instead, unless a later upload of the document was started.
 * @throws DomainError 401, 403, 404, content-too-large, storage-full.
 */
export async function startDocumentUpload(context: Context, locationId: string, given: NewDocument) {
  const { location, documentId: only } = await requireUploadTarget(context, locationId, given);
  if (given.sizeBytes > MAX_WHOLE_UPLOAD_BYTES)
    throw new DomainError(
      "content-too-large",
      "A file of more than 100 MiB is sent in parts. Start the upload at `documents/uploads`.",
    );
  requireShortName(given);
  const same = await sameUpload(context, location, given);
  if (same !== null) {
    const open = await resumeUpload(context, same.change, same.upload);
    if (open !== null) {
      await same.change.commit();
      const { row, uploadUrl, requiredHeaders, expiresAt } = open;
      const started = { ...targetOf(row), uploadUrl, requiredHeaders, expiresAtUtc: toUtc(expiresAt) };
      return { started, isNew: false };
    }
  }
  const { change, upload } = newUpload(context, location, only, given);
  const { uploadId, uploadUrl, requiredHeaders, expiresAt } = await startUpload(context, change, upload);
  await change.commit();
  const target = targetOf(await requireStarted(context, uploadId));
  return { started: { ...target, uploadUrl, requiredHeaders, expiresAtUtc: toUtc(expiresAt) }, isNew: true };
}

/** The same for an upload in parts. @throws DomainError as `startDocumentUpload`. */
export async function startPartedUpload(context: Context, locationId: string, given: NewDocument) {
  const { location, documentId: only } = await requireUploadTarget(context, locationId, given);
  if (given.sizeBytes > MAX_DOCUMENT_BYTES)
    throw new DomainError("content-too-large", "A document may have at most 2 GiB. Split it into several documents.");
  requireShortName(given);
  const same = await sameUpload(context, location, given);
  if (same !== null) {
    const open = await resumeUploadInParts(context, same.change, same.upload);
    if (open !== null) {
      await same.change.commit();
      return { upload: await requireStarted(context, open.id), isNew: false };
    }
  }
  const { change, upload } = newUpload(context, location, only, given);
  const uploadId = startUploadInParts(context, change, upload);
  await change.commit();
  return { upload: await requireStarted(context, uploadId), isNew: true };
}

async function requireStarted(context: Context, uploadId: string): Promise<UploadRow> {
  const upload = await findUpload(context, uploadId);
  if (upload === null) throw notFound();
  return upload;
}

/** The version that an upload makes. */
const targetOf = ({ id: uploadId, subject }: UploadRow) => {
  const { documentId, version } = documentSubject.parse(subject);
  return { uploadId, documentId, version };
};

/** An upload as its owner sees it. */
export async function presentUpload(context: Context, upload: UploadRow) {
  const { path, fileName } = documentSubject.parse(upload.subject);
  return {
    ...targetOf(upload),
    path,
    fileName,
    status: upload.status,
    sizeBytes: upload.sizeBytes,
    partSizeBytes: upload.partBytes,
    partCount: partCount(upload),
    receivedParts: upload.status === "pending" && upload.partBytes !== null ? await receivedParts(context, upload) : [],
    expiresAtUtc: toUtc(upload.expiresAt),
  };
}

/** The caller's own upload, and the parts of it that have arrived. @throws DomainError 401, 403, 404. */
export async function readDocumentUpload(context: Context, locationId: string, uploadId: string) {
  const { upload } = await requireOwnUpload(context, locationId, uploadId);
  return presentUpload(context, upload);
}

/** Signs addresses for parts of the caller's own upload. @throws DomainError 400, 401, 403, 404, 409, 410. */
export async function signDocumentParts(
  context: Context,
  locationId: string,
  uploadId: string,
  parts: readonly { number: number; checksumSha256: string }[],
) {
  const { upload } = await requireOwnUpload(context, locationId, uploadId);
  return signParts(context, upload, parts);
}

/** The document or version of an upload, which `change` creates, and its upload. */
function newUpload(context: Context, location: LocationRow, only: string | null, given: NewDocument) {
  const { userId } = requireUser(context);
  const { path, fileName, ...expected } = given;
  const { workspace, now } = context;
  const { id, tenantId, organizationId } = location;
  const name = sql`${documents.locationId} = ${id} AND ${documents.path} = ${path} AND ${documents.fileName} = ${fileName}
    AND ${documentNotDeleted()}`;
  const change = beginChange(context, tenantId).guard(locationExists(id), notFound());
  if (only !== null)
    change.guard(sql`EXISTS (SELECT 1 FROM ${documents} WHERE ${name} AND ${documents.id} = ${only})`, notFound());
  change.add(
    workspace
      .insert(documents)
      .values({
        id: newIdIn(tenantId),
        tenantId,
        organizationId,
        clusterId: sql`(SELECT cluster_id FROM locations WHERE id = ${id})`,
        locationId: id,
        path,
        fileName,
        sortName: sortNameOf(fileName),
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
  const upload = {
    purpose: DOCUMENT_PURPOSE,
    tenant: { tenantId, organizationId },
    locationId: id,
    targetId: sql`(SELECT ${documents.id} FROM ${documents} WHERE ${name})`,
    subject: sql`(SELECT json_object('documentId', ${documents.id}, 'version', ${documents.nextVersion} - 1,
      'locationId', ${id}, 'path', ${path}, 'fileName', ${fileName}) FROM ${documents} WHERE ${name})`,
    expected,
    createdBy: userId,
  };
  return { change, upload };
}

/** What an open upload must have to be the caller's earlier upload of the same file. Null if there is no such document. */
async function sameUpload(context: Context, location: LocationRow, given: NewDocument) {
  const { path, fileName, ...expected } = given;
  const [document] = await context.workspace
    .select({ id: documents.id, nextVersion: documents.nextVersion })
    .from(documents)
    .where(
      and(
        eq(documents.locationId, location.id),
        eq(documents.path, path),
        eq(documents.fileName, fileName),
        documentNotDeleted(),
      ),
    );
  if (document === undefined) return null;
  // An earlier version would not become the newest one.
  const isLatest = sql`json_extract(${uploads.subject}, '$.version') = ${document.nextVersion - 1}`;
  const isHere = sql`json_extract(${uploads.subject}, '$.locationId') = ${location.id}`;
  const change = beginChange(context, location.tenantId).guard(locationExists(location.id), notFound());
  const upload = {
    purpose: DOCUMENT_PURPOSE,
    targetId: document.id,
    expected,
    createdBy: requireUser(context).userId,
    where: and(isLatest, isHere),
  };
  return { change, upload };
}

/**
 * Cancels the caller's own open upload, and releases its reserved bytes. A repetition does no harm.
 * @throws DomainError 401, 403, 404, upload-ended (410) after its completion.
 */
export async function cancelDocumentUpload(context: Context, locationId: string, uploadId: string): Promise<void> {
  const { upload } = await requireOwnUpload(context, locationId, uploadId);
  await cancelUpload(context, documentUploads, upload);
}

/**
 * Completes the caller's own upload and returns the document. A repetition gives the same answer. The caller needs Write
 * at the document's current location.
 * @throws DomainError 401, 403, 404, 410, 422, 503.
 */
export async function completeDocumentUpload(
  context: Context,
  locationId: string,
  uploadId: string,
): Promise<FoundDocument> {
  const { upload, subject } = await requireOwnUpload(context, locationId, uploadId);
  await completeUpload(context, upload);
  await deriveImmediately(context, subject, derivationOf(upload));
  return requireDocument(context, subject.documentId, READ);
}

/** The caller's own upload, if they have Write where its document is now. @throws DomainError 401, 403, 404. */
async function requireOwnUpload(context: Context, locationId: string, uploadId: string) {
  const { userId } = requireUser(context);
  if ((await findLocation(context, locationId)) === null) throw notFound();
  const upload = await findUpload(context, uploadId);
  if (upload === null || upload.purpose !== DOCUMENT_PURPOSE || upload.createdBy !== userId) throw notFound();
  const subject = documentSubject.parse(upload.subject);
  if (subject.locationId !== locationId) throw notFound();
  const [document] = await context.workspace
    .select()
    .from(documents)
    .where(and(eq(documents.id, subject.documentId), documentNotDeleted()));
  if (document !== undefined) requireLevel(context, documentPath(document), "LocationView", "Documents", WRITE);
  // If the document was deleted, `completeUpload` says how the upload ended.
  else await requireLocation(context, locationId, "Documents", WRITE);
  return { upload, subject };
}

const DOCUMENT_PURPOSE = "document";

/** The subject of a document's upload: the path, name and location at its start. */
const documentSubject = z.object({
  documentId: idSchema,
  locationId: idSchema,
  version: z.int(),
  path: z.string(),
  fileName: z.string(),
});

type DocumentSubject = z.infer<typeof documentSubject>;

/** Uploads of document versions. */
export const documentUploads: UploadPurpose<DocumentSubject> = {
  name: DOCUMENT_PURPOSE,
  subject: documentSubject,
  finalKey: (subject, { tenantId }) =>
    objectKey({ tenantId, documentId: subject.documentId }, subject, subject.version),

  async publish(context, change, { documentId, version, fileName }, upload, bytes) {
    const { workspace } = context;
    const [document] = await workspace
      .select({ latestVersion: documents.latestVersion })
      .from(documents)
      .innerJoin(locations, and(eq(locations.id, documents.locationId), isNull(locations.deletedAt)))
      .where(and(eq(documents.id, documentId), documentNotDeleted()));
    if (document === undefined) throw gone();
    const exists = sql`EXISTS (SELECT 1 FROM ${documents} JOIN ${locations} ON ${locations.id} = ${documents.locationId}
      WHERE ${documents.id} = ${documentId} AND ${documentNotDeleted()} AND ${locations.deletedAt} IS NULL)`;
    change.guard(exists, new DomainError("conflict", "The document was deleted in the meantime."));
    const contentType = mediaTypeOf(bytes.head, upload.contentType);
    publishVersion(context, change, {
      documentId,
      tenantId: upload.tenantId,
      version,
      fileName,
      objectKey: bytes.key,
      contentType,
      sizeBytes: bytes.sizeBytes,
      checksumSha256: bytes.checksumSha256,
      createdBy: upload.createdBy,
      at: bytes.at,
      derivationId: wantsDerivatives(context, contentType) ? derivationOf(upload) : null,
      isNewest: version > document.latestVersion,
    });
  },

  /** Deletes a document without a version when its last open upload has ended. */
  abandoned({ workspace }, change, { documentId }) {
    const open = sql`EXISTS (SELECT 1 FROM ${uploads}
      WHERE ${uploads.targetId} = ${documentId} AND ${uploads.finishedAt} IS NULL AND ${uploads.status} IN ('pending', 'verifying'))`;
    change.add(
      workspace
        .delete(documents)
        .where(and(eq(documents.id, documentId), eq(documents.latestVersion, 0), sql`NOT ${open}`)),
    );
  },
};

/**
 * Checks the access of an upload. A caller with Write of a location's documents may add documents, and versions of all
 * documents. A caller with Write of one document may add versions of it. @throws DomainError 401, 403, 404.
 */
async function requireUploadTarget(
  context: Context,
  locationId: string,
  { path, fileName }: { path: string; fileName: string },
): Promise<UploadTarget> {
  const caller = requireUser(context);
  const location = await findLocation(context, locationId);
  if (location === null || !holds(caller, "Documents", locationPath(location), WRITE)) {
    // This runs even if the location does not exist, so that the time of the answer does not reveal it.
    const named = [eq(documents.locationId, locationId), eq(documents.path, path), eq(documents.fileName, fileName)];
    const [found] = await selectDocuments(context.workspace, and(...named));
    const place = found && documentPath(found.document);
    if (location && place && holds(caller, "Documents", place, WRITE))
      return { location, documentId: found.document.id };
    if (place && holds(caller, "Documents", place)) throw forbidden();
  }
  if (location === null) throw notFound();
  requireLevel(context, locationPath(location), "LocationView", "Documents", WRITE);
  return { location, documentId: null };
}

/**
 * The media type of a document. Only the bytes decide whether it is a picture: other bytes that were announced as one
 * become `application/octet-stream`. For all other files it is the announced type.
 */
export function mediaTypeOf(head: Uint8Array, announced: string): string {
  const plain = announced.split(";")[0]?.trim().toLowerCase() ?? "";
  const picture = pictureType(head) ?? drawnType(head, plain);
  if (picture !== null) return picture;
  return hasPreview(plain) ? "application/octet-stream" : announced;
}

/** Id of the job that makes a picture's derivatives. It equals the upload's id, so that `complete` can run the job at once. */
const derivationOf = ({ id }: Pick<UploadRow, "id">): string => id;

const gone = () => new UploadRejection("target-gone", "The document or its location was deleted in the meantime.");
