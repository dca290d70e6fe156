import type { ComponentChildren } from "preact";
import { More } from "./more.tsx";
import { Alert, CalmCard, Waiting } from "./notice.tsx";
import type { Pages } from "./pages.ts";

/**
 * A list in a card that is read page by page: the rows, or a sentence that there are none, and the button for more. A long
 * wait and a failed reading are shown too.
 */
export function PagedList<T>(props: {
  pages: Pages<T>;
  failed: string;
  loading: string;
  none: string;
  row: (item: T) => ComponentChildren;
}) {
  const { items, more, error, slow, reload } = props.pages;
  return (
    <>
      {error !== undefined && <Alert title={props.failed} error={error} onRetry={reload} />}
      {slow && <Waiting text={props.loading} />}
      {items?.length === 0 && more === null && <p class="list-foot muted">{props.none}</p>}
      {items !== undefined && items.length > 0 && <ul class="list">{items.map(props.row)}</ul>}
      <More more={more} isInCard />
    </>
  );
}

/** Deleted things as a list of cards that is read page by page, with the same states as `PagedList`. */
export function TrashList<T>(props: {
  pages: Pages<T>;
  text: { failed: string; loading: string; none: string; noneHelp: string };
  row: (item: T) => ComponentChildren;
}) {
  const { items, more, error, slow, reload } = props.pages;
  const { text } = props;
  return (
    <>
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && <Waiting text={text.loading} />}
      {items?.length === 0 && <CalmCard icon="trash" title={text.none} help={text.noneHelp} />}
      {items !== undefined && items.length > 0 && <ul class="card list">{items.map(props.row)}</ul>}
      <More more={more} />
    </>
  );
}
