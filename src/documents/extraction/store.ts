import { and, eq, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { documentNotDeleted, documents, documentVersions, passages, type TextStatus } from "../tables";
import type { Passage } from "./passages";

/** The version that an extraction reads. */
export interface TextOf {
  documentId: string;
  version: number;
}

/** The version with its document, or null when that was deleted or has a newer version by now. */
export async function loadVersion({ db }: Context, { documentId, version }: TextOf) {
  const [found] = await db
    .select({
      tenantId: documents.tenantId,
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
 * Writes passages in one statement, however often: a passage that is there keeps its id, which the search
 * index refers to. Nothing is written for a document that was deleted.
 */
export async function writePassages({ db }: Context, of: TextOf, batch: readonly Passage[]): Promise<void> {
  const rows = JSON.stringify(batch.map(({ page, chunkIndex, text }) => [page, chunkIndex, text]));
  await db.run(sql`INSERT INTO ${passages} (document_id, version, page, chunk_index, text)
    SELECT ${of.documentId}, ${of.version}, value ->> 0, value ->> 1, value ->> 2 FROM json_each(${rows})
    WHERE EXISTS (SELECT 1 FROM ${documents} WHERE id = ${of.documentId} AND ${documentNotDeleted()})
    ON CONFLICT (document_id, version, chunk_index) DO UPDATE SET page = excluded.page, text = excluded.text
    WHERE text IS NOT excluded.text OR page IS NOT excluded.page`);
}

export interface TextEnd {
  status: TextStatus;
  detail: string | null;
  pageCount: number | null;
  /** Passages of this version that stay: those before this index. */
  passages: number;
}

/**
 * Makes a version's text the document's, unless a newer version's is already. What the index served until
 * now stays until the indexing job, queued here, has replaced it.
 */
export function publishText(change: Change, { db }: Context, of: TextOf, tenantId: string, end: TextEnd): void {
  const { documentId, version } = of;
  change.add(
    sql`DELETE FROM ${passages} WHERE document_id = ${documentId} AND version = ${version}
        AND chunk_index >= ${end.passages}`,
    db
      .update(documents)
      .set({ textVersion: version, textStatus: end.status, textDetail: end.detail, pageCount: end.pageCount })
      .where(and(eq(documents.id, documentId), documentNotDeleted(), sql`${documents.textVersion} <= ${version}`)),
  );
  change.job("index-document", { documentId }, { tenantId, dedupeKey: `index-document:${documentId}` });
}

/** Removes what an abandoned extraction wrote, unless it is the document's text. */
export const dropPassages = (change: Change, { documentId, version }: TextOf): Change =>
  change.add(sql`DELETE FROM ${passages} WHERE document_id = ${documentId} AND version = ${version}
    AND NOT EXISTS (SELECT 1 FROM ${documents} WHERE id = ${documentId} AND text_version = ${version})`);
