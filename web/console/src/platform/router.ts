import { signal } from "@preact/signals";

/** The address of the current view. */
export const address = signal(new URL(location.href));

/** Shows another view. `replace` replaces the current entry of the history. */
export function navigate(to: string, { replace = false } = {}): void {
  const next = new URL(to, location.href);
  if (next.href === location.href) return;
  if (replace) history.replaceState(null, "", next);
  else history.pushState(null, "", next);
  show(next);
}

/** Shows an address. A new view starts at its top. */
function show(next: URL): void {
  const moved = next.pathname !== address.peek().pathname;
  address.value = next;
  if (moved) document.querySelector("main")?.scrollTo(0, 0);
}

/** Moves the focus to a part of the current view. Its address stays, because a view has no parts in it. */
function focusOn(id: string): void {
  const part = document.getElementById(id);
  part?.focus({ preventScroll: true });
  part?.scrollIntoView({ block: "start" });
}

addEventListener("popstate", () => show(new URL(location.href)));

/** Links inside the console change the view. The browser handles links that a person opens in another tab or window. */
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (link.origin !== location.origin || !link.pathname.startsWith("/console/") || link.target !== "") return;
  event.preventDefault();
  if (link.hash !== "" && link.pathname === location.pathname && link.search === location.search) {
    focusOn(link.hash.slice(1));
    return;
  }
  navigate(link.href);
});
