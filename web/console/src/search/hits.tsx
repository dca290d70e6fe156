import { dataOf, type SearchResponse, type SearchResult } from "../../../../client/src/index.ts";
import { SEARCH } from "../../../texts/search.ts";
import { snippetParts } from "../../../ui/format.ts";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { documentPath, HOME, locationPath, navigate } from "../router.ts";
import { api } from "../session.ts";
import { reportClick } from "./interactions.ts";

const ICONS: Record<SearchResult["resultType"], IconName> = {
  Document: "file",
  DocumentContent: "text",
  Location: "pin",
  Cluster: "folder",
  SpatialMetadata: "note",
};
/** The icon of a kind; of null, which is a plain word. */
export const iconOf = (type: SearchResult["resultType"] | null): IconName => (type === null ? "search" : ICONS[type]);

/** The words that were found, as they are in the text. */
export const wordsOf = (snippet: string | null): string[] => [
  ...new Set(
    snippetParts(snippet ?? "")
      .filter(({ marked }) => marked)
      .flatMap(({ text }) => text.toLowerCase().split(/\s+/)),
  ),
];

/** The view of a result: a document at its page, a location, or the cluster among the locations. */
export function pathOf({ source, snippet, locationId, clusterId }: SearchResult): string {
  if (source !== null) {
    const words = wordsOf(snippet);
    return documentPath(source.documentId, { page: source.pageNumber, passage: source.chunkIndex, words });
  }
  return locationId === null ? `${HOME}#${clusterId}` : locationPath(locationId);
}

/** One page of results. `organizationId` narrows it: an organization's id, or null for everywhere. */
export const search = (
  term: string,
  { organizationId, limit, cursor }: { organizationId: string | null; limit: number; cursor?: string | undefined },
): Promise<SearchResponse> =>
  dataOf(
    api.POST("/v1/search", {
      body: {
        term,
        limit,
        ...(cursor !== undefined && { cursor }),
        ...(organizationId !== null && { scope: { includeShared: true, organizationIds: [organizationId] } }),
      },
    }),
  );

/** Opens a result, and reports that to the search, which measures itself by it. */
export function openHit(searchId: string, hit: SearchResult): void {
  reportClick(searchId, hit);
  navigate(pathOf(hit));
}

export function Snippet({ html }: { html: string }) {
  return (
    <span class="snip">
      {snippetParts(html).map(({ text, marked }, n) => (marked ? <mark key={n}>{text}</mark> : text))}
    </span>
  );
}

/** What is shown of a result: its kind, title, place, snippet and page. */
export function HitBody({ hit }: { hit: SearchResult }) {
  const page = hit.source?.pageNumber ?? null;
  const { snippet } = hit;
  // A place's snippet often is its description again.
  const isNew =
    snippet !== null &&
    snippetParts(snippet)
      .map(({ text }) => text)
      .join("") !== hit.subtitle;
  return (
    <>
      <Icon name={iconOf(hit.resultType)} />
      <span class="title">
        {hit.title}
        <span class="sr">, {SEARCH.kinds[hit.resultType]}</span>
      </span>
      {page !== null && <span class="chip nums">{SEARCH.page(page)}</span>}
      <span class="where">{hit.subtitle || SEARCH.kinds[hit.resultType]}</span>
      {isNew && <Snippet html={snippet} />}
    </>
  );
}

/** The row that arrow keys lead to from `at`, or null for other keys. */
export function movedBy(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowDown") return Math.min(at + 1, count - 1);
  if (key === "ArrowUp") return Math.max(at - 1, 0);
  return null;
}

/** A search begins when the typing rests this long. */
export const TYPING_RESTS_MS = 200;
