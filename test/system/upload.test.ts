import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { page, service, site, useDesk } from "./support/desk";

let server: Server;

useDesk({ site: "plain" }, async () => {
  server = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<title>elsewhere</title>"),
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(() => server?.close());

const started = z.object({
  uploadId: z.string(),
  uploadUrl: z.string(),
  requiredHeaders: z.record(z.string(), z.string()),
});

/** PUTs a text from the page, which has another origin than the service. Returns the status that the page may read. */
const putFromPage = (url: string, headers: Record<string, string>, body: string): Promise<number> =>
  page.evaluate(
    (to, how, text) => fetch(to, { method: "PUT", headers: how, body: text }).then((r) => r.status),
    url,
    headers,
    body,
  );

test("a page of another origin uploads with fetch, and reads the error", async () => {
  const text = "Uploaded by a browser: the tide gauge stands at four metres.";
  const path = `/v1/spatial/locations/${site.locationId}/documents`;
  const { uploadId, uploadUrl, requiredHeaders } = await service.api(
    started,
    "POST",
    `${path}/upload-start`,
    site.token,
    {
      fileName: "gauge.txt",
      contentType: "text/plain",
      sizeBytes: text.length,
      checksumSha256: createHash("sha256").update(text).digest("hex"),
    },
  );
  expect(await putFromPage(uploadUrl, requiredHeaders, `${text.slice(0, -1)}?`)).toBe(400);
  expect(await putFromPage(uploadUrl, requiredHeaders, text)).toBe(200);
  expect(await putFromPage(uploadUrl, requiredHeaders, text)).toBe(412);
  const document = z.object({ fileName: z.string(), sizeBytes: z.int() });
  const completed = await service.api(document, "POST", `${path}/upload-complete`, site.token, { uploadId });
  expect(completed).toEqual({ fileName: "gauge.txt", sizeBytes: text.length });
});
