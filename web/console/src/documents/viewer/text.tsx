import { useEffect, useRef } from "preact/hooks";
import { VIEWER } from "#texts/viewer.ts";
import { dataOf, type Page, type Passage } from "../../../../../client/src/index.ts";
import { More } from "../../../../ui/more.tsx";
import { Alert, Waiting } from "../../../../ui/notice.tsx";
import { usePages } from "../../../../ui/pages.ts";
import { api } from "../../platform/session.ts";
import { type Marks, mark } from "./mark.ts";

/** Number of passages in one request. */
const PAGE_SIZE = 100;

/** Reads a part of the text. The first part goes on until the passage at the position `until`. */
async function readPart(
  documentId: string,
  page: number | null,
  until: number,
  from: string | undefined,
): Promise<Page<Passage>> {
  const items: Passage[] = [];
  let cursor = from;
  do {
    const part = await dataOf(
      api.GET("/v1/documents/{documentId}/passages", {
        params: { path: { documentId }, query: { limit: PAGE_SIZE, cursor, ...(page !== null && { page }) } },
      }),
    );
    items.push(...part.items);
    cursor = part.nextCursor ?? undefined;
  } while (from === undefined && cursor !== undefined && (items.at(-1)?.chunkIndex ?? until) < until);
  return { items, nextCursor: cursor ?? null };
}

/**
 * The text of a document, page by page, or of one page. `passage` is the position of the passage that is marked and
 * scrolled to.
 * @param props.note explains why the text is shown
 */
export function TextView(props: {
  documentId: string;
  version: number;
  passage: number | null;
  words: string[];
  page?: number | null;
  note?: string;
}) {
  const { documentId, version, passage, words, page: only = null, note } = props;
  const sheet = useRef<HTMLElement>(null);
  const { items, more, error, slow, reload } = usePages(`${documentId} ${version} ${only} ${passage}`, (cursor) =>
    readPart(documentId, only, passage ?? 0, cursor),
  );
  const marks: Marks = {
    passage: items?.find(({ chunkIndex }) => chunkIndex === passage)?.text ?? null,
    words,
  };
  const key = JSON.stringify([marks, items?.length]);
  useEffect(() => {
    if (sheet.current !== null) return mark(sheet.current, marks);
  }, [key]);
  if (error !== undefined) return <Alert title={VIEWER.textFailed} error={error} onRetry={reload} />;
  if (items === undefined) return slow ? <Waiting text={VIEWER.opening} /> : null;
  const pages = Map.groupBy(items, ({ pageNumber }) => pageNumber);
  return (
    <section
      class="sheets"
      ref={sheet}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
      tabIndex={0}
      aria-label={VIEWER.text}
    >
      {note !== undefined && (
        <p class="small muted note" role="status">
          {note}
        </p>
      )}
      {items.length === 0 && <p class="muted">{VIEWER.noPassages}</p>}
      {[...pages].map(([page, passages]) => (
        <article key={page} class="sheet">
          {page !== null && <h2 class="xs muted nums">{VIEWER.page(page)}</h2>}
          {passages.map(({ chunkIndex, text }) => (
            <p key={chunkIndex}>{text}</p>
          ))}
        </article>
      ))}
      <More more={more} />
    </section>
  );
}
