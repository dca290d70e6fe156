import type { SearchInteraction, SearchResult } from "../../../../client/src/index.ts";
import { api } from "../session.ts";

/* The search measures itself by what people do with its results. A report that does not arrive is not missed. */

type Action = SearchInteraction["action"];

/** The result that was opened last. */
let opened: { searchId: string; hit: SearchResult } | null = null;

function report(searchId: string, { resultId, resultType, rankPosition }: SearchResult, action: Action): void {
  api
    .POST("/v1/search/interactions", { body: { searchId, action, resultId, resultType, rankPosition } })
    .catch(() => undefined);
}

/** Reports that a result is opened. */
export function reportClick(searchId: string, hit: SearchResult): void {
  opened = { searchId, hit };
  report(searchId, hit, "ResultClick");
}

/** Reports that the preview of a result is shown. */
export const reportPreview = (searchId: string, hit: SearchResult): void => report(searchId, hit, "PreviewOpen");

/** Reports what is done with a document, when it was opened from a result. */
export function reportOpened(documentId: string, action: "DocumentOpen" | "Download" | "SnippetCopy"): void {
  if (opened?.hit.source?.documentId === documentId) report(opened.searchId, opened.hit, action);
}

/** Reports that a search that did not help is followed by another. */
export function reportReformulated(searchId: string, reformulatedTerm: string): void {
  api
    .POST("/v1/search/interactions", { body: { searchId, action: "QueryReformulated", reformulatedTerm } })
    .catch(() => undefined);
}
