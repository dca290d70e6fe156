import { and, eq, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import type { PageOutcome } from "../../platform/ports";
import { releaseObjects } from "../../uploads";
import type { VersionKey } from "../document";
import { recognizedPages, textSections, unreadPages } from "../tables";

/** The common results of some pages. */
export interface Tally {
  /** Number of pages by outcome. */
  outcomes: Partial<Record<PageOutcome, number>>;
  /** Pages with legible words. */
  legible: number;
  words: number;
  /** The sum of the words' confidences. */
  confidence: number;
  /** Number of words by the language of their page. */
  languages: Record<string, number>;
}

const EMPTY: Tally = { outcomes: {}, legible: 0, words: 0, confidence: 0, languages: {} };

type Page = Pick<PageRow, "page" | "outcome" | "words" | "confidence" | "language">;

/** Adds pages to a tally. */
function tallied(before: Tally, pages: readonly Page[]): Tally {
  const sum = { ...before, outcomes: { ...before.outcomes }, languages: { ...before.languages } };
  for (const { outcome, words, confidence, language } of pages) {
    sum.outcomes[outcome] = (sum.outcomes[outcome] ?? 0) + 1;
    sum.legible += words > 0 ? 1 : 0;
    sum.words += words;
    sum.confidence += words * confidence;
    if (language !== null) sum.languages[language] = (sum.languages[language] ?? 0) + words;
  }
  return sum;
}

/** The main language and the mean confidence of all words. */
export function recognitionOf({ words, confidence, languages }: Tally) {
  const [main] = Object.entries(languages).sort(([, a], [, b]) => b - a);
  return { language: main?.[0] ?? null, confidence: words === 0 ? 0 : Math.round(confidence / words) };
}

/** The pages of a version on which recognition has ended, including the pages of a slice that is not written yet. */
export async function loadTally(
  { workspace }: Context,
  { documentId, version }: VersionKey,
  slice: readonly Page[] = [],
): Promise<Tally> {
  const pages = await workspace
    .select()
    .from(recognizedPages)
    .where(and(eq(recognizedPages.documentId, documentId), eq(recognizedPages.version, version)));
  // A page of the slice may have an earlier row.
  const own = new Set(slice.map(({ page }) => page));
  const others = pages.filter(({ page }) => !own.has(page));
  return tallied(tallied(EMPTY, others), slice);
}

/** Number of pages of a version that wait for recognition. */
export async function countUnread({ workspace }: Context, { documentId, version }: VersionKey): Promise<number> {
  const [row] = await workspace
    .select({ pages: sql<number>`coalesce(sum(${unreadPages.lastPage} - ${unreadPages.firstPage} + 1), 0)` })
    .from(unreadPages)
    .where(and(eq(unreadPages.documentId, documentId), eq(unreadPages.version, version)));
  return row?.pages ?? 0;
}

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
