import type { SearchInteraction } from "../../../../client/src/index.ts";
import { api } from "../session.ts";

/*
 * Actions on results are reported, so that the service can measure the search. A report that does not arrive is
 * ignored.
 */

type Action = SearchInteraction["action"];

/** A result as the search returned it. */
export type Reported = Required<Pick<SearchInteraction, "searchId" | "resultId" | "resultType" | "rankPosition">>;

/** The result that the person opened last, and its document. */
let opened: { reported: Reported; documentId: string | null } | null = null;

function send(body: SearchInteraction): void {
  api.POST("/v1/search/interactions", { body }).catch(() => undefined);
}

/** Reports an action on a result. */
export const report = (reported: Reported, action: Action): void => send({ ...reported, action });

/** Reports that a person opens a result. */
export function reportClick(reported: Reported, documentId: string | null): void {
  opened = { reported, documentId };
  report(reported, "ResultClick");
}

/** Reports an action on a document that was opened from a result. */
export function reportOpened(documentId: string, action: "DocumentOpen" | "Download" | "SnippetCopy"): void {
  if (opened?.documentId === documentId) report(opened.reported, action);
}

/** Reports that another search follows a search that did not help. */
export const reportReformulated = (searchId: string, reformulatedTerm: string): void =>
  send({ searchId, action: "QueryReformulated", reformulatedTerm });
