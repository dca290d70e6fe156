import { createHash } from "node:crypto";
import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { openBrowser, openTab } from "./support/browser";
import { newSite, RunningService, type Site } from "./support/running";

/* A stranger's file is on the origin of the console, with the same address as in local and small installations. */

let service: RunningService;
let site: Site;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [service, browser] = await Promise.all([RunningService.start(), openBrowser()]);
  site = await newSite(service);
  page = await openTab(browser);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const started = z.object({
  uploadId: z.string(),
  uploadUrl: z.string(),
  requiredHeaders: z.record(z.string(), z.string()),
});

/** Uploads a document. Returns the address of its bytes, on the console's origin. */
async function publish(fileName: string, contentType: string, text: string): Promise<string> {
  const path = `/v1/spatial/locations/${site.locationId}/documents`;
  const checksumSha256 = createHash("sha256").update(text).digest("hex");
  const file = { fileName, contentType, sizeBytes: text.length, checksumSha256 };
  const start = await service.api(started, "POST", `${path}/upload-start`, site.token, file);
  await fetch(start.uploadUrl, { method: "PUT", headers: start.requiredHeaders, body: text });
  const { uploadId } = start;
  const { id } = await service.api(z.object({ id: z.string() }), "POST", `${path}/upload-complete`, site.token, {
    uploadId,
  });
  const link = await service.api(z.object({ url: z.string() }), "GET", `/v1/documents/${id}/download`, site.token);
  return link.url;
}

/** A script that uses an address in the page in each way that could run or apply it. It gives what ran. */
const attemptOf = (url: string) => `(async () => {
  const src = ${JSON.stringify(url)};
  const ran = [];
  const add = (tag, properties, name) => new Promise((done) => {
    const one = Object.assign(document.createElement(tag), properties);
    one.onload = () => { ran.push(name); done(); };
    one.onerror = () => done();
    document.head.append(one);
  });
  await add("script", { src }, "script");
  await add("script", { src, type: "module" }, "module");
  await add("link", { href: src, rel: "stylesheet" }, "style");
  await import(src).then(() => ran.push("import"), () => undefined);
  await new Promise((done) => {
    try {
      const worker = new Worker(src);
      worker.onmessage = () => { ran.push("worker"); done(); };
      worker.onerror = () => done();
    } catch { done(); }
  });
  await navigator.serviceWorker?.register(src).then(() => ran.push("service worker"), () => undefined);
  if (globalThis.uploaded) ran.push("effect");
  return ran;
})()`;
const attempt = (url: string) => page.evaluate(attemptOf(url));

const SCRIPT = "globalThis.uploaded = true; globalThis.postMessage?.call(globalThis, 'ran', '*')";

const PAGES = ["/console/locations", "/docs", "/s", "/invitations"];

test.each(PAGES)("an uploaded script and style do not run on %s", async (at) => {
  const script = await publish(`script${PAGES.indexOf(at)}.js`, "text/javascript", SCRIPT);
  const style = await publish(`style${PAGES.indexOf(at)}.css`, "text/css", "body { --uploaded: 1 }");
  expect(new URL(script).origin).toBe(service.url);
  await page.goto(`${service.url}${at}`);
  expect(await attempt(script)).toEqual([]);
  expect(await attempt(style)).toEqual([]);
});

test("the policy itself admits files of the build alone", async () => {
  // These have the type of a script, and are on the same origin.
  await page.goto(`${service.url}/console/locations`);
  expect(await attempt(`${service.url}/docs/page.js`)).toEqual([]);
  await page.goto(`${service.url}/docs`);
  const [file] =
    /\/console\/files\/[\w.-]+\.js/.exec(await (await fetch(`${service.url}/console/locations`)).text()) ?? [];
  expect(file).toMatch(/\.js$/);
  expect(await attempt(`${service.url}${file}`)).toEqual([]);
});

test("an uploaded page is saved and not shown", async () => {
  for (const [name, type] of [
    ["page.html", "text/html"],
    ["drawing.svg", "image/svg+xml"],
    ["data.xml", "application/xml"],
    ["module.wasm", "application/wasm"],
  ] as const) {
    const url = await publish(
      name,
      type,
      `<html xmlns="http://www.w3.org/1999/xhtml"><script>${SCRIPT}</script></html>`,
    );
    const { headers } = await fetch(url);
    expect([headers.get("content-type"), headers.get("x-content-type-options")]).toEqual([
      "application/octet-stream",
      "nosniff",
    ]);
    expect(headers.get("content-disposition")).toMatch(/^attachment;/);
  }
});
