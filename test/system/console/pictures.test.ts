import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { eventually } from "../../support/patience";
import { expectSound, press, sees } from "../support/console";
import { enter, page, service, show, site, siteClient, useDesk } from "../support/desk";
import { joinSite } from "../support/running";

/* Photos of telephones and files of scanners, which Chromium itself does not show. */

const PERSON = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };

useDesk({ settings: { RECOGNITION_BROWSERS: "1" }, site: "entitled" }, async () => {
  await joinSite(service, site, { ...PERSON, displayName: "Ida", role: "admin" });
});

/** Time in which a busy machine draws and reads some pages. */
const READING_MS = 200_000;

/** Adds a file of the fixtures and waits until it was drawn and read. */
async function add(fileName: string): Promise<string> {
  const client = siteClient();
  const file = new Blob([readFileSync(`test/fixtures/documents/${fileName}`)]);
  const { id } = await client.uploadDocument({ locationId: site.locationId, file, fileName });
  await eventually(async () => {
    const { data } = await client.api.GET("/v1/documents/{documentId}", { params: { path: { documentId: id } } });
    expect(data).toMatchObject({ textStatus: "recognized", derivativeStatus: "ready" });
  }, READING_MS);
  return id;
}

/** The natural size of the picture that the view shows. */
const shownSize = () =>
  page.evaluate(`(() => {
    const picture = document.querySelector(".view .picture");
    return picture?.complete ? [picture.naturalWidth, picture.naturalHeight] : null;
  })()`);

test("the pages of a TIFF are turned like those of a PDF, with the recognized words over them", async () => {
  const id = await add("scans.tif");
  await enter(`documents/${id}?page=2&find=lantern`, PERSON);
  await sees(page, "Page 2 of 3");
  await eventually(async () => expect(await shownSize()).toEqual([1_200, 560]));
  await eventually(async () =>
    expect(
      await page.evaluate(`[...(CSS.highlights.get("word") ?? [])].map((range) => range.toString()).join()`),
    ).toContain("lantern"),
  );
  await expectSound(page, "pages of a TIFF");
  await show("tiff");
  await press(page, "Next page");
  await sees(page, "Page 3 of 3");
  expect(page.url()).toContain("page=3");
  await eventually(async () =>
    expect(await page.evaluate(`document.querySelector(".view .scanLayer")?.textContent`)).toContain("bollard"),
  );
  await page.focus(".view .sheets");
  await page.keyboard.press("ArrowLeft");
  await sees(page, "Page 2 of 3");
});

test("a HEIC photo is shown upright, and as a small picture in the list", async () => {
  const id = await add("pier.heic");
  await page.goto(`${service.url}/console/documents/${id}`);
  await eventually(async () => expect(await shownSize()).toEqual([1_200, 560]));
  await expectSound(page, "HEIC photo");
  await show("heic");
  await page.goto(`${service.url}/console/locations/${site.locationId}/documents?view=grid`);
  await eventually(async () =>
    expect(
      await page.evaluate(
        `[...document.querySelectorAll(".thumb img")].filter((one) => one.naturalWidth === 256).length`,
      ),
    ).toBe(2),
  );
  await show("grid");
});
