import { z } from "@hono/zod-openapi";
import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { READ } from "../../access";
import type { Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/bytes";
import { beginChange, type Change } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { DomainError } from "../../platform/errors";
import { idSchema, newIdIn } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import {
  announceStorageLevel,
  confirmPendingObjects,
  forgetPendingObject,
  registerPendingObjects,
  requireFreeStorage,
} from "../../uploads";
import { type LocationRow, locationUnchanged } from "../../workspace";
import { wantsDerivatives } from "../derivatives/derivatives";
import {
  checksumSchema,
  type DocumentRow,
  objectKey,
  queueDocumentIndex,
  requireDocument,
  type VersionKey,
  type VersionRow,
} from "../document";
import { queueExtraction } from "../extraction";
import { MAX_PASSAGES_PER_SECTION, PENDING_OBJECT_LIFETIME_MS } from "../limits";
import { kindOf, sortNameOf } from "../sorting/sorting";
import { type ContainedFiles, DERIVATIVE_STATUSES, documentNotDeleted, documents, documentVersions } from "../tables";

export const versionSchema = z
  .object({
    version: z.int(),
    fileName: z.string().openapi({ description: "The file name when this version was uploaded." }),
    contentType: z.string(),
    sizeBytes: z.int(),
    checksumSha256: checksumSchema,
    derivativeStatus: z.enum(DERIVATIVE_STATUSES),
    width: z.int().nullable(),
    height: z.int().nullable(),
    pagePictures: z.int().openapi({ description: "The pages of a HEIC or TIFF file that have a picture." }),
    createdBy: idSchema.nullable(),
    createdAtUtc: utcSchema,
  })
  .openapi("DocumentVersion");

const presentVersion = (row: VersionRow): z.infer<typeof versionSchema> => ({
  version: row.version,
  fileName: row.fileName,
  contentType: row.contentType,
  sizeBytes: row.sizeBytes,
  checksumSha256: row.checksumSha256,
  derivativeStatus: row.derivativeStatus,
  width: row.width,
  height: row.height,
  pagePictures: row.pagePictures,
  createdBy: row.createdBy,
  createdAtUtc: toUtc(row.createdAt),
});

/** Lists a document's complete versions, newest first. @throws DomainError 401, 404. */
export async function listVersions(context: Context, documentId: string, query: PageQuery) {
  await requireDocument(context, documentId, READ);
  const [before] = readCursor(query.cursor, z.tuple([z.int()])) ?? [Number.MAX_SAFE_INTEGER];
  const rows = await context.workspace
    .select()
    .from(documentVersions)
    .where(and(eq(documentVersions.documentId, documentId), lt(documentVersions.version, before)))
    .orderBy(desc(documentVersions.version))
    .limit(query.limit + 1);
  return toPage(rows, query.limit, ({ version }) => [version], presentVersion);
}

export const passageSchema = z
  .object({
    chunkIndex: z.int().openapi({ description: "Position of the passage in reading order, from 0." }),
    pageNumber: z.int().nullable().openapi({ description: "Page number from 1. Null if the format has no pages." }),
    text: z.string(),
  })
  .openapi("Passage");

/** Lists the passages of a document in reading order, of one page if `page` is given. @throws DomainError 401, 404. */
export async function listPassages(
  context: Context,
  documentId: string,
  query: PageQuery & { page?: number | undefined },
) {
  const { document } = await requireDocument(context, documentId, READ);
  const [after] = readCursor(query.cursor, z.tuple([z.int()])) ?? [-1];
  const ofPage = query.page === undefined ? sql`1` : sql`s.page = ${query.page}`;
  const rows = await context.workspace.all<z.infer<typeof passageSchema>>(sql`
    SELECT s.chunk_index + t.key AS "chunkIndex", s.page AS "pageNumber", t.value AS "text"
    FROM text_sections s CROSS JOIN json_each(s.texts) t
    WHERE s.document_id = ${documentId} AND s.version = ${document.textVersion} AND ${ofPage}
      AND s.chunk_index > ${after - MAX_PASSAGES_PER_SECTION} AND s.chunk_index + t.key > ${after}
    ORDER BY s.chunk_index, t.key LIMIT ${query.limit + 1}`);
  return toPage(
    rows,
    query.limit,
    (row) => [row.chunkIndex],
    (row) => row,
  );
}

/** A version whose bytes are stored at its key. */
interface CompleteVersion {
  documentId: string;
  tenantId: string;
  version: number;
  fileName: string;
  objectKey: string;
  contentType: string;
  sizeBytes: number;
  checksumSha256: string;
  createdBy: string | null;
  /** Milliseconds since the epoch. */
  at: number;
  /** Id of the job that makes its derivatives. Null if it is not a picture. */
  derivationId: string | null;
  /** Whether it is the newest version, whose text is the document's text. */
  isNewest: boolean;
  /** Of a document that came by mail. */
  mailed?: Mailed | undefined;
}

/** How a document belongs to a mail: it is the mail itself with this number of attachments, or an attachment. */
type Mailed = { attachments: number } | "attachment";

/** Adds a version to `change`, with its event and the jobs that extract and index it. */
export function publishVersion({ workspace }: Context, change: Change, given: CompleteVersion): void {
  const { documentId, tenantId, version, createdBy, at, derivationId } = given;
  const newest = sql`${documents.latestVersion} < ${version}`;
  change.add(
    workspace.insert(documentVersions).values({
      documentId,
      version,
      objectKey: given.objectKey,
      fileName: given.fileName,
      contentType: given.contentType,
      sizeBytes: given.sizeBytes,
      checksumSha256: given.checksumSha256,
      derivativeStatus: derivationId === null ? "none" : "pending",
      createdBy,
      createdAt: at,
    }),
    workspace
      .update(documents)
      .set({
        latestVersion: sql`max(${documents.latestVersion}, ${version})`,
        textStatus: sql`CASE WHEN ${newest} THEN 'pending' ELSE ${documents.textStatus} END`,
        textDetail: sql`CASE WHEN ${newest} THEN NULL ELSE ${documents.textDetail} END`,
        kind: sql`CASE WHEN ${newest} THEN ${kindOf(given.contentType, given.fileName)} ELSE ${documents.kind} END`,
        sizeBytes: sql`CASE WHEN ${newest} THEN ${given.sizeBytes} ELSE ${documents.sizeBytes} END`,
        revision: sql`${documents.revision} + CASE WHEN ${documents.latestVersion} = 0 THEN 0 ELSE 1 END`,
        updatedAt: at,
      })
      .where(eq(documents.id, documentId)),
  );
  // A mail has no actor, so its person gets the notification too.
  const { mailed } = given;
  const by = mailed === undefined ? { actorUserId: createdBy } : { actorUserId: null, mailed };
  change.announce({ type: "document-uploaded", documentId, version, ...by }, tenantId);
  const options = { tenantId, requestedBy: createdBy };
  if (given.isNewest) queueExtraction(change, { documentId, version }, options);
  if (derivationId !== null) change.job("derive-images", { documentId, version }, { ...options, id: derivationId });
  queueDocumentIndex(change, { id: documentId, tenantId });
}

/** Statement that writes the state of a version while a condition holds. */
export const setContainedFiles = (
  { workspace }: Context,
  { documentId, version }: VersionKey,
  state: ContainedFiles,
  condition: SQL,
) =>
  workspace
    .update(documentVersions)
    .set({ containedFiles: state })
    .where(and(eq(documentVersions.documentId, documentId), eq(documentVersions.version, version), condition));

/** A file that the service itself has created for a location, or that came by mail. */
interface GeneratedFile {
  /** The document that gets a new version. Null creates a document at `path` and `fileName`. */
  document: DocumentRow | null;
  path: string;
  fileName: string;
  contentType: string;
  bytes: Uint8Array<ArrayBuffer>;
  createdBy: string;
  mailed?: Mailed;
}

const changed = (): DomainError =>
  new DomainError("unavailable", "The document was changed in the meantime. Try again.", { retryAfter: 2 });

/** Registers a pending object, if the storage limit allows its bytes. @throws DomainError storage-full. */
async function hold(context: Context, location: LocationRow, key: string, chargedBytes: number): Promise<void> {
  const { tenantId } = location;
  // An object of an earlier attempt is overwritten and not counted twice.
  const change = beginChange(context, tenantId).add(forgetPendingObject(context, key));
  requireFreeStorage(context, change, location, chargedBytes);
  registerPendingObjects(context, change, [{ key, tenantId, chargedBytes }], PENDING_OBJECT_LIFETIME_MS);
  await change.commit();
}

/**
 * Writes a file and adds it to `change` as a version of a document: counted, announced and indexed like an upload. If the
 * change does not commit, the purge deletes the object. The caller checks the access.
 * @throws DomainError storage-full; at commit, unavailable if the document or location changed in the meantime.
 */
export async function addGeneratedVersion(
  context: Context,
  change: Change,
  location: LocationRow,
  file: GeneratedFile,
): Promise<{ documentId: string; version: number }> {
  const { workspace, now, objects } = context;
  const { tenantId, organizationId } = location;
  const { document, path, fileName, bytes, contentType, createdBy, mailed } = file;
  const sizeBytes = bytes.length;
  const [documentId, version] = document === null ? [newIdIn(tenantId), 1] : [document.id, document.nextVersion];
  const name = document ?? { path, fileName };
  const key = objectKey({ tenantId, documentId }, name, version);
  const checksumSha256 = await sha256Hex(bytes);
  await announceStorageLevel(context, change, location, sizeBytes);
  await hold(context, location, key, sizeBytes);
  await objects.write(key, bytes, { contentType, sizeBytes, checksumSha256 });
  change.guard(locationUnchanged(location), changed());
  if (document === null)
    change
      .add(
        workspace
          .insert(documents)
          .values({
            id: documentId,
            tenantId,
            organizationId,
            clusterId: location.clusterId,
            locationId: location.id,
            path,
            fileName,
            sortName: sortNameOf(fileName),
            nextVersion: 2,
            createdBy,
            createdAt: now,
            updatedAt: now,
          })
          .onConflictDoNothing(),
      )
      .guardChanged(changed());
  else
    change
      .add(
        workspace
          .update(documents)
          .set({ nextVersion: version + 1 })
          .where(
            and(
              eq(documents.id, documentId),
              eq(documents.nextVersion, version),
              eq(documents.locationId, location.id),
              documentNotDeleted(),
            ),
          ),
      )
      .guardChanged(changed());
  confirmPendingObjects(context, change, [key], sql`1`);
  publishVersion(context, change, {
    documentId,
    tenantId,
    version,
    fileName: name.fileName,
    objectKey: key,
    contentType,
    sizeBytes,
    checksumSha256,
    createdBy,
    at: now,
    derivationId: wantsDerivatives(context, contentType) ? newIdIn(tenantId) : null,
    isNewest: true,
    mailed,
  });
  return { documentId, version };
}
