import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { DAY, HOUR, MINUTE } from "../../src/platform/time";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { openTab } from "./support/browser";
import { pairCamera, STARTED } from "./support/cameras";
import { textOf, watch } from "./support/console";
import { browser, service, site, useDesk } from "./support/desk";
import { entitle } from "./support/running";

/*
 * A share link over the night in which a camera's clock is set forward, in windows of the same time zone. A page that counts
 * local hours stops in such a night.
 */

/** Zones whose clocks are set forward at different hours: at one, at two, at midnight of the day, and to midnight of the next. */
const ZONES = ["Europe/Berlin", "America/New_York", "Europe/Helsinki", "Africa/Cairo", "America/Santiago"];
/** Longer than a year, so that the last spring of each zone is in it. */
const RETENTION_DAYS = 400;

useDesk({ settings: { FIRST_USER_IS_ADMIN: "true" }, site: "plain" }, async () => {
  await entitle(service, site, 1024 ** 3, RETENTION_DAYS);
});

/** The time of day in a zone, by the platform. */
const timeIn = (timeZone: string, at: number): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "medium", hourCycle: "h23" }).format(at);

/** Minutes of the day in a zone. */
function minutesIn(timeZone: string, at: number): number {
  const [hours, minutes] = timeIn(timeZone, at).split(":").map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}

/** The latest time before the start of the test at which the clock of a zone was set forward by an hour. */
function lastSpring(timeZone: string): number {
  const first = STARTED - (STARTED % HOUR) - 2 * DAY;
  for (let at = first; at > first - RETENTION_DAYS * DAY; at -= HOUR) {
    const passed = (minutesIn(timeZone, at) - minutesIn(timeZone, at - MINUTE) + 1440) % 1440;
    if (passed === 61) return at;
  }
  throw new Error(`${timeZone} has no clock change`);
}

/** Waits until a frame is shown: its picture, its time in words, its address, and its text for a screen reader. */
const shows = (page: Page, at: number, zone: string) =>
  eventually(async () => {
    await page.waitForSelector(".stage .picture");
    const shown = await page.$eval(".moment time", (time) => time.getAttribute("datetime") ?? "");
    expect(shown).toBe(new Date(at).toISOString());
    const time = timeIn(zone, at);
    expect(await textOf(page, ".moment time")).toContain(time);
    expect(await page.$eval(".stage .picture", (image) => image.getAttribute("alt"))).toContain(time);
    expect(await page.$eval("[role=slider]", (slider) => slider.getAttribute("aria-valuetext"))).toContain(time);
    expect(page.url()).toContain(new Date(at).toISOString());
  }, LONG_PATIENCE);

test.each(ZONES)("%s: the frames around the change of the clock are shown, and steps lead through it", async (zone) => {
  const spring = lastSpring(zone);
  // The same time on the day before, then half an hour before and after the change.
  const [earlier, before, after] = [spring - DAY - HOUR / 2, spring - HOUR / 2, spring + HOUR / 2] as const;
  const camera = await pairCamera(service, site, zone, { timeZone: zone, retentionDays: RETENTION_DAYS });
  for (const [n, at] of [earlier, before, after].entries()) await camera.send(STARTED - at, 60 * n);
  const shares = `/v1/spatial/locations/${site.locationId}/camera-shares`;
  const made = z.looseObject({ url: z.string() });
  const { url } = await service.api(made, "POST", shares, site.token, { name: zone, cameraIds: [camera.id] });
  const complaints: string[] = [];
  const page = await openTab(browser);
  watch(service, page, complaints);
  await page.emulateTimezone(zone);
  await page.goto(`${url}/${camera.id}/${new Date(after).toISOString()}`);
  await shows(page, after, zone);
  await page.keyboard.press("ArrowLeft");
  await shows(page, before, zone);
  await page.keyboard.down("Shift");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.up("Shift");
  await shows(page, earlier, zone);
  // A held key reaches the end of the archive.
  for (let repeat = 0; repeat < 10; repeat++) await page.keyboard.down("ArrowRight");
  await page.keyboard.up("ArrowRight");
  await shows(page, after, zone);
  expect(complaints).toEqual([]);
  await page.close();
});
