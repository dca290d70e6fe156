import { useEffect, useRef, useState } from "preact/hooks";
import { dataOf, type Passage } from "../../../../../client/src/index.ts";
import { VIEWER } from "../../../../texts/viewer.ts";
import { useLoaded } from "../../../../ui/loading.ts";
import { More } from "../../../../ui/more.tsx";
import { Alert, Waiting } from "../../../../ui/notice.tsx";
import { api } from "../../session.ts";
import { type Marks, mark } from "./mark.ts";

/** Number of passages in one request. */
const PAGE_SIZE = 100;

async function readPassages(documentId: string, page: number | null, count: number, until: number) {
  const items: Passage[] = [];
  let cursor: string | undefined;
  do {
    const part = await dataOf(
      api.GET("/v1/documents/{documentId}/passages", {
        params: { path: { documentId }, query: { limit: PAGE_SIZE, cursor, ...(page !== null && { page }) } },
      }),
    );
    items.push(...part.items);
    cursor = part.nextCursor ?? undefined;
  } while (cursor !== undefined && (items.length < count || (items.at(-1)?.chunkIndex ?? until) < until));
  return { items, more: cursor !== undefined };
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
  const [count, setCount] = useState(PAGE_SIZE);
  const sheet = useRef<HTMLElement>(null);
  const { data, error, slow, reload } = useLoaded(`${documentId} ${version} ${only} ${count} ${passage}`, () =>
    readPassages(documentId, only, count, passage ?? 0),
  );
  const marks: Marks = {
    passage: data?.items.find(({ chunkIndex }) => chunkIndex === passage)?.text ?? null,
    words,
  };
  const key = JSON.stringify([marks, data?.items.length]);
  useEffect(() => {
    if (sheet.current !== null) return mark(sheet.current, marks);
  }, [key]);
  if (error !== undefined) return <Alert title={VIEWER.textFailed} error={error} onRetry={reload} />;
  if (data === undefined) return slow ? <Waiting text={VIEWER.opening} /> : null;
  const pages = Map.groupBy(data.items, ({ pageNumber }) => pageNumber);
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
      {data.items.length === 0 && <p class="muted">{VIEWER.noPassages}</p>}
      {[...pages].map(([page, passages]) => (
        <article key={page} class="sheet">
          {page !== null && <h2 class="xs muted nums">{VIEWER.page(page)}</h2>}
          {passages.map(({ chunkIndex, text }) => (
            <p key={chunkIndex}>{text}</p>
          ))}
        </article>
      ))}
      <More more={data.more ? () => setCount(data.items.length + PAGE_SIZE) : null} />
    </section>
  );
}
