import { and, desc, eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { VersionKey } from "../document";
import { endOfSection, recognizedPages, textSections } from "../tables";

/** The common results of some pages. */
export interface Tally {
  pages: number;
  /** Pages with legible words. */
  legible: number;
  words: number;
  /** The sum of the words' confidences. */
  confidence: number;
  /** Number of words by the language of their page. */
  languages: Record<string, number>;
  passages: number;
}

const EMPTY: Tally = { pages: 0, legible: 0, words: 0, confidence: 0, languages: {}, passages: 0 };

type Page = Pick<typeof recognizedPages.$inferSelect, "words" | "confidence" | "language" | "passages">;

/** Adds pages to a tally. */
export function tallied(before: Tally, pages: readonly Page[]): Tally {
  const sum = { ...before, languages: { ...before.languages } };
  for (const page of pages) {
    sum.pages += 1;
    sum.legible += page.words > 0 ? 1 : 0;
    sum.words += page.words;
    sum.confidence += page.words * page.confidence;
    sum.passages += page.passages;
    if (page.language !== null) sum.languages[page.language] = (sum.languages[page.language] ?? 0) + page.words;
  }
  return sum;
}

/** The main language and the mean confidence of all words. */
export function recognitionOf({ words, confidence, languages }: Tally) {
  const [main] = Object.entries(languages).sort(([, a], [, b]) => b - a);
  return { language: main?.[0] ?? null, confidence: words === 0 ? 0 : Math.round(confidence / words) };
}

/**
 * The pages of a version that were read before. Everything is in their rows, so a job that was killed or paused continues
 * behind them. If their passages were removed in the meantime, it begins again.
 */
export async function loadTally({ db }: Context, { documentId, version }: VersionKey): Promise<Tally> {
  const [pages, [last]] = await db.batch([
    db
      .select()
      .from(recognizedPages)
      .where(and(eq(recognizedPages.documentId, documentId), eq(recognizedPages.version, version))),
    db
      .select({ end: endOfSection })
      .from(textSections)
      .where(and(eq(textSections.documentId, documentId), eq(textSections.version, version)))
      .orderBy(desc(textSections.chunkIndex))
      .limit(1),
  ]);
  const found = tallied(EMPTY, pages);
  return found.passages === (last?.end ?? 0) ? found : EMPTY;
}
