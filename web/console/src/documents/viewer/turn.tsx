import { VIEWER } from "#texts/viewer.ts";
import { stepOf } from "../../../../ui/direction.ts";
import { Icon } from "../../../../ui/icon.tsx";

interface TurnProps {
  page: number;
  /** Null while the document is opened. */
  count: number | null;
  onPage: (page: number) => void;
}

/** The buttons that turn pages, with the number of the page between them. */
export function Turn({ page, count, onPage }: TurnProps) {
  const text = VIEWER;
  return (
    <>
      <button
        type="button"
        class="btn icon-only"
        aria-label={text.previousPage}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        <Icon name="left" />
      </button>
      <span class="nums" role="status">
        {text.pageOf(page, count)}
      </span>
      <button
        type="button"
        class="btn icon-only"
        aria-label={text.nextPage}
        disabled={page >= (count ?? 1)}
        onClick={() => onPage(page + 1)}
      >
        <Icon name="right" />
      </button>
    </>
  );
}

/** Turns the page with a key of an arrow. */
export function turnByKey(event: KeyboardEvent, { page, count, onPage }: TurnProps): void {
  const to = page + (stepOf(event.key) ?? 0);
  if (to === page || to < 1 || to > (count ?? 1) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  onPage(to);
}
