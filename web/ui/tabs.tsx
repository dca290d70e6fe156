import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface Tab {
  href: string;
  label: string;
  isShown: boolean;
  /** A class of the link. */
  class?: string;
}

/** Links or buttons that are a strip in a narrow window: scrolls the current one into its middle. `shown` names it. */
export function useStrip<T extends HTMLElement>(shown: string | null | undefined): RefObject<T | null> {
  const strip = useRef<T | null>(null);
  useLayoutEffect(() => {
    const [box, link] = [strip.current, strip.current?.querySelector("[aria-current], [aria-pressed=true]")];
    if (box == null || link == null) return;
    // scrollIntoView could also scroll the page.
    const { left, width } = link.getBoundingClientRect();
    box.scrollLeft += left + width / 2 - (box.getBoundingClientRect().left + box.clientWidth / 2);
  }, [shown]);
  return strip;
}

/** Links to the parts of a view. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const strip = useStrip<HTMLElement>(tabs.find(({ isShown }) => isShown)?.href);
  return (
    <nav class="tabs" aria-label={label} ref={strip}>
      {tabs.map((tab) => (
        <a key={tab.href} class={tab.class} href={tab.href} aria-current={tab.isShown ? "page" : undefined}>
          {tab.label}
        </a>
      ))}
    </nav>
  );
}
