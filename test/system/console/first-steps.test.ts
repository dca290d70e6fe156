import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { HTTPRequest } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { openTab } from "../support/browser";
import { expectSound, fill, press, sees, textOf, watch } from "../support/console";
import { browser, complaints, page, service, useDesk } from "../support/desk";
import { newSite } from "../support/running";

/* The console in a real browser, from a new account to a document that is found, deleted and restored. */

/** Maximum compressed bytes of a first visit. */
const MAX_FIRST_LOAD_BYTES = 300 * 1024;
const PASSWORD = "correct horse battery";

useDesk();

/** A text file on the disk of the browser. */
function fileOf(name: string, text: string): string {
  const file = join(service.stateDir, name);
  writeFileSync(file, text);
  return file;
}

async function upload(...files: string[]): Promise<void> {
  const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, "Upload")]);
  await chooser.accept(files);
}

const rowOf = (name: string): string => `::-p-xpath(//tr[.//a[text()="${name}"]])`;

test("the first address leads to the console, where a new account is made", async () => {
  await page.goto(service.url);
  expect(page.url()).toBe(`${service.url}/console/locations`);
  await sees(page, "Forgot your password?");
  await expectSound(page, "sign-in");
  await page.click("a::-p-text(Create an account)");
  await fill(page, { name: "Ada Lovelace", email: `${crypto.randomUUID()}@people.test`, password: "short" });
  await expectSound(page, "register");
  await page.type("[name=password]", PASSWORD);
  await press(page, "Create the account");
  await sees(page, "No locations in Personal workspace yet");
  await expectSound(page, "no locations");
});

test("the reports of a new account lead to the locations, which a report needs", async () => {
  await page.click(".rail a[href='/console/reports']");
  await sees(page, "A report belongs to a location");
  await expectSound(page, "no reports");
  await page.click("main a::-p-text(Go to your locations)");
  await sees(page, "No locations in Personal workspace yet");
});

test("a location is created, and files are uploaded to it", async () => {
  await press(page, "New location");
  await fill(page, { name: "East pier", address: "Quay street 12", clusterName: "Harbour" });
  await expectSound(page, "new location");
  await press(page, "Create the location");
  await sees(page, "No documents yet");
  await expectSound(page, "no documents");
  await upload(
    fileOf("gauge.txt", "The tide gauge has a brass dial."),
    fileOf("crane.txt", "The crane lifts four tonnes."),
  );
  await sees(page, "2 of 2 files uploaded");
  const bothRead = /crane\.txt[\s\S]*Text found[\s\S]*gauge\.txt[\s\S]*Text found/;
  await eventually(async () => expect(await textOf(page, "table")).toMatch(bothRead), LONG_PATIENCE);
  await expectSound(page, "documents");
});

test("files that are dropped on the page are uploaded; without a connection they wait and are tried again", async () => {
  await page.setRequestInterception(true);
  let refuse = true;
  const intercept = (request: HTTPRequest) =>
    void (refuse && request.method() === "PUT" ? request.abort() : request.continue());
  page.on("request", intercept);
  await page.evaluate(`{
    const data = new DataTransfer();
    data.items.add(new File(["A buoy is painted red."], "buoy.txt", { type: "text/plain" }));
    const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
    document.querySelector("main").dispatchEvent(drop);
  }`);
  await sees(page, "No connection. It continues by itself.");
  refuse = false;
  await press(page, "Try the upload of buoy.txt now");
  await sees(page, "3 of 3 files uploaded");
  page.off("request", intercept);
  await page.setRequestInterception(false);
  await page.waitForSelector(rowOf("buoy.txt"));
  // The only errors are the attempts without a connection.
  const errors = complaints.splice(0);
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.filter((text) => !text.includes("net::ERR_FAILED"))).toEqual([]);
});

test("a document is found with only the keyboard, and opens with its text", async () => {
  await page.keyboard.down("Control");
  await page.keyboard.press("k");
  await page.keyboard.up("Control");
  await page.waitForSelector("dialog.palette[open]");
  await page.keyboard.type("brass d");
  await eventually(
    async () => expect(await textOf(page, "dialog.palette")).toMatch(/gauge\.txt[\s\S]*brass/),
    LONG_PATIENCE,
  );
  await expectSound(page, "palette");
  await page.keyboard.press("Enter");
  await eventually(() => expect(page.url()).toContain("/console/search?q=brass"));
  await page.waitForSelector("#hits .hit");
  expect(await textOf(page, "#hits mark")).toBe("brass");
  await expectSound(page, "results");
  await page.keyboard.press("Enter");
  await eventually(
    async () => expect(await textOf(page, ".sheets")).toContain("The tide gauge has a brass dial."),
    LONG_PATIENCE,
  );
  await expectSound(page, "document");
});

test("a search without results shows a message", async () => {
  await page.goto(`${service.url}/console/search?q=zeppelin`);
  await sees(page, "Nothing for “zeppelin”");
  await expectSound(page, "nothing found");
});

test("a session survives a reload and is handed to another tab; a file is downloaded", async () => {
  const other = await openTab(browser);
  watch(service, other, complaints);
  await other.goto(`${service.url}/console/locations`);
  await sees(other, "East pier");
  await other.close();
  await page.goto(`${service.url}/console/locations`);
  const link = await page.waitForSelector("::-p-text(East pier)");
  await expectSound(page, "locations");
  await link?.click();
  const tab = await page.waitForSelector("::-p-aria([name='Documents'][role='link'])");
  await tab?.click();
  await page.waitForSelector(rowOf("gauge.txt"));
  const answer = page.waitForResponse((response) => response.url().includes("/download"));
  await press(page, "Download gauge.txt");
  const { url } = z.object({ url: z.string() }).parse(await (await answer).json());
  expect(await (await fetch(url)).text()).toBe("The tide gauge has a brass dial.");
});

test("a document is deleted, and that is undone", async () => {
  await press(page, "Delete gauge.txt");
  await sees(page, "“gauge.txt” is in the trash.");
  await expectSound(page, "documents under a message");
  await page.waitForSelector(rowOf("gauge.txt"), { hidden: true });
  await press(page, "Undo");
  await sees(page, "“gauge.txt” is back.");
  await page.waitForSelector(rowOf("gauge.txt"));
});

test("a location that cannot be seen is explained", async () => {
  const { locationId } = await newSite(service);
  await page.goto(`${service.url}/console/locations/${locationId}`);
  await sees(page, "You cannot see this location");
  await expectSound(page, "hidden location");
  // The browser reports each answer 404.
  expect(complaints.splice(0).filter((text) => !text.includes("404"))).toEqual([]);
});

test("signing out ends the session here and at the service", async () => {
  const stored = await page.evaluate("sessionStorage.getItem('session')");
  const { accessToken } = z.object({ accessToken: z.string() }).parse(JSON.parse(String(stored)));
  await page.click("[popovertarget=account]");
  await expectSound(page, "account");
  await press(page, "Sign out");
  await sees(page, "Forgot your password?");
  expect(await page.evaluate("sessionStorage.length")).toBe(0);
  const own = { headers: { authorization: `Bearer ${accessToken}` } };
  await eventually(async () => expect((await fetch(`${service.url}/v1/auth/me`, own)).status).toBe(401));
});

test("a wrong password is refused in words", async () => {
  await fill(page, { email: `${crypto.randomUUID()}@people.test`, password: PASSWORD });
  await press(page, "Sign in");
  await page.waitForSelector("[role=alert]");
  expect(await textOf(page, "[role=alert]")).toContain("You are not signed in");
  complaints.splice(0);
});

test("the console runs only its own files, which are small", async () => {
  const response = await fetch(`${service.url}/console/locations`);
  const built = `${service.url}/console/files/ ${service.url}/console/pdf/`;
  expect(response.headers.get("content-security-policy")).toBe(
    `default-src 'none'; script-src ${built}; style-src ${built}; img-src 'self' data: blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; worker-src ${built} ${service.url}/console/app/worker.js; manifest-src ${service.url}/console/app/; font-src ${built}; media-src blob:; frame-src ${service.url}/pages/report-preview`,
  );
  expect(await response.text()).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  await page.goto(`${service.url}/console/locations`);
  await sees(page, "Forgot your password?");
  const fetched = z
    .array(z.string())
    .parse(await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)"));
  const files = fetched.filter((path) => path.startsWith("/console/files/") && !path.endsWith(".jpg"));
  const sizes = files.map((path) => gzipSync(readFileSync(join(".build/web", path))).byteLength);
  expect(files).not.toEqual([]);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_FIRST_LOAD_BYTES);
  expect(complaints).toEqual([]);
});
