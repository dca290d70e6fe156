import { SEARCH } from "#texts/search.ts";
import type { SearchResult } from "../../../../client/src/index.ts";
import { dayOf, snippetParts } from "../../../ui/format.ts";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import type { Line } from "./lines.ts";

const ICONS: Record<SearchResult["resultType"], IconName> = {
  Document: "file",
  DocumentContent: "text",
  Location: "pin",
  Cluster: "folder",
  SpatialMetadata: "note",
};
/** The icon of a kind. Null is a plain word. */
export const iconOf = (type: SearchResult["resultType"] | null): IconName => (type === null ? "search" : ICONS[type]);

/** Text with marks. The service returns it as escaped HTML. */
export function Marked({ html }: { html: string }) {
  return snippetParts(html).map(({ text, marked }, n) => (marked ? <mark key={n}>{text}</mark> : text));
}

const plainOf = (html: string | null): string =>
  snippetParts(html ?? "")
    .map(({ text }) => text)
    .join("");

/** The location of a result: the places that the person sees, then its folder, address or kind. */
export function whereOf(hit: SearchResult): string {
  const { resultType, locationName, clusterName, subtitle, title, snippet } = hit;
  const isDocument = resultType === "Document" || resultType === "DocumentContent";
  const folder = subtitle.split("/").slice(1, -1).join("/");
  const place = resultType === "Location" ? clusterName : resultType === "Cluster" ? null : locationName;
  // Without an address, the subtitle of a location or cluster is its description, which the snippet shows with marks.
  const own = isDocument ? folder : subtitle === plainOf(snippet) ? "" : subtitle;
  const parts = [place, own].filter((part) => part && part !== title);
  return parts.length > 0 ? parts.join(" › ") : SEARCH.kinds[resultType];
}

const PageChip = ({ page }: { page: number | null | undefined }) =>
  page == null ? null : <span class="chip nums">{SEARCH.page(page)}</span>;

/** A result: its kind, title, place, best passage and page. */
export function HitBody({ hit }: { hit: SearchResult }) {
  const { snippet } = hit;
  return (
    <>
      <Icon name={iconOf(hit.resultType)} />
      <span class="title">
        <Marked html={hit.markedTitle} />
        <span class="sr">, {SEARCH.kinds[hit.resultType]}</span>
      </span>
      <PageChip page={hit.source?.pageNumber} />
      <span class="where">
        {whereOf(hit)} · <time dateTime={hit.updatedAtUtc}>{dayOf(new Date(hit.updatedAtUtc))}</time>
      </span>
      {snippet !== null && (
        <span class="snip">
          <Marked html={snippet} />
        </span>
      )}
    </>
  );
}

/** A further passage of the document above it. */
export function PassageBody({ line }: { line: Line }) {
  return (
    <>
      <span class="snip">
        <Marked html={line.snippet ?? ""} />
      </span>
      <PageChip page={line.source?.pageNumber} />
    </>
  );
}

/** The row that an arrow key selects from `at`; null for other keys. */
export function movedBy(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowDown") return Math.min(at + 1, count - 1);
  if (key === "ArrowUp") return Math.max(at - 1, 0);
  return null;
}
