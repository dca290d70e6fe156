import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { openTab } from "./support/browser";
import { pairCamera } from "./support/cameras";
import { expectSound, textOf, watch } from "./support/console";
import { browser, service, site, siteClient, useDesk } from "./support/desk";

/* The head of the page of a share link: the organization's brand, and the cameras with their latest pictures. */

const HOUR = 3_600_000;
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="#d00"/></svg>`;

useDesk({ site: "entitled" });

async function shareOf(cameraIds: readonly string[], more: Record<string, unknown> = {}): Promise<string> {
  const path = `/v1/spatial/locations/${site.locationId}/camera-shares`;
  const body = { name: "Neighbours", cameraIds, ...more };
  return (await service.api(z.looseObject({ url: z.string() }), "POST", path, site.token, body)).url;
}

async function open(url: string): Promise<{ page: Page; complaints: string[]; requests: string[] }> {
  const page = await openTab(browser);
  const [complaints, requests]: [string[], string[]] = [[], []];
  await page.setViewport({ width: 1280, height: 800 });
  watch(service, page, complaints);
  page.on("request", (request) => requests.push(`${new URL(request.url()).pathname} ${request.postData() ?? ""}`));
  await page.goto(url);
  await page.waitForSelector(".viewer");
  return { page, complaints, requests };
}

/** The red value in the middle of a drawn picture, 0 to 255; -1 before it is loaded. */
const redOf = async (page: Page, selector: string): Promise<number> =>
  z.number().parse(
    await page.evaluate(`(() => {
      const picture = document.querySelector(${JSON.stringify(selector)});
      if (picture === null || !picture.complete || picture.naturalWidth === 0) return -1;
      const canvas = Object.assign(document.createElement("canvas"), { width: 4, height: 4 });
      const pen = canvas.getContext("2d");
      pen.drawImage(picture, 0, 0, 4, 4);
      return pen.getImageData(0, 1, 1, 1).data[0];
    })()`),
  );

const brandColour = (page: Page) => page.evaluate("getComputedStyle(document.querySelector('.brand b')).color");
const setBranding = (body: Record<string, unknown>) =>
  service.api(z.unknown(), "PUT", `/v1/orgs/${site.organizationId}/branding`, site.token, body);

test("the brand is above the name of the link if the organization shows it, in its colour if that is readable", async () => {
  const { id } = await pairCamera(service, site, "Gate");
  const url = await shareOf([id]);
  await setBranding({ brandName: "Harbour & <b>Sons</b>", primaryColor: "#7a1fa2" });
  const client = siteClient();
  const file = new Blob([LOGO], { type: "image/svg+xml" });
  await client.uploadBranding({ organizationId: site.organizationId, slot: "logo", file, fileName: "logo.svg" });

  const { page, complaints, requests } = await open(url);
  expect(await page.$(".brand")).toBeNull();
  expect(await textOf(page, ".viewer-head")).not.toContain("Harbour");
  expect(requests.filter((request) => request.includes("/logo"))).toEqual([]);

  // The page checks its link without a user action.
  await setBranding({ shownOnShareLinks: true });
  await page.waitForSelector(".brand img");
  expect(await textOf(page, ".titles")).toMatch(/^Harbour & <b>Sons<\/b>\s+Neighbours$/);
  await eventually(async () => expect(await redOf(page, ".brand img")).toBeGreaterThan(200), LONG_PATIENCE);
  expect(await page.$eval(".brand img", (image) => image.getAttribute("src"))).toMatch(/^blob:/);
  const scheme = (value: string) => page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
  await scheme("light");
  expect(await brandColour(page)).toBe("rgb(122, 31, 162)");
  // On the dark surface the colour has too little contrast.
  await scheme("dark");
  expect(await brandColour(page)).toBe("rgb(232, 235, 238)");
  await expectSound(page, "viewer with a brand");

  await setBranding({ shownOnShareLinks: false });
  await page.waitForSelector(".brand", { hidden: true });
  await page.waitForFunction("document.documentElement.style.length === 0");
  expect(complaints).toEqual([]);
  await page.close();
});

test("a link that waits for its passcode shows no brand", async () => {
  const { id } = await pairCamera(service, site, "Locked");
  await setBranding({ brandName: "Harbour works", shownOnShareLinks: true });
  const page = await openTab(browser);
  await page.goto(await shareOf([id], { passcode: "harbour 7" }));
  await page.waitForSelector("[name=passcode]");
  expect(await textOf(page, "body")).not.toContain("Harbour works");
  await page.type("[name=passcode]", "harbour 7");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".brand");
  expect(await textOf(page, ".brand")).toContain("Harbour works");
  await setBranding({ shownOnShareLinks: false });
  await page.close();
});

test("each tab shows the latest picture of its camera, read in one call and again after a while", async () => {
  const [gate, crane, empty] = [
    await pairCamera(service, site, "Gate"),
    await pairCamera(service, site, "Crane"),
    await pairCamera(service, site, "Empty"),
  ];
  await gate.send(3 * HOUR, 10);
  await gate.send(2 * HOUR, 120);
  await crane.send(HOUR, 240);
  const { page, complaints, requests } = await open(await shareOf([gate.id, crane.id, empty.id]));
  const tab = (of: { id: string }) => `[data-camera="${of.id}"] img`;
  const shows = (of: { id: string }, red: number) =>
    eventually(async () => expect(Math.abs((await redOf(page, tab(of))) - red)).toBeLessThan(12), LONG_PATIENCE);
  await shows(gate, 120);
  await shows(crane, 240);
  expect(await page.$(tab(empty))).toBeNull();
  expect(await page.$eval(tab(gate), (image) => image.getAttribute("alt"))).toMatch(
    /^Latest picture, \w{3}, \d+ \w{3} \d{4}, \d\d:\d\d:\d\d$/,
  );
  const asked = requests.find((request) => request.includes("/latest-previews")) ?? "";
  expect([gate, crane, empty].filter(({ id }) => !asked.includes(id))).toEqual([]);
  await expectSound(page, "tabs with pictures");
  await empty.send(HOUR / 2, 60);
  await gate.send(HOUR / 2, 200);
  await shows(gate, 200);
  await shows(empty, 60);
  expect(complaints).toEqual([]);
  await page.close();
});

test("the wall shows the latest pictures of all cameras with their ages, and leads to the archive of each", async () => {
  const [gate, crane, empty] = [
    await pairCamera(service, site, "North gate"),
    await pairCamera(service, site, "South crane"),
    await pairCamera(service, site, "No pictures"),
  ];
  await gate.send(2 * HOUR, 120);
  await crane.send(HOUR, 240);
  const { page, complaints } = await open(await shareOf([gate.id, crane.id, empty.id]));
  await page.waitForSelector(".stage .picture");
  await page.click("button[aria-label='All cameras']");
  const card = (of: { id: string }) => `.shared-wall [data-camera="${of.id}"]`;
  // The thumbnail is over the preview when it has arrived.
  for (const [camera, red] of [
    [gate, 120],
    [crane, 240],
  ] as const) {
    await page.waitForSelector(`${card(camera)} img[src^="blob:"]`);
    await eventually(
      async () => expect(Math.abs((await redOf(page, `${card(camera)} img`)) - red)).toBeLessThan(12),
      LONG_PATIENCE,
    );
  }
  expect(await textOf(page, card(gate))).toMatch(
    /North gate\s+(\d+ \w{3}, )?\d\d:\d\d [A-Z][\w+:-]+ · 2 h( \d+ min)? ago/,
  );
  await eventually(async () => expect(await textOf(page, card(empty))).toContain("No pictures yet."), LONG_PATIENCE);
  await expectSound(page, "wall of a link");
  await page.reload();
  await page.waitForSelector(card(crane));
  await page.click(`${card(crane)} button`);
  await page.waitForSelector(".stage .picture");
  expect(await page.$eval(".stage .picture", (image) => image.getAttribute("alt"))).toContain("South crane");
  await page.goBack();
  await page.waitForSelector(".shared-wall");
  expect(complaints).toEqual([]);
  await page.close();
});
