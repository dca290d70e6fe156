import { readFileSync } from "node:fs";
import type { HTTPRequest, Page } from "puppeteer-core";
import { extractText } from "unpdf";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { announcedIn, listenToRegions } from "../support/announcements";
import { button, expectSound, fill, press, sees, signInAt, textOf } from "../support/console";
import { complaints, openProfile, service, site, siteClient, useDesk } from "../support/desk";

/* Reports in the console: two people write one, in two browsers, with a lost connection. */

let ada: Page;
let eve: Page;
const PASSWORD = "correct horse battery";

const withToken = z.looseObject({ accessToken: z.string() });
const withId = z.looseObject({ id: z.string() });
const report = z.looseObject({ id: z.string(), title: z.string(), contentJson: z.record(z.string(), z.unknown()) });

const invited = z.object({ invitation: z.object({ link: z.string() }) });

/** A new member, or a guest who may read the reports of the location, in a separate browser context. */
async function openPerson(displayName: string, role: "member" | "guest"): Promise<Page> {
  const { organizationId, locationId, token } = site;
  const email = `${crypto.randomUUID()}@people.test`;
  const account = { email, password: PASSWORD, displayName };
  const { accessToken } = await service.api(withToken, "POST", "/v1/auth/register", undefined, account);
  const members = `/v1/orgs/${organizationId}/members`;
  const { invitation } = await service.api(invited, "POST", members, token, { email, role });
  const secret = { token: new URL(invitation.link).hash.slice(1) };
  await service.api(z.unknown(), "POST", "/v1/invitations/accept", accessToken, secret);
  if (role === "guest") {
    const capabilities = { LocationView: "Read", Reports: "Read" };
    await service.api(z.unknown(), "POST", `/v1/spatial/locations/${locationId}/grants`, token, {
      email,
      capabilities,
    });
  }
  const page = await openProfile();
  await signInAt(page, `${service.url}/console/locations/${site.locationId}/reports`, { email, password: PASSWORD });
  return page;
}

useDesk({ settings: { FIRST_USER_IS_ADMIN: "true" }, site: "plain" }, async () => {
  await service.api(withId, "POST", `/v1/reports/templates/organizations/${site.organizationId}`, site.token, {
    key: "round",
    displayName: "Daily round",
    contentTemplateJson: {
      inspector: "",
      dry: false,
      depth: 0,
      findings: [{ title: "", place: "" }],
      photos: [],
      notes: "# Seen\n",
    },
    bodyFieldPath: "notes",
  });
  ada = await openPerson("Ada Lovelace", "member");
});

const row = async () => {
  const { items } = await service.api(
    z.object({ items: z.array(withId) }),
    "GET",
    `/v1/reports/locations/${site.locationId}`,
    site.token,
  );
  return service.api(report, "GET", `/v1/reports/${items[0]?.id}`, site.token);
};
/** Uploads a picture to the documents of the location, as an API client does. */
async function uploadPicture(): Promise<void> {
  const file = new Blob([readFileSync("scripts/seed/reports/pictures/quay.jpg")], { type: "image/jpeg" });
  const client = siteClient();
  await client.uploadDocument({ locationId: site.locationId, file, fileName: "front.jpg" });
}
/** The text in an editor, without the names at the cursors of others. */
async function written(tab: Page): Promise<string> {
  const text = await textOf(tab, ">>> .cm-content");
  return text.replaceAll(/\u2060\n?(?:Ada Lovelace|Eve Moneypenny)\n?/g, "");
}
async function write(tab: Page, text: string): Promise<void> {
  await tab.bringToFront();
  const content = await tab.waitForSelector(">>> .cm-content");
  await content?.focus();
  await tab.keyboard.down("Control");
  await tab.keyboard.press("End");
  await tab.keyboard.up("Control");
  await tab.keyboard.type(text);
}
const bothSee = (text: string) =>
  eventually(async () => {
    expect([await written(ada), await written(eve)]).toEqual([
      expect.stringContaining(text),
      expect.stringContaining(text),
    ]);
  }, LONG_PATIENCE);
/** Waits until the preview shows a text. */
const previews = (tab: Page, text: string) =>
  eventually(async () => {
    const shown = "document.querySelector('.sheet-box iframe:not(.coming)')?.contentDocument.body.innerText ?? ''";
    expect(await tab.evaluate(shown)).toContain(text);
  }, LONG_PATIENCE);

test("a report is created from a template, in the list of its location", async () => {
  await sees(ada, "No reports yet");
  await expectSound(ada, "no reports");
  await press(ada, "New report");
  await sees(ada, "Daily round");
  await sees(ada, "# Seen");
  await expectSound(ada, "new report");
  await fill(ada, { title: "Round of Monday" });
  await press(ada, "Create the report");
  await eventually(() => expect(ada.url()).toMatch(/\/console\/reports\/[0-9a-f-]{36}$/));
  await sees(ada, "Round of Monday");
  await previews(ada, "Round of Monday");
  await expectSound(ada, "editor");
  for (const view of ["Facts", "Preview", "Text"]) {
    await ada.setViewport({ width: 800, height: 900 });
    await press(ada, view);
    await expectSound(ada, `editor, ${view}`);
  }
});

test("two people write it together, and see each other's text, fields and cursor", async () => {
  eve = await openPerson("Eve Moneypenny", "member");
  await eve.goto(ada.url());
  await write(ada, "The gauge is dry. ");
  await eve.waitForSelector(">>> .cm-content");
  await bothSee("The gauge is dry.");
  await write(eve, "The crane is not.");
  await bothSee("The gauge is dry. The crane is not.");
  await ada.waitForSelector(">>> .cm-caret-name");
  expect(await textOf(ada, ">>> .cm-caret-name")).toBe("Eve Moneypenny");
  const here = await ada.$eval(".people", (element) => element.getAttribute("aria-label"));
  expect(here).toContain("Ada Lovelace (you)");
  expect(here).toContain("Eve Moneypenny");
  await press(eve, "Add to Findings");
  await ada.bringToFront();
  await ada.type("::-p-aria([name='Inspector'][role='textbox'])", "Olav");
  await eventually(async () => {
    expect((await row()).contentJson).toMatchObject({
      inspector: "Olav",
      findings: [
        { title: "", place: "" },
        { title: "", place: "" },
      ],
      notes: expect.stringContaining("The crane is not."),
    });
  }, LONG_PATIENCE);
  await previews(eve, "Olav");
  await sees(ada, "All changes saved");
});

test("a person without a connection continues to write, and no edit is lost", async () => {
  await eve.setOfflineMode(true);
  await sees(eve, "No connection to the report.");
  await write(eve, " Offline words.");
  // They are there again when the editor is left and opened again.
  await eve.click(".rail a[href='/console/reports']");
  await sees(eve, "The reports could not be read");
  await eve.goBack();
  await write(ada, " Meanwhile.");
  await sees(eve, "Not saved yet");
  expect(await written(ada)).not.toContain("Offline words.");
  await eve.setOfflineMode(false);
  await bothSee("Offline words.");
  await bothSee("Meanwhile.");
  await sees(eve, "All changes saved");
  expect(complaints.splice(0).filter((text) => !/ERR_INTERNET_DISCONNECTED|WebSocket/.test(text))).toEqual([]);
});

test("a member who may only read sees the edits of others live", async () => {
  const reader = await openPerson("Rita Reader", "guest");
  await reader.goto(ada.url());
  await sees(reader, "You can read this report.");
  await write(ada, " Seen live.");
  await eventually(async () => expect(await written(reader)).toContain("Seen live."), LONG_PATIENCE);
  expect(await reader.$(button("Bold"))).toBeNull();
  await write(reader, "not for me");
  expect(await written(reader)).not.toContain("not for me");
  await expectSound(reader, "read only");
  await reader.close();
});

test("the toolbar formats the text", async () => {
  await ada.setViewport({ width: 1280, height: 900 });
  await write(ada, "\n\nstrong");
  await ada.keyboard.down("Shift");
  for (const _ of "strong") await ada.keyboard.press("ArrowLeft");
  await ada.keyboard.up("Shift");
  await press(ada, "Bold");
  await bothSee("**strong**");
  await press(ada, "Table");
  await bothSee("| Column | Column |");
});

test("a picture of the documents goes into the text, and into the fields of a template", async () => {
  await uploadPicture();
  await press(ada, "Picture");
  await ada.waitForSelector(".picker img");
  await expectSound(ada, "choice of a picture");
  await press(ada, "front.jpg");
  await ada.type("dialog[open] [name=caption]", "The front");
  await press(ada, "Insert the picture");
  await bothSee("![The front](front.jpg)");
  await eventually(async () => {
    const pictures = "[...document.querySelector('.sheet-box iframe:not(.coming)').contentDocument.images].length";
    expect(await ada.evaluate(pictures)).toBe(1);
  }, LONG_PATIENCE);
  await press(eve, "Choose a picture for Photos");
  await press(eve, "front.jpg");
  await press(eve, "Insert the picture");
  await eventually(async () => {
    expect((await row()).contentJson).toMatchObject({ photos: [{ documentPath: "front.jpg" }] });
  }, LONG_PATIENCE);
  await sees(ada, "All changes saved");
});

/** The states of a job of a PDF, one for each read, and what is announced of them. */
const STATES = [
  { status: "queued", done: 0, told: "The PDF waits for its turn" },
  { status: "running", done: 1, told: "The PDF is being made: Making the page" },
  { status: "running", done: 2, told: "The PDF is being made: Printing" },
  { status: "running", done: 3, told: "The PDF is being made: Storing in the documents" },
];

test("a PDF is made with its steps, which are announced, and downloaded with the text of the report", async () => {
  // The first reads of the job see one step each, and the next one its end. A real job can be faster or slower than the reads. A live
  // event and the clock of the page can read at the same time: each read waits until the step before it was announced.
  const states = [...STATES];
  const job = z.looseObject({ status: z.string(), progress: z.looseObject({}) });
  const answer = async (request: HTTPRequest, pathname: string) => {
    const read = () => service.api(job, "GET", pathname, site.token);
    const state = states.shift();
    if (state === undefined) {
      await eventually(async () => expect((await read()).status).toBe("succeeded"), LONG_PATIENCE);
      return request.continue();
    }
    const real = await read();
    const seen = { ...real, status: state.status, progress: { ...real.progress, done: state.done } };
    await request.respond({ contentType: "application/json", body: JSON.stringify(seen) });
    await eventually(async () => expect(await announcedIn(ada)).toContain(state.told));
  };
  let turn: Promise<void> = Promise.resolve();
  const intercept = (request: HTTPRequest) => {
    const { pathname } = new URL(request.url());
    if (/^\/v1\/reports\/jobs\/[^/]+$/.test(pathname)) turn = turn.then(() => answer(request, pathname));
    else void request.continue();
  };
  await ada.setRequestInterception(true);
  ada.on("request", intercept);
  await listenToRegions(ada);
  await press(ada, "Make PDF");
  await sees(ada, "The PDF is ready");
  const announced = await announcedIn(ada);
  expect(announced.filter((text) => text.startsWith("The PDF"))).toEqual([
    ...STATES.map(({ told }) => told),
    "The PDF is ready",
  ]);
  ada.off("request", intercept);
  await ada.setRequestInterception(false);
  await sees(ada, "v1");
  await expectSound(ada, "PDF");
  const download = ada.waitForResponse((response) => response.url().includes("/download"));
  await press(ada, "Download the PDF");
  const { url } = z.object({ url: z.string() }).parse(await (await download).json());
  const { text } = await extractText(new Uint8Array(await (await fetch(url)).arrayBuffer()), { mergePages: true });
  expect(text).toContain("Round of Monday");
  expect(text).toContain("Offline words.");
  await press(ada, "Close the PDF");
});

test("the list of all reports shows what others create and delete", async () => {
  await ada.click(".rail a[href='/console/reports']");
  await sees(ada, "New report");
  await sees(ada, "Round of Monday");
  const { locationId, token } = site;
  const body = { templateKey: "round", title: "Round of Sunday" };
  const { id } = await service.api(withId, "POST", `/v1/reports/locations/${locationId}`, token, body);
  await sees(ada, "Round of Sunday");
  await service.api(z.unknown(), "DELETE", `/v1/reports/${id}`, token);
  await eventually(async () => expect(await textOf(ada, "main")).not.toContain("Round of Sunday"), LONG_PATIENCE);
});

test("a report is renamed and deleted in the list of all reports", async () => {
  await sees(ada, "Round of Monday");
  await expectSound(ada, "all reports");
  await press(ada, "Rename Round of Monday");
  await ada.waitForSelector("dialog[open] [name=title]");
  await ada.click("dialog[open] [name=title]", { count: 3 });
  await ada.keyboard.type("Round of Tuesday");
  await press(ada, "Rename");
  await sees(ada, "Round of Tuesday");
  expect((await row()).contentJson).toMatchObject({ inspector: "Olav" });
  // The browser reports the 404 of a cluster that a person does not see.
  expect(complaints.filter((text) => !text.includes("status of 404"))).toEqual([]);
  await press(ada, "Delete Round of Tuesday");
  await press(ada, "Delete the report");
  await sees(ada, "“Round of Tuesday” was deleted.");
  await sees(eve, "This report was deleted.");
  await expectSound(eve, "deleted report");
  // A page that shows the report may read it once more.
  expect(complaints.filter((text) => !text.includes("status of 404"))).toEqual([]);
});

test("an edit of a person who lost Write meanwhile leaves their screen, with the reason or the new state", async () => {
  const { organizationId, locationId, token } = site;
  const body = { templateKey: "round", title: "Round of Friday" };
  const { id } = await service.api(withId, "POST", `/v1/reports/locations/${locationId}`, token, body);
  await ada.goto(`${service.url}/console/reports/${id}`);
  await ada.waitForSelector(">>> .cm-content");
  await sees(ada, "All changes saved");
  const members = z.object({ items: z.array(z.object({ userId: z.string(), displayName: z.string() })) });
  const path = `/v1/orgs/${organizationId}/members`;
  const { items } = await service.api(members, "GET", path, token);
  const userId = items.find(({ displayName }) => displayName === "Ada Lovelace")?.userId;
  await ada.click(">>> .cm-content");
  await service.api(z.unknown(), "PATCH", `${path}/${userId}`, token, { overrides: { Reports: "Read" } });
  await ada.keyboard.type("Typed by a reader.");
  await sees(ada, "You can read this report. You cannot change it.");
  await eventually(
    async () => expect(await textOf(ada, ">>> .cm-content")).not.toContain("Typed by a reader."),
    LONG_PATIENCE,
  );
  expect((await service.api(report, "GET", `/v1/reports/${id}`, token)).contentJson).toMatchObject({
    notes: "# Seen\n",
  });
});
