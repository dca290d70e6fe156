import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { picture } from "../support/cameras";
import { expectSound, fill, press, sees, visibleText } from "../support/console";
import { enter, openProfile, page, service, site, siteClient, turnTo, useDesk } from "../support/desk";
import { joinSite } from "../support/running";

/* The list of documents: its orders and filters, tags, and what is done with several documents at once. */

const FILES = ["plan 10.txt", "Plan 2.txt", "plan 1.txt", "notes.md", "table.csv"];
const TYPES: Readonly<Record<string, string>> = { md: "text/markdown", csv: "text/csv", txt: "text/plain" };

useDesk({ site: "entitled" }, async () => {
  const client = siteClient();
  const { locationId } = site;
  for (const fileName of FILES) {
    const type = TYPES[fileName.split(".")[1] ?? ""] ?? "";
    await client.uploadDocument({ locationId, file: new Blob([fileName], { type }), fileName, path: "plans" });
  }
  const file = new Blob([picture(200)], { type: "image/jpeg" });
  await client.uploadDocument({ locationId, file, fileName: "quay.jpg" });
});

const names = async () =>
  z
    .array(z.string())
    .parse(await page.$$eval(".table td a:not(.folder), .doc-card a", (all) => all.map((one) => one.textContent)));
const shows = (expected: string[]) => eventually(async () => expect(await names()).toEqual(expected), LONG_PATIENCE);
const choose = async (label: string, value: string) => {
  const box = await page.waitForSelector(`::-p-aria([name="${label}"][role="combobox"])`);
  await box?.select(value);
};
const boxOf = (name: string) => page.waitForSelector(`::-p-aria([name="${name}"][role="checkbox"])`);
const tick = async (name: string) => (await boxOf(name))?.click();
const NATURAL = ["notes.md", "plan 1.txt", "Plan 2.txt", "plan 10.txt", "quay.jpg", "table.csv"];

test("the list has a natural order, other orders and filters, which its address keeps", async () => {
  await enter(`locations/${site.locationId}/documents`);
  await shows(NATURAL);
  await expectSound(page, "documents");
  await press(page, "Ascending order. Change to descending");
  await shows(NATURAL.toReversed());
  await choose("Kind", "spreadsheet");
  await shows(["table.csv"]);
  await choose("Kind", "mail");
  await sees(page, "No document matches");
  await press(page, "Clear the filters");
  const today = new Date().toISOString().slice(0, 10);
  const fillDay = (nth: number, day: string) =>
    page.evaluate(`{
      const input = document.querySelectorAll(".doc-filters [type=date]")[${nth}];
      input.value = "${day}";
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }`);
  await shows(NATURAL.toReversed());
  await fillDay(0, today);
  await expectSound(page, "filtered documents");
  await shows(NATURAL.toReversed());
  await fillDay(1, "2020-01-01");
  await sees(page, "No document matches");
  await press(page, "Clear the filters");
  await page.reload();
  await shows(NATURAL.toReversed());
  await press(page, "Descending order. Change to ascending");
  await shows(NATURAL);
});

test("documents are selected with Shift, get a new tag, and the list shows those with the tag", async () => {
  await tick("Select plan 1.txt");
  await page.keyboard.down("Shift");
  await tick("Select plan 10.txt");
  await page.keyboard.up("Shift");
  await sees(page, "3 selected");
  await expectSound(page, "selected documents");
  await press(page, "Tags");
  await press(page, "New tag");
  await fill(page, { name: "Inspection" });
  await expectSound(page, "new tag");
  await press(page, "Save");
  await tick("Inspection");
  await expectSound(page, "tags of documents");
  await press(page, "Save");
  await sees(page, "Tags of 3 documents changed.");
  await choose("Tags", await tagId());
  await shows(["plan 1.txt", "Plan 2.txt", "plan 10.txt"]);
  await press(page, "Undo");
  await sees(page, "No document matches");
  await press(page, "Clear the filters");
  await shows(NATURAL);
});

const tagId = async (): Promise<string> => {
  const list = z.object({ items: z.array(z.object({ id: z.string() })) });
  const { items } = await service.api(list, "GET", "/v1/tags", site.token);
  return items[0]?.id ?? "";
};

test("all documents are deleted with the keyboard, and one undo brings them back", async () => {
  await (await boxOf("Select plan 1.txt"))?.focus();
  await page.keyboard.press("Escape");
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  await sees(page, "All 6 documents selected");
  await page.keyboard.press("Delete");
  await sees(page, "6 documents are in the trash.");
  await sees(page, "No documents yet");
  await press(page, "Undo");
  await sees(page, "6 documents are as before.");
  await shows(NATURAL);
});

test("selected documents are shared in one act, and one undo ends that", async () => {
  const guest = `${crypto.randomUUID()}@people.test`;
  await joinSite(service, site, {
    role: "guest",
    email: guest,
    password: "correct horse battery",
    displayName: "Joan",
  });
  await tick("Select plan 1.txt");
  await tick("Select Plan 2.txt");
  await press(page, "Share");
  await sees(page, "Share 2 documents");
  await expectSound(page, "share documents");
  await fill(page, { email: guest });
  await page.select("dialog select[name=Documents]", "Write");
  await page.click("dialog button[type=submit]");
  await sees(page, `2 documents shared with ${guest}.`);
  expect(await sharesOf("plan 1.txt")).toEqual([[guest, { Documents: "Write" }]]);
  expect(await sharesOf("Plan 2.txt")).toHaveLength(1);
  // A repeat says why nothing happens.
  await press(page, "Share");
  await fill(page, { email: guest });
  await page.click("dialog button[type=submit]");
  await sees(page, "This is already shared with that person.");
  await page.keyboard.press("Escape");
  await press(page, "Undo");
  await sees(page, "2 documents are not shared any more.");
  expect(await sharesOf("plan 1.txt")).toEqual([]);
  await tick("Select plan 1.txt");
  await tick("Select Plan 2.txt");
});

/** The shares of a document of the site: the address of each person, and their access. */
async function sharesOf(fileName: string) {
  const list = z.object({ items: z.array(z.object({ id: z.string(), fileName: z.string() })) });
  const { items } = await service.api(
    list,
    "GET",
    `/v1/spatial/locations/${site.locationId}/documents?limit=100`,
    site.token,
  );
  const id = items.find((one) => one.fileName === fileName)?.id;
  const shares = z.object({ items: z.array(z.object({ email: z.string(), capabilities: z.unknown() })) });
  const found = await service.api(shares, "GET", `/v1/documents/${id}/grants`, site.token);
  return found.items.map(({ email, capabilities }) => [email, capabilities]);
}

test("a document is renamed in its place, and Escape leaves its name", async () => {
  await tick("Select table.csv");
  await press(page, "Rename");
  await page.waitForSelector("td input.input:focus");
  await page.keyboard.type("counts");
  await page.keyboard.press("Escape");
  await shows(NATURAL);
  await (await boxOf("Select table.csv"))?.focus();
  await page.keyboard.press("F2");
  await page.waitForSelector("td input.input:focus");
  await page.keyboard.type("zones");
  await page.keyboard.press("Enter");
  await shows([...NATURAL.slice(0, 5), "zones.csv"]);
  await tick("Select zones.csv");
});

test("documents are moved together, and the grid shows the picture", async () => {
  await tick("Select notes.md");
  await tick("Select quay.jpg");
  await press(page, "Move");
  await fill(page, { path: "surveys/2026" });
  await expectSound(page, "move");
  await page.click("dialog button[type=submit]");
  await sees(page, "2 documents moved.");
  await sees(page, "surveys/2026");
  await press(page, "Grid");
  await shows([...NATURAL.slice(0, 5), "zones.csv"]);
  await page.waitForSelector(".doc-card .thumb img", { timeout: LONG_PATIENCE });
  await expectSound(page, "grid of documents");
  expect(page.url()).toContain("view=grid");
  expect(await visibleText(page)).toContain("notes.md");
});

/** Drags one element onto another, with the events of a browser: without a screen, Chromium carries no mouse drag. */
async function dragTo(from: string, to: string): Promise<void> {
  await page.waitForSelector(from);
  await page.waitForSelector(to);
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    const send = (on, type) => {
      const event = new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer });
      document.querySelector(on).dispatchEvent(event);
      return event.defaultPrevented;
    };
    const [from, to] = ${JSON.stringify([from, to])};
    send(from, "dragstart");
    // A browser drops only where the pointer over it was taken.
    if (send(to, "dragover")) send(to, "drop");
    send(from, "dragend");
  }`);
}

const folders = async () =>
  z.array(z.string()).parse(await page.$$eval(".folder-item > a", (all) => all.map((one) => one.textContent)));
const showsFolders = (expected: string[]) =>
  eventually(async () => expect(await folders()).toEqual(expected), LONG_PATIENCE);

test("folders are made, renamed in place, moved by the keyboard and deleted with one undo", async () => {
  await page.goto(`${service.url}/console/locations/${site.locationId}/documents`);
  await showsFolders(["plans", "surveys"]);
  await press(page, "New folder");
  await fill(page, { name: "Archive" });
  await expectSound(page, "new folder");
  await page.click("dialog button[type=submit]");
  await sees(page, "The folder “Archive” is ready.");
  await showsFolders(["Archive", "plans", "surveys"]);
  await expectSound(page, "folders");
  await press(page, "Rename the folder Archive");
  await page.waitForSelector(".folder-item input:focus");
  await page.keyboard.type("Old plans");
  await page.keyboard.press("Enter");
  await sees(page, "The folder “Old plans” has moved.");
  await showsFolders(["Old plans", "plans", "surveys"]);
  await press(page, "Move the folder surveys");
  await fill(page, { into: "Old plans" });
  await expectSound(page, "move folder");
  await page.click("dialog button[type=submit]");
  await sees(page, "The folder “surveys” has moved.");
  await showsFolders(["Old plans", "plans"]);
  await press(page, "Delete the folder Old plans");
  await sees(page, "The folder “Old plans” is deleted. 2 documents are in the trash.");
  await showsFolders(["plans"]);
  await press(page, "Undo");
  await sees(page, "The folder “Old plans” is as before.");
  await showsFolders(["Old plans", "plans"]);
});

test("documents and folders are dragged into a folder, and to the folders above", async () => {
  await dragTo("tr:has(input[aria-label='Select plan 1.txt']) td:nth-child(3)", ".folder-item:first-child > a");
  await sees(page, "1 document moved.");
  await dragTo(".folder-item:nth-child(2) > .icon", ".folder-item:first-child > a");
  await sees(page, "The folder “plans” has moved.");
  await showsFolders(["Old plans"]);
  await page.click(".folder-item:first-child > a");
  await showsFolders(["plans", "surveys"]);
  await dragTo(".folder-item:nth-child(2) > .icon", ".folders a");
  await sees(page, "The folder “surveys” has moved.");
  await showsFolders(["plans"]);
  await page.click(".folders a");
  await showsFolders(["Old plans", "surveys"]);
});

/** Chooses a person of the filter by name. */
const chooseAdder = (name: string) =>
  page.evaluate(`{
    const box = [...document.querySelectorAll("select")].find((one) => [...one.options].some((o) => o.text === "Anybody"));
    box.value = [...box.options].find((o) => o.text === ${JSON.stringify(name)}).value;
    box.dispatchEvent(new Event("change", { bubbles: true }));
  }`);

test("the list shows what one person has added", async () => {
  const person = {
    email: `${crypto.randomUUID()}@people.test`,
    password: "correct horse battery",
    displayName: "Grace",
  };
  await joinSite(service, site, { role: "member", ...person });
  await page.goto(`${service.url}/console/locations/${site.locationId}/documents`);
  await page.waitForFunction(`[...document.querySelectorAll("option")].some((o) => o.text === "Grace")`);
  await eventually(async () => expect(await names()).toHaveLength(6), LONG_PATIENCE);
  await chooseAdder("Grace");
  await sees(page, "No document matches");
  await chooseAdder("Me");
  await eventually(async () => expect(await names()).toHaveLength(6), LONG_PATIENCE);
  await chooseAdder("Anybody");
  await eventually(async () => expect(await names()).toHaveLength(6), LONG_PATIENCE);
});

test("a member who may not share sees why, and whom to ask, in the place of the button", async () => {
  const person = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };
  await joinSite(service, site, { role: "member", displayName: "Mary", ...person });
  turnTo(await openProfile());
  await enter(`locations/${site.locationId}/documents`, person);
  await tick("Select plan 1.txt");
  await press(page, "Who can share?");
  await sees(page, "In Live, owners and admins share.");
  await sees(page, "Ask Ada (Owner).");
  await expectSound(page, "who can share");
});
