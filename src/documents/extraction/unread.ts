import { z } from "@hono/zod-openapi";
import { asc, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { VersionKey } from "../document";
import { MAX_PASSAGES_PER_SCANNED_PAGE, MAX_SCAN_PAGES } from "../limits";
import { textSections, unreadPages } from "../tables";

/**
 * Consecutive pages that wait for recognition: the first, the last, and the index of their first passage. Behind it is
 * room for MAX_PASSAGES_PER_SCANNED_PAGE passages of each page.
 */
export const unreadSchema = z.tuple([z.int(), z.int(), z.int()]);
export type UnreadPages = z.infer<typeof unreadSchema>;

/** Number of pages. */
export const pagesIn = (unread: readonly UnreadPages[]): number =>
  unread.reduce((sum, [first, last]) => sum + last - first + 1, 0);

export const counted = (pages: number): string => (pages === 1 ? "1 page" : `${pages} pages`);

/** All pages of a scan. */
export const unreadScan = (pageCount: number): UnreadPages[] => [[1, Math.min(pageCount, MAX_SCAN_PAGES), 0]];

/** Adds a page whose room begins at a passage. */
export function addUnread(unread: UnreadPages[], page: number, passage: number): void {
  const last = unread.at(-1);
  if (last?.[1] === page - 1 && last[2] + pagesIn([last]) * MAX_PASSAGES_PER_SCANNED_PAGE === passage) last[1] = page;
  else unread.push([page, page, passage]);
}

const insert = (of: VersionKey, unread: readonly UnreadPages[], condition: SQL): SQL =>
  sql`INSERT INTO ${unreadPages} (document_id, version, first_page, last_page, passage)
    SELECT ${of.documentId}, ${of.version}, value ->> 0, value ->> 1, value ->> 2
    FROM json_each(${JSON.stringify(unread)}) WHERE ${condition}`;

/**
 * Statements that write the pages of a version that wait for recognition. A scan whose pages were read in part keeps what
 * is left of it.
 * @param hasText whether other pages have embedded text, which was just written over the recognized text
 */
export function writeUnread(of: VersionKey, unread: readonly UnreadPages[], hasText: boolean): SQL[] {
  const { documentId, version } = of;
  const begins = hasText
    ? sql`1`
    : sql`NOT EXISTS (SELECT 1 FROM ${textSections} WHERE document_id = ${documentId} AND version = ${version})`;
  return [
    sql`DELETE FROM ${unreadPages} WHERE document_id = ${documentId} AND (version < ${version} OR ${begins})`,
    insert(of, unread, begins),
  ];
}

/** The next pages of a version that wait for recognition, with the passage that each run of them begins at. */
export async function nextUnread({ workspace }: Context, { documentId, version }: VersionKey, runs: number) {
  const rows = await workspace
    .select()
    .from(unreadPages)
    .where(sql`${unreadPages.documentId} = ${documentId} AND ${unreadPages.version} = ${version}`)
    .orderBy(asc(unreadPages.firstPage))
    .limit(runs);
  return rows.map(({ firstPage, lastPage, passage }): UnreadPages => [firstPage, lastPage, passage]);
}

/** Statements that remove the pages up to `page`. `rest` has the remaining pages of the run that contains it. */
export const removeUnread = (of: VersionKey, page: number, rest: readonly UnreadPages[]): SQL[] => [
  sql`DELETE FROM ${unreadPages} WHERE document_id = ${of.documentId} AND version = ${of.version} AND first_page <= ${page}`,
  ...(rest.length > 0 ? [insert(of, rest, sql`1`)] : []),
];
