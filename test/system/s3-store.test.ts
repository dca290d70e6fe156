import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { presign, type RequestToSign } from "../../src/platform/objects/sigv4";
import { openBrowser, openTab } from "./support/browser";
import { localR2, s3Settings } from "./support/local-r2";
import { newSite, RunningService, type Site } from "./support/running";

/**
 * `OBJECT_STORE=s3` against the S3 endpoint that Cloudflare's own wrangler serves for local R2. It verifies AWS
 * Signature Version 4 with separate code: method, path, query, every signed header, expiry, keys.
 *
 * What this server does not check or do, and R2 does:
 * - It does not compare the bytes with `x-amz-checksum-sha256`. So the tests show that the header is signed, and that
 *   the service refuses other bytes when the upload is completed.
 * - It ignores `response-content-disposition` and `response-content-type`: a download has the stored content type.
 * - It has no CORS rules of a bucket: every origin, method and header is allowed. So the tests show which requests a
 *   browser makes and that they carry their signature, and not the rules of docs/how-to/deploy.md.
 */
const local = localR2();
let service: RunningService;
let site: Site;
let elsewhere: Server;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [service, browser] = await Promise.all([
    RunningService.start((url) => s3Settings(url, local.bucket), {}, local.config),
    openBrowser(),
  ]);
  site = await newSite(service);
  elsewhere = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<title>elsewhere</title>"),
  );
  await new Promise<void>((done) => elsewhere.listen(0, "127.0.0.1", done));
  page = await openTab(browser);
  await page.goto(origin());
});

afterAll(async () => {
  await browser?.close();
  elsewhere?.close();
  await service?.stop();
  local.remove();
});

const origin = () => `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
const documentsPath = () => `/v1/spatial/locations/${site.locationId}/documents`;

const started = z.object({
  uploadId: z.string(),
  uploadUrl: z.string(),
  requiredHeaders: z.record(z.string(), z.string()),
});
const completed = z.object({ id: z.string(), fileName: z.string(), sizeBytes: z.int() });
const link = z.object({ url: z.string() });

const startUpload = (fileName: string, text: string) =>
  service.api(started, "POST", `${documentsPath()}/upload-start`, site.token, {
    fileName,
    contentType: "text/plain",
    sizeBytes: text.length,
    checksumSha256: createHash("sha256").update(text).digest("hex"),
  });

const complete = (uploadId: string) =>
  service.api(completed, "POST", `${documentsPath()}/upload-complete`, site.token, { uploadId });

/**
 * The headers of an answer that a page of another origin may read. The browser's cache is not used: wrangler
 * compresses whole texts.
 */
const fromPage = (url: string, init: { method?: string; headers: Record<string, string>; body?: string }) =>
  page.evaluate(
    async (to, how) => {
      const response = await fetch(to, { ...how, cache: "no-store" });
      return { status: response.status, range: response.headers.get("content-range"), text: await response.text() };
    },
    url,
    init,
  );

const codeOf = (xml: string) => /<Code>(\w+)<\/Code>/.exec(xml)?.[1];

const tryPut = async (url: string, headers: Record<string, string>, body: string) => {
  const { status, text } = await fromPage(url, { method: "PUT", headers, body });
  return [status, codeOf(text)];
};

/** The same request, signed again at another time. */
function signedAt(time: number, url: string, request: Omit<RequestToSign, "key">): Promise<string> {
  const { S3_ENDPOINT, ...keys } = s3Settings(service.url, local.bucket);
  const signing = {
    endpoint: S3_ENDPOINT,
    bucket: keys.S3_BUCKET,
    accessKeyId: keys.S3_ACCESS_KEY_ID,
    secretAccessKey: keys.S3_SECRET_ACCESS_KEY,
  };
  const key = decodeURIComponent(
    new URL(url).pathname.slice(new URL(`${S3_ENDPOINT}/${local.bucket}/`).pathname.length),
  );
  return presign(signing, { ...request, key }, 60, time);
}

test("a page of another origin uploads a document once, as it was announced, and downloads it by range", async () => {
  const text = "The tide gauge stands at four metres, and the quay is dry.";
  const { uploadId, uploadUrl, requiredHeaders } = await startUpload("gauge (two).txt", text);
  expect(uploadUrl.startsWith(`${s3Settings(service.url, local.bucket).S3_ENDPOINT}/${local.bucket}/`)).toBe(true);

  // The signature contains every announced header and the length, which a browser sets itself.
  const mismatch = [403, "SignatureDoesNotMatch"];
  for (const name of Object.keys(requiredHeaders)) {
    const { [name]: _, ...without } = requiredHeaders;
    expect(await tryPut(uploadUrl, without, text), `without ${name}`).toEqual(mismatch);
  }
  const otherDigest = createHash("sha256").update("other bytes").digest("base64");
  expect(await tryPut(uploadUrl, { ...requiredHeaders, "x-amz-checksum-sha256": otherDigest }, text)).toEqual(mismatch);
  expect(await tryPut(uploadUrl, { ...requiredHeaders, "content-type": "text/html" }, text)).toEqual(mismatch);
  expect(await tryPut(uploadUrl, requiredHeaders, `${text}!`), "one byte more").toEqual(mismatch);
  expect(await tryPut(uploadUrl.replace("/staging/", "/other/"), requiredHeaders, text)).toEqual(mismatch);

  expect(await tryPut(uploadUrl, requiredHeaders, text)).toEqual([200, undefined]);
  expect(await tryPut(uploadUrl, requiredHeaders, text)).toEqual([412, "PreconditionFailed"]);
  const document = await complete(uploadId);
  expect(document).toMatchObject({ fileName: "gauge (two).txt", sizeBytes: text.length });

  const { url } = await service.api(link, "GET", `/v1/documents/${document.id}/download`, site.token);
  expect(await fromPage(url, { headers: {} })).toEqual({ status: 200, range: null, text });
  const part = (range: string) => fromPage(url, { headers: { range } });
  const size = text.length;
  expect(await part("bytes=4-13")).toEqual({ status: 206, range: `bytes 4-13/${size}`, text: text.slice(4, 14) });
  expect(await part(`bytes=${size - 4}-`)).toMatchObject({ status: 206, text: text.slice(-4) });
  expect(await part("bytes=-4")).toMatchObject({ status: 206, text: text.slice(-4) });
  expect(await part(`bytes=${size}-`)).toMatchObject({ status: 416 });
  const longer = new URL(url);
  longer.searchParams.set("X-Amz-Expires", "86400");
  expect((await fromPage(longer.href, { headers: {} })).status, "a lifetime made longer").toBe(403);
});

test("the preflight that a browser sends before the PUT is answered without a separate signature", async () => {
  const { uploadUrl, requiredHeaders } = await startUpload("preflight.txt", "asked before");
  const asked = Object.keys(requiredHeaders).sort().join(",");
  const response = await fetch(uploadUrl, {
    method: "OPTIONS",
    headers: {
      origin: origin(),
      "access-control-request-method": "PUT",
      "access-control-request-headers": asked,
    },
  });
  expect(response.ok).toBe(true);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(response.headers.get("access-control-allow-methods")?.split(",")).toContain("PUT");
  const allowed = response.headers.get("access-control-allow-headers")?.split(",");
  expect(allowed?.sort().join(",")).toBe(asked);
});

test("an expired address accepts and returns no bytes", async () => {
  const text = "Too late for this tide.";
  const { uploadId, uploadUrl, requiredHeaders } = await startUpload("late.txt", text);
  const put = { method: "PUT", headers: { ...requiredHeaders, "content-length": String(text.length) } } as const;
  const [lately, now] = [Date.now() - 61_000, Date.now()];
  const expired = [403, "ExpiredRequest"];
  expect(await tryPut(await signedAt(lately, uploadUrl, put), requiredHeaders, text)).toEqual(expired);
  expect(await tryPut(await signedAt(now, uploadUrl, put), requiredHeaders, text)).toEqual([200, undefined]);

  const { id } = await complete(uploadId);
  const { url } = await service.api(link, "GET", `/v1/documents/${id}/download`, site.token);
  const get = async (time: number) => {
    const { status, text } = await fromPage(await signedAt(time, url, { method: "GET" }), { headers: {} });
    return [status, codeOf(text) ?? text];
  };
  expect(await get(lately)).toEqual(expired);
  expect(await get(now)).toEqual([200, text]);
});

test("bytes that were not announced are refused at the completion of the upload, although this server accepts them", async () => {
  const text = "The bytes that were announced.";
  const { uploadId, uploadUrl, requiredHeaders } = await startUpload("forged.txt", text);
  expect(await tryPut(uploadUrl, requiredHeaders, text.toUpperCase())).toEqual([200, undefined]);
  await expect(complete(uploadId)).rejects.toThrow(/answered 422: .*upload-mismatch/);
  const listed = z.object({ items: z.array(z.object({ fileName: z.string() })) });
  const { items } = await service.api(listed, "GET", documentsPath(), site.token);
  expect(items.map(({ fileName }) => fileName)).not.toContain("forged.txt");
});
