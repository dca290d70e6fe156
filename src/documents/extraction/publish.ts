import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import type { VersionKey } from "../document";
import { documentNotDeleted, documents, documentVersions, type TextStatus, textSections } from "../tables";
import { type Passage, sectionsOf } from "./passages";

/** Loads a version with its document. Null if the document was deleted or has a newer version. */
export async function loadVersion({ workspace }: Context, { documentId, version }: VersionKey) {
  const [found] = await workspace
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
 * Statements that write passages in sections. A repetition gives the same sections: an existing one keeps its id, which
 * the search index refers to, and sections of an earlier extraction that begin at other passages are deleted. They write
 * nothing for a deleted document.
 */
export function writeSections({ documentId, version }: VersionKey, batch: readonly Passage[]): SQL[] {
  const sections = sectionsOf(batch);
  const rows = JSON.stringify(sections.map(({ page, chunkIndex, texts }) => [page, chunkIndex, JSON.stringify(texts)]));
  const kept = JSON.stringify(sections.map(({ chunkIndex }) => chunkIndex));
  const [first, last] = [batch[0]?.chunkIndex ?? 0, batch.at(-1)?.chunkIndex ?? -1];
  return [
    sql`DELETE FROM ${textSections} WHERE document_id = ${documentId} AND version = ${version}
      AND chunk_index BETWEEN ${first} AND ${last} AND chunk_index NOT IN (SELECT value FROM json_each(${kept}))`,
    sql`INSERT INTO ${textSections} (document_id, version, page, chunk_index, texts)
      SELECT ${documentId}, ${version}, value ->> 0, value ->> 1, value ->> 2 FROM json_each(${rows})
      WHERE EXISTS (SELECT 1 FROM ${documents} WHERE id = ${documentId} AND ${documentNotDeleted()})
      ON CONFLICT (document_id, version, chunk_index) DO UPDATE
      SET page = excluded.page, texts = excluded.texts, revision = revision + 1
      WHERE texts IS NOT excluded.texts OR page IS NOT excluded.page`,
  ];
}

/**
 * Statements that let the passages of a version begin at index 0, as they do not if they were written behind earlier ones. Two steps,
 * because no two sections may have one index in between.
 */
export const moveToBegin = ({ documentId, version }: VersionKey): SQL[] => {
  const ofVersion = sql`document_id = ${documentId} AND version = ${version}`;
  return [
    sql`UPDATE ${textSections} SET chunk_index = first.at - chunk_index - 1
      FROM (SELECT min(chunk_index) AS at FROM ${textSections} WHERE ${ofVersion}) AS first
      WHERE ${ofVersion} AND first.at > 0`,
    sql`UPDATE ${textSections} SET chunk_index = -1 - chunk_index, revision = revision + 1
      WHERE ${ofVersion} AND chunk_index < 0`,
  ];
};

interface TextEnd {
  status: TextStatus;
  detail: string | null;
  pageCount: number | null;
  /** Passages of this version from this index on are deleted. Without it all stay. */
  passages?: number;
  recognition?: { language: string | null; confidence: number };
}

/**
 * Publishes a version's text as the document's text, unless the document's text comes from a newer version. The index
 * keeps the earlier text until the indexing job, which this change queues, replaces it. Live views of the location
 * receive an event.
 */
export function publishText(
  change: Change,
  { workspace }: Context,
  { documentId, version }: VersionKey,
  { tenantId, locationId }: { tenantId: string; locationId: string },
  end: TextEnd,
): void {
  if (end.passages !== undefined)
    change.add(
      sql`DELETE FROM ${textSections} WHERE document_id = ${documentId} AND version = ${version}
        AND chunk_index >= ${end.passages}`,
    );
  change.add(
    workspace
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
