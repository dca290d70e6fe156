import { z } from "@hono/zod-openapi";
import { asc, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { VersionKey } from "../document";
import { MAX_PASSAGES_PER_SCANNED_PAGE, MAX_SCAN_PAGES } from "../limits";
import { endOfSection, textSections, unreadPages } from "../tables";

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

/** The same with the index below which the passages of an earlier recognition are. 0 without any. */
export type WaitingPages = [...pages: UnreadPages, replacedBefore: number];

const insert = (
  of: VersionKey,
  unread: readonly (UnreadPages | WaitingPages)[],
  condition: SQL,
  behind = sql`0`,
): SQL =>
  sql`INSERT INTO ${unreadPages} (document_id, version, first_page, last_page, passage, replaced_before)
    SELECT ${of.documentId}, ${of.version}, value ->> 0, value ->> 1, value ->> 2 + behind, coalesce(value ->> 3, behind)
    FROM json_each(${JSON.stringify(unread)}), (SELECT ${behind} AS behind) WHERE ${condition}`;

interface Beginning {
  /** Whether other pages have embedded text. */
  hasText: boolean;
  /** Whether pages with recognized text are read again, too. */
  recognizesAgain: boolean;
}

/**
 * Statements that write the pages of a version that wait for recognition.
 *
 * A scan keeps the text of each page until the page is read again: its new passages begin behind the earlier ones. A scan whose pages
 * were read in part keeps what is left of it, unless it is read again. Recognized text between embedded text is removed, because its
 * room begins elsewhere if the embedded text is extracted in another way.
 */
export function writeUnread(of: VersionKey, unread: readonly UnreadPages[], how: Beginning): SQL[] {
  const { documentId, version } = of;
  const ofVersion = sql`document_id = ${documentId} AND version = ${version}`;
  const remove = (condition: SQL) =>
    sql`DELETE FROM ${unreadPages} WHERE document_id = ${documentId} AND (version < ${version} OR ${condition})`;
  if (how.hasText) {
    const rooms = unread.map((pages) => [pages[2], pages[2] + pagesIn([pages]) * MAX_PASSAGES_PER_SCANNED_PAGE]);
    return [
      sql`DELETE FROM ${textSections} WHERE ${ofVersion} AND EXISTS (SELECT 1 FROM json_each(${JSON.stringify(rooms)}) AS room
        WHERE chunk_index >= room.value ->> 0 AND chunk_index < room.value ->> 1)`,
      remove(sql`1`),
      insert(of, unread, sql`1`),
    ];
  }
  const begins = how.recognizesAgain ? sql`1` : sql`NOT EXISTS (SELECT 1 FROM ${textSections} WHERE ${ofVersion})`;
  const end = sql`coalesce((SELECT max(${endOfSection}) FROM ${textSections} WHERE ${ofVersion}), 0)`;
  return [remove(begins), insert(of, unread, begins, end)];
}

/** Condition: these pages are the next ones that wait. */
export const isNextUnread = ({ documentId, version }: VersionKey, [first, , passage]: WaitingPages): SQL =>
  sql`EXISTS (SELECT 1 FROM ${unreadPages} WHERE document_id = ${documentId} AND version = ${version}
    AND first_page = ${first} AND passage = ${passage})`;

/** The next pages of a version that wait for recognition, with the passage that each run of them begins at. */
export async function nextUnread({ workspace }: Context, { documentId, version }: VersionKey, runs: number) {
  const rows = await workspace
    .select()
    .from(unreadPages)
    .where(sql`${unreadPages.documentId} = ${documentId} AND ${unreadPages.version} = ${version}`)
    .orderBy(asc(unreadPages.firstPage))
    .limit(runs);
  return rows.map(
    ({ firstPage, lastPage, passage, replacedBefore }): WaitingPages => [firstPage, lastPage, passage, replacedBefore],
  );
}

/** Statements that remove the pages up to `page`. `rest` has the remaining pages of the run that contains it. */
export const removeUnread = (of: VersionKey, page: number, rest: readonly WaitingPages[]): SQL[] => [
  sql`DELETE FROM ${unreadPages} WHERE document_id = ${of.documentId} AND version = ${of.version} AND first_page <= ${page}`,
  ...(rest.length > 0 ? [insert(of, rest, sql`1`)] : []),
];
