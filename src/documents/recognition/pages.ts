import { and, eq, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import { releaseObjects } from "../../uploads";
import type { VersionKey } from "../document";
import { recognizedPages, textSections } from "../tables";

/** A page that recognition has read. */
export type PageRow = typeof recognizedPages.$inferSelect;

/** Writes the rows of pages; a page that was read before is replaced. */
export const insertPages = (rows: readonly PageRow[]): SQL =>
  sql`INSERT OR REPLACE INTO ${recognizedPages} (document_id, version, page, outcome, object_key, words, confidence, language, passages)
    SELECT value ->> 'documentId', value ->> 'version', value ->> 'page', value ->> 'outcome', value ->> 'objectKey', value ->> 'words',
      value ->> 'confidence', value ->> 'language', value ->> 'passages' FROM json_each(${JSON.stringify(rows)})`;

/**
 * Removes what an earlier recognition of these pages has left: its passages, which are below an index, and the words of pages that have
 * none now.
 */
export async function removeEarlier(
  context: Context,
  change: Change,
  of: VersionKey,
  rows: readonly PageRow[],
  replacedBefore: number,
): Promise<void> {
  const pages = rows.map(({ page }) => page);
  if (replacedBefore > 0)
    change.add(
      context.workspace
        .delete(textSections)
        .where(
          and(
            ofVersion(textSections, of),
            inSet(textSections.page, pages),
            lt(textSections.chunkIndex, replacedBefore),
          ),
        ),
    );
  const wordless = rows.filter(({ objectKey }) => objectKey === null).map(({ page }) => page);
  if (wordless.length === 0) return;
  const earlier = await context.workspace
    .select({ key: recognizedPages.objectKey })
    .from(recognizedPages)
    .where(
      and(ofVersion(recognizedPages, of), inSet(recognizedPages.page, wordless), isNotNull(recognizedPages.objectKey)),
    );
  const keys = JSON.stringify(earlier.map(({ key }) => key));
  if (earlier.length > 0) releaseObjects(context, change, sql`SELECT value FROM json_each(${keys})`);
}

const ofVersion = (table: typeof textSections | typeof recognizedPages, { documentId, version }: VersionKey) =>
  and(eq(table.documentId, documentId), eq(table.version, version));
