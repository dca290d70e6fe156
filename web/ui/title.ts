import { useEffect } from "preact/hooks";
import { COMMON } from "#texts/common.ts";

/** Writes the name of the view into the window's title. */
export function useTitle(view: string): void {
  useEffect(() => {
    document.title = COMMON.titleOf(view);
  }, [view]);
}
