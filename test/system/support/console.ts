import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "puppeteer-core";
import { expect } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import type { RunningService } from "./running";

/* Common actions and checks of the tests of the console and of the share viewer in a tab. */

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Collects the errors that the browser reports in a tab, and requests of the tab to other hosts. */
export function watch(service: RunningService, tab: Page, complaints: string[]): void {
  tab.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  tab.on("pageerror", (error) => complaints.push(String(error)));
  tab.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && origin !== service.url) complaints.push(`asked ${origin}`);
  });
}

/** The text of an element as a person sees it. */
export const textOf = (tab: Page, selector: string): Promise<string> =>
  tab.$eval(selector, (element) => (element as unknown as { innerText: string }).innerText);
export const visibleText = (tab: Page): Promise<string> => textOf(tab, "body");
/** Waits until the page shows a text. */
export const sees = (tab: Page, text: string): Promise<void> =>
  eventually(async () => expect(await visibleText(tab)).toContain(text), LONG_PATIENCE);
/** The selector of a button with this name. */
export const button = (name: string): string => `::-p-aria([name="${name}"][role="button"])`;
/** Clicks the button with this name as soon as it is there. */
export const press = async (tab: Page, name: string): Promise<void> => {
  const found = await tab.waitForSelector(button(name), { visible: true });
  await found?.click();
};
/** Types into the fields of a form, by their names. */
export async function fill(tab: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) {
    await tab.waitForSelector(`[name=${name}]`, { visible: true });
    await tab.type(`[name=${name}]`, value);
  }
}

const violations = z.array(z.object({ id: z.string(), nodes: z.array(z.looseObject({ target: z.unknown() })) }));

/** Minimum width and height of what a finger touches, pixels. */
const MIN_TARGET = 44;

/** The script that finds controls. Those behind an open dialog are not used. */
const CONTROLS = `
  const within = document.querySelector("dialog[open]") ?? document;
  const controls = [...within.querySelectorAll("button, select, textarea, input, summary, a.btn, nav a")]
    .map((one) => (one.matches("[type=checkbox], [type=radio]") ? (one.closest("label") ?? one) : one))
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.closest(".sr, .skip") === null);
  const named = (one) => one.outerHTML.slice(0, 120);
`;
const SMALL = `(() => {${CONTROLS}
  const isSmall = (one) => {
    const { width, height } = one.getBoundingClientRect();
    return width > 0 && (Math.round(width) < ${MIN_TARGET} || Math.round(height) < ${MIN_TARGET});
  };
  return controls.filter(isSmall).map(named);
})()`;
const COVERED = `(() => {${CONTROLS}
  const isCovered = (one) => {
    one.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const { left, top, width, height } = one.getBoundingClientRect();
    if (width === 0) return false;
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    return hit === null || !(one.contains(hit) || hit.contains(one));
  };
  return controls.filter(isCovered).map(named);
})()`;

/** Looks for accessibility errors in both colour schemes, and for elements outside of windows of many widths. */
export async function expectSound(tab: Page, view: string): Promise<void> {
  for (const [width, scheme] of [
    [1920, "light"],
    [320, "dark"],
    [360, "light"],
    [1280, "light"],
  ] as const) {
    // The page has no motion, so that no colour is checked during a transition.
    await tab.emulateMediaFeatures([
      { name: "prefers-color-scheme", value: scheme },
      { name: "prefers-reduced-motion", value: "reduce" },
    ]);
    await tab.setViewport({ width, height: 900 });
    const out = await tab.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect.soft([view, width, out]).toEqual([view, width, 0]);
    if (width !== 320 && width !== 1280) continue;
    await tab.evaluate(AXE);
    const found = violations.parse(await tab.evaluate("axe.run().then((result) => result.violations)"));
    const told = found.map(({ id, nodes }) => `${id}: ${JSON.stringify(nodes.map(({ target }) => target))}`);
    expect.soft({ view, scheme, width, told }).toEqual({ view, scheme, width, told: [] });
  }
}

/**
 * Looks for what `expectSound` finds, for controls that are too small for a finger on a phone, and for those that a window
 * at 400 % zoom never shows.
 */
export async function expectReachable(tab: Page, view: string): Promise<void> {
  await expectSound(tab, view);
  await tab.setViewport({ width: 320, height: 900 });
  expect.soft({ view, small: await tab.evaluate(SMALL) }).toEqual({ view, small: [] });
  await tab.setViewport({ width: 320, height: 256 });
  expect.soft({ view, covered: await tab.evaluate(COVERED) }).toEqual({ view, covered: [] });
  await tab.setViewport({ width: 1280, height: 900 });
}

/** Opens a page of the console, and signs in there. */
export async function signInAt(tab: Page, url: string, person: { email: string; password: string }): Promise<void> {
  await tab.goto(url);
  await fill(tab, person);
  await press(tab, "Sign in");
  await tab.waitForSelector("[popovertarget=account]");
}
