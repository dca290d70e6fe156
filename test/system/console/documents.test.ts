import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { createClient } from "../../../client/src/index";
import { pagedPdf } from "../../support/paged-pdf";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { openBrowser, openTab } from "../support/browser";
import { expectSound, press, sees, signInAt, textOf, watch } from "../support/console";
import { joinSite, newSite, RunningService, type Site } from "../support/running";

/* A document from the search to its page with the passage marked, its versions, its place, and whole folders. */

const PERSON = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };
/** More than is hashed at once. */
const LARGE_BYTES = 5 * 1024 * 1024;

let service: RunningService;
let browser: Browser;
let page: Page;
let site: Site;
const complaints: string[] = [];

beforeAll(async () => {
  service = await RunningService.start();
  browser = await openBrowser();
  page = await openTab(browser);
  watch(service, page, complaints);
  await page.setViewport({ width: 1280, height: 900 });
  site = await newSite(service);
  await joinSite(service, site, { ...PERSON, displayName: "Ida", role: "admin" });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const marked = async (name: string) =>
  z
    .array(z.string())
    .parse(await page.evaluate(`[...(CSS.highlights.get("${name}") ?? [])].map((range) => range.toString())`));

test("a search opens a PDF at its page, with the passage and the words marked", async () => {
  const client = createClient({ baseUrl: service.url, personalAccessToken: site.token });
  const bytes = new Blob([pagedPdf(3)], { type: "application/pdf" });
  const made = await client.uploadDocument({ locationId: site.locationId, file: bytes, fileName: "survey.pdf" });
  await signInAt(page, `${service.url}/console/search?q=lantern3`, PERSON);
  await eventually(async () => {
    await page.reload();
    await page.waitForSelector("#hits .hit", { timeout: 2_000 });
  }, LONG_PATIENCE);
  await page.click("#hits .hit");
  await sees(page, "Page 3 of 3");
  expect(page.url()).toContain(`/console/documents/${made.id}?page=3`);
  await eventually(async () => expect(await marked("word")).toEqual(["lantern3"]), LONG_PATIENCE);
  expect((await marked("passage")).join()).toContain("The keeper of page 3 lights lantern3 at dusk");
  await expectSound(page, "PDF");
  await press(page, "Previous page");
  await sees(page, "Page 2 of 3");
  expect(page.url()).toContain("page=2");
});

test("a new version is uploaded beside the document, and each version is downloaded", async () => {
  const file = join(service.stateDir, "other.pdf");
  writeFileSync(file, pagedPdf(4));
  const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, "Upload a new version")]);
  await chooser.accept([file]);
  await sees(page, "Version 2");
  await eventually(async () => expect(await textOf(page, ".side")).toMatch(/Text found, 4 pages/), LONG_PATIENCE);
  expect(await textOf(page, "h1")).toBe("survey.pdf");
  const answer = page.waitForResponse((response) => response.url().includes("version=1"));
  await press(page, "Download version 1");
  const { sizeBytes } = z.object({ sizeBytes: z.number() }).parse(await (await answer).json());
  expect(sizeBytes).toBeGreaterThan(0);
  await page.click("::-p-aria([name='Show version 1'][role='link'])");
  await sees(page, "You see version 1.");
  await sees(page, "of 3");
  expect(page.url()).toContain("version=1");
  await page.click("::-p-text(Show the newest version)");
  await sees(page, "of 4");
});

test("a page that cannot be drawn shows its text", async () => {
  const tab = await openTab(browser);
  await tab.evaluateOnNewDocument("HTMLCanvasElement.prototype.getContext = () => null");
  await tab.goto(`${page.url().split("?")[0]}?page=2&find=lantern2`);
  await sees(tab, "The pages cannot be drawn. This is their text.");
  await sees(tab, "The keeper of page 2 lights lantern2 at dusk.");
  await tab.close();
});

test("a document is renamed into a folder, deleted, and brought back", async () => {
  await press(page, "Rename or move");
  await page.waitForSelector("dialog[open] [name=fileName]");
  await expectSound(page, "rename");
  await page.$eval("dialog [name=fileName]", (input) => {
    (input as unknown as { value: string }).value = "fender.pdf";
  });
  await page.type("dialog [name=path]", "surveys/2026");
  await press(page, "Save");
  await eventually(async () => expect(await textOf(page, "h1")).toBe("fender.pdf"), LONG_PATIENCE);
  await press(page, "Delete");
  await sees(page, "“fender.pdf” is in the trash.");
  expect(page.url()).toContain(`/locations/${site.locationId}/documents`);
  await sees(page, "No documents yet");
  await press(page, "Undo");
  await eventually(async () => expect(await textOf(page, "h1")).toBe("fender.pdf"), LONG_PATIENCE);
});

test("a folder is uploaded with its folders, also a file that is too large to be hashed at once", async () => {
  const folder = join(service.stateDir, "harbour");
  mkdirSync(join(folder, "tides"), { recursive: true });
  writeFileSync(join(folder, "tides", "gauge.txt"), "The gauge has a brass dial.");
  writeFileSync(join(folder, "large.txt"), "A long line about ropes.\n".repeat(LARGE_BYTES / 25 + 1));
  await page.goto(`${service.url}/console/locations/${site.locationId}/documents`);
  const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, "Upload a folder")]);
  await chooser.accept([folder]);
  await sees(page, "2 of 2 files uploaded");
  const both = /large\.txt\s*harbour[\s\S]*gauge\.txt\s*harbour\/tides/;
  await eventually(async () => expect(await textOf(page, "table")).toMatch(both), LONG_PATIENCE);
  await page.click("::-p-aria([name='harbour/tides'][role='link'])");
  await page.waitForSelector("::-p-text(All documents)");
  await eventually(
    async () => expect(await textOf(page, "table tbody")).toMatch(/^gauge\.txt(?![\s\S]*fender)/),
    LONG_PATIENCE,
  );
  await expectSound(page, "folder");
  await page.click("table a");
  await sees(page, "The gauge has a brass dial.");
  await expectSound(page, "text");
  expect(complaints).toEqual([]);
});
