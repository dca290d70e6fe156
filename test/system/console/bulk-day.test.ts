import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, fill, press, sees } from "../support/console";
import { complaints, enter, page, service, site, useDesk } from "../support/desk";
import { boxOf, during, focused } from "../support/documents";

/* A day with many documents: 300 files arrive at once, get a tag, move to a folder, and some go and come back. */

const FILES = 300;
/** Maximum duration of the arrival of all files on a busy machine, milliseconds. */
const ARRIVAL_MS = 1_200_000;

useDesk({ site: "entitled" }, () => enter(`locations/${site.locationId}/documents`));

const at = () => `/v1/spatial/locations/${site.locationId}/documents`;
const listed = z.object({
  items: z.array(z.object({ fileName: z.string(), path: z.string(), tags: z.array(z.object({ name: z.string() })) })),
  nextCursor: z.string().nullable(),
});

/** All documents of the location, as the service has them. */
async function stored() {
  const all: z.infer<typeof listed>["items"] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const more: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { items, nextCursor }: z.infer<typeof listed> = await service.api(
      listed,
      "GET",
      `${at()}?limit=100${more}`,
      site.token,
    );
    all.push(...items);
    cursor = nextCursor;
  }
  return all;
}

/** Waits until more files than `before` have arrived. @returns how many */
async function eventuallyMore(before: number): Promise<number> {
  const count = `Number.parseInt(document.querySelector(".uploads header")?.innerText ?? "0")`;
  await page.waitForFunction(`${count} > ${before} || ${count} === ${FILES}`, { timeout: LONG_PATIENCE });
  return z.number().parse(await page.evaluate(count));
}

const chord = async (key: "a") => {
  await page.keyboard.down("Control");
  await page.keyboard.press(key);
  await page.keyboard.up("Control");
};
const holdsFocus = (name: string) => eventually(async () => expect(await focused()).toBe(name), LONG_PATIENCE);

test(
  "300 files are dropped, and their lines have an area of their own",
  async () => {
    await sees(page, "No documents yet");
    const asked = await during(at(), "300 files arrive", async () => {
      await page.evaluate(`{
      const data = new DataTransfer();
      for (let n = 1; n <= ${FILES}; n++)
        data.items.add(new File(["The rope " + n + " is dry."], "rope " + n + ".txt", { type: "text/plain" }));
      for (const type of ["dragover", "drop"])
        document.querySelector("main").dispatchEvent(
          new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
        );
    }`);
      await sees(page, `of ${FILES} files uploaded`);
      await expectSound(page, "many uploads");
      // As long as files arrive, this waits.
      for (let done = 1; done < FILES; ) done = await eventuallyMore(done);
    });
    // What has arrived is read by its name, and no page again. The list is read once more when live events begin.
    expect(asked.filter((one) => one === "GET").length).toBeLessThan(2);
    const height = await page.$eval(".uploads", (one) => (one as unknown as { offsetHeight: number }).offsetHeight);
    expect(height).toBeLessThan(400);
    await expectSound(page, "many uploads that have ended");
    await press(page, "Clear the list");
    await holdsNames(["rope 1.txt", "rope 2.txt", "rope 3.txt"]);
  },
  ARRIVAL_MS,
);

const holdsNames = (first: string[]) =>
  eventually(async () => {
    const names = await page.$$eval(".doc-table td a:not(.folder)", (all) => all.map((one) => one.textContent));
    expect(names.slice(0, first.length)).toEqual(first);
  }, LONG_PATIENCE);

test("by pointer, all of them get a tag", async () => {
  await page.goto(`${service.url}/console/locations/${site.locationId}/documents`);
  await (await boxOf("rope 1.txt"))?.click();
  await sees(page, "1 selected");
  await press(page, "Select all");
  await sees(page, `All ${FILES} documents selected`);
  await expectSound(page, "all documents selected");
  await press(page, "Tags");
  await press(page, "New tag");
  await fill(page, { name: "Ropes" });
  await press(page, "Save");
  await (await page.waitForSelector('::-p-aria([name="Ropes"][role="checkbox"])'))?.click();
  const asked = await during(at(), "a tag for 300 documents", async () => {
    await press(page, "Save");
    await sees(page, `Tags of ${FILES} documents changed.`);
    await page.waitForSelector(".doc-table .tag");
  });
  expect(asked.filter((one) => one === "POST /changes")).toHaveLength(Math.ceil(FILES / 100));
  expect(asked.filter((one) => one === "GET" || one === "GET cursor")).toEqual([]);
  expect((await stored()).filter(({ tags }) => tags[0]?.name === "Ropes")).toHaveLength(FILES);
});

test("by keyboard, all of them move to a folder", async () => {
  await (await boxOf("rope 1.txt"))?.focus();
  await page.keyboard.press("Escape");
  await chord("a");
  await sees(page, `All ${FILES} documents selected`);
  await page.keyboard.press("m");
  await sees(page, `Move ${FILES} documents`);
  await page.keyboard.type("ropes/dry");
  const asked = await during(at(), "300 documents move", async () => {
    await page.keyboard.press("Enter");
    await sees(page, `${FILES} documents moved.`);
  });
  expect(asked.filter((one) => one === "GET" || one === "GET cursor")).toEqual([]);
  expect(new Set((await stored()).map(({ path }) => path))).toEqual(new Set(["ropes/dry"]));
  await holdsFocus("rope 1.txt");
  await page.keyboard.press("Escape");
});

test("by keyboard, twenty of them are deleted, and one undo brings them back; the focus stays in the list", async () => {
  await (await boxOf("rope 11.txt"))?.focus();
  await page.keyboard.down("Shift");
  for (let n = 1; n < 20; n++) await page.keyboard.press("ArrowDown");
  await page.keyboard.up("Shift");
  await sees(page, "20 selected");
  const deleted = await during(at(), "20 documents are deleted", async () => {
    await page.keyboard.press("Delete");
    await sees(page, "20 documents are in the trash.");
    await holdsFocus("rope 31.txt");
  });
  expect(deleted).toEqual(["POST /changes"]);
  const undone = await during(at(), "20 documents come back", async () => {
    await press(page, "Undo");
    await sees(page, "20 documents are as before.");
    await holdsFocus("rope 11.txt");
  });
  expect(undone).toEqual(["POST /changes", "GET ids"]);
  expect(await stored()).toHaveLength(FILES);
  expect(complaints).toEqual([]);
});
