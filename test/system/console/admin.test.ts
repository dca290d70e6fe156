import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { openBrowser, openTab } from "../support/browser";
import { expectSound, fill, press, sees, signInAt, visibleText, watch } from "../support/console";
import { newSite, RunningService } from "../support/running";

/* The administration of the service in a real browser. */

const PASSWORD = "correct horse battery";

let service: RunningService;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  service = await RunningService.start({ FIRST_USER_IS_ADMIN: "true" });
  browser = await openBrowser();
  page = await openTab(browser);
  watch(service, page, complaints);
  await page.setViewport({ width: 1280, height: 900 });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

test("the first user sees the state of the index, and indexes everything again", async () => {
  await page.goto(`${service.url}/console/register`);
  await fill(page, { name: "Ada", email: `${crypto.randomUUID()}@people.test`, password: PASSWORD });
  await press(page, "Create the account");
  await page.waitForSelector(".rail ::-p-text(Admin)");
  await newSite(service);
  await page.click(".rail ::-p-text(Admin)");
  await sees(page, "Nothing was indexed yet.");
  await expectSound(page, "administration");
  await press(page, "Index all entries again");
  await sees(page, "Index every entry again?");
  await expectSound(page, "index again");
  await page.click("dialog button[type=submit]");
  await sees(page, "The work has begun.");
  await sees(page, "All entries again");
  await sees(page, "Done");
  await expectSound(page, "work done");
  expect(complaints).toEqual([]);
});

test("others have no entry to it, and its address explains that", async () => {
  const context = await browser.createBrowserContext();
  const other = await context.newPage();
  watch(service, other, complaints);
  const person = { email: `${crypto.randomUUID()}@people.test`, password: PASSWORD };
  await service.api(z.unknown(), "POST", "/v1/auth/register", undefined, { ...person, displayName: "Grace" });
  await signInAt(other, `${service.url}/console/admin`, person);
  await sees(other, "Your account is not an administrator of the service.");
  expect(await visibleText(other)).not.toMatch(/\bAdmin\b/);
  await expectSound(other, "no administrator");
  expect(complaints).toEqual([]);
  await context.close();
});
