import { eq, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { queueExtraction } from "../extraction/job";
import { queueDocumentIndex } from "../library/indexing";
import { documents, documentVersions } from "../tables";

/** A version whose bytes are at their key. */
export interface CompleteVersion {
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
  /** Id of the job that draws its small and medium form; null for what is no picture. */
  derivationId: string | null;
  /** Whether its text becomes the document's. */
  isNewest: boolean;
}

/** Makes a version visible with this change: in its document, the index, the inboxes and the live views. */
export function publishVersion({ db }: Context, change: Change, given: CompleteVersion): void {
  const { documentId, tenantId, version, createdBy, at, derivationId } = given;
  const newest = sql`${documents.latestVersion} < ${version}`;
  change.add(
    db.insert(documentVersions).values({
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
    db
      .update(documents)
      .set({
        latestVersion: sql`max(${documents.latestVersion}, ${version})`,
        textStatus: sql`CASE WHEN ${newest} THEN 'pending' ELSE ${documents.textStatus} END`,
        textDetail: sql`CASE WHEN ${newest} THEN NULL ELSE ${documents.textDetail} END`,
        revision: sql`${documents.revision} + CASE WHEN ${documents.latestVersion} = 0 THEN 0 ELSE 1 END`,
        updatedAt: at,
      })
      .where(eq(documents.id, documentId)),
  );
  change.announce({ type: "document-uploaded", documentId, version, actorUserId: createdBy }, tenantId);
  const options = { tenantId, requestedBy: createdBy };
  if (given.isNewest) queueExtraction(change, { documentId, version }, options);
  if (derivationId !== null) change.job("derive-images", { documentId, version }, { ...options, id: derivationId });
  queueDocumentIndex(change, { id: documentId, tenantId });
}
