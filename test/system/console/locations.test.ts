import { expect, test } from "vitest";
import { dataOf, type WorkspaceClient } from "../../../client/src/index";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, fill, press, sees, textOf, visibleText } from "../support/console";
import { complaints, enter, page, service, site, siteClient, useDesk } from "../support/desk";
import { joinSite } from "../support/running";

/* A location is described, annotated, deleted and restored. The trash restores resources, and its owner empties it. */

const PERSON = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };

let ada: WorkspaceClient;

useDesk({ site: "plain" }, async () => {
  ada = siteClient();
  await joinSite(service, site, { ...PERSON, displayName: "Ida", role: "owner" });
});

test("the overview shows the place of a location, its time and its latest changes", async () => {
  await enter(`locations/${site.locationId}`, PERSON);
  await sees(page, "Nothing has changed here yet.");
  await press(page, "Edit");
  await page.waitForSelector("dialog[open]");
  await fill(page, { address: "Mole 1", latitude: "59.9046", longitude: "10.7353" });
  await page.select("dialog [name=timeZone]", "Europe/Oslo");
  await expectSound(page, "edit location");
  await press(page, "Save");
  await sees(page, "59.9046, 10.7353");
  await sees(page, "(Europe/Oslo)");
  const file = new Blob(["The tide gauge has a brass dial."], { type: "text/plain" });
  await ada.uploadDocument({ locationId: site.locationId, file, fileName: "gauge.txt" });
  await sees(page, "Ada added gauge.txt.");
  expect(await textOf(page, ".factlist")).toMatch(/Documents\s+1\s+Reports\s+0\s+Annotations\s+0/);
  await expectSound(page, "overview");
});

test("annotations are created at a position, changed by two people, and deleted", async () => {
  await page.click("::-p-aria([name='Annotations'][role='link'])");
  await sees(page, "No annotations yet");
  await press(page, "New annotation");
  await fill(page, { title: "Crack at caisson three", body: "Observe.", latitude: "59.9049", longitude: "10.7358" });
  await expectSound(page, "new annotation");
  await press(page, "Save");
  await sees(page, "59.9049, 10.7358");
  const path = { locationId: site.locationId };
  const { items } = await dataOf(ada.api.GET("/v1/spatial/locations/{locationId}/annotations", { params: { path } }));
  const annotationId = items[0]?.id ?? "";
  const position = { latitude: 59.91, longitude: 10.74 };
  await dataOf(
    ada.api.PATCH("/v1/annotations/{annotationId}", { params: { path: { annotationId } }, body: { position } }),
  );
  await sees(page, "59.9100, 10.7400");
  await expectSound(page, "annotations");
  await press(page, "Delete Crack at caisson three");
  await page.waitForSelector("dialog[open]");
  await press(page, "Delete");
  await sees(page, "No annotations yet");
});

test("a location is deleted, and that is undone", async () => {
  await page.goto(`${service.url}/console/locations/${site.locationId}`);
  await press(page, "Delete");
  await page.waitForSelector("dialog[open]");
  await expectSound(page, "delete location");
  await page.click("dialog[open] [type=submit]");
  await sees(page, "“Quay” is in the trash.");
  await press(page, "Undo");
  await eventually(async () => expect(await textOf(page, "h1")).toBe("Quay"), LONG_PATIENCE);
});

test("the trash restores, and its owner deletes from it forever", async () => {
  await dataOf(
    ada.api.DELETE("/v1/spatial/locations/{locationId}", { params: { path: { locationId: site.locationId } } }),
  );
  await page.goto(`${service.url}/console/locations`);
  const link = await page.waitForSelector("::-p-aria([name='Trash'][role='link'])");
  await link?.click();
  await sees(page, "Quay");
  expect(await visibleText(page)).toMatch(/Location · deleted .* · \d+ days left/);
  await expectSound(page, "trash");
  await press(page, "Restore Quay");
  await sees(page, "The trash is empty");
  await dataOf(
    ada.api.DELETE("/v1/spatial/locations/{locationId}", { params: { path: { locationId: site.locationId } } }),
  );
  await page.reload();
  await press(page, "Delete Quay now and forever");
  await page.waitForSelector("dialog[open]");
  await press(page, "Delete forever");
  await sees(page, "The trash is empty");
  await expectSound(page, "empty trash");
  // After a person loses access to a location, the console reads it once more.
  expect(complaints.filter((text) => !text.includes("status of 404"))).toEqual([]);
});
