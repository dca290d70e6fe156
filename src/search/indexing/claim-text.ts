import { and, eq, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { documents } from "../../documents/tables";
import type { Context } from "../../platform/context";
import { runBatch } from "../../platform/db/database";
import { searchEntries } from "../tables";
import { openTenants, scopesOf } from "./scopes";

/** One run over one version of a document's text. */
export const textRunSchema = z.strictObject({
  documentId: z.string(),
  version: z.int(),
  entryKey: z.int(),
  /** JSON of the scopes its terms are posted under. */
  scopes: z.string(),
  title: z.string(),
  /** Names the run. */
  run: z.string(),
});
export type TextRun = z.infer<typeof textRunSchema>;

/**
 * Makes `run` the latest run over the document's present text, and reads what that text is; in this
 * order, so that a later run never works from older facts. Null when there is no text to index.
 */
export async function claimText(context: Context, documentId: string, run: string): Promise<TextRun | null> {
  const { db, now } = context;
  const living = sql`d.id = ${documentId} AND d.deleted_at IS NULL AND d.text_version > 0`;
  const scopes = scopesOf("document", "d");
  await runBatch(db, [
    openTenants(sql`SELECT d.tenant_id FROM ${documents} d WHERE ${living}`),
    sql`INSERT INTO search_entries
        (tenant_key, scopes, type, resource_id, version, title, live, title_length, row_count, body_length, run, indexed_at)
      SELECT t.key, ${scopes}, 'text', d.id, d.text_version, d.file_name, 0, 0, 0, 0, ${run}, ${now}
      FROM ${documents} d JOIN search_scopes t ON t.scope_id = d.tenant_id WHERE ${living}
      ON CONFLICT (resource_id, type, version) DO UPDATE SET run = excluded.run`,
  ]);
  const [row] = await db.all(sql`
    SELECT d.id AS "documentId", e.version AS "version", e.key AS "entryKey", ${scopes} AS "scopes",
      d.file_name AS "title", e.run AS "run"
    FROM ${documents} d JOIN search_entries e
      ON e.resource_id = d.id AND e.type = 'text' AND e.version = d.text_version AND e.run = ${run}
    WHERE ${living}`);
  return row === undefined ? null : textRunSchema.parse(row);
}

/** Whether the run is the latest and its text still the document's. */
export async function isCurrent({ db }: Context, run: TextRun): Promise<boolean> {
  const found = await db
    .select({ key: searchEntries.key })
    .from(searchEntries)
    .innerJoin(documents, eq(documents.id, searchEntries.resourceId))
    .where(
      and(
        eq(searchEntries.key, run.entryKey),
        eq(searchEntries.run, run.run),
        eq(documents.textVersion, run.version),
        isNull(documents.deletedAt),
      ),
    );
  return found.length > 0;
}
