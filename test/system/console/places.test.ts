import { expect, test } from "vitest";
import { z } from "zod";
import { dataOf } from "../../../client/src/index";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { pairCamera, picture } from "../support/cameras";
import { button, expectSound, press, sees, textOf, visibleText } from "../support/console";
import { complaints, enter, page, service, site, siteClient, useDesk } from "../support/desk";

/* The map of 5,000 locations with its list, and the overview of a location. */

const COUNT = 5_000;
const HOUR = 3_600_000;

/** Copies the location of the site: `COUNT` locations on a grid over the world, the last without coordinates. */
async function copyLocation(): Promise<void> {
  await service.restart((database) => {
    const columns = database
      .prepare(
        "SELECT name FROM pragma_table_info('locations') WHERE name NOT IN ('id', 'name', 'latitude', 'longitude')",
      )
      .all()
      .map(({ name }) => String(name))
      .join(", ");
    database
      .prepare(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
         INSERT INTO locations (id, name, latitude, longitude, ${columns})
         SELECT printf('0192f0c1-5b7e-7cc3-8d43-%012x', n), printf('Buoy %d', n),
           CASE WHEN n = ? THEN NULL ELSE (n % 70) * 2 - 60 END, CASE WHEN n = ? THEN NULL ELSE (n / 70) * 4.9 - 175 END, ${columns}
         FROM numbers CROSS JOIN locations WHERE id = ?`,
      )
      .run(COUNT - 1, COUNT - 1, COUNT - 1, site.locationId);
  });
}

useDesk({ site: "entitled" }, async () => {
  const camera = await pairCamera(service, site, "Gate");
  await camera.send(30 * HOUR, 120);
  const client = siteClient();
  const { locationId } = site;
  const file = new Blob([picture(200)], { type: "image/jpeg" });
  await client.uploadDocument({ locationId, file, fileName: "quay.jpg" });
  const params = { path: { locationId } };
  const place = { latitude: 53.54, longitude: 9.97 };
  await dataOf(client.api.PATCH("/v1/spatial/locations/{locationId}", { params, body: place }));
  await copyLocation();
});

const count = (expression: string) => page.evaluate(expression).then((value) => z.number().parse(value));
const numberInList = async () => Number(/[\d,]+/.exec(await textOf(page, ".map-list > p"))?.[0].replace(",", ""));

test("all locations are on a map of the service, close ones under one mark", async () => {
  await enter("locations");
  await (await page.waitForSelector("a::-p-text(Map)"))?.click();
  await page.waitForSelector(".world .map-mark", { timeout: LONG_PATIENCE });
  await page.waitForFunction("document.querySelector('.map-base')?.width > 0");
  const elements = await count("document.querySelectorAll('*').length");
  console.log(
    `5,000 locations: ${elements} elements, ${await count("document.querySelectorAll('.map-mark').length")} marks`,
  );
  expect(elements).toBeLessThan(2_500);
  expect(await numberInList()).toBe(COUNT - 1);
  // The location with the silent camera is the first one of the list, and its mark says it.
  await eventually(async () => expect(await textOf(page, ".map-list .placelink")).toMatch(/^Quay\n1 silent camera/));
  await expectSound(page, "map");
});

test("the keyboard moves and zooms the map, and the address keeps its part", async () => {
  await page.focus(".world");
  for (const key of ["+", "+", "+", "ArrowUp"] as const) await page.keyboard.press(key);
  await eventually(async () => expect(page.url()).toContain("at="));
  const seen = await numberInList();
  expect(seen).toBeLessThan(COUNT / 4);
  await page.reload();
  await page.waitForSelector(".world .map-mark", { timeout: LONG_PATIENCE });
  await page.goto(`${service.url}/console/locations?view=map&at=53.54,9.97,8`);
  await (await page.waitForSelector("a.map-mark.mark-trouble", { timeout: LONG_PATIENCE }))?.click();
  await sees(page, "Latest pictures");
  await page.goBack();
  const all = await page.waitForSelector(button("Show all locations"), { timeout: LONG_PATIENCE });
  await all?.click();
  await eventually(async () => expect(await numberInList()).toBe(COUNT - 1));
});

test("the overview has the latest pictures, the plan, and sentences on what happened", async () => {
  await page.goto(`${service.url}/console/locations/${site.locationId}`);
  await page.waitForSelector('img[alt="Latest picture of Gate"]', { timeout: LONG_PATIENCE });
  await sees(page, "Ada added quay.jpg.");
  await page.waitForSelector("svg.plan");
  await expectSound(page, "overview with pictures");
});

test("the map and the sentences are in French too", async () => {
  await page.setCookie({ name: "language", value: "fr", url: service.url });
  await page.goto(`${service.url}/console/locations/${site.locationId}`);
  await sees(page, "Ada a ajouté quay.jpg.");
  await page.goto(`${service.url}/console/locations?view=map`);
  await page.waitForSelector(".world .map-mark", { timeout: LONG_PATIENCE });
  const text = await visibleText(page);
  for (const one of ["1 caméra muette", "Sans place sur la carte"]) expect(text).toContain(one);
  await press(page, "Agrandir");
  expect(complaints).toEqual([]);
});
