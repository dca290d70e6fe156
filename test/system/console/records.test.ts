import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { operation, pairCamera, picture } from "../support/cameras";
import { expectSound, fill, press, sees, textOf } from "../support/console";
import { browser, complaints, enter, page, service, site, siteClient, useDesk } from "../support/desk";
import { joinSite } from "../support/running";

/* What the API has for the person, the owner and the operator, without another client. */

const withId = z.looseObject({ id: z.string() });
let folder: string;
let documentId: string;

useDesk({ site: "entitled" }, async () => {
  folder = mkdtempSync(join(tmpdir(), "audit-"));
  const devtools = await browser.target().createCDPSession();
  await devtools.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  // A name that a spreadsheet would calculate.
  await service.api(z.unknown(), "PATCH", "/v1/auth/me", site.token, { displayName: "=Ada" });
  const file = new Blob(["The tide gauge has a brass dial."], { type: "text/plain" });
  const made = await siteClient().uploadDocument({ locationId: site.locationId, file, fileName: "gauge.txt" });
  documentId = made.id;
  await service.api(z.unknown(), "PATCH", `/v1/orgs/${site.organizationId}`, site.token, { name: "Harbour" });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Opens a view in which the person is signed in. */
const open = (view: string) => page.goto(`${service.url}/console/${view}`);
const rows = () => page.$$eval("main .list > li", (all) => all.map((one) => one.textContent ?? ""));

test("a person chooses which notifications they get, each by one click", async () => {
  await enter("inbox");
  await (await page.waitForSelector("main ::-p-text(Choose notifications)"))?.click();
  await sees(page, "Choose what your inbox tells you.");
  await expectSound(page, "notifications");
  await page.click("[name=camera-silent]");
  await sees(page, "Your choice is saved.");
  await page.reload();
  const isOn = (name: string) =>
    page.$eval(`[name=${name}]`, (box) => (box as unknown as { checked: boolean }).checked);
  await page.waitForSelector("[name=camera-silent]");
  expect([await isOn("camera-silent"), await isOn("camera-back")]).toEqual([false, true]);
});

test("an access token is renamed", async () => {
  await service.api(z.unknown(), "POST", "/v1/auth/tokens", site.token, { name: "nightly export", expiresAtUtc: null });
  await open("settings/tokens");
  await press(page, "Rename nightly export");
  await page.click("dialog [name=name]", { count: 3 });
  await page.type("dialog [name=name]", "weekly export");
  await expectSound(page, "rename a token");
  await press(page, "Save");
  await sees(page, "The token is “weekly export” now.");
  await sees(page, "Revoke");
});

test("an owner reads the audit trail in words, narrows it, and the address keeps that", async () => {
  await open("settings/audit");
  await sees(page, "Organization: renamed");
  await sees(page, "Organization: created");
  await expectSound(page, "audit trail");
  await page.select("[name=action]", "organization.renamed");
  await eventually(async () => expect(await rows()).toHaveLength(1), LONG_PATIENCE);
  expect(new URL(page.url()).searchParams.get("action")).toBe("organization.renamed");
  await page.click("main summary");
  await expectSound(page, "an entry of the audit trail");
  expect(await textOf(page, ".audit-entry")).toContain(site.organizationId);
  await page.reload();
  await eventually(async () => expect(await rows()).toHaveLength(1), LONG_PATIENCE);
  await page.goto(`${page.url()}&until=2020-01-01`);
  await sees(page, "No entry fits.");
  await page.click("main a::-p-text(Show all)");
  await sees(page, "Organization: created");
  expect(new URL(page.url()).search).toBe("");
});

test("the audit trail is saved as a file that no spreadsheet runs", async () => {
  await press(page, "Save as CSV");
  const files = () => readdirSync(folder).filter((name) => name.endsWith(".csv"));
  await eventually(() => expect(files()).toHaveLength(1), LONG_PATIENCE);
  const csv = readFileSync(join(folder, files()[0] ?? ""), "utf8");
  expect(csv).toMatch(/^\uFEFFcreatedAtUtc,action,actorName,/);
  expect(csv).toContain(",organization.renamed,'=Ada,");
  expect(csv.split("\r\n").length - 2).toBe((await rows()).length);
});

test("an upload that a device has not finished is cancelled", async () => {
  const camera = await pairCamera(service, site, "Gate");
  await service.api(operation, "POST", "/v1/camera-ingestion/uploads", camera.bearer, {
    captureId: crypto.randomUUID(),
    assignmentGeneration: camera.assignmentGeneration,
    capturedAtUtc: new Date().toISOString(),
    sizeBytes: picture(20).byteLength,
    checksumSha256: "0".repeat(64),
    clockQuality: "synchronized",
    contentType: "image/jpeg",
  });
  await open(`locations/${site.locationId}/cameras?camera=${camera.id}&part=review`);
  await sees(page, "Waits for its bytes");
  await expectSound(page, "an unfinished upload");
  await page.click("[aria-labelledby=unfinished] .btn");
  await sees(page, "The upload is cancelled.");
  await sees(page, "No upload is unfinished.");
});

test("the receipt of a location that was deleted for good names its camera", async () => {
  await open("settings/cleanups");
  await sees(page, "No location with cameras has been deleted for good.");
  const location = `/v1/spatial/locations/${site.locationId}`;
  const { clusterId } = await service.api(z.looseObject({ clusterId: z.string() }), "GET", location, site.token);
  const place = await service.api(withId, "POST", "/v1/spatial/locations", site.token, { clusterId, name: "Old quay" });
  await pairCamera(service, { ...site, locationId: place.id }, "Buoy");
  await service.api(z.unknown(), "DELETE", `/v1/spatial/locations/${place.id}?purge=true`, site.token);
  await eventually(async () => {
    await page.reload();
    await page.waitForSelector("main h1");
    await sees(page, "Buoy at Old quay");
    expect(await textOf(page, "main")).toContain("Finished");
  }, LONG_PATIENCE);
  await expectSound(page, "removed cameras");
});

test("an administrator reads the text of one document again, and sees how full the databases are", async () => {
  await open(`documents/${documentId}`);
  await press(page, "Read the text again");
  await sees(page, "The text is read again.");
  await open("admin/databases");
  await sees(page, "Takes new organizations");
  await expectSound(page, "databases");
  expect(complaints).toEqual([]);
});

test("a member has no audit trail and no button to read a text again", async () => {
  const person = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };
  await joinSite(service, site, { ...person, displayName: "Grace", role: "member" });
  await page.click("[popovertarget=account]");
  await press(page, "Sign out");
  await sees(page, "Forgot your password?");
  await fill(page, person);
  await press(page, "Sign in");
  await page.waitForSelector("[popovertarget=account]");
  await open("settings/audit");
  await sees(page, "Your account in this service.");
  await open(`documents/${documentId}`);
  await sees(page, "SHA-256");
  expect(await textOf(page, "main")).not.toContain("Read the text again");
});
