import { COMMON } from "#texts/common.ts";

/** The button at the end of a list that shows one more page; nothing if there is none. `isInCard`: in the list's card. */
export function More({ more, isInCard = false }: { more: (() => void) | null; isInCard?: boolean }) {
  if (more === null) return null;
  return (
    <p class={isInCard ? "list-foot" : undefined}>
      <button type="button" class="btn" onClick={more}>
        {COMMON.showMore}
      </button>
    </p>
  );
}
