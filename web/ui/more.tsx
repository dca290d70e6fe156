import { useEffect, useRef } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { watchNear } from "./near.ts";

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

/** Distance from the window at which the next page is read. */
const AHEAD = "1500px";

/**
 * `More` for a list that goes on by itself: it shows the next page when its end comes near the window.
 * @param pages the pages that were read
 */
export function MoreAhead({ more, pages }: { more: (() => void) | null; pages: number }) {
  const box = useRef<HTMLDivElement>(null);
  const present = useRef(more);
  present.current = more;
  // After each page, the end is somewhere else.
  useEffect(() => {
    const element = box.current;
    return element === null ? undefined : watchNear(element, AHEAD, (isNear) => isNear && present.current?.());
  }, [pages, more === null]);
  return (
    <div ref={box}>
      <More more={more} />
    </div>
  );
}
