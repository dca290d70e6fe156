import type { SearchInteraction } from "../../../../client/src/index.ts";
import { api } from "../session.ts";

/* The search measures itself by what people do with its results. A report that does not arrive is not missed. */

type Action = SearchInteraction["action"];

/** A result as the search returned it. */
export type Reported = Required<Pick<SearchInteraction, "searchId" | "resultId" | "resultType" | "rankPosition">>;

/** The result that was opened last, and its document. */
let opened: { reported: Reported; documentId: string | null } | null = null;

function send(body: SearchInteraction): void {
  api.POST("/v1/search/interactions", { body }).catch(() => undefined);
}

/** Reports what is done with a result. */
export const report = (reported: Reported, action: Action): void => send({ ...reported, action });

/** Reports that a result is opened. */
export function reportClick(reported: Reported, documentId: string | null): void {
  opened = { reported, documentId };
  report(reported, "ResultClick");
}

/** Reports what is done with a document, when it was opened from a result. */
export function reportOpened(documentId: string, action: "DocumentOpen" | "Download" | "SnippetCopy"): void {
  if (opened?.documentId === documentId) report(opened.reported, action);
}

/** Reports that a search that did not help is followed by another. */
export const reportReformulated = (searchId: string, reformulatedTerm: string): void =>
  send({ searchId, action: "QueryReformulated", reformulatedTerm });
