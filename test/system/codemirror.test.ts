import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { openBrowser, openTab } from "./support/browser";
import { servePage } from "./support/bundled-page";
import { newSite, RunningService, type Site } from "./support/running";

/*
 * The code of docs/how-to/edit-together.md works exactly as it is in the page: two people write one report in
 * CodeMirror.
 */

let service: RunningService;
let site: Site;
let server: Server;
let browser: Browser;

/** The code blocks of the page, in their order. */
function exampleOfDocs(): string {
  const page = readFileSync(join(import.meta.dirname, "../../docs/how-to/edit-together.md"), "utf8");
  return [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code).join("\n");
}

/** The surroundings that the code of the page expects, and access for the test. */
const AROUND = `const { reportId, post } = globalThis;
  const showWarning = (text) => console.warn(text);
  globalThis.shown = () => view?.state.doc.toString() ?? null;`;

beforeAll(async () => {
  service = await RunningService.start();
  site = await newSite(service);
  server = await servePage(`${AROUND}\n${exampleOfDocs()}`, `<title>editor</title><div id="editor"></div>`);
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  server?.close();
  await service?.stop();
});

const report = z.looseObject({ id: z.string(), contentJson: z.record(z.string(), z.unknown()) });

async function newReport(): Promise<string> {
  const made = z.looseObject({ id: z.string() });
  const template = await service.api(made, "POST", "/v1/reports/templates/users/me", site.token, {
    key: `editor-${crypto.randomUUID()}`,
    displayName: "Editor",
    htmlLayoutTemplate: "",
    contentTemplateJson: { body: "Dry.\n" },
    bodyFieldPath: "body",
  });
  const body = { templateId: template.id };
  return (await service.api(report, "POST", `/v1/reports/locations/${site.locationId}`, site.token, body)).id;
}

/** A page with the editor, and the messages of its console. */
async function openEditor(reportId: string): Promise<{ page: Page; said: string[] }> {
  const page = await openTab(browser);
  const said: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (thrown) => said.push(String(thrown)));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await page.exposeFunction("post", (path: string) => service.api(z.unknown(), "POST", path, site.token));
  await page.evaluate((id) => Object.assign(globalThis, { reportId: id }), reportId);
  await page.addScriptTag({ url: "/editor.js", type: "module" });
  await page.waitForSelector(".cm-content");
  return { page, said };
}

const shown = (page: Page) => page.evaluate(() => (globalThis as unknown as { shown(): string }).shown());

test("the editor of the documentation binds CodeMirror to the draft, for two people at once", async () => {
  const reportId = await newReport();
  const [ada, eve] = [await openEditor(reportId), await openEditor(reportId)];
  const typed = async ({ page }: { page: Page }, text: string) => {
    await page.bringToFront();
    await page.focus(".cm-content");
    await page.keyboard.down("Control");
    await page.keyboard.press("End");
    await page.keyboard.up("Control");
    await page.keyboard.type(text);
  };
  const both = (text: string) =>
    eventually(async () => {
      expect([await shown(ada.page), await shown(eve.page)]).toEqual([text, text]);
      const { contentJson } = await service.api(report, "GET", `/v1/reports/${reportId}`, site.token);
      expect(contentJson.body).toBe(text);
    }, LONG_PATIENCE);
  await both("Dry.\n");
  await typed(ada, "Sound.");
  await both("Dry.\nSound.");
  await typed(eve, " Łódź 1");
  await both("Dry.\nSound. Łódź 1");
  // Ada's editor shows the cursor of the other person.
  await ada.page.waitForSelector(".cm-ySelectionInfo");
  const { revision } = await service.api(
    z.looseObject({ revision: z.int() }),
    "GET",
    `/v1/reports/${reportId}`,
    site.token,
  );
  await service.api(report, "PUT", `/v1/reports/${reportId}`, site.token, {
    contentJson: { body: "Anew." },
    baseRevision: revision,
  });
  await both("Anew.");
  await typed(ada, " Again");
  await both("Anew. Again");
  expect([...ada.said, ...eve.said]).toEqual([]);
});
