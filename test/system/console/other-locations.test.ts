import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, fill, press, sees, visibleText } from "../support/console";
import { copyRow } from "../support/copies";
import { complaints, enter, page, service, site, siteClient, useDesk } from "../support/desk";

/* Folders and documents move to another location of an organization with 500 of them. */

/** Locations of a large organization, and those that a search shows at once. */
const [LOCATIONS, FOUND] = [500, 50];

let dock = "";

useDesk({ site: "entitled" }, async () => {
  const location = z.object({ clusterId: z.string() });
  const at = `/v1/spatial/locations/${site.locationId}`;
  const { clusterId } = await service.api(location, "GET", at, site.token);
  const made = z.object({ id: z.string() });
  const create = (name: string) => service.api(made, "POST", "/v1/spatial/locations", site.token, { clusterId, name });
  ({ id: dock } = await create("Öland dock"));
  const { id } = await create("Berth 0");
  copyRow(service.stateDir, "locations", id, LOCATIONS - 3, { name: "'Berth ' || n" });
  const { locationId } = site;
  const client = siteClient();
  for (const [path, fileName] of [
    ["plans/2026", "north.txt"],
    ["plans", "south.txt"],
    ["", "top.txt"],
  ] as const)
    await client.uploadDocument({ locationId, file: new Blob([fileName], { type: "text/plain" }), fileName, path });
});

const documents = z.object({ items: z.array(z.object({ fileName: z.string(), path: z.string() })) });
const stored = async (at: string): Promise<string[]> => {
  const { items } = await service.api(documents, "GET", `/v1/spatial/locations/${at}/documents?limit=100`, site.token);
  return items.map(({ path, fileName }) => `${path}/${fileName}`).sort();
};
const hold = (at: string, expected: string[]) =>
  eventually(async () => expect(await stored(at)).toEqual(expected), LONG_PATIENCE);

const options = async () =>
  z.array(z.string()).parse(await page.$$eval(".place-option span.strong", (all) => all.map((one) => one.textContent)));
const FIND = "dialog .place-choice input[type=search]";

test("a folder moves to a location that is found by a part of its name, without accents, and one undo brings it back", async () => {
  await enter(`locations/${site.locationId}/documents`);
  await press(page, "Move the folder plans");
  await page.waitForSelector(FIND);
  // The own location is first and chosen. The others are by name, and the rest is counted.
  expect((await options()).length).toBe(FOUND + 1);
  expect((await options()).slice(1, 4)).toEqual(["Berth 0", "Berth 1", "Berth 2"]);
  await sees(page, `${LOCATIONS - 1 - FOUND} more locations`);
  await expectSound(page, "move a folder to another location");
  await page.type(FIND, "nowhere");
  await sees(page, "No other location has these words");
  await page.$eval(FIND, (field) => (field as unknown as { select: () => void }).select());
  await page.keyboard.type("oland");
  await eventually(async () => expect((await options()).slice(1)).toEqual(["Öland dock"]), LONG_PATIENCE);
  // Enter in the search moves nothing; the keyboard goes on to the locations that were found.
  await page.keyboard.press("Enter");
  expect(await page.$("dialog[open]")).not.toBeNull();
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  expect(await page.$eval("dialog [name=location]:checked", (one) => one.getAttribute("value"))).toBe(dock);
  await page.keyboard.press("Enter");
  await sees(page, "The folder “plans” is at Öland dock now.");
  expect(await stored(site.locationId)).toEqual(["/top.txt"]);
  expect(await stored(dock)).toEqual(["plans/2026/north.txt", "plans/south.txt"]);
  await eventually(async () => expect(await visibleText(page)).not.toContain("south.txt"), LONG_PATIENCE);
  await press(page, "Undo");
  await sees(page, "The folder “plans” is as before.");
  expect(await stored(dock)).toEqual([]);
  expect(await stored(site.locationId)).toEqual(["/top.txt", "plans/2026/north.txt", "plans/south.txt"]);
  await sees(page, "south.txt");
});

test("documents move to a folder of another location, and one undo brings them back", async () => {
  await page.click("::-p-aria([name='Select top.txt'][role='checkbox'])");
  await page.click("::-p-aria([name='Select south.txt'][role='checkbox'])");
  await press(page, "Move");
  await page.waitForSelector(FIND);
  await fill(page, { path: "arrived" });
  await page.type(FIND, "OLAND DOCK");
  await eventually(async () => expect(await options()).toHaveLength(2), LONG_PATIENCE);
  await page.click(`dialog [name=location][value="${dock}"]`);
  await expectSound(page, "move documents to another location");
  await page.click("dialog button[type=submit]");
  await sees(page, "2 documents moved.");
  await hold(dock, ["arrived/south.txt", "arrived/top.txt"]);
  await press(page, "Undo");
  await sees(page, "2 documents are as before.");
  await hold(site.locationId, ["/top.txt", "plans/2026/north.txt", "plans/south.txt"]);
  expect(complaints).toEqual([]);
});
