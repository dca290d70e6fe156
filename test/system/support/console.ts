import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { ElementHandle, Page } from "puppeteer-core";
import { expect } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import type { RunningService } from "./running";

/* Common actions and checks of the tests of the console and of the share viewer in a tab. */

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Collects the errors that the browser reports in a tab, and requests of the tab to other hosts. */
export function watch(service: RunningService, tab: Page, complaints: string[]): void {
  tab.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url ?? ""}`.trim());
  });
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
/** Waits until the page is drawn again after a change. A tab in the background is not drawn. */
const drawn = (tab: Page): Promise<unknown> =>
  tab.evaluate(`new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(done));
    setTimeout(done, 200);
  })`);
/** The position and the size of an element in the window. */
const placeOf = (element: ElementHandle | null) => element?.boundingBox().then(JSON.stringify);
/** Clicks the button with this name as soon as it can be used and rests. A list that is read again can replace it before. */
export const press = (tab: Page, name: string): Promise<void> =>
  eventually(async () => {
    const found = await tab.waitForSelector(button(name), { visible: true });
    expect(await found?.evaluate((one) => (one as unknown as { disabled?: boolean }).disabled)).not.toBe(true);
    const before = await placeOf(found);
    await drawn(tab);
    expect(await placeOf(found)).toBe(before);
    await found?.click();
  }, LONG_PATIENCE);
/** Types into the fields of a form, by their names. */
export async function fill(tab: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) {
    await tab.waitForSelector(`[name=${name}]`, { visible: true });
    await tab.type(`[name=${name}]`, value);
  }
}

/** The script that looks for violations. What passes is not described, which would take most of the time of a large page. */
const VIOLATIONS = 'axe.run({ resultTypes: ["violations"] }).then((result) => result.violations)';
const violations = z.array(z.object({ id: z.string(), nodes: z.array(z.looseObject({ target: z.unknown() })) }));

/** Minimum width and height of what a finger touches, pixels. */
const MIN_TARGET = 44;

/**
 * The script that finds controls. It leaves out controls behind an open dialog, and links within a sentence, which are as high as
 * its lines.
 */
const CONTROLS = `
  const within = document.querySelector("dialog[open], :popover-open") ?? document;
  const isInSentence = (one) => one.matches("a:not(.btn)") && one.parentElement.textContent.trim() !== one.textContent.trim()
    && getComputedStyle(one).display === "inline";
  const controls = [...within.querySelectorAll("button, select, textarea, input, summary, a[href]")]
    .map((one) => (one.matches("[type=checkbox], [type=radio]") ? (one.closest("label") ?? one) : one))
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.closest(".sr, .skip") === null)
    .filter((one) => !isInSentence(one));
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

/**
 * The script that finds regions that can scroll, with the current content or with more, but cannot be reached by the
 * keyboard: neither they nor anything in them takes the focus. It looks into shadow roots too.
 */
const KEYLESS = `(() => {
  const within = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? within(one.shadowRoot) : [])]);
  const takesFocus = (one) => one.tabIndex >= 0 && !one.disabled;
  const isKeyless = (one) => {
    const { overflowX, overflowY } = getComputedStyle(one);
    const scrolls = [overflowX, overflowY].some((way) => way === "auto" || way === "scroll");
    if (!scrolls || !one.checkVisibility() || [one, ...within(one)].some(takesFocus)) return false;
    // The field of a list of suggestions has the keys of the list. A view that waits has nothing to scroll to yet.
    const field = one.id === "" ? null : document.querySelector('[role="combobox"][aria-controls="' + CSS.escape(one.id) + '"]');
    return field === null && one.querySelector(".waiting") === null;
  };
  return within(document.body).filter(isKeyless).map((one) => one.outerHTML.slice(0, 120));
})()`;

/** The script that finds out whether the page, its content or an open dialog is wider than its place: by how many pixels, and where. */
const BEYOND = `(() => {
  const places = [document.documentElement, ...document.querySelectorAll("main, dialog[open]")];
  const wide = places.find((one) => one.scrollWidth > one.clientWidth);
  if (wide === undefined) return "";
  const edge = wide.getBoundingClientRect().left + wide.clientWidth;
  const inner = [...wide.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > edge + 1);
  return wide.scrollWidth - wide.clientWidth + " pixels: " + (inner.at(-1)?.outerHTML ?? "").slice(0, 160);
})()`;

/** The script that finds elements that move by themselves or during a change. It looks into shadow roots too. */
const MOVING = `(() => {
  const lasts = (durations) => !/^0s(, 0s)*$/.test(durations);
  const isMoving = (one) => ["", "::before", "::after"].some((part) => {
    const { animationName, animationDuration, transitionDuration, scrollBehavior } = getComputedStyle(one, part);
    return (animationName !== "none" && lasts(animationDuration)) || lasts(transitionDuration) || scrollBehavior === "smooth";
  });
  const within = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? within(one.shadowRoot) : [])]);
  return within(document).filter(isMoving).map((one) => one.outerHTML.slice(0, 120));
})()`;

/** Gives the window another size, and waits until the page has followed. */
async function resize(tab: Page, width: number, height: number): Promise<void> {
  await tab.setViewport({ width, height });
  await drawn(tab);
}

/** Runs a check in the window of a phone that lies on its side, whose pointer is a finger. The page is not loaded again. */
async function underFinger(tab: Page, check: () => Promise<void>): Promise<void> {
  const session = await tab.createCDPSession();
  await resize(tab, 844, 390);
  // A new size of the window would take the finger away.
  await session.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  await drawn(tab);
  expect(await tab.evaluate("matchMedia('(pointer: coarse)').matches")).toBe(true);
  await check();
  await session.send("Emulation.setTouchEmulationEnabled", { enabled: false });
  await session.detach();
}

/**
 * Checks a view: accessibility errors in both colour schemes, elements outside of windows of many widths, motion for
 * people who want none, regions that the keyboard cannot scroll, controls that are too small for a finger on a phone
 * that is upright or turned, and controls that a window at 400 % zoom never shows. Afterwards the window has 1,280 ×
 * 900 pixels, and the tab still asks for reduced motion.
 */
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
    await resize(tab, width, 900);
    const out = await tab.evaluate(BEYOND);
    expect.soft([view, width, out]).toEqual([view, width, ""]);
    if (width !== 320 && width !== 1280) continue;
    if (!(await tab.evaluate("'axe' in window"))) await tab.evaluate(AXE);
    const found = violations.parse(await tab.evaluate(VIOLATIONS));
    const told = found.map(({ id, nodes }) => `${id}: ${JSON.stringify(nodes.map(({ target }) => target))}`);
    expect.soft({ view, scheme, width, told }).toEqual({ view, scheme, width, told: [] });
  }
  expect.soft({ view, moving: await tab.evaluate(MOVING) }).toEqual({ view, moving: [] });
  expect.soft({ view, keyless: await tab.evaluate(KEYLESS) }).toEqual({ view, keyless: [] });
  await underFinger(tab, async () => {
    const lying = await tab.evaluate(SMALL);
    expect.soft({ view, lying }).toEqual({ view, lying: [] });
  });
  await resize(tab, 320, 900);
  expect.soft({ view, small: await tab.evaluate(SMALL) }).toEqual({ view, small: [] });
  await resize(tab, 320, 256);
  expect.soft({ view, covered: await tab.evaluate(COVERED) }).toEqual({ view, covered: [] });
  await resize(tab, 1280, 900);
}

/** Opens a page of the console, and signs in there. */
export async function signInAt(
  tab: Page,
  url: string,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await tab.goto(url);
  await fill(tab, { email, password });
  await press(tab, "Sign in");
  await tab.waitForSelector("[popovertarget=account]");
}
