import type { Page } from "puppeteer-core";
import { z } from "zod";

/**
 * Records what a screen reader says of the live regions of a page. It says a change of a region that was there before,
 * and each new alert. A region that appears with its text is silent.
 */
const RECORD = `{
  const LIVE = "[role=status], [role=alert], [role=log], [aria-live=polite], [aria-live=assertive]";
  const known = new WeakSet();
  window.announced = [];
  const tell = (region) => {
    const text = region.textContent.trim().replace(/\\s+/g, " ");
    if (text !== "" && window.announced.at(-1) !== text) window.announced.push(text);
  };
  new MutationObserver((changes) => {
    const changed = new Set();
    for (const { target } of changes) {
      const region = (target instanceof Element ? target : target.parentElement)?.closest(LIVE);
      if (region != null && known.has(region)) changed.add(region);
    }
    for (const region of document.querySelectorAll(LIVE)) {
      if (!known.has(region) && region.matches("[role=alert]")) changed.add(region);
      known.add(region);
    }
    changed.forEach(tell);
  }).observe(document, { childList: true, subtree: true, characterData: true });
}`;

/** Records the announcements of the current page of a tab from now on. */
export async function listenToRegions(tab: Page): Promise<void> {
  await tab.evaluate(RECORD);
}

/** What was announced since then, in order. */
export const announcedIn = async (tab: Page): Promise<string[]> =>
  z.array(z.string()).parse(await tab.evaluate("window.announced"));
