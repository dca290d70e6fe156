import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { degrees, PDFDocument } from "pdf-lib";
import type { HTTPRequest } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { pagedPdf } from "../../support/paged-pdf";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { mixedPdf, paper, SCANNED, scanOf } from "../../support/scans";
import { openTab } from "../support/browser";
import { button, expectSound, press, sees, textOf } from "../support/console";
import { browser, complaints, enter, page, service, site, siteClient, useDesk } from "../support/desk";
import { entitle, joinSite } from "../support/running";

/* A document from the search to its page with the passage marked, its versions, its place, whole folders, and many files. */

const PERSON = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };
/** More than is hashed at once. */
const LARGE_BYTES = 5 * 1024 * 1024;

useDesk({ settings: { RECOGNITION_BROWSERS: "1" }, site: "entitled" }, async () => {
  await joinSite(service, site, { ...PERSON, displayName: "Ida", role: "admin" });
});

const marked = async (name: string) =>
  z
    .array(z.string())
    .parse(await page.evaluate(`[...(CSS.highlights.get("${name}") ?? [])].map((range) => range.toString())`));

test("a search opens a PDF at its page, with the passage and the words marked", async () => {
  const client = siteClient();
  const bytes = new Blob([pagedPdf(3)], { type: "application/pdf" });
  const made = await client.uploadDocument({ locationId: site.locationId, file: bytes, fileName: "survey.pdf" });
  await enter("search?q=lantern3", PERSON);
  await eventually(async () => {
    await page.reload();
    await page.waitForSelector("#hits .hit", { timeout: 2_000 });
  }, LONG_PATIENCE);
  await page.click("#hits .hit");
  await sees(page, "Page 3 of 3");
  expect(page.url()).toContain(`/console/documents/${made.id}?page=3`);
  await eventually(async () => expect(await marked("word")).toEqual(["lantern3"]), LONG_PATIENCE);
  expect((await marked("passage")).join()).toContain("The keeper of page 3 lights lantern3 at dusk");
  await expectSound(page, "PDF");
  await press(page, "Previous page");
  await sees(page, "Page 2 of 3");
  expect(page.url()).toContain("page=2");
});

test("a new version is uploaded beside the document, and each version is downloaded", async () => {
  const file = join(service.stateDir, "other.pdf");
  writeFileSync(file, pagedPdf(4));
  const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, "Upload a new version")]);
  await chooser.accept([file]);
  await sees(page, "Version 2");
  await eventually(async () => expect(await textOf(page, ".side")).toMatch(/Text found, 4 pages/), LONG_PATIENCE);
  expect(await textOf(page, "h1")).toBe("survey.pdf");
  const answer = page.waitForResponse((response) => response.url().includes("version=1"));
  await press(page, "Download version 1");
  const { sizeBytes } = z.object({ sizeBytes: z.number() }).parse(await (await answer).json());
  expect(sizeBytes).toBeGreaterThan(0);
  await page.click("::-p-aria([name='Show version 1'][role='link'])");
  await sees(page, "You see version 1.");
  await sees(page, "of 3");
  expect(page.url()).toContain("version=1");
  await page.click("::-p-text(Show the newest version)");
  await sees(page, "of 4");
});

test("a page that cannot be drawn shows its text", async () => {
  const tab = await openTab(browser);
  await tab.evaluateOnNewDocument("HTMLCanvasElement.prototype.getContext = () => null");
  await tab.goto(`${page.url().split("?")[0]}?page=2&find=lantern2`);
  await sees(tab, "The pages cannot be drawn. This is their text.");
  await sees(tab, "The keeper of page 2 lights lantern2 at dusk.");
  await tab.close();
});

test("the text of a document is shown although the recognition of its scanned pages is off", async () => {
  const organization = `/v1/orgs/${site.organizationId}`;
  const recognize = (recognizesScans: boolean) =>
    service.api(z.unknown(), "PATCH", organization, site.token, { recognizesScans });
  await recognize(false);
  const desk = await openTab(browser);
  await desk.setViewport({ width: 700, height: 360 });
  await desk.setContent(paper(SCANNED.english));
  const bytes = await mixedPdf(["text", "scan"], Uint8Array.from(await desk.screenshot({ type: "png" })));
  await desk.close();
  const client = siteClient();
  const file = new Blob([bytes], { type: "application/pdf" });
  const { id } = await client.uploadDocument({ locationId: site.locationId, file, fileName: "mixed.pdf" });
  const left = z.looseObject({ textStatus: z.literal("recognition-off") });
  await eventually(async () => void (await service.api(left, "GET", `/v1/documents/${id}`, site.token)), LONG_PATIENCE);
  const tab = await openTab(browser);
  await tab.evaluateOnNewDocument("HTMLCanvasElement.prototype.getContext = () => null");
  await tab.goto(`${service.url}/console/documents/${id}`);
  await sees(tab, "The pages cannot be drawn. This is their text.");
  await sees(tab, "Page 1 line 1 says");
  await tab.click(button("Next page"));
  await sees(tab, "No text was found here.");
  await tab.close();
  await recognize(true);
  await service.api(z.unknown(), "DELETE", `/v1/documents/${id}`, site.token);
});

test("a document is renamed into a folder, deleted, and brought back", async () => {
  await press(page, "Rename or move");
  await page.waitForSelector("dialog[open] [name=fileName]");
  await expectSound(page, "rename");
  await page.$eval("dialog [name=fileName]", (input) => {
    (input as unknown as { value: string }).value = "fender.pdf";
  });
  await page.type("dialog [name=path]", "surveys/2026");
  await press(page, "Save");
  await eventually(async () => expect(await textOf(page, "h1")).toBe("fender.pdf"), LONG_PATIENCE);
  await press(page, "Delete");
  await sees(page, "“fender.pdf” is in the trash.");
  expect(page.url()).toContain(`/locations/${site.locationId}/documents`);
  await sees(page, "No documents yet");
  await press(page, "Undo");
  await eventually(async () => expect(await textOf(page, "h1")).toBe("fender.pdf"), LONG_PATIENCE);
  // The event of the new name makes the page read the document, and the deletion can overtake that read.
  const document = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const isOvertaken = (text: string) => text.includes("status of 404") && text.includes(`/v1/documents/${document}`);
  expect(complaints.splice(0).filter((text) => !isOvertaken(text))).toEqual([]);
});

test("a folder is uploaded with its folders, including a file that is too large to be hashed at once", async () => {
  const folder = join(service.stateDir, "harbour");
  mkdirSync(join(folder, "tides"), { recursive: true });
  writeFileSync(join(folder, "tides", "gauge.txt"), "The gauge has a brass dial.");
  writeFileSync(join(folder, "large.txt"), "A long line about ropes.\n".repeat(LARGE_BYTES / 25 + 1));
  await page.goto(`${service.url}/console/locations/${site.locationId}/documents`);
  const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, "Upload a folder")]);
  await chooser.accept([folder]);
  await sees(page, "2 of 2 files uploaded");
  const both = /gauge\.txt\s*harbour\/tides[\s\S]*large\.txt\s*harbour/;
  await eventually(async () => expect(await textOf(page, "table")).toMatch(both), LONG_PATIENCE);
  await page.click("::-p-aria([name='harbour/tides'][role='link'])");
  await page.waitForSelector("::-p-text(All documents)");
  await eventually(
    async () => expect(await textOf(page, "table tbody")).toMatch(/^gauge\.txt(?![\s\S]*fender)/),
    LONG_PATIENCE,
  );
  await expectSound(page, "folder");
  await page.click("table a");
  await sees(page, "The gauge has a brass dial.");
  await expectSound(page, "text");
});

/** The position of a mark in a picture, as shares of the picture. */
const markIn = async (picture: string) =>
  z.object({ left: z.number(), top: z.number(), width: z.number(), height: z.number() }).parse(
    await page.evaluate(`(() => {
      const around = document.querySelector(${JSON.stringify(picture)}).getBoundingClientRect();
      const mark = [...CSS.highlights.get("word")][0].getBoundingClientRect();
      return {
        left: (mark.left - around.left) / around.width,
        top: (mark.top - around.top) / around.height,
        width: mark.width / around.width,
        height: mark.height / around.height,
      };
    })()`),
  );

test("a word is marked where it is on a page that is turned", async () => {
  const client = siteClient();
  const pdf = await PDFDocument.load(pagedPdf(1));
  pdf.getPage(0).setRotation(degrees(90));
  const file = new Blob([Uint8Array.from(await pdf.save())], { type: "application/pdf" });
  const { id } = await client.uploadDocument({ locationId: site.locationId, file, fileName: "turned.pdf" });
  await page.goto(`${service.url}/console/documents/${id}?page=1&find=lantern1`);
  await eventually(async () => expect(await marked("word")).toEqual(["lantern1"]), LONG_PATIENCE);
  // The line begins at 72 of 595 points and 122 of 842 points. It runs downwards now, at the right.
  await eventually(async () => {
    const { left, top, width, height } = await markIn(".pdfpage canvas");
    expect(left).toBeCloseTo((842 - 122) / 842, 1);
    expect(top).toBeGreaterThan(72 / 595);
    expect(top + height).toBeLessThan(0.7);
    expect(height).toBeGreaterThan(width);
  }, LONG_PATIENCE);
});

test("words that were recognized in a scan and in a photo are marked where they are, and can be selected", async () => {
  const desk = await openTab(browser);
  await desk.setViewport({ width: 700, height: 360, deviceScaleFactor: 2 });
  const shot = async (words: string, type: "png" | "jpeg") => {
    await desk.setContent(paper(words));
    return Uint8Array.from(await desk.screenshot({ type }));
  };
  const scan = await scanOf([await shot(SCANNED.german, "png"), await shot(SCANNED.english, "png")]);
  const photo = await shot(SCANNED.english, "jpeg");
  await desk.close();
  const client = siteClient();
  const send = async (fileName: string, bytes: Uint8Array<ArrayBuffer>, type: string) => {
    const file = new Blob([bytes], { type });
    return (await client.uploadDocument({ locationId: site.locationId, file, fileName })).id;
  };
  const scanned = await send("scan.pdf", scan, "application/pdf");
  const pictured = await send("photo.jpg", photo, "image/jpeg");
  const recognized = z.looseObject({ textStatus: z.literal("recognized") });
  for (const id of [scanned, pictured])
    await eventually(
      async () => void (await service.api(recognized, "GET", `/v1/documents/${id}`, site.token)),
      LONG_PATIENCE,
    );

  for (const [id, at, picture] of [
    [scanned, 2, ".pdfpage canvas"],
    [pictured, 1, ".photo img"],
  ] as const) {
    const passages = await client.api.GET("/v1/documents/{documentId}/passages", {
      params: { path: { documentId: id }, query: { page: at } },
    });
    const passage = passages.data?.items.find(({ text }) => text.includes("caisson"))?.chunkIndex;
    await page.goto(`${service.url}/console/documents/${id}?page=${at}&passage=${passage}&find=caisson`);
    await eventually(async () => expect(await marked("word")).toEqual(["caisson"]), LONG_PATIENCE);
    await eventually(
      async () => expect((await marked("passage")).join()).toMatch(/inspected the northern caisson and found/),
      LONG_PATIENCE,
    );
    const words = await client.api.GET("/v1/documents/{documentId}/pages/{page}/words", {
      params: { path: { documentId: id, page: at } },
    });
    const all = words.data;
    const word = all?.words.find(({ text }) => text === "caisson");
    if (all === undefined || word === undefined) throw new Error("the word was not recognized");
    // A mark is as wide as its word. It is as high as a line of text is, so it begins a little higher.
    const place = {
      left: expect.closeTo(word.left / all.width, 2),
      width: expect.closeTo(word.width / all.width, 2),
      top: expect.closeTo(word.top / all.height, 1),
    };
    const expectPlace = async () => expect(await markIn(picture)).toMatchObject(place);
    await eventually(expectPlace, LONG_PATIENCE);
    await expectSound(page, picture);
    // The words follow the picture in another window.
    await page.setViewport({ width: 480, height: 900 });
    await eventually(expectPlace, LONG_PATIENCE);
    await page.setViewport({ width: 1280, height: 900 });
    const selected = `(getSelection().selectAllChildren(document.querySelector(".scanLayer")), String(getSelection()))`;
    await eventually(
      async () => expect(await page.evaluate(selected)).toMatch(/surveyor\s+inspected\s+the\s+northern\s+caisson/),
      LONG_PATIENCE,
    );
  }
  expect(complaints).toEqual([]);
});

const listed = z.object({ items: z.array(z.object({ fileName: z.string(), path: z.string() })) });

/** Drops files that the page makes: small ones, and one large file. */
const dropFiles = (names: readonly string[], largeBytes: number) =>
  page.evaluate(`{
    const data = new DataTransfer();
    for (const name of ${JSON.stringify(names)})
      data.items.add(new File(["The log of " + name + " is dry."], name, { type: "text/plain" }));
    data.items.add(new File(["The rope is dry.\\n".repeat(${Math.ceil(largeBytes / 17)})], "large-log.txt", { type: "text/plain" }));
    for (const type of ["dragover", "drop"])
      document.querySelector("main").dispatchEvent(
        new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
      );
  }`);

test("many files are dropped: each shows its progress, and a failed one shows the reason with the id of the request, and is sent again", async () => {
  // The large file of the folder fits into the storage, but no further file does.
  const rest = 3 * 1024 * 1024;
  await entitle(service, site, LARGE_BYTES + rest);
  await page.setViewport({ width: 1280, height: 900 });
  await page.goto(`${service.url}/console/locations/${site.locationId}/documents`);
  await sees(page, "Drop files or folders anywhere on this page");
  const names = Array.from({ length: 23 }, (_, i) => `log-${i}.txt`);
  await dropFiles(names, rest);
  await page.waitForSelector(".uploads .line progress");
  expect(await page.$$eval(".uploads .line progress", (bars) => bars.length)).toBe(24);
  await sees(page, "23 of 24 files uploaded. 1 file not uploaded.");
  expect(await textOf(page, ".uploads .line.failed")).toMatch(
    /large-log\.txt[\s\S]*The storage is full[\s\S]*Request [\da-f-]{36}\s+Copy/,
  );
  await expectSound(page, "a failed upload");
  await entitle(service, site);
  await press(page, "Upload large-log.txt again");
  await sees(page, "24 of 24 files uploaded");
  const path = `/v1/spatial/locations/${site.locationId}/documents?limit=100`;
  const { items } = await service.api(listed, "GET", path, site.token);
  expect(items.map(({ fileName }) => fileName)).toEqual(expect.arrayContaining([...names, "large-log.txt"]));
  await press(page, "Clear the list");
  await page.waitForSelector(".uploads", { hidden: true });
  // The browser reports the refusal.
  expect(complaints.splice(0).filter((text) => !text.includes("status of 507"))).toEqual([]);
});

/** Drops a file of zeros, always with the same time of its last change. */
const dropLarge = (fileName: string, bytes: number) =>
  page.evaluate(`{
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(${bytes})], ${JSON.stringify(fileName)}, { lastModified: 1 }));
    for (const type of ["dragover", "drop"])
      document.querySelector("main").dispatchEvent(
        new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
      );
  }`);

test("a large file continues after a pause, a lost network and a reload, and sends no part twice", async () => {
  await page.goto(`${service.url}/console/locations/${site.locationId}/documents`);
  await sees(page, "Drop files or folders anywhere on this page");
  const parts: string[] = [];
  let held: HTTPRequest[] | null = [];
  const onRequest = (request: HTTPRequest) => {
    const [, part] = /^PUT .*\/staging\/[\w-]+\/(\d+)\?/.exec(`${request.method()} ${request.url()}`) ?? [];
    if (part !== undefined && held !== null && Number(part) > 2) held.push(request);
    else {
      if (part !== undefined) parts.push(part);
      void request.continue();
    }
  };
  await page.setRequestInterception(true);
  page.on("request", onRequest);
  const isHeld = () => eventually(async () => expect(held).toHaveLength(2), LONG_PATIENCE);
  await dropLarge("tour.mp4", 30_000_000);
  await isHeld();
  await sees(page, "17 MB of 30 MB");
  held = [];
  await press(page, "Pause the upload of tour.mp4");
  await sees(page, "Paused");
  await expectSound(page, "a paused upload");
  await press(page, "Continue the upload of tour.mp4");
  await isHeld();
  const lost = held;
  held = [];
  await page.setOfflineMode(true);
  for (const request of lost) await request.abort("internetdisconnected");
  await sees(page, "No connection. It continues by itself.");
  await page.setOfflineMode(false);
  await isHeld();
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await sees(page, "17 MB of 30 MB are here.");
  await expectSound(page, "an unfinished upload");
  held = null;
  await dropLarge("tour.mp4", 30_000_000);
  await sees(page, "1 of 1 file uploaded");
  expect(parts.toSorted()).toEqual(["1", "2", "3", "4"]);
  await press(page, "Clear the list");
  await page.waitForSelector(".uploads", { hidden: true });
  page.off("request", onRequest);
  await page.setRequestInterception(false);
  complaints.splice(0);
});

test("a folder is dropped with its folders", async () => {
  const folder = join(service.stateDir, "dropped");
  mkdirSync(join(folder, "winter"), { recursive: true });
  writeFileSync(join(folder, "summer.txt"), "The ladder is dry.");
  writeFileSync(join(folder, "winter", "ice.txt"), "The ladder has ice.");
  const devtools = await page.createCDPSession();
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await devtools.send("Input.dispatchDragEvent", { type, x: 640, y: 450, data });
  await sees(page, "2 of 2 files uploaded");
  const path = `/v1/spatial/locations/${site.locationId}/documents?limit=100`;
  const { items } = await service.api(listed, "GET", path, site.token);
  expect(items).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ fileName: "summer.txt", path: "dropped" }),
      expect.objectContaining({ fileName: "ice.txt", path: "dropped/winter" }),
    ]),
  );
  await devtools.detach();
  expect(complaints).toEqual([]);
});
