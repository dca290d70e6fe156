import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { extractText } from "unpdf";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { pairCamera, STARTED } from "../support/cameras";
import { button, fill, sees, textOf } from "../support/console";
import { browser, complaints, openProfile, page, service, site, useDesk } from "../support/desk";

/*
 * The first minutes of a new user: finds a gap in a camera's day, exports it, shares the camera, and makes a PDF with a
 * picture of it. The test counts the clicks. The time depends on the machine, so it is only printed.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/**
 * Ages of the images, minutes: two images, a gap of more than three hours, and two images. A device sends at most
 * four images a minute.
 */
const AGES = [250, 240, 20, 10];
const MAX_CLICKS = 24;

let folder: string;
let cameraId: string;
let clicks = 0;
let begun = 0;

const withId = z.looseObject({ id: z.string() });

useDesk({ site: "entitled" }, async () => {
  const templates = `/v1/reports/templates/organizations/${site.organizationId}`;
  await service.api(z.unknown(), "POST", templates, site.token, {
    key: "round",
    displayName: "Daily round",
    contentTemplateJson: { inspector: "", notes: "# Seen\n" },
    bodyFieldPath: "notes",
  });
  // A location and a camera that the person does not look at come first in the lists.
  const roads = { organizationId: site.organizationId, name: "Roads" };
  const { id: clusterId } = await service.api(withId, "POST", "/v1/spatial/clusters", site.token, roads);
  await service.api(withId, "POST", "/v1/spatial/locations", site.token, { clusterId, name: "Anchorage" });
  await pairCamera(service, site, "Buoy");
  const gate = await pairCamera(service, site, "Gate", { timeZone: "Pacific/Auckland" });
  cameraId = gate.id;
  for (const [n, minutes] of AGES.entries()) await gate.send(minutes * MINUTE, 20 * n);
  folder = mkdtempSync(join(tmpdir(), "exports-"));
  const devtools = await browser.target().createCDPSession();
  await devtools.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  begun = performance.now();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Clicks on an element when it is there, and counts the click. */
async function click(selector: string): Promise<void> {
  const found = await page.waitForSelector(selector, { visible: true });
  await found?.click();
  clicks += 1;
}
const shownAge = async () =>
  STARTED - Date.parse(await page.$eval(".moment time", (element) => element.getAttribute("datetime") ?? ""));

test("the gap of a camera's day is two clicks from the wall", async () => {
  await page.goto(`${service.url}/console/locations`);
  await fill(page, { email: site.email, password: site.password });
  await click(button("Sign in"));
  await click(".rail a[href='/console/cameras']");
  await click(`.cam[href$="${cameraId}"]`);
  await page.waitForSelector(".stage .picture");
  await click(button("Gaps"));
  await sees(page, "Times without pictures");
  expect(await page.$$eval(".gaps tbody tr", (rows) => rows.length)).toBe(1);
  await click(".gaps .link");
  await eventually(async () => expect(await shownAge()).toBe(4 * HOUR), LONG_PATIENCE);
});

test("the time around the gap is exported, and the download completes", async () => {
  await click(".archive-head button[title='Export']");
  await sees(page, `${AGES.length} pictures in this time.`);
  await click(button("Pictures (ZIP)"));
  await click(button("Prepare the ZIP"));
  await sees(page, "Download the ZIP");
  await click(".side a[download]");
  const files = () => readdirSync(folder).filter((name) => name.endsWith(".zip"));
  await eventually(() => expect(files()).toHaveLength(1), LONG_PATIENCE);
  const zip = readFileSync(join(folder, files()[0] ?? ""));
  const names = Object.keys(unzipSync(new Uint8Array(zip)));
  expect(names.filter((name) => name.endsWith(".jpg"))).toHaveLength(AGES.length);
});

test("a link to the camera opens for somebody without an account", async () => {
  await click(button("Share"));
  await click("dialog form button.primary");
  const link = await page.waitForSelector("output.secret").then(() => textOf(page, "output.secret"));
  const stranger = await openProfile();
  await stranger.goto(link);
  await stranger.waitForSelector(".stage .picture");
  expect(await stranger.$eval(".stage .picture", (image) => image.getAttribute("alt"))).toContain("Gate");
  await stranger.browserContext().close();
  await click(button("Done"));
});

test("a report has a picture of the camera in its PDF", async () => {
  await click(".rail a[href='/console/reports']");
  await click(button("New report"));
  await fill(page, { title: "The gap at the gate" });
  await click(button("Create the report"));
  await page.waitForSelector(">>> .cm-content");
  await click(button("Picture"));
  await click(button("Cameras"));
  // Times are shown by the camera's clock, as in the PDF.
  await sees(page, "Around (Pacific/Auckland)");
  await click(".picker button");
  await click(button("Insert the picture"));
  await eventually(async () => {
    const pictures = "document.querySelector('.sheet-box iframe:not(.coming)')?.contentDocument.images.length";
    expect(await page.evaluate(pictures)).toBe(1);
  }, LONG_PATIENCE);
  await sees(page, "All changes saved");
  await click(button("Make PDF"));
  await sees(page, "The PDF is ready");
  const answer = page.waitForResponse((response) => response.url().includes("/download"));
  await click(button("Download the PDF"));
  const { url } = z.object({ url: z.string() }).parse(await (await answer).json());
  const pdf = new Uint8Array(await (await fetch(url)).arrayBuffer());
  expect(Buffer.from(pdf).toString("latin1")).toMatch(/\/Subtype\s*\/Image/);
  const { text } = await extractText(pdf, { mergePages: true });
  expect(text).toContain("The gap at the gate");
  expect(clicks).toBeLessThanOrEqual(MAX_CLICKS);
  const seconds = Math.round((performance.now() - begun) / 1000);
  console.info(`From the sign-in to the PDF: ${seconds} s and ${clicks} clicks, without the time to read and think.`);
  expect(complaints).toEqual([]);
});
