import { sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import type { TextRun } from "./claim-text";

/** Passages of older versions that one batch removes. */
export const SUPERSEDED_BATCH = 500;

/** The run was overtaken: by a later one, or by a newer text. */
const overtaken = (): DomainError => new DomainError("conflict", "A newer text of this document is being indexed.");

/** Makes a written text the one that is searched, and every other version of it not. */
export function publishText(
  change: Change,
  { now }: Context,
  run: TextRun,
  size: { titleLength: number; rows: number; bodyLength: number },
): void {
  change
    .add(
      sql`UPDATE search_entries SET live = 1, title = ${run.title}, scopes = ${run.scopes}, title_length = ${size.titleLength},
          row_count = ${size.rows}, body_length = ${size.bodyLength}, indexed_at = ${now}
        WHERE key = ${run.entryKey} AND run = ${run.run} AND EXISTS (
          SELECT 1 FROM documents WHERE id = ${run.documentId} AND text_version = ${run.version} AND deleted_at IS NULL)`,
    )
    .guardChanged(overtaken())
    .add(
      sql`UPDATE search_entries SET live = 0
        WHERE resource_id = ${run.documentId} AND type = 'text' AND version <> ${run.version} AND live = 1`,
    );
}

/** Removes passages of versions before the one that is searched, a batch of them; their index rows go with them. */
export function removeSuperseded(change: Change, { documentId, version, entryKey }: TextRun): void {
  const searched = sql`EXISTS (SELECT 1 FROM search_entries WHERE key = ${entryKey} AND live = 1)`;
  change.add(
    sql`DELETE FROM passages WHERE id IN (
        SELECT id FROM passages WHERE document_id = ${documentId} AND version < ${version} AND ${searched}
        LIMIT ${SUPERSEDED_BATCH})`,
    sql`DELETE FROM search_entries
      WHERE resource_id = ${documentId} AND type = 'text' AND version < ${version} AND ${searched}
      AND NOT EXISTS (SELECT 1 FROM passages p WHERE p.document_id = ${documentId} AND p.version = search_entries.version)`,
  );
}
