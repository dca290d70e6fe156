import { options, type RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

type Tell = (isNear: boolean, box: DOMRectReadOnly) => void;

/** On paper, everything is near: what was far is drawn before the browser makes the pages. */
addEventListener("beforeprint", () => {
  const later = options.debounceRendering;
  options.debounceRendering = (draw) => draw();
  for (const { tells } of observers.values())
    for (const [element, tell] of tells) tell(true, element.getBoundingClientRect());
  if (later === undefined) delete options.debounceRendering;
  else options.debounceRendering = later;
});

/** One observer for each distance: a page can have hundreds of watched elements. */
const observers = new Map<string, { observer: IntersectionObserver; tells: Map<Element, Tell> }>();

function observerOf(margin: string) {
  const found = observers.get(margin);
  if (found !== undefined) return found;
  const tells = new Map<Element, Tell>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting, boundingClientRect } of entries)
        tells.get(target)?.(isIntersecting, boundingClientRect);
    },
    // The view scrolls inside the window, whose own margin does not count then. Browsers without it see no element ahead.
    { rootMargin: margin, scrollMargin: margin } as IntersectionObserverInit,
  );
  const made = { observer, tells };
  observers.set(margin, made);
  return made;
}

/**
 * Tells whether an element is near the window: now, and each time that changes.
 * @param margin the distance, as CSS has it
 * @returns a function that ends it
 */
export function watchNear(element: Element, margin: string, tell: Tell): () => void {
  const { observer, tells } = observerOf(margin);
  tells.set(element, tell);
  observer.observe(element);
  return () => {
    tells.delete(element);
    observer.unobserve(element);
  };
}

/**
 * Whether the element is near the window. An element that has the focus stays near. What is near when it is made is drawn
 * once: a part that the first drawing of an observer replaces could take a press with it.
 * @param margin the distance, pixels
 */
export function useNear(element: RefObject<Element | null>, margin: number): boolean {
  const [isNear, setNear] = useState(false);
  useLayoutEffect(() => {
    const shown = element.current;
    if (shown === null) return;
    const { top, bottom } = shown.getBoundingClientRect();
    setNear(bottom >= -margin && top <= innerHeight + margin);
    return watchNear(shown, `${margin}px`, (near) => setNear(near || shown.contains(document.activeElement)));
  }, []);
  return isNear;
}
