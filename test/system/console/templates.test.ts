import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, fill, press, sees, textOf, visibleText } from "../support/console";
import { complaints, page, service, useDesk } from "../support/desk";

/* The editor of report templates in the console, from a new template to a copy. */

useDesk({}, async () => {
  // The browser asks before the person leaves a page with unsaved changes.
  page.on("dialog", (dialog) => void dialog.accept());
  await page.goto(`${service.url}/console/register`);
  await fill(page, {
    name: "Ada Lovelace",
    email: `${crypto.randomUUID()}@people.test`,
    password: "correct horse battery",
  });
  await press(page, "Create the account");
  await page.waitForSelector("[popovertarget=account]");
});

/** Types at the start of the shown source. */
async function write(text: string): Promise<void> {
  await page.setViewport({ width: 1280, height: 900 });
  const content = await page.waitForSelector(".part:not([hidden]) >>> .cm-content");
  await content?.focus();
  await page.keyboard.down("Control");
  await page.keyboard.press("Home");
  await page.keyboard.up("Control");
  await page.keyboard.type(text);
}
async function openPart(name: string): Promise<void> {
  const tab = await page.waitForSelector(`nav.tabs a::-p-text(${name})`);
  await tab?.click();
}
/** Waits until the preview shows a text. */
const previews = (text: string) =>
  eventually(async () => {
    const shown = "document.querySelector('.sheet-box iframe:not(.coming)')?.contentDocument.body.innerText ?? ''";
    expect(await page.evaluate(shown)).toContain(text);
  }, LONG_PATIENCE);
const alertText = () => textOf(page, ".editor > .alert");

test("a new template shows its sample data while it is written, and is saved", async () => {
  await page.goto(`${service.url}/console/reports/templates`);
  await sees(page, "No templates yet");
  await expectSound(page, "no templates");
  await page.click("main a::-p-text(New template)");
  await page.waitForSelector(".part:not([hidden]) >>> .cm-content");
  await fill(page, { displayName: "Daily round", key: "daily-round" });
  await page.click("[name=attachesData]");
  await openPart("Layout");
  await write("<h1>Round of {{report.title}}</h1>{{{body_html}}}");
  await openPart("Text");
  await write("The gauge is dry. ");
  await previews("Round of Daily round");
  await previews("The gauge is dry.");
  await expectSound(page, "new template");
  await press(page, "Save");
  await sees(page, "Revision 1 · All changes saved");
  await eventually(() => expect(page.url()).toContain("/console/reports/templates/daily-round"));
  const { template } = await stored();
  expect(template.attachesData).toBe(true);
  expect(complaints).toEqual([]);
});

test("a value that has not the form of its helper is shown as it is, with a warning", async () => {
  await openPart("Layout");
  await write('<h2>{{number "notes"}}</h2>');
  await sees(page, "Warnings of this page: 1");
  expect(await textOf(page, ".page-warnings li")).toContain("notes: The gauge is dry.");
  await expectSound(page, "warning of a template");
  await page.reload();
  await previews("Round of Daily round");
});

test("an error is shown at its line, and leads there", async () => {
  await openPart("Layout");
  await write("<p>\n{{#open}}\n</p>");
  await eventually(async () => expect(await alertText()).toMatch(/Layout, line \d+:/), LONG_PATIENCE);
  await page.waitForSelector(".part:not([hidden]) >>> .cm-lint-marker-error");
  await expectSound(page, "error of a template");
  await openPart("Stylesheet");
  await page.click(".editor > .alert .link");
  await eventually(() => expect(page.url()).toContain("tab=layout"));
  await press(page, "Save");
  await sees(page, "The template was not saved");
  // The browser reports each refusal.
  expect(complaints.splice(0).filter((text) => !text.includes("422"))).toEqual([]);
  await page.reload();
  await previews("Round of Daily round");
});

/** The template of the tests, by the API. */
async function stored() {
  const session = z.object({ accessToken: z.string() });
  const { accessToken } = session.parse(JSON.parse(String(await page.evaluate("sessionStorage.getItem('session')"))));
  const contentTemplateJson = z.record(z.string(), z.unknown());
  const shape = z.object({ id: z.string(), revision: z.int(), attachesData: z.boolean(), contentTemplateJson });
  return { accessToken, template: await service.api(shape, "GET", "/v1/reports/templates/daily-round", accessToken) };
}

test("a save after another save says who it was, and replaces that revision only when the person wants it", async () => {
  const { accessToken, template } = await stored();
  const { id, revision: baseRevision, contentTemplateJson } = template;
  const htmlLayoutTemplate = "<h1>Round of {{report.title}}</h1><p>From elsewhere</p>{{{body_html}}}";
  const names = { key: "daily-round", displayName: "Daily round", bodyFieldPath: "notes" };
  const body = { ...names, htmlLayoutTemplate, contentTemplateJson, baseRevision };
  await service.api(z.object({}), "PUT", `/v1/reports/templates/${id}`, accessToken, body);
  await openPart("Text");
  await write("The valve is open. ");
  await press(page, "Save");
  await sees(page, "Meanwhile Ada Lovelace saved revision 2");
  await expectSound(page, "conflict of a template");
  // The browser reports each refusal.
  expect(complaints.splice(0).filter((text) => !text.includes("409"))).toEqual([]);
  await press(page, "Save my changes");
  await sees(page, "Revision 3 · All changes saved");
  expect(await visibleText(page)).not.toContain("Meanwhile");
});

test("an earlier revision is shown with its page, and is restored as the newest one", async () => {
  await press(page, "Revisions");
  await sees(page, "Revision 3 · present");
  await expectSound(page, "revisions of a template");
  await page.click("dialog a::-p-text(Revision 2)");
  await previews("From elsewhere");
  expect(await textOf(page, ".report-head")).toMatch(/Revision 2 · .+ by Ada Lovelace/);
  await sees(page, "Differs from the present revision in: Attach the data to each PDF, Layout, Text");
  await expectSound(page, "earlier revision");
  await press(page, "Restore this revision");
  await sees(page, "Revision 4 is the newest one now.");
  await sees(page, "Revision 4 · All changes saved");
  await previews("From elsewhere");
  expect(complaints).toEqual([]);
});

test("a template is copied and deleted, in the list", async () => {
  await page.click("[aria-label='All templates']");
  await (await page.waitForSelector("[aria-label='Copy Daily round']"))?.click();
  await previews("Round of Copy of Daily round");
  await press(page, "Save");
  await sees(page, "Revision 1 · All changes saved");
  await page.click("[aria-label='All templates']");
  await sees(page, "Copy of Daily round");
  await expectSound(page, "templates");
  await press(page, "Delete Copy of Daily round");
  await press(page, "Delete the template");
  await sees(page, "“Copy of Daily round” was deleted.");
  await press(page, "Undo");
  await sees(page, "“Copy of Daily round” is back.");
  await press(page, "Delete Copy of Daily round");
  await press(page, "Delete the template");
  await sees(page, "“Copy of Daily round” was deleted.");
  const { accessToken } = await stored();
  const list = z.object({ items: z.array(z.object({ key: z.string() })) });
  const { items } = await service.api(list, "GET", "/v1/reports/templates", accessToken);
  expect(items.map(({ key }) => key)).toEqual(["daily-round"]);
  expect(complaints).toEqual([]);
});

test("a deleted template is in the trash with who deleted it, and is restored from there", async () => {
  await page.goto(`${service.url}/console/trash?kind=report-template`);
  await sees(page, "Copy of Daily round");
  expect(await textOf(page, "main")).toMatch(/Template · deleted .+ by Ada Lovelace · 29 days left/);
  await expectSound(page, "trash with a template");
  await press(page, "Restore Copy of Daily round");
  await sees(page, "“Copy of Daily round” is back.");
  await sees(page, "The trash is empty");
  await page.goto(`${service.url}/console/reports/templates`);
  await sees(page, "Copy of Daily round");
  expect(complaints).toEqual([]);
});
