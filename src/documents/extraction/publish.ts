import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import type { VersionKey } from "../document";
import { documentNotDeleted, documents, documentVersions, passages, type TextStatus } from "../tables";
import type { Passage } from "./passages";

/** Loads a version with its document. Null if the document was deleted or has a newer version. */
export async function loadVersion({ db }: Context, { documentId, version }: VersionKey) {
  const [found] = await db
    .select({
      tenantId: documents.tenantId,
      organizationId: documents.organizationId,
      locationId: documents.locationId,
      textStatus: documents.textStatus,
      pageCount: documents.pageCount,
      objectKey: documentVersions.objectKey,
      fileName: documentVersions.fileName,
      contentType: documentVersions.contentType,
      sizeBytes: documentVersions.sizeBytes,
    })
    .from(documentVersions)
    .innerJoin(documents, eq(documents.id, documentVersions.documentId))
    .where(
      and(
        eq(documentVersions.documentId, documentId),
        eq(documentVersions.version, version),
        eq(documents.latestVersion, version),
        documentNotDeleted(),
      ),
    );
  return found ?? null;
}

/**
 * Writes passages in one statement, which can be repeated: an existing passage keeps its id, which the search index
 * refers to. It writes nothing for a deleted document.
 */
export function insertPassages(of: VersionKey, batch: readonly Passage[]): SQL {
  const rows = JSON.stringify(batch.map(({ page, chunkIndex, text }) => [page, chunkIndex, text]));
  return sql`INSERT INTO ${passages} (document_id, version, page, chunk_index, text)
    SELECT ${of.documentId}, ${of.version}, value ->> 0, value ->> 1, value ->> 2 FROM json_each(${rows})
    WHERE EXISTS (SELECT 1 FROM ${documents} WHERE id = ${of.documentId} AND ${documentNotDeleted()})
    ON CONFLICT (document_id, version, chunk_index) DO UPDATE SET page = excluded.page, text = excluded.text
    WHERE text IS NOT excluded.text OR page IS NOT excluded.page`;
}

interface TextEnd {
  status: TextStatus;
  detail: string | null;
  pageCount: number | null;
  /** Number of passages of this version. Passages from this index on are deleted. */
  passages: number;
  recognition?: { language: string | null; confidence: number };
}

/**
 * Publishes a version's text as the document's text, unless that comes from a newer version. The index keeps the earlier
 * text until the indexing job, which this change queues, replaces it. Those who look at the location hear of it.
 */
export function publishText(
  change: Change,
  { db }: Context,
  { documentId, version }: VersionKey,
  { tenantId, locationId }: { tenantId: string; locationId: string },
  end: TextEnd,
): void {
  change.add(
    sql`DELETE FROM ${passages} WHERE document_id = ${documentId} AND version = ${version}
        AND chunk_index >= ${end.passages}`,
    db
      .update(documents)
      .set({
        textVersion: version,
        textStatus: end.status,
        textDetail: end.detail,
        pageCount: end.pageCount,
        recognizedLanguage: end.recognition?.language ?? null,
        recognizedConfidence: end.recognition?.confidence ?? null,
      })
      .where(and(eq(documents.id, documentId), documentNotDeleted(), sql`${documents.textVersion} <= ${version}`)),
  );
  change.job("index-document", { documentId }, { tenantId, dedupeKey: `index-document:${documentId}` });
  const event = { type: "state-updated", subject: "document", subjectId: documentId } as const;
  change.announce({ ...event, locationId, action: "updated", revision: null }, tenantId);
}
