import type { HTTPRequest } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { press, sees } from "../support/console";
import { enter, page, service, site, useDesk } from "../support/desk";

/* An upload that is cancelled without a network keeps no storage reserved: its end is sent when the network is back. */

useDesk({ site: "entitled" }, () => enter(`locations/${site.locationId}/documents`));

const drop = (fileName: string) =>
  page.evaluate(`{
    const data = new DataTransfer();
    data.items.add(new File(["The rope of ${fileName} is dry."], "${fileName}", { type: "text/plain" }));
    for (const type of ["dragover", "drop"])
      document.querySelector("main").dispatchEvent(
        new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
      );
  }`);

const upload = z.object({ uploadId: z.string() });
const state = z.object({ status: z.string() });

/** Drops a file whose bytes never arrive. @returns its upload, the request of its bytes, and a function that ends this */
async function dropHeld(fileName: string) {
  const held: HTTPRequest[] = [];
  const onRequest = (request: HTTPRequest) => {
    if (request.method() === "PUT") held.push(request);
    else void request.continue();
  };
  await page.setRequestInterception(true);
  page.on("request", onRequest);
  const started = page.waitForResponse((answer) => answer.url().endsWith("/upload-start") && answer.ok());
  await drop(fileName);
  const { uploadId } = upload.parse(await (await started).json());
  await eventually(async () => expect(held).toHaveLength(1), LONG_PATIENCE);
  const release = async () => {
    page.off("request", onRequest);
    await page.setRequestInterception(false);
  };
  return { uploadId, held: held[0] as HTTPRequest, release };
}

const statusOf = async (uploadId: string) =>
  (
    await service.api(
      state,
      "GET",
      `/v1/spatial/locations/${site.locationId}/documents/uploads/${uploadId}`,
      site.token,
    )
  ).status;
const ends = (uploadId: string) =>
  eventually(async () => expect(await statusOf(uploadId)).not.toBe("pending"), LONG_PATIENCE);

const documentsOfSite = () => page.goto(`${service.url}/console/locations/${site.locationId}/documents`);

test("an upload that waits for the network and is cancelled ends at the service when the network is back", async () => {
  await sees(page, "Drop files or folders anywhere on this page");
  const { uploadId, held, release } = await dropHeld("waits.txt");
  await page.setOfflineMode(true);
  await held.abort("internetdisconnected");
  await sees(page, "No connection. It continues by itself.");
  await press(page, "Cancel the upload of waits.txt");
  await sees(page, "Cancelled");
  await release();
  expect(await statusOf(uploadId)).toBe("pending");
  await page.setOfflineMode(false);
  await ends(uploadId);
});

test("an upload that runs and is cancelled without a network ends later, also after the page was left", async () => {
  for (const leaves of [false, true]) {
    await documentsOfSite();
    await sees(page, "Drop files or folders anywhere on this page");
    const { uploadId, release } = await dropHeld(`runs-${leaves}.txt`);
    await page.setOfflineMode(true);
    await press(page, `Cancel the upload of runs-${leaves}.txt`);
    await sees(page, "Cancelled");
    await release();
    expect(await statusOf(uploadId)).toBe("pending");
    if (leaves) await page.goto("about:blank");
    await page.setOfflineMode(false);
    if (leaves) await documentsOfSite();
    await ends(uploadId);
  }
});

test("a cancelled upload with a network ends with one request", async () => {
  await documentsOfSite();
  await sees(page, "Drop files or folders anywhere on this page");
  const ended: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "DELETE") ended.push(request.url());
  });
  const { uploadId, release } = await dropHeld("now.txt");
  await press(page, "Cancel the upload of now.txt");
  await release();
  await ends(uploadId);
  expect(ended.filter((url) => url.endsWith(uploadId))).toHaveLength(1);
});
