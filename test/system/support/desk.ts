import { mkdirSync } from "node:fs";
import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll } from "vitest";
import { createClient, type WorkspaceClient } from "../../../client/src/index";
import { openBrowser, openTab } from "./browser";
import { signInAt, watch } from "./console";
import { entitle, newSite, RunningService, type Site } from "./running";

/* What the tests of one file share. Vitest loads this module anew for each file. */

/** The running service. */
export let service: RunningService;
/** The organization of the file. Only with `site` of `Needs`. */
export let site: Site;
/** The browser, and its tab. Only after `useDesk`. */
export let browser: Browser;
export let page: Page;
/** Errors that the browser reported, and requests to other hosts, in the tab and in other watched ones. */
export const complaints: string[] = [];

export interface Needs {
  /** Environment variables of the service, which may depend on its address. */
  settings?: Record<string, string> | ((url: string) => Record<string, string>);
  /** A site; `entitled`: one with all entitlements, whose owner is an administrator of the service. Without: none. */
  site?: "plain" | "entitled";
  /** Whether the service sends mail, which `mails` of the service reads. */
  mails?: boolean;
  /** Workspace databases besides a directory; one database unless given. */
  databases?: number;
}

/** Runs the service for the tests of a file. @param prepare what comes before the first test */
export function useService(needs: Needs = {}, prepare?: () => Promise<void>): void {
  beforeAll(async () => {
    const settings: Record<string, string> = needs.site === "entitled" ? { FIRST_USER_IS_ADMIN: "true" } : {};
    const given = needs.settings;
    const all = (url: string) => ({ ...settings, ...(typeof given === "function" ? given(url) : given) });
    if (needs.mails === true) service = await RunningService.startMailing(all);
    else
      service = await (needs.databases === undefined
        ? RunningService.start(all)
        : RunningService.startSeveral(needs.databases, all));
    if (needs.site !== undefined) site = await newSite(service);
    if (needs.site === "entitled") await entitle(service, site);
    await prepare?.();
  });
  afterAll(() => service?.stop());
}

/** Runs the service and a browser with one watched tab for the tests of a file. @param prepare what comes before the first test */
export function useDesk(needs: Needs = {}, prepare?: () => Promise<void>): void {
  useService(needs, async () => {
    browser = await openBrowser();
    page = await openTab(browser);
    watch(service, page, complaints);
    await page.setViewport({ width: 1280, height: 900 });
    await prepare?.();
  });
  // Hooks after the tests run in reverse order: the browser ends before the service.
  afterAll(() => browser?.close());
}

/** A watched tab in a browser profile of its own, in which nobody is signed in. */
export async function openProfile(): Promise<Page> {
  const tab = await openTab(await browser.createBrowserContext());
  watch(service, tab, complaints);
  await tab.setViewport({ width: 1280, height: 900 });
  return tab;
}

/** Makes another tab the one that the tests use. @returns the former tab */
export function turnTo(tab: Page): Page {
  const former = page;
  page = tab;
  return former;
}

/** The client of the site's owner. */
export const siteClient = (): WorkspaceClient =>
  createClient({ baseUrl: service.url, personalAccessToken: site.token });

/** Signs a person in at a view of the console in the tab. @param view the path below `/console` */
export const enter = (view: string, person: { email: string; password: string } = site): Promise<void> =>
  signInAt(page, `${service.url}/console/${view}`, person);

/** Writes pictures of the page in both themes, for a look at it: `PICTURES=<folder>`. */
export async function show(name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  for (const scheme of ["light", "dark"])
    for (const width of [320, 1280]) {
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.screenshot({ path: `${folder}/${name}-${width}-${scheme}.png`, fullPage: true });
    }
  await page.setViewport({ width: 1280, height: 900 });
}
