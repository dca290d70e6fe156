import type { HTTPRequest } from "puppeteer-core";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { dataOf } from "../../../client/src/index";
import { pagedPdf } from "../../support/paged-pdf";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { button, expectSound, press, sees, textOf } from "../support/console";
import { complaints, enter, page, service, site, siteClient, useDesk } from "../support/desk";
import { joinSite } from "../support/running";

/* The search page with only the keyboard: from sign-in and typing to the passage, and the reported interactions. */

const PERSON = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };
const PAGES = 6;

let survey = "";

const interaction = z.object({
  action: z.string(),
  resultId: z.string().optional(),
  dwellMilliseconds: z.int().optional(),
  reformulatedTerm: z.string().optional(),
});
/** The interactions that the page has reported since the last call. */
const reports: z.infer<typeof interaction>[] = [];

useDesk({ site: "plain" }, async () => {
  const keepReport = async (request: HTTPRequest) => {
    if (request.method() !== "POST" || !request.url().endsWith("/v1/search/interactions")) return;
    const body = await request.fetchPostData().catch(() => undefined);
    if (body) reports.push(interaction.parse(JSON.parse(body)));
  };
  page.on("request", (request) => void keepReport(request));
  await joinSite(service, site, { ...PERSON, displayName: "Ida", role: "admin" });
  const client = siteClient();
  const upload = (file: Blob, fileName: string) =>
    client.uploadDocument({ locationId: site.locationId, file, fileName });
  survey = (await upload(new Blob([pagedPdf(PAGES)], { type: "application/pdf" }), "survey.pdf")).id;
  await upload(new Blob(["A keeper painted the buoy."], { type: "text/plain" }), "keeper notes.txt");
  await eventually(async () => {
    const { total } = await dataOf(client.api.POST("/v1/search", { body: { term: "keeper", limit: 20 } }));
    expect(total.count).toBe(2);
  }, LONG_PATIENCE);
  await enter("locations", PERSON);
});
beforeEach(() => reports.splice(0));

const reported = (action: string) =>
  eventually(() => expect(reports.map((one) => one.action)).toContain(action), LONG_PATIENCE);
const chosen = () => textOf(page, "#hits [aria-selected=true]");

/** Opens the search of the console and types a term, from anywhere. */
async function searchFor(term: string): Promise<void> {
  await page.goto(`${service.url}/console/search`);
  await page.waitForSelector(".bigfield input");
  await page.keyboard.type(term);
  await eventually(() => expect(new URL(page.url()).searchParams.get("q")).toBe(term.trim()), LONG_PATIENCE);
  await page.waitForSelector(".results[aria-busy=false]");
}

test("the search opens from every view, and a document is there once with its passages and a count", async () => {
  await page.setViewport({ width: 1280, height: 900 });
  await page.keyboard.down("Control");
  await page.keyboard.press("k");
  await page.keyboard.up("Control");
  await page.waitForSelector("dialog.palette[open]");
  await page.keyboard.type("keeper");
  await eventually(async () => expect(await textOf(page, "dialog.palette")).toMatch(/2 results/), LONG_PATIENCE);
  await page.keyboard.press("Enter");
  await sees(page, "2 results");
  const list = await textOf(page, "#hits");
  expect(list.match(/survey\.pdf/g)).toHaveLength(1);
  expect(list).toContain("3 more passages in this document");
  expect(await page.$$eval("#hits .title mark", (marks) => marks.map((mark) => mark.textContent))).toEqual(["keeper"]);
  await expectSound(page, "results");
});

test("arrows move, the preview marks the passage on its page, and the address keeps it", async () => {
  await page.setViewport({ width: 1280, height: 900 });
  await searchFor("lantern3");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector(".preview");
  await sees(page, `Page 3 of ${PAGES}`);
  const marks = 'String([...(CSS.highlights.get("word") ?? [])])';
  await eventually(async () => expect(await page.evaluate(marks)).toBe("lantern3"), LONG_PATIENCE);
  await reported("PreviewOpen");
  await page.evaluate(
    "getSelection().selectAllChildren(document.querySelector('.preview h2')); document.execCommand('copy')",
  );
  await reported("SnippetCopy");
  await expectSound(page, "preview");
  await page.setViewport({ width: 1280, height: 900 });
  await page.reload();
  await page.waitForSelector(".preview");
  await sees(page, `Page 3 of ${PAGES}`);
  await page.keyboard.press("Escape");
  await page.waitForSelector(".preview", { hidden: true });
  expect(page.url()).not.toContain("open=");
  await page.keyboard.press("Enter");
  await eventually(() => expect(page.url()).toContain(`/console/documents/${survey}?page=3`), LONG_PATIENCE);
  await reported("ResultClick");
  await page.waitForSelector(".pdfpage .textLayer span");
  await page.goBack();
  await page.waitForSelector("#hits .hit");
  // The time that the document was read is known when it is closed.
  await reported("DocumentOpen");
  expect(reports.find(({ action }) => action === "DocumentOpen")?.dwellMilliseconds).toBeGreaterThan(0);
});

test("the other passages of a document come on request, and each opens at its page", async () => {
  await page.setViewport({ width: 1280, height: 900 });
  await searchFor("keeper survey");
  expect(await page.$$("#hits .further")).toHaveLength(3);
  for (let n = 0; n < 3; n++) await page.keyboard.press("ArrowDown");
  expect(await chosen()).toContain("3 more passages");
  await page.keyboard.press("Enter");
  await eventually(async () => expect(await page.$$("#hits .further")).toHaveLength(PAGES - 1), LONG_PATIENCE);
  await page.keyboard.press("ArrowRight");
  await sees(page, `Passage 4 of ${PAGES}`);
  await page.keyboard.press("ArrowDown");
  await sees(page, `Passage 5 of ${PAGES}`);
  await page.setViewport({ width: 1280, height: 900 });
  await press(page, "Next passage");
  await sees(page, `Passage 6 of ${PAGES}`);
});

test("a correction is stated and can be refused, and suggestions complete a word", async () => {
  await searchFor("keepre painted");
  await sees(page, "Showing results for keeper painted. Search instead for keepre painted");
  await expectSound(page, "correction");
  await press(page, "keepre painted");
  await eventually(() => expect(page.url()).toContain("as=typed"), LONG_PATIENCE);
  await page.waitForSelector(".results[aria-busy=false]");
  expect(await textOf(page, ".results")).not.toContain("Showing results for");
  await searchFor("keep");
  await page.waitForSelector(".suggestions .chip");
  await page.keyboard.press("ArrowUp");
  const suggestion = await chosen();
  await page.keyboard.press("Enter");
  await eventually(() => expect(new URL(page.url()).searchParams.get("q")).toBe(suggestion), LONG_PATIENCE);
});

test("a search is narrowed by kind and place, and an empty result shows how to widen it", async () => {
  await searchFor("keeper");
  await page.select(".narrowing select", `location:${site.locationId}`);
  await eventually(() => expect(page.url()).toContain("in=location"), LONG_PATIENCE);
  await sees(page, "2 results");
  await press(page, "Notes");
  await sees(page, "Nothing for “keeper”");
  await sees(page, "Searched: Notes.");
  await expectSound(page, "nothing found");
  await press(page, "Search all kinds");
  await sees(page, "2 results");
  await page.goBack();
  await sees(page, "Nothing for “keeper”");
  await searchFor("zeppelin");
  await sees(page, "Nothing for “zeppelin”");
  await page.$eval(".bigfield input", (input) => (input as unknown as { select(): void }).select());
  await page.keyboard.type("buoy");
  await sees(page, "1 result");
  await reported("QueryReformulated");
  expect(reports.filter(({ action }) => action === "QueryReformulated")).toEqual([
    { action: "QueryReformulated", reformulatedTerm: "buoy" },
  ]);
});

test("a search that fails shows a message, and works when the person tries again", async () => {
  await searchFor("keeper");
  await page.setRequestInterception(true);
  let offline = true;
  const intercept = (request: HTTPRequest) =>
    void (offline && request.url().includes("/v1/search") ? request.abort() : request.continue());
  page.on("request", intercept);
  await page.keyboard.type(" painted");
  await sees(page, "The service does not answer.");
  await expectSound(page, "offline");
  offline = false;
  await page.click(button("Try again"));
  await page.waitForSelector("#hits .hit");
  page.off("request", intercept);
  await page.setRequestInterception(false);
  // The only errors are the interrupted requests.
  expect(complaints.splice(0).filter((text) => !text.includes("net::ERR_FAILED"))).toEqual([]);
});

test("a search without a network shows a message, and its results come when the network returns", async () => {
  await searchFor("keeper");
  await page.setOfflineMode(true);
  await page.keyboard.type(" painted");
  await sees(page, "The service does not answer.");
  expect(await page.$("#hits")).toBeNull();
  await page.setOfflineMode(false);
  await page.waitForSelector("#hits .hit");
  expect(await textOf(page, ".results")).not.toContain("The service does not answer.");
  expect(complaints.filter((text) => !/ERR_INTERNET_DISCONNECTED|WebSocket/.test(text))).toEqual([]);
});

/** Fails the next search of the page as a missing network does, after `before`. The later ones reach the service. */
async function failNextSearch(before: () => Promise<unknown>): Promise<() => Promise<void>> {
  let searches = 0;
  const fail = async (request: HTTPRequest) => {
    await before();
    await request.abort("internetdisconnected").catch(() => undefined);
  };
  const intercept = (request: HTTPRequest) =>
    void (!request.url().endsWith("/v1/search") || searches++ > 0 ? request.continue() : fail(request));
  await page.setRequestInterception(true);
  page.on("request", intercept);
  return async () => {
    page.off("request", intercept);
    await page.setRequestInterception(false);
    expect(complaints.splice(0).filter((text) => !text.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
  };
}

const MARKS_PAINTED = `[...document.querySelectorAll("#hits .hit mark")].some(({ textContent }) => textContent === "painted")`;

test("a network that returns before a search has failed brings the results", async () => {
  await searchFor("keeper");
  const end = await failNextSearch(() => page.evaluate("void dispatchEvent(new Event('online'))"));
  await page.keyboard.sendCharacter(" painted");
  await page.waitForFunction(MARKS_PAINTED);
  await end();
});

test("a network that returns in the moment in which the failure of a search appears brings the results", async () => {
  await searchFor("keeper");
  await page.evaluate(`(() => {
    const seen = new MutationObserver(() => {
      if (!document.body.innerText.includes("The service does not answer.")) return;
      seen.disconnect();
      dispatchEvent(new Event("online"));
    });
    seen.observe(document.body, { childList: true, subtree: true, characterData: true });
  })()`);
  const end = await failNextSearch(async () => {});
  await page.keyboard.sendCharacter(" painted");
  await page.waitForFunction(MARKS_PAINTED);
  await end();
});

test("a network that fails once more after its return brings the results", async () => {
  await searchFor("keeper");
  await page.evaluate("void dispatchEvent(new Event('online'))");
  const end = await failNextSearch(async () => {});
  await page.keyboard.sendCharacter(" painted");
  await page.waitForFunction(MARKS_PAINTED);
  await end();
});
