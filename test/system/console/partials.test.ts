import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, fill, press, sees, textOf } from "../support/console";
import { complaints, enter, page, service, useDesk } from "../support/desk";

/* The parts that templates share, in a real browser: from an empty list to a part in use. */

const person = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };
let [token, organizationId] = ["", ""];

useDesk({}, async () => {
  const signedIn = z.object({ accessToken: z.string() });
  const account = { ...person, displayName: "Ada Lovelace" };
  const session = await service.api(signedIn, "POST", "/v1/auth/register", undefined, account);
  token = session.accessToken;
  const made = await service.api(z.object({ id: z.string() }), "POST", "/v1/orgs", token, { name: "Harbour works" });
  organizationId = made.id;
  await enter("reports/templates", person);
});

/** Clicks as soon as the page has it. */
async function click(selector: string): Promise<void> {
  await (await page.waitForSelector(selector))?.click();
}

/** Types at the start of the source. */
async function write(text: string): Promise<void> {
  const content = await page.waitForSelector(".part:not([hidden]) >>> .cm-content");
  await content?.focus();
  await page.keyboard.down("Control");
  await page.keyboard.press("Home");
  await page.keyboard.up("Control");
  await page.keyboard.type(text);
}

const previews = (text: string) =>
  eventually(async () => {
    const shown = "document.querySelector('.sheet-box iframe:not(.coming)')?.contentDocument.body.innerText ?? ''";
    expect(await page.evaluate(shown)).toContain(text);
  }, LONG_PATIENCE);

test("a shared part is written with its preview, and saved", async () => {
  await page.setViewport({ width: 1280, height: 900 });
  await click("main a::-p-text(Shared parts)");
  await sees(page, "No shared parts yet");
  await expectSound(page, "no shared parts");
  await click("main a::-p-text(New shared part)");
  await page.waitForSelector("[name=name]");
  await fill(page, { name: "letterhead" });
  await write("<p>{{branding.organization_name}}, quay 1</p>{{> address}}");
  await previews("Harbour works, quay 1");
  await sees(page, "Warnings of this page: 1");
  await expectSound(page, "new shared part");
  await press(page, "Save");
  await sees(page, "Revision 1 · All changes saved");
  await eventually(() => expect(page.url()).toContain("/console/reports/partials/letterhead"));
  await sees(page, "Nothing uses it yet.");
  expect(complaints).toEqual([]);
});

test("an error is shown at its line, and another person's change is not replaced", async () => {
  await page.waitForSelector(".part:not([hidden]) >>> .cm-content");
  await write("{{#open}}");
  await eventually(async () => expect(await textOf(page, ".editor > .alert")).toMatch(/line 1/), LONG_PATIENCE);
  const path = `/v1/reports/partials/organizations/${organizationId}/letterhead`;
  await service.api(z.unknown(), "PUT", path, token, { source: "<p>From elsewhere</p>", baseRevision: 1 });
  await press(page, "Save");
  await sees(page, "The shared part was not saved");
  // The browser reports each refusal.
  expect(complaints.splice(0).filter((text) => !/409|422/.test(text))).toEqual([]);
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await previews("From elsewhere");
});

test("a part in use names its templates, and cannot be deleted until none uses it", async () => {
  const body = {
    key: "daily-round",
    displayName: "Daily round",
    htmlLayoutTemplate: "{{> letterhead}}<h1>{{report.title}}</h1>",
    contentTemplateJson: {},
  };
  const shape = z.object({ id: z.string() });
  const templates = `/v1/reports/templates/organizations/${organizationId}`;
  const { id } = await service.api(shape, "POST", templates, token, body);
  await page.reload();
  await sees(page, "Daily round");
  await expectSound(page, "shared part in use");
  await click("[aria-label='All shared parts']");
  const remove = async () => {
    await click("[aria-label='Delete letterhead']");
    await press(page, "Delete the shared part");
  };
  await remove();
  await sees(page, "These use the partial: Daily round (daily-round).");
  await expectSound(page, "shared part that is not deleted");
  expect(complaints.splice(0).filter((text) => !text.includes("409"))).toEqual([]);
  await page.keyboard.press("Escape");
  const without = { ...body, htmlLayoutTemplate: "<h1>{{report.title}}</h1>" };
  await service.api(z.unknown(), "PUT", `/v1/reports/templates/${id}`, token, without);
  await remove();
  await sees(page, "No shared parts yet");
  expect(complaints).toEqual([]);
});
