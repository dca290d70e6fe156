import { useEffect } from "preact/hooks";
import { TEXTS } from "./texts.ts";

/** Names the view in the window's title. */
export function useTitle(view: string): void {
  useEffect(() => {
    document.title = TEXTS.titleOf(view);
  }, [view]);
}
