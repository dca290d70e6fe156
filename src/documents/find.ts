import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Level, type ResourcePath, requireLevel, requireUser } from "../access";
import type { Context } from "../platform/context";
import type { Database } from "../platform/db/database";
import { notFound } from "../platform/errors";
import { locations } from "../workspace/tables";
import { documents, documentVersions, joinedDocumentExists } from "./tables";

export type DocumentRow = typeof documents.$inferSelect;
export type VersionRow = typeof documentVersions.$inferSelect;

/** A document with its latest version. */
export interface FoundDocument {
  document: DocumentRow;
  version: VersionRow;
  versionCount: number;
}

export const placeOfDocument = (
  row: Pick<DocumentRow, "id" | "tenantId" | "organizationId" | "clusterId" | "locationId">,
): ResourcePath => ({
  tenantId: row.tenantId,
  organizationId: row.organizationId,
  clusterId: row.clusterId,
  locationId: row.locationId,
  documentId: row.id,
});

const versionCount = sql<number>`(SELECT count(*) FROM ${documentVersions} AS counted
  WHERE counted.document_id = ${documents.id})`;

/**
 * Selects documents that are there: with a complete version, not deleted, in a living location. Who
 * may see them is for `where` to say.
 */
export const selectDocuments = (db: Database, where: SQL | undefined) =>
  db
    .select({ document: documents, version: documentVersions, versionCount })
    .from(documents)
    .innerJoin(locations, eq(locations.id, documents.locationId))
    .innerJoin(
      documentVersions,
      and(eq(documentVersions.documentId, documents.id), eq(documentVersions.version, documents.latestVersion)),
    )
    .where(and(joinedDocumentExists(), where));

/** A document the caller may use at this level. @throws DomainError 401, 403, 404 (absent or hidden, alike). */
export async function requireDocument(context: Context, documentId: string, level: Level): Promise<FoundDocument> {
  requireUser(context);
  const [found] = await selectDocuments(context.db, eq(documents.id, documentId));
  if (found === undefined) throw notFound();
  requireLevel(context, placeOfDocument(found.document), "Documents", "Documents", level);
  return found;
}
