import { expect, test } from "vitest";
import { z } from "zod";
import type { WorkspaceClient } from "../../../client/src/index";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, press, sees, textOf, visibleText } from "../support/console";
import { complaints, enter, page, service, site, siteClient, useDesk } from "../support/desk";
import { joinSite } from "../support/running";

/* Ben opens a location that Ada shares with him. Ada's changes there appear in his tab without a reload. */

const ben = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };

let ada: WorkspaceClient;
let grantId: string;

useDesk({ site: "plain" }, async () => {
  ada = siteClient();
  await joinSite(service, site, { ...ben, displayName: "Ben", role: "guest" });
});

const withId = z.object({ id: z.string() });
const upload = (fileName: string, text: string) =>
  ada.uploadDocument({ locationId: site.locationId, file: new Blob([text], { type: "text/plain" }), fileName });
const listed = async () => (await page.$("table")) && textOf(page, "table");
const lists = (text: string | RegExp) => eventually(async () => expect(await listed()).toMatch(text), LONG_PATIENCE);

test("another person's document appears, its text is read, it is renamed, and it disappears", async () => {
  const grant = { email: ben.email, capabilities: { LocationView: "Read", Documents: "Read" } };
  const path = `/v1/spatial/locations/${site.locationId}/grants`;
  ({ id: grantId } = await service.api(withId, "POST", path, site.token, grant));
  await enter(`locations/${site.locationId}/documents`, ben);
  await sees(page, "No documents yet");
  const { id } = await upload("gauge.txt", "The tide gauge has a brass dial.");
  await lists(/gauge\.txt[\s\S]*Text found/);
  await service.api(z.unknown(), "PATCH", `/v1/documents/${id}`, site.token, { fileName: "tide.txt" });
  await lists("tide.txt");
  await service.api(z.unknown(), "DELETE", `/v1/documents/${id}`, site.token);
  await sees(page, "No documents yet");
});

test("a message shows a lost network, and missed changes are read when it returns", async () => {
  await page.setOfflineMode(true);
  await page.evaluate("dispatchEvent(new Event('offline'))");
  await sees(page, "No connection since");
  await expectSound(page, "offline");
  await upload("missed.txt", "Nobody told Ben.");
  expect(await visibleText(page)).not.toContain("missed.txt");
  await page.setOfflineMode(false);
  await press(page, "Try now");
  await lists("missed.txt");
  // The list is read while the connection is made.
  await eventually(async () => expect(await visibleText(page)).not.toContain("No connection since"), LONG_PATIENCE);
});

test("the inbox counts notifications, and each leads to its origin", async () => {
  await page.click("a.bell");
  await sees(page, "missed.txt");
  await upload("buoy.txt", "A buoy is painted red.");
  await eventually(async () => expect(await textOf(page, ".notes")).toContain("buoy.txt"), LONG_PATIENCE);
  const unread = Number(await textOf(page, ".bell .badge"));
  expect(unread).toBeGreaterThan(1);
  await expectSound(page, "inbox");
  await page.click(".note ::-p-text(buoy.txt)");
  await sees(page, "A buoy is painted red.");
  await eventually(async () => expect(await textOf(page, ".bell .badge")).toBe(String(unread - 1)), LONG_PATIENCE);
  await page.click("a.bell");
  await press(page, "Mark all as read");
  await page.waitForSelector(".badge", { hidden: true });
  // A read notification can become unread again, and leave the inbox and come back.
  const pressOf = (label: string) => page.locator(`button[aria-label^="${label}"][aria-label*="buoy.txt"]`).click();
  await pressOf("Mark as unread");
  await eventually(async () => expect(await textOf(page, ".bell .badge")).toBe("1"), LONG_PATIENCE);
  await pressOf("Archive");
  await page.waitForSelector(".badge", { hidden: true });
  await eventually(async () => expect(await textOf(page, ".notes")).not.toContain("buoy.txt"), LONG_PATIENCE);
  await press(page, "Undo");
  await eventually(async () => expect(await textOf(page, ".bell .badge")).toBe("1"), LONG_PATIENCE);
  await pressOf("Archive");
  await page.click("::-p-aria([name='Archived'][role='link'])");
  await eventually(async () => expect(await textOf(page, ".notes")).toContain("buoy.txt"), LONG_PATIENCE);
  await expectSound(page, "archived notifications");
  await pressOf("Back to the inbox");
  await sees(page, "Nothing is archived");
  await eventually(async () => expect(await textOf(page, ".bell .badge")).toBe("1"), LONG_PATIENCE);
  await page.goBack();
  await press(page, "Mark all as read");
  await page.waitForSelector(".badge", { hidden: true });
  await page.click("::-p-aria([name='Unread'][role='link'])");
  await sees(page, "You have read everything");
  await page.goBack();
  await page.goBack();
  await sees(page, "A buoy is painted red.");
});

test("an open location closes with the reason when the person loses access", async () => {
  await page.goto(`${service.url}/console/locations/${site.locationId}/documents`);
  await lists("buoy.txt");
  // The list shows it only through the live connection.
  await upload("mast.txt", "The mast has a lamp.");
  await lists("mast.txt");
  const path = `/v1/spatial/locations/${site.locationId}/grants/${grantId}`;
  await service.api(z.unknown(), "DELETE", path, site.token);
  await sees(page, "You no longer have access to Quay");
  expect(await visibleText(page)).not.toContain("missed.txt");
  await expectSound(page, "taken away");
  // The browser reports the request without a network, and the 404 of a cluster that a guest does not see.
  const expected = /ERR_INTERNET_DISCONNECTED|status of 404/;
  expect(complaints.filter((text) => !expected.test(text))).toEqual([]);
});
