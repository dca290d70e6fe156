import { join } from "node:path";

/**
 * A page, or a state of a page.
 * @typedef {object} View
 * @property {string} name
 * @property {string} path
 * @property {string} [ready] selector of what the page shows last
 * @property {(page: import("puppeteer-core").Page) => Promise<unknown>} [before] runs before the page is opened
 * @property {(page: import("puppeteer-core").Page) => Promise<unknown>} [act] runs when the page is complete: it leads to
 *   the state
 * @property {(page: import("puppeteer-core").Page) => Promise<unknown>} [after] ends what `before` and `act` began
 * @property {boolean} [isWaiting] whether the page waits for an answer in this state
 * @property {readonly number[]} [widths] widths of the window, pixels; all without it
 */

const WIDTHS = [1440, 360, 320];
const HEIGHT = 900;
/** A longer page is captured whole, up to this height, pixels. */
const MAX_HEIGHT = 3_000;
const THEMES = ["light", "dark"];
/**
 * A page is complete after this time without a request. A page that never stops its requests is captured after the
 * longer time.
 */
const IDLE_MS = 500;
const MAX_LOADING_MS = 5_000;

/** Waits until a page has its contents, or until it says that it waits for them. */
async function settle(page, isWaiting) {
  const options = { timeout: MAX_LOADING_MS };
  await page
    .waitForNetworkIdle({ idleTime: IDLE_MS, concurrency: isWaiting ? 6 : 1, ...options })
    .catch(() => undefined);
  await page.waitForSelector(".waiting", { hidden: !isWaiting, ...options }).catch(() => undefined);
}

/**
 * Makes the window as high as the view, which scrolls inside the frame of the console. Pictures that come into the
 * window are loaded then.
 */
async function showWhole(page, width, isWaiting) {
  const hidden = await page.evaluate(() => {
    const view = document.querySelector("main");
    const inside = view === null ? 0 : view.scrollHeight - view.clientHeight;
    return Math.max(inside, document.documentElement.scrollHeight - innerHeight);
  });
  if (hidden <= 0) return;
  await page.setViewport({ width, height: Math.min(HEIGHT + hidden, MAX_HEIGHT) });
  await settle(page, isWaiting);
}

/**
 * Takes the pictures of views in one tab: each in its widths and in both themes.
 * @param {import("puppeteer-core").Page} page
 * @param {string} url of the service
 * @param {readonly View[]} views
 * @param {string} folder
 * @returns {Promise<number>} the number of pictures
 */
export async function takeAll(page, url, views, folder) {
  let count = 0;
  const show = (theme) =>
    page.emulateMediaFeatures([
      { name: "prefers-color-scheme", value: theme },
      { name: "prefers-reduced-motion", value: "reduce" },
    ]);
  for (const { name, path, ready = "main", before, act, after, isWaiting = false, widths = WIDTHS } of views)
    for (const width of widths) {
      await show(THEMES[0]);
      await page.setViewport({ width, height: HEIGHT });
      await before?.(page);
      // The page of a share link has its address in the fragment: without another page between, it is not opened again.
      await page.goto("about:blank");
      await page.goto(`${url}${path}`);
      await page.waitForSelector(ready);
      await settle(page, isWaiting);
      if (act !== undefined) {
        await act(page);
        await settle(page, isWaiting);
      }
      await showWhole(page, width, isWaiting);
      for (const theme of THEMES) {
        await show(theme);
        await page.screenshot({ path: join(folder, `${name}-${theme}-${width}.png`) });
        count++;
      }
      await after?.(page);
    }
  return count;
}
