import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, fill, press, sees } from "../support/console";
import { copyRow } from "../support/copies";
import { complaints, enter, page, service, site, siteClient, useDesk } from "../support/desk";
import { boxOf, during, focused } from "../support/documents";
import { listenToHub } from "../support/hub-frames";

/* A list of 50,000 documents stays quick: no page is read twice, and the page has few rows at any time. */

const [DOCUMENTS, OLD, PAGES] = [50_000, 1_200, 12];
/** Rows that the page has at most: some chunks of 50. */
const MAX_ROWS = 400;

/** The pages after the first one that the console has read. */
const cursors: string[] = [];
const at = () => `/v1/spatial/locations/${site.locationId}/documents`;

useDesk({ site: "entitled" }, async () => {
  const { locationId } = site;
  const file = new Blob(["The rope is dry."], { type: "text/plain" });
  const { id } = await siteClient().uploadDocument({ locationId, file, fileName: "plan 1.txt" });
  const read = z.object({ textStatus: z.literal("indexed") });
  await eventually(async () => {
    await service.api(read, "GET", `/v1/documents/${id}`, site.token);
  }, LONG_PATIENCE);
  copyRow(service.stateDir, "documents", id, DOCUMENTS - 1, {
    path: `CASE WHEN n < ${DOCUMENTS - OLD} THEN '' ELSE 'old' END`,
    file_name: "'plan ' || (n + 1) || '.txt'",
    sort_name: "'plan ' || printf('%03d', length(n + 1)) || (n + 1) || '.txt'",
  });
  copyRow(service.stateDir, "document_versions", id, DOCUMENTS - 1, { object_key: "row.object_key || n" });
  page.on("request", (request) => {
    const cursor = new URL(request.url()).searchParams.get("cursor");
    if (request.url().includes("/documents?") && cursor !== null) cursors.push(cursor);
  });
  // A list is read again if events may have been missed before its connection.
  const isJoined = await listenToHub(page);
  await enter(`locations/${locationId}/documents`);
  await isJoined();
  cursors.length = 0;
});

const rows = async () => (await page.$$("[data-document]")).length;
const toEnd = () => page.evaluate("document.querySelector('.doc-list > .drop').scrollIntoView()");
/** What is no next page, which the list can read at any time near its end. */
const isNoPage = (one: string) => one !== "GET cursor";
const isPage = (one: string) => one === "GET" || one === "GET cursor";

test("pages are read as the end comes near, each once", async () => {
  await boxOf("plan 1.txt");
  const asked = await during(at(), "12 pages", async () => {
    let arrived = 0;
    page.on("response", (answer) => {
      if (answer.url().includes("cursor=")) arrived++;
    });
    await eventually(async () => {
      await toEnd();
      expect(arrived).toBeGreaterThanOrEqual(PAGES);
    }, LONG_PATIENCE);
  });
  expect(asked.filter((one) => one === "GET cursor").length).toBeGreaterThanOrEqual(PAGES);
  expect(await rows()).toBeLessThan(MAX_ROWS);
});

test("a name, a tag and a deletion read the document alone, and the place in the list stays", async () => {
  await toEnd();
  await eventually(async () => expect(await rows()).toBeLessThan(MAX_ROWS), LONG_PATIENCE);
  // A document near the end of what was read.
  const names = await page.$$eval(".doc-table td a:not(.folder)", (all) => all.map((one) => one.textContent ?? ""));
  const number = Number.parseInt((names.at(-20) ?? "").slice("plan ".length), 10);
  const [moved, after] = [`plan ${number + 2}b.txt`, `plan ${number + 3}.txt`];
  await (await boxOf(`plan ${number}.txt`))?.click();
  const renamed = await during(at(), "a name", async () => {
    await page.keyboard.press("F2");
    await page.waitForSelector("td input.input:focus");
    await page.keyboard.type(moved.replace(".txt", ""));
    await page.keyboard.press("Enter");
    await eventually(async () => expect(await focused()).toBe(moved), LONG_PATIENCE);
  });
  expect(renamed.filter(isNoPage)).toEqual(["GET ids"]);
  expect(await neighbours(moved)).toEqual([`plan ${number + 2}.txt`, after]);
  await page.keyboard.press("t");
  await press(page, "New tag");
  await fill(page, { name: "Ropes" });
  await press(page, "Save");
  await (await page.waitForSelector('::-p-aria([name="Ropes"][role="checkbox"])'))?.click();
  const tagged = await during(at(), "a tag", async () => {
    await press(page, "Save");
    await page.waitForSelector(".doc-table .tag");
  });
  expect(tagged.filter(isNoPage)).toEqual(["POST /changes", "GET ids"]);
  await eventually(async () => expect(await focused()).toBe(moved), LONG_PATIENCE);
  const deleted = await during(at(), "a deletion", async () => {
    await page.keyboard.press("Delete");
    await sees(page, "1 document is in the trash.");
    await eventually(async () => expect(await focused()).toBe(after), LONG_PATIENCE);
  });
  expect(deleted.filter(isNoPage)).toEqual(["POST /changes"]);
  const undone = await during(at(), "its undo", async () => {
    await press(page, "Undo");
    await eventually(async () => expect(await focused()).toBe(moved), LONG_PATIENCE);
  });
  expect(undone.filter(isNoPage)).toEqual(["POST /changes", "GET ids"]);
  expect(await rows()).toBeLessThan(MAX_ROWS);
  expect(new Set(cursors).size).toBe(cursors.length);
});

/** The documents before and after one in the list. */
const neighbours = (name: string) =>
  page.evaluate(`{
    const names = [...document.querySelectorAll(".doc-table td a:not(.folder)")].map((one) => one.textContent);
    const at = names.indexOf(${JSON.stringify(name)});
    [names[at - 1], names[at + 1]];
  }`);

const selectAll = async () => {
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
};

test("all 50,000 documents are selected by their ids", async () => {
  const asked = await during(at(), "a selection of 50,000", async () => {
    await selectAll();
    await sees(page, "All 50,000 documents selected");
  });
  expect(asked.filter(isPage)).toEqual([]);
  expect(asked.every((one) => one.startsWith("GET /ids"))).toBe(true);
  expect(asked.length).toBeLessThan(12);
  await page.keyboard.press("Escape");
});

test("a change of 1,200 documents shows its progress, and has one undo", async () => {
  await page.goto(`${service.url}/console/locations/${site.locationId}/documents?folder=old`);
  const first = `plan ${DOCUMENTS - OLD + 1}.txt`;
  await (await boxOf(first))?.focus();
  await selectAll();
  await sees(page, "All 1,200 documents selected");
  await page.keyboard.press("t");
  await (await page.waitForSelector('::-p-aria([name="Ropes"][role="checkbox"])'))?.click();
  const tagged = await during(at(), "1,200 tags", async () => {
    await press(page, "Save");
    await sees(page, "Documents are being changed");
    await expectSound(page, "a change of many documents");
    await sees(page, "Tags of 1,200 documents changed.");
    await page.waitForSelector(".doc-table .tag");
  });
  expect(tagged.filter((one) => one === "POST /changes")).toHaveLength(OLD / 100);
  // So many are not read one by one: the list begins again with one page.
  expect(tagged.filter((one) => one === "GET")).toHaveLength(1);
  await press(page, "Undo");
  await sees(page, "1,200 documents are as before.");
  await eventually(async () => expect(await page.$(".doc-table .tag")).toBeNull(), LONG_PATIENCE);
  expect(complaints).toEqual([]);
});
