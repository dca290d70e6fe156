import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** The field in place of the button that opens the search; null shows the button. */
export const topField = signal<ComponentChildren>(null);

/** While its view is shown, its children are in the top bar in place of the button that opens the search. */
export function TopField({ children }: { children: ComponentChildren }) {
  useLayoutEffect(() => {
    topField.value = children;
  });
  useLayoutEffect(
    () => () => {
      topField.value = null;
    },
    [],
  );
  return null;
}
