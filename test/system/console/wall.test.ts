import { expect, test } from "vitest";
import { z } from "zod";
import { dataOf } from "../../../client/src/index";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { type PairedCamera, pairCamera } from "../support/cameras";
import { button, expectSound, press, sees, textOf, visibleText } from "../support/console";
import { complaints, enter, page, service, site, siteClient, useDesk } from "../support/desk";

/* A wall of 500 cameras: what is in the page, what is requested, its groups, and its form in a control room. */

const COUNT = 500;
const PLACES = 5;
const HOUR = 3_600_000;
/** Maximum numbers for a wall whose first cards fit a window: elements of the page, and requests for latest pictures. */
const [MAX_ELEMENTS, MAX_REQUESTS] = [4_000, 8];

/**
 * The time of the page can be put forward. It counts notes, and asks for the screen. The window of a test cannot be as large
 * as the screen, so the request is only counted.
 */
const WATCHER = `
  const now = Date.now;
  Object.assign(window, { ahead: 0, notes: 0, locks: 0, filled: 0 });
  Date.now = () => now() + window.ahead;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (when) { window.notes++; start.call(this, when); };
  navigator.wakeLock.request = async () => { window.locks++; return { released: false, release: async () => { window.locks--; } }; };
  Element.prototype.requestFullscreen = async () => { window.filled++; };
`;

let gate: PairedCamera;
const requests: string[] = [];

/** Copies a camera: `COUNT` cameras, at the places in turn. All but the first are paused. */
async function copyCamera(id: string, places: readonly string[]): Promise<void> {
  await service.restart((database) => {
    const columns = database
      .prepare(
        "SELECT name FROM pragma_table_info('cameras') WHERE name NOT IN ('id', 'name', 'location_id', 'is_paused')",
      )
      .all()
      .map(({ name }) => String(name))
      .join(", ");
    const insert = database.prepare(
      `INSERT INTO cameras (id, name, location_id, is_paused, ${columns}) SELECT ?, ?, ?, 1, ${columns} FROM cameras WHERE id = ?`,
    );
    const assign = database.prepare(
      "INSERT INTO camera_assignments (camera_id, generation, location_id, started_at) SELECT ?, generation, ?, started_at FROM camera_assignments WHERE camera_id = ?",
    );
    for (let n = 1; n < COUNT; n++) {
      const place = places[n % places.length] ?? "";
      const copy = `0192f0c1-5b7e-7cc3-8d43-${String(n).padStart(12, "0")}`;
      insert.run(copy, `Mast ${n}`, place, id);
      assign.run(copy, place, id);
    }
  });
}

useDesk({ site: "entitled" }, async () => {
  gate = await pairCamera(service, site, "Gate");
  await gate.send(HOUR / 60, 120);
  const { api } = siteClient();
  const { clusterId } = await dataOf(
    api.GET("/v1/spatial/locations/{locationId}", { params: { path: { locationId: site.locationId } } }),
  );
  const places = [site.locationId];
  for (let n = 1; n < PLACES; n++)
    places.push((await dataOf(api.POST("/v1/spatial/locations", { body: { clusterId, name: `Pier ${n}` } }))).id);
  await copyCamera(gate.id, places);
  page.on("request", (request) => requests.push(request.url()));
  await page.evaluateOnNewDocument(WATCHER);
});

const count = (expression: string) => page.evaluate(expression).then((value) => z.number().parse(value));
const cardsWithContents = () => count("document.querySelectorAll('.cam:not(.far)').length");
const names = () => page.$$eval(".cam b.cut", (all) => all.map((one) => String(one.textContent)));
const field = (name: string) => new URL(page.url()).searchParams.get(name);
const choose = async (label: string, value: string) =>
  (await page.waitForSelector(`::-p-aria([name="${label}"][role="combobox"])`))?.select(value);
const tick = async (label: string) =>
  (await page.waitForSelector(`::-p-aria([name="${label}"][role="checkbox"])`))?.click();

test("a wall of 500 cameras has contents and asks for pictures near the window alone", async () => {
  await enter("cameras");
  await page.waitForSelector('img[alt="Latest picture of Gate"]');
  const [elements, cards] = [await count("document.querySelectorAll('*').length"), await cardsWithContents()];
  const asked = requests.filter((url) => url.endsWith("/latest-previews")).length;
  console.log(`500 cameras: ${elements} elements, ${cards} cards with contents, ${asked} requests for pictures`);
  expect(elements).toBeLessThan(MAX_ELEMENTS);
  expect(cards).toBeLessThan(60);
  expect(asked).toBeLessThanOrEqual(MAX_REQUESTS);
  // Every camera can be found by its name, and a card that comes near the window gets its contents.
  expect(await names()).toHaveLength(COUNT);
  const height = await count("document.querySelector('main').scrollHeight");
  await page.evaluate("document.querySelector('main').scrollTo(0, 1e6)");
  await eventually(
    async () => expect(await page.$(".camcell:last-child .cam:not(.far)")).not.toBeNull(),
    LONG_PATIENCE,
  );
  expect(await page.$(".camcell:first-child .cam.far")).not.toBeNull();
  expect(Math.abs((await count("document.querySelector('main').scrollHeight")) - height)).toBeLessThanOrEqual(
    COUNT / 4,
  );
  await page.evaluate("document.querySelector('main').scrollTo(0, 0)");
});

test("its groups and its columns are in the address", async () => {
  await tick("Group by location");
  await eventually(async () => expect(await page.$$("main section > h2")).toHaveLength(PLACES), LONG_PATIENCE);
  await choose("Columns", "6");
  await page.reload();
  await sees(page, "Pier 4");
  expect([field("group"), field("columns")]).toEqual(["place", "6"]);
  const tops = await page.$$eval(".wall .camcell", (all) =>
    all.slice(0, 7).map((one) => (one as unknown as { offsetTop: number }).offsetTop),
  );
  expect(new Set(tops).size).toBe(2);
});

test("a control room fills the window, stays on, and turns its pages", async () => {
  await press(page, "Control room");
  await page.waitForSelector(".room .cam .pic");
  expect(await page.$eval(".rail", (rail) => (rail as unknown as { offsetWidth: number }).offsetWidth)).toBe(0);
  expect([await count("window.locks"), await count("window.filled")]).toEqual([1, 1]);
  expect(await count("document.querySelector('main').scrollHeight - document.querySelector('main').clientHeight")).toBe(
    0,
  );
  const first = await names();
  await sees(page, "Page 1 of");
  await page.keyboard.press("ArrowRight");
  await sees(page, "Page 2 of");
  expect(await names()).not.toEqual(first);
  await press(page, "Previous page");
  await sees(page, "Page 1 of");
  await choose("Turn pages", "5");
  await sees(page, "Page 2 of");
  await choose("Turn pages", "");
  await page.reload();
  await page.waitForSelector(".room .cam .pic");
  expect([field("room"), field("page") !== null]).toEqual(["on", true]);
  await expectSound(page, "control room");
});

test("a camera that falls silent is marked, named and heard, until it is seen", async () => {
  await tick("Sound");
  await page.evaluate("window.ahead = 3 * 3_600_000; document.dispatchEvent(new Event('visibilitychange'))");
  await sees(page, "Gate has fallen silent.");
  await eventually(async () => expect(await count("window.notes")).toBe(2));
  await choose("Columns", "");
  await page.waitForSelector(button("Leave the control room"));
  await page.keyboard.press("Escape");
  await sees(page, "500 cameras at 5 locations.");
  expect(await count("window.locks")).toBe(0);
  await tick("Group by location");
  await page.waitForSelector(".cam.marked .mark");
  expect(await textOf(page, ".cam.marked .mark")).toBe("Fell silent");
  await expectSound(page, "fallen camera");
  await press(page, "Seen");
  await eventually(async () => expect(await page.$(".cam.marked")).toBeNull());
  expect(await page.evaluate("localStorage.getItem('wall-sound')")).toBe("on");
});

test("the control room is in German too", async () => {
  await page.setCookie({ name: "language", value: "de", url: service.url });
  await page.goto(`${service.url}/console/cameras?group=place&room=on&turn=60`);
  await page.waitForSelector(".room .cam .pic");
  const text = await visibleText(page);
  for (const one of ["Umblättern", "Alle 60 Sekunden", "Leitstelle verlassen", "Seite 1 von"])
    expect(text).toContain(one);
  expect(complaints).toEqual([]);
});
