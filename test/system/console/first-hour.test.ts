import { writeFileSync } from "node:fs";
import type { HTTPRequest } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { pairCamera, sendImages } from "../support/cameras";
import { button, expectSound, fill, press, sees, textOf, visibleText } from "../support/console";
import { complaints, enter, openProfile, page, service, site, turnTo, useDesk } from "../support/desk";
import { listenToHub } from "../support/hub-frames";
import { entitle, joinSite } from "../support/running";

/* The first hour of an organization, without a question: its steps, its first camera, its keys, and what a silent camera needs. */

const HOUR = 3_600_000;
const PASSWORD = "correct horse battery";
const withId = z.looseObject({ id: z.string() });

let organizationId: string;
let locationId: string;

useDesk({ site: "entitled" });

const steps = () => textOf(page, ".first-steps");

test("a new organization gets four steps, each with its button", async () => {
  await enter("locations");
  const made = await service.api(withId, "POST", "/v1/orgs", site.token, { name: "Harbour works" });
  organizationId = made.id;
  await page.goto(`${service.url}/console/locations?organization=${organizationId}`);
  await sees(page, "First steps for Harbour works");
  expect(await steps()).toContain("0 of 4 done");
  expect(await steps()).toContain("Make a location first.");
  // One primary action a view.
  expect(await page.$$("main .btn.primary")).toHaveLength(1);
  expect(await textOf(page, "main .btn.primary")).toBe("New location");
  await expectSound(page, "first steps");
});

test("a location has a zone, which is chosen by a city, with the time of day there", async () => {
  await page.click(".first-steps .btn.primary");
  await fill(page, { name: "East pier", clusterName: "North" });
  await page.select("dialog [name=timeZone]", "Pacific/Auckland");
  const option = "document.querySelector(\"dialog [value='Pacific/Auckland']\").textContent";
  expect(await page.evaluate(option)).toBe("Auckland, New Zealand");
  expect(await textOf(page, "dialog")).toMatch(/It is \d\d:\d\d there now\./);
  await expectSound(page, "new location with its zone");
  await press(page, "Create the location");
  await sees(page, "No documents yet");
  locationId = new URL(page.url()).pathname.split("/")[3] ?? "";
  const location = z.looseObject({ timeZone: z.string() });
  const { timeZone } = await service.api(location, "GET", `/v1/spatial/locations/${locationId}`, site.token);
  expect(timeZone).toBe("Pacific/Auckland");
  await page.click(".rail a[href='/console/locations']");
  await sees(page, "1 of 4 done");
});

test("a person is added from the steps, and the link of the invitation stays until it is copied", async () => {
  await page.click(".first-steps ::-p-text(Add a person)");
  await fill(page, { email: "grace@people.test" });
  await page.click("dialog button[type=submit]");
  await page.waitForSelector("dialog output.secret");
  await press(page, "Done");
  await sees(page, "2 of 4 done");
});

test("the steps say who switches cameras on, and then have the button of the first one", async () => {
  expect(await steps()).toContain("Open the organizations");
  await entitle(service, { ...site, organizationId });
  await page.reload();
  await sees(page, "2 of 4 done");
  await page.click(".first-steps ::-p-text(New camera)");
  await page.waitForSelector("dialog [name=name]");
});

test("a new camera asks for its name and its place; the rest has values, and the zone is the location's", async () => {
  const asked = () =>
    page.$$eval("dialog :is(input, select, textarea)", (all) =>
      all.filter((one) => one.checkVisibility()).map((one) => one.getAttribute("name")),
    );
  expect(await asked()).toEqual(["name", "location"]);
  await expectSound(page, "new camera, folded");
  await page.click("dialog summary");
  const zone = await page.$eval("dialog [name=timeZone]", (one) => (one as unknown as { value: string }).value);
  expect(zone).toBe("Pacific/Auckland");
  await expectSound(page, "new camera, all fields");
  // A field that cannot be sent opens its fold, and the browser says why.
  await page.click("dialog [name=retentionDays]", { count: 3 });
  await page.type("dialog [name=retentionDays]", "0");
  await page.click("dialog summary");
  await page.type("dialog [name=name]", "Gate");
  await page.click("dialog button[type=submit]");
  await eventually(async () => expect(await asked()).toContain("retentionDays"));
  await page.click("dialog [name=retentionDays]", { count: 3 });
  await page.type("dialog [name=retentionDays]", "14");
  await page.click("dialog button[type=submit]");
  await sees(page, "No device has reported yet.");
  expect(await visibleText(page)).toContain("Pacific/Auckland");
});

test("the steps go when all are done, or when the person hides them, which can be undone", async () => {
  await page.click(".rail a[href='/console/locations']");
  await sees(page, "3 of 4 done");
  await press(page, "Hide these steps");
  await sees(page, "The steps are hidden.");
  await page.waitForSelector(".first-steps", { hidden: true });
  await press(page, "Undo");
  await sees(page, "3 of 4 done");
  const file = `${service.stateDir}/gauge.txt`;
  writeFileSync(file, "The tide gauge has a brass dial.");
  await page.click(".first-steps ::-p-text(Add documents)");
  const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, "Upload")]);
  await chooser.accept([file]);
  await sees(page, "gauge.txt");
  await sees(page, "Text found");
  await page.click(".rail a[href='/console/locations']");
  await sees(page, "1 location in 1 cluster");
  expect(await page.$$(".first-steps")).toEqual([]);
  await page.reload();
  await sees(page, "1 location in 1 cluster");
  expect(await page.$$(".first-steps")).toEqual([]);
  expect(complaints).toEqual([]);
});

test("? shows the keys in every view, except in a field and while they are off", async () => {
  for (const view of ["locations", "inbox", "settings/profile", "search", `locations/${locationId}/documents`]) {
    await page.goto(`${service.url}/console/${view}`);
    await page.waitForSelector("main h1");
    await page.evaluate("document.activeElement?.blur()");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open] .key-group");
    if (view === "inbox") await expectSound(page, "keys");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog[open]", { hidden: true });
  }
  await page.goto(`${service.url}/console/settings/profile`);
  await page.waitForSelector("main [name=name]");
  await page.type("main [name=name]", "?");
  expect(await page.$$("dialog[open]")).toEqual([]);
  await page.click("[popovertarget=account]");
  await press(page, "Keys");
  await page.waitForSelector("dialog[open] [type=checkbox]");
  await page.click("dialog[open] [type=checkbox]");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog[open]", { hidden: true });
  await page.reload();
  await page.waitForSelector("main [name=name]");
  await page.keyboard.press("?");
  await page.click("[popovertarget=account]");
  await page.waitForSelector(button("Keys"), { visible: true });
  expect(await page.$$("dialog[open]")).toEqual([]);
});

test("a silent camera says what to check, in the order of its heartbeat, its error and the other cameras", async () => {
  const here = { ...site, organizationId, locationId };
  const camera = await pairCamera(service, here, "Crane");
  await camera.send(8 * HOUR, 20);
  await sendImages(service, here, "Buoy", [8 * HOUR]);
  await page.goto(`${service.url}/console/locations/${locationId}/cameras?camera=${camera.id}&part=device`);
  await sees(page, "What to check");
  // The device was heard when it sent the picture.
  const first = () => textOf(page, ".checks ol li b");
  expect(await first()).toBe("The camera behind the device");
  expect(await textOf(page, ".checks")).toContain("It is silent too");
  expect(await textOf(page, ".state.silent")).toContain("camera fault");
  const heartbeat = { appliedRevision: 1, lastCaptureAtUtc: null, queueCount: 0, queueBytes: 0, freeBytes: 1e9 };
  const report = { ...heartbeat, oldestPendingAtUtc: null, errorCode: "camera-unauthorized" };
  await service.api(z.unknown(), "POST", "/v1/camera-ingestion/heartbeat", camera.bearer, report);
  await eventually(async () => expect(await first()).toBe("Password of the camera"), LONG_PATIENCE);
  await expectSound(page, "what to check");
});

test("a camera page that is connected late shows what changed before its connection, and keeps settings that are being changed", async () => {
  const camera = await pairCamera(service, { ...site, organizationId, locationId }, "Mast");
  await camera.send(8 * HOUR, 20);
  const address = `${service.url}/console/locations/${locationId}/cameras?camera=${camera.id}`;
  const heartbeat = { appliedRevision: 1, lastCaptureAtUtc: null, queueCount: 0, queueBytes: 0, freeBytes: 1e9 };
  const report = (errorCode: string) =>
    service.api(z.unknown(), "POST", "/v1/camera-ingestion/heartbeat", camera.bearer, {
      ...heartbeat,
      oldestPendingAtUtc: null,
      errorCode,
    });
  const first = () => textOf(page, ".checks ol li b");
  // The page learns the address of the hub from this answer.
  const held: HTTPRequest[] = [];
  const hold = (request: HTTPRequest) =>
    void (request.url().includes("/notifications/bootstrap") ? held.push(request) : request.continue());
  await page.setRequestInterception(true);
  page.on("request", hold);
  try {
    await page.goto(`${address}&part=device`);
    await sees(page, "What to check");
    await eventually(() => expect(held).toHaveLength(1), LONG_PATIENCE);
    await report("camera-unauthorized");
    expect(await first()).toBe("The camera behind the device");
    await held.pop()?.continue();
    await eventually(async () => expect(await first()).toBe("Password of the camera"), LONG_PATIENCE);
    await page.goto(`${address}&part=settings`);
    await eventually(() => expect(held).toHaveLength(1), LONG_PATIENCE);
    await fill(page, { name: "Tall " });
    await report("clock-unsynchronized");
    const answered = await listenToHub(page);
    await held.pop()?.continue();
    await answered();
    expect(await page.$eval("[name=name]", (field) => (field as unknown as { value: string }).value)).toBe("Tall Mast");
    await page.click(`a[href$='${camera.id}&part=device']`);
    await eventually(async () => expect(await first()).toBe("Clock of the device"), LONG_PATIENCE);
  } finally {
    page.off("request", hold);
    await page.setRequestInterception(false);
  }
});

test("a member who may not share reads why, and whom to ask", async () => {
  const person = { email: `${crypto.randomUUID()}@people.test`, password: PASSWORD };
  await joinSite(service, { ...site, organizationId }, { ...person, displayName: "Hedy", role: "member" });
  const owner = turnTo(await openProfile());
  await enter(`locations/${locationId}/people`, person);
  await sees(page, "You cannot share this");
  await sees(page, "Ask Ada (Owner).");
  await expectSound(page, "why a member cannot share");
  await page.goto(`${service.url}/console/locations/${locationId}/cameras`);
  await sees(page, "People make links who have “Create share links”.");
  await expectSound(page, "why a member has no links");
  await page.goto(`${service.url}/console/locations`);
  await sees(page, "1 location in 1 cluster");
  expect(await page.$$(".first-steps")).toEqual([]);
  await page.browserContext().close();
  turnTo(owner);
  // The browser reports each answer 404: there is no export yet.
  expect(complaints.filter((text) => !text.includes("exports/latest"))).toEqual([]);
});
