import type { SearchInteraction } from "../../../../client/src/index.ts";
import { api } from "./session.ts";

/*
 * Actions on results are reported, so that the service can measure the search. A report that does not arrive is
 * ignored.
 */

type Action = SearchInteraction["action"];

/** The longest reading that the service accepts, milliseconds. */
const MAX_DWELL_MS = 24 * 60 * 60_000;

/** A result as the search returned it. */
export type Reported = Required<Pick<SearchInteraction, "searchId" | "resultId" | "resultType" | "rankPosition">>;

/** The result that the person opened last, and its document. */
let opened: { reported: Reported; documentId: string | null } | null = null;

/** The request continues after the page is left. */
function send(body: SearchInteraction): void {
  api.POST("/v1/search/interactions", { body, keepalive: true }).catch(() => undefined);
}

/** Reports an action on a result. */
export const report = (reported: Reported, action: Action): void => send({ ...reported, action });

/** Reports that a person opens a result. */
export function reportClick(reported: Reported, documentId: string | null): void {
  opened = { reported, documentId };
  report(reported, "ResultClick");
}

/** Reports an action on a document that was opened from a result. */
export function reportOpened(documentId: string, action: "Download" | "SnippetCopy"): void {
  if (opened?.documentId === documentId) report(opened.reported, action);
}

/** Reports a document that was opened from a result, and for how long, when it is left. @returns what ends the reading. */
export function beginReading(documentId: string): () => void {
  let read = opened?.documentId === documentId ? opened.reported : null;
  const begun = performance.now();
  const end = () => {
    removeEventListener("pagehide", end);
    if (read === null) return;
    const dwellMilliseconds = Math.min(Math.round(performance.now() - begun), MAX_DWELL_MS);
    send({ ...read, action: "DocumentOpen", dwellMilliseconds });
    read = null;
  };
  addEventListener("pagehide", end);
  return end;
}

/** Reports that another search follows a search that did not help. */
export const reportReformulated = (searchId: string, reformulatedTerm: string): void =>
  send({ searchId, action: "QueryReformulated", reformulatedTerm });
