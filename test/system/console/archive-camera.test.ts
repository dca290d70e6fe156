import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { type PairedCamera, pairCamera, STARTED } from "../support/cameras";
import { button, expectSound, press, sees, signInAt, textOf } from "../support/console";
import { complaints, page, service, site, useDesk } from "../support/desk";

/* A camera beside its pictures: its device and settings, a link to it, its exports, and its archive after a move. */

const HOUR = 3_600_000;

let cameraId: string;
let mast: PairedCamera;
let archive: string;

useDesk({ site: "entitled" }, async () => {
  const [gate, yard] = [await pairCamera(service, site, "Gate"), await pairCamera(service, site, "Yard")];
  cameraId = gate.id;
  archive = `${service.url}/console/cameras/${cameraId}`;
  for (const [n, age] of [3 * HOUR, 2 * HOUR, HOUR].entries()) await gate.send(age, 60 * n);
  await yard.send(HOUR, 200);
  mast = await pairCamera(service, site, "Mast");
  await mast.send(5 * HOUR, 0);
  await mast.send(4 * HOUR, 60);
  // The cameras have been at their location for longer than their pictures.
  await service.restart((database) => {
    database.prepare("UPDATE camera_assignments SET started_at = 0").run();
  });
  const { email, password } = site;
  await signInAt(page, archive, { email, password });
  await page.waitForSelector(".stage .picture");
});

const shows = (age: number) =>
  eventually(async () => {
    const time = await page.$eval(".moment time", (element) => element.getAttribute("datetime") ?? "");
    expect(STARTED - Date.parse(time)).toBe(age);
  }, LONG_PATIENCE);
const camera = z.looseObject({ retentionDays: z.int(), isPaused: z.boolean(), locationId: z.string() });
const stored = () => service.api(camera, "GET", `/v1/cameras/${cameraId}`, site.token);

test("the camera is beside its picture: the report of its device, a pause, and settings with a forecast", async () => {
  await page.click(".archive-head button[title='Camera']");
  await sees(page, "Camera now");
  await sees(page, "≈");
  await expectSound(page, "camera panel");
  await press(page, "Pause");
  await sees(page, "Resume");
  await page.waitForSelector("[name=retentionDays]");
  await page.$eval("[name=retentionDays]", (field) => (field as unknown as { select(): void }).select());
  await page.type("[name=retentionDays]", "90");
  await sees(page, "90 days at 20 minutes ≈");
  await press(page, "Save the settings");
  await sees(page, "The settings are saved.");
  expect(await stored()).toMatchObject({ retentionDays: 90, isPaused: true });
  expect(page.url()).toContain("panel=camera");
});

test("a link to the camera is made beside its picture, and shows no other camera", async () => {
  await page.keyboard.press("s");
  await page.waitForSelector("dialog [name=name]");
  await expectSound(page, "share");
  expect(await page.$eval("dialog [name=name]", (field) => (field as unknown as { value: string }).value)).toBe("Gate");
  await page.click("dialog form button.primary");
  await page.waitForSelector("output.secret");
  const token = new URL(await textOf(page, "output.secret")).hash.slice(1);
  const headers = { "x-camera-share": token };
  const answer = await fetch(`${service.url}/v1/shared-cameras`, { headers });
  const shown = z.object({ cameras: z.array(z.looseObject({ name: z.string() })) }).parse(await answer.json());
  expect(shown.cameras.map(({ name }) => name)).toEqual(["Gate"]);
  await press(page, "Done");
  await eventually(async () => expect(await page.$("dialog[open]")).toBeNull());
});

test("a silent camera has the gap until now in its table and on its ruler, until a picture arrives", async () => {
  await page.goto(`${service.url}/console/cameras/${mast.id}?panel=gaps`);
  await sees(page, "No picture since");
  await sees(page, "Unknown cause, until now");
  await expectSound(page, "gap until now");
  await page.keyboard.press("Home");
  await shows(5 * HOUR);
  // The next gap, and a row of the table, lead to the picture before the gap.
  await page.keyboard.press("]");
  await shows(4 * HOUR);
  await page.keyboard.press("Home");
  await shows(5 * HOUR);
  await page.click(".gaps .link");
  await shows(4 * HOUR);
  const ruler = await (await page.$("canvas.ruler"))?.boundingBox();
  if (!ruler) throw new Error("no ruler");
  await page.mouse.move(ruler.x + ruler.width / 2, ruler.y + 60);
  await eventually(async () => expect(await textOf(page, ".bubble")).toMatch(/No pictures for 4 h[\s\S]*– now/));
  await mast.send(HOUR / 4, 120);
  await eventually(async () => expect(await textOf(page, ".side")).not.toContain("until now"), LONG_PATIENCE);
  await shows(HOUR / 4);
});

test("on a phone, a panel that the person opens comes into view under the picture", async () => {
  await page.setViewport({ width: 360, height: 640 });
  await page.goto(archive);
  await page.waitForSelector(".stage .picture");
  await page.click(".panels button[title='Gaps']");
  await page.waitForSelector(".side h2");
  const places = `["stage", "side h2"].map((one) => document.querySelector("." + one).getBoundingClientRect().bottom)`;
  await eventually(async () => {
    const [stage = 0, title = 0] = z.array(z.number()).parse(await page.evaluate(places));
    // The bar at the bottom is 64 pixels high.
    expect([title > stage, title < 640 - 64]).toEqual([true, true]);
  });
  await page.setViewport({ width: 1280, height: 900 });
});

test("a key exports from the shown picture to the latest, its button what the ruler shows", async () => {
  await page.goto(archive);
  await page.waitForSelector(".stage .picture");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await eventually(() =>
    expect(page.url()).toContain(`t=${encodeURIComponent(new Date(STARTED - 2 * HOUR).toISOString())}`),
  );
  await page.keyboard.press("e");
  await sees(page, "2 pictures in this time.");
  await page.keyboard.press("e");
  await eventually(async () => expect(await page.$(".side")).toBeNull());
  await page.click(".archive-head button[title='Export']");
  await sees(page, "3 pictures in this time.");
});

test("an export that the person left is found in the archive and through the inbox", async () => {
  await page.goto(`${archive}?panel=export`);
  await press(page, "Show my latest export");
  await sees(page, "You have made no export of this archive.");
  await press(page, "Pictures (ZIP)");
  await press(page, "Prepare the ZIP");
  await eventually(() => expect(page.url()).toContain("export="));
  await page.click("a.bell");
  await sees(page, "An export is ready to download");
  await page.click(".note ::-p-text(An export is ready)");
  await sees(page, "Download the ZIP");
  await page.goto(`${archive}?panel=export`);
  await press(page, "Show my latest export");
  await sees(page, "Download the ZIP");
});

test("a camera is moved, and the pictures of its first location stay there", async () => {
  const places = z.looseObject({ clusterId: z.string() });
  const { clusterId } = await service.api(places, "GET", `/v1/spatial/locations/${site.locationId}`, site.token);
  const withId = z.looseObject({ id: z.string() });
  const dock = await service.api(withId, "POST", "/v1/spatial/locations", site.token, { clusterId, name: "Dock" });
  await page.goto(`${service.url}/console/locations/${site.locationId}/cameras?camera=${cameraId}&part=device`);
  await press(page, "Move to another location");
  await page.waitForSelector("dialog [name=location]");
  await expectSound(page, "move");
  await press(page, "Move the camera");
  await sees(page, "The camera is at Dock now.");
  expect((await stored()).locationId).toBe(dock.id);
  expect(page.url()).toContain(`/console/locations/${dock.id}/cameras`);
  // The archive of the new location is empty; the archive of the first location is under its former cameras.
  await page.goto(archive);
  await sees(page, "No pictures yet.");
  await page.goto(`${service.url}/console/locations/${site.locationId}/cameras`);
  await sees(page, "Cameras that were here before");
  await page.click("[aria-labelledby=former] a");
  await page.waitForSelector(".stage .picture");
  await sees(page, "Was here before");
  const time = await page.$eval(".moment time", (element) => element.getAttribute("datetime") ?? "");
  expect(STARTED - Date.parse(time)).toBe(HOUR);
  expect(await page.$(button("Camera"))).toBeNull();
  await page.keyboard.press("Home");
  await eventually(() =>
    expect(new URL(page.url()).searchParams.get("t")).toBe(new Date(STARTED - 3 * HOUR).toISOString()),
  );
  await page.reload();
  await page.waitForSelector(".stage .picture");
  await expectSound(page, "former camera");
  // The browser reports the question for an export that does not exist.
  expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
});
