import { expect, test } from "vitest";
import { z } from "zod";
import { createClient, dataOf, type NotificationDto } from "../../../client/src/index";
import { originPath } from "../../../src/platform/paths";
import { COMMON } from "../../../web/texts/en/common";
import { SHELL } from "../../../web/texts/en/shell";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { pairCamera } from "../support/cameras";
import { sees, visibleText } from "../support/console";
import { enter, page, service, site, useDesk } from "../support/desk";
import { joinSite } from "../support/running";

/* Opens the origin of each kind of notification in the console, as a person who follows it from another program. */

const PERSON = { email: `${crypto.randomUUID()}@people.test`, password: "tide gauge seven" };
const withId = z.looseObject({ id: z.string() });

useDesk({ site: "entitled" }, async () => {
  await joinSite(service, site, { ...PERSON, displayName: "Ida", role: "admin" });
  await enter("locations", PERSON);
});

const make = async (path: string, body: object): Promise<string> =>
  (await service.api(withId, "POST", path, site.token, body)).id;

test("the address of each origin shows the resource", async () => {
  const { locationId, organizationId, token } = site;
  const client = createClient({ baseUrl: service.url, personalAccessToken: token });
  const place = await service.api(
    z.object({ clusterId: z.string() }),
    "GET",
    `/v1/spatial/locations/${locationId}`,
    token,
  );
  const file = new Blob(["The tide gauge stands at four metres."], { type: "text/plain" });
  const document = await client.uploadDocument({ locationId, file, fileName: "gauge.txt" });
  const annotation = { kind: "note", title: "Loose plank at bollard nine" };
  const annotationId = await make(`/v1/spatial/locations/${locationId}/annotations`, annotation);
  const key = "round";
  await make(`/v1/reports/templates/organizations/${organizationId}`, {
    key,
    displayName: "Round",
    contentTemplateJson: {},
  });
  const reportId = await make(`/v1/reports/locations/${locationId}`, { templateKey: key, title: "Round of Sunday" });
  const camera = await pairCamera(service, site, "Crane camera");
  const origins: [NonNullable<NotificationDto["origin"]>["type"], string, NotificationDto["type"], string][] = [
    ["spatial-document", document.id, "document-uploaded", "gauge.txt"],
    ["location", locationId, "grant-given", "Quay"],
    ["cluster", place.clusterId, "grant-given", "North"],
    ["annotation", annotationId, "grant-given", annotation.title],
    ["report", reportId, "report-pdf-failed", "Round of Sunday"],
    ["camera", camera.id, "camera-silent", "Crane camera"],
    ["camera", camera.id, "capture-rejected", "Crane camera"],
    ["camera", camera.id, "export-ready", "Crane camera"],
    ["organization", organizationId, "membership-given", "Quay"],
    ["organization", organizationId, "storage-low", "Live"],
  ];
  for (const [type, id, about, shown] of origins) {
    const url = originPath({ about, origin: { type, id, locationId, data: { operationId: crypto.randomUUID() } } });
    const response = await page.goto(service.url + url);
    expect([url, response?.status()]).toEqual([url, 200]);
    await sees(page, shown);
    expect(await visibleText(page)).not.toContain(SHELL.lost);
  }
});

test("a notification's own address opens its document", async () => {
  const { locationId, token } = site;
  const file = new Blob(["Two lamps are broken."], { type: "text/plain" });
  const client = createClient({ baseUrl: service.url, personalAccessToken: token });
  await client.uploadDocument({ locationId, file, fileName: "lamps.txt" });
  const signedIn = z.object({ accessToken: z.string() });
  const { accessToken } = await service.api(signedIn, "POST", "/v1/auth/login", undefined, PERSON);
  const reader = createClient({ baseUrl: service.url, personalAccessToken: accessToken });
  let url = "";
  await eventually(async () => {
    const { items } = await dataOf(reader.api.GET("/v1/notifications"));
    url = items.find(({ body }) => body === "lamps.txt")?.origin?.url ?? "";
    expect(url).not.toBe("");
  }, LONG_PATIENCE);
  await page.goto(service.url + url);
  await sees(page, "Two lamps are broken.");
  // The inbox leads to the same address.
  await page.goto(`${service.url}/console/inbox`);
  await sees(page, "lamps.txt");
  expect(await page.$$eval("a.note", (notes) => notes.map((note) => note.getAttribute("href")))).toContain(url);
  expect(await visibleText(page)).not.toContain(COMMON.toLocations);
});
