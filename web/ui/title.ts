import { useEffect } from "preact/hooks";
import { COMMON } from "../texts/common.ts";

/** Names the view in the window's title. */
export function useTitle(view: string): void {
  useEffect(() => {
    document.title = COMMON.titleOf(view);
  }, [view]);
}
