import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { extractText } from "unpdf";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { press, sees, textOf } from "../support/console";
import { enter, page, service, site, siteClient, useDesk } from "../support/desk";

/* The console on a phone's home screen, with its page without a network and shared files; and on paper. */

useDesk({ site: "plain" }, async () => {
  const { locationId } = site;
  const client = siteClient();
  const file = new Blob(["gauge"], { type: "text/plain" });
  await client.uploadDocument({ locationId, file, fileName: "gauge.txt" });
});

const manifest = z.looseObject({
  name: z.string(),
  start_url: z.string(),
  icons: z.array(z.object({ src: z.string(), sizes: z.string(), purpose: z.string(), type: z.literal("image/png") })),
  share_target: z.looseObject({ action: z.string(), method: z.literal("POST") }),
});

test("a phone can install the console, in each language", async () => {
  await enter("locations");
  const href = await page.$eval("link[rel=manifest]", (link) => String(link.getAttribute("href")));
  const found = manifest.parse(await (await fetch(`${service.url}${href}`)).json());
  expect([found.name, found.start_url]).toEqual(["Document workspace", "/console/locations"]);
  for (const { src, sizes } of found.icons) {
    const icon = Buffer.from(await (await fetch(`${service.url}${src}`)).arrayBuffer());
    // The width and the height of a PNG follow its first 16 bytes.
    expect(`${icon.readUInt32BE(16)}x${icon.readUInt32BE(20)}`).toBe(sizes);
  }
  const german = manifest.parse(await (await fetch(`${service.url}/console/app/de.webmanifest`)).json());
  expect(german.name).not.toBe(found.name);
  // In a tab of a browser, there is no service worker.
  expect(await page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)")).toBe(0);
});

test("the installed console says that there is no network, and keeps nothing private", async () => {
  await page.evaluate("dispatchEvent(new Event('appinstalled'))");
  await eventually(
    async () => expect(await page.evaluate("navigator.serviceWorker.controller !== null")).toBe(true),
    LONG_PATIENCE,
  );
  await page.reload();
  await sees(page, "Quay");
  await page.setOfflineMode(true);
  const worker = await page
    .browserContext()
    .browser()
    .waitForTarget((target) => target.type() === "service_worker");
  const session = await worker.createCDPSession();
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: true,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  await page.goto(`${service.url}/console/cameras`);
  await sees(page, "No connection");
  expect(await textOf(page, "p")).toContain("Nothing of it is stored on this device.");
  const kept = `caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then((one) => one.keys()))))
    .then((all) => all.flat().map(({ url }) => new URL(url).pathname))`;
  expect(await page.evaluate(kept)).toEqual(["/console/app/en.html"]);
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  await session.detach();
  await page.setOfflineMode(false);
  await (await page.waitForSelector("a::-p-text(Try again)"))?.click();
  await sees(page, "Cameras");
});

test("files that a phone shares go to the location that the person chooses", async () => {
  const path = join(service.stateDir, "shared.txt");
  writeFileSync(path, "from the phone");
  // As the phone does: a form of another page sends the files.
  await page.goto("about:blank");
  await page.setContent(
    `<form method="post" enctype="multipart/form-data" action="${service.url}/console/share"><input type="file" name="files"><button>Share</button></form>`,
  );
  const input = await page.waitForSelector("input");
  await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
  await page.click("button");
  await sees(page, "1 file from this device.");
  await press(page, "Add them here");
  await page.waitForFunction("location.pathname.endsWith('/documents')");
  await eventually(async () => expect(await textOf(page, ".table")).toContain("shared.txt"), LONG_PATIENCE);
});

test("on paper, a list has its content and no controls", async () => {
  await page.emulateMediaType("print");
  for (const hidden of [".rail", ".top", ".tabs"])
    expect(await page.$eval(hidden, (one) => (one as unknown as { offsetWidth: number }).offsetWidth)).toBe(0);
  const pdf = await page.pdf({ format: "A4" });
  const { text } = await extractText(new Uint8Array(pdf), { mergePages: true });
  for (const shown of ["Quay", "gauge.txt", "shared.txt"]) expect(text).toContain(shown);
  for (const hidden of ["Upload", "Inbox", "Delete"]) expect(text).not.toContain(hidden);
  await page.emulateMediaType("screen");
});
