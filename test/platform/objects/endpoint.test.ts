import { env, exports } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { randomHex, sha256Hex } from "../../../src/platform/crypto/bytes";
import { MAX_PUT_BYTES } from "../../../src/platform/objects/endpoint";
import { presign, signingOf } from "../../../src/platform/objects/sigv4";
import { openObjectStore, type SignedUpload } from "../../../src/platform/objects/store";
import { settingsOf } from "../../../src/platform/settings";
import { call } from "../../support/call";

const store = openObjectStore({ bucket: env.BUCKET, binding: null, s3: {} }, settingsOf(env));
const text = "The quick brown fox jumps over the lazy dog";
const bytes = Uint8Array.from(new TextEncoder().encode(text));

const send = (url: string, init: RequestInit): Promise<Response> => exports.default.fetch(new Request(url, init));

const refusal = async (response: Response): Promise<string> => {
  expect(response.headers.get("content-type")).toBe("application/xml");
  return `${response.status} ${/<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]}`;
};

let key: string;
beforeEach(() => {
  key = `test/${randomHex(8)}/ä b.txt`;
});

describe("a signed PUT", () => {
  const sign = async (over: { sizeBytes?: number; checksumSha256?: string } = {}) =>
    store.signUpload(
      key,
      { contentType: "text/plain", sizeBytes: bytes.byteLength, checksumSha256: await sha256Hex(bytes), ...over },
      300,
    );
  const put = ({ uploadUrl, requiredHeaders }: SignedUpload, body: BodyInit, headers: Record<string, string> = {}) =>
    send(uploadUrl, {
      method: "PUT",
      headers: { ...requiredHeaders, "content-length": String(bytes.byteLength), ...headers },
      body,
    });

  test("stores the bytes under the key, and only once", async () => {
    const signed = await sign();
    const first = await put(signed, bytes);
    expect(first.status).toBe(200);
    expect(first.headers.get("etag")).toMatch(/^"\w+"$/);
    expect(await (await env.BUCKET.get(key))?.text()).toBe(text);
    expect(await refusal(await put(signed, bytes))).toBe("412 PreconditionFailed");
    expect(await refusal(await put(await sign(), bytes))).toBe("412 PreconditionFailed");
  });

  test("with other bytes of the same length stores nothing", async () => {
    const signed = await sign();
    expect(await refusal(await put(signed, text.replace("dog", "cat")))).toBe("400 BadDigest");
    expect(await env.BUCKET.head(key)).toBeNull();
    expect((await put(signed, bytes)).status).toBe(200);
  });

  test("with another length, type or digest fails the signature check", async () => {
    const signed = await sign();
    const others = [
      put(signed, `${text}!`, { "content-length": String(bytes.byteLength + 1) }),
      put(signed, bytes, { "content-type": "text/html" }),
      put(signed, bytes, { "x-amz-checksum-sha256": btoa("x".repeat(32)) }),
      put(signed, bytes, { "if-none-match": '"x"' }),
    ];
    for (const other of others) expect(await refusal(await other)).toBe("403 SignatureDoesNotMatch");
    expect(await env.BUCKET.head(key)).toBeNull();
  });

  test("with a body of another length stores nothing", async () => {
    const signed = await sign();
    const streamOf = (body: string) => new Blob([body]).stream();
    for (const body of [text.slice(1), `${text}!`]) {
      const response = await put(signed, streamOf(body)).catch(() => null);
      if (response !== null) expect(response.status).toBeGreaterThanOrEqual(400);
      expect(await env.BUCKET.head(key)).toBeNull();
    }
  });

  test("without a length is refused", async () => {
    const { uploadUrl, requiredHeaders } = await sign();
    const response = await send(uploadUrl, {
      method: "PUT",
      headers: requiredHeaders,
      body: new Blob([bytes]).stream().pipeThrough(new TransformStream()),
    });
    expect(await refusal(response)).toBe("411 MissingContentLength");
  });

  test("without a body stores an empty object", async () => {
    const signed = await sign({ sizeBytes: 0, checksumSha256: await sha256Hex("") });
    expect((await put(signed, "", { "content-length": "0" })).status).toBe(200);
    expect((await env.BUCKET.head(key))?.size).toBe(0);
  });

  test("with more bytes than the edge accepts is refused before its body is read", async () => {
    const signed = await sign({ sizeBytes: MAX_PUT_BYTES + 1 });
    const response = await put(signed, "x", { "content-length": String(MAX_PUT_BYTES + 1) });
    expect(await refusal(response)).toBe("413 EntityTooLarge");
    // The largest body is read: here it is cut short.
    const largest = await sign({ sizeBytes: MAX_PUT_BYTES });
    const cut = await put(largest, "x", { "content-length": String(MAX_PUT_BYTES) });
    expect(await refusal(cut)).not.toContain("EntityTooLarge");
  });

  test("needs no credential and ignores one", async () => {
    const { uploadUrl } = await sign();
    const bare = new URL(uploadUrl);
    const response = await send(`${bare.origin}${bare.pathname}`, {
      method: "PUT",
      headers: { authorization: "Bearer svcpat1.x.y", "content-length": "1" },
      body: "x",
    });
    expect(await refusal(response)).toBe("400 AuthorizationQueryParametersError");
  });
});

describe("a signed GET", () => {
  const as = { fileName: "Bild 1.txt", contentType: "text/plain", disposition: "inline" as const };
  const get = async (headers: Record<string, string> = {}, method = "GET") =>
    send((await store.signDownload(key, as, 60, null)).url, { method, headers });

  beforeEach(async () => {
    await store.write(key, bytes, { contentType: "text/plain", sizeBytes: bytes.byteLength });
  });

  test("serves the bytes with the signed headers, in a sandbox", async () => {
    const response = await get();
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(text);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/plain",
      "content-disposition": 'inline; filename="Bild 1.txt"',
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
      "content-length": String(bytes.byteLength),
      "access-control-allow-origin": "*",
    });
  });

  test("serves what a browser could run or show as a page as bytes to be saved", async () => {
    for (const contentType of [
      "text/html",
      "TEXT/JavaScript; charset=utf-8",
      "image/svg+xml",
      "text/plain, text/css",
    ]) {
      const signed = await store.signDownload(key, { ...as, contentType }, 60, null);
      expect(signed.contentType).toBe("application/octet-stream");
      const response = await send(signed.url, { method: "HEAD" });
      expect(response.headers.get("content-type")).toBe("application/octet-stream");
      expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="Bild 1.txt"$/);
    }
    // An address that an earlier version signed states the type itself.
    const query = { "response-content-type": "text/javascript", "response-content-disposition": "inline" };
    const old = await presign(signingOf(settingsOf(env)), { method: "GET", key, query }, 60, Date.now());
    const { headers } = await send(old, { method: "HEAD" });
    expect([headers.get("content-type"), headers.get("content-disposition")]).toEqual([
      "application/octet-stream",
      "attachment",
    ]);
  });

  test("answers HEAD with the same headers and no body", async () => {
    const response = await get({}, "HEAD");
    expect(response.status).toBe(200);
    expect(response.headers.get("etag")).toBe((await get()).headers.get("etag"));
    expect(await response.text()).toBe("");
  });

  test.each([
    ["bytes=0-3", 206, "The ", "bytes 0-3/43"],
    ["bytes=40-", 206, "dog", "bytes 40-42/43"],
    ["bytes=-3", 206, "dog", "bytes 40-42/43"],
    ["bytes=-999", 206, text, "bytes 0-42/43"],
    ["bytes=4-9999", 206, text.slice(4), "bytes 4-42/43"],
    ["bytes=0-1,4-5", 200, text, null],
    ["bytes=5-1", 200, text, null],
    ["lines=0-1", 200, text, null],
  ])("answers Range: %s", async (range, status, body, contentRange) => {
    const response = await get({ range });
    expect([response.status, await response.text()]).toEqual([status, body]);
    expect(response.headers.get("content-range")).toBe(contentRange);
  });

  test.each(["bytes=43-", "bytes=99-100", "bytes=-0"])("refuses Range: %s", async (range) => {
    const response = await get({ range });
    expect(response.headers.get("content-range")).toBe("bytes */43");
    expect(await refusal(response)).toBe("416 InvalidRange");
  });

  test("respects its conditions", async () => {
    const etag = (await get()).headers.get("etag") ?? "";
    expect((await get({ "if-none-match": etag })).status).toBe(304);
    expect((await get({ "if-none-match": `"x", ${etag}` })).status).toBe(304);
    expect((await get({ "if-none-match": '"x"' })).status).toBe(200);
    expect((await get({ "if-match": etag })).status).toBe(200);
    expect(await refusal(await get({ "if-match": '"x"' }))).toBe("412 PreconditionFailed");
    expect((await get({ range: "bytes=0-0", "if-range": etag })).status).toBe(206);
    expect((await get({ range: "bytes=0-0", "if-range": '"x"' })).status).toBe(200);
  });

  test("of a missing object answers 404", async () => {
    await store.remove([key]);
    expect(await refusal(await get())).toBe("404 NoSuchKey");
  });
});

describe("a browser of any origin", () => {
  test("may send the headers of uploads and downloads", async () => {
    const response = await send("http://workspace.test/objects/workspace/staging/x", {
      method: "OPTIONS",
      headers: {
        origin: "https://elsewhere.example",
        "access-control-request-method": "PUT",
        "access-control-request-headers": "content-type,if-none-match,x-amz-checksum-sha256",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-methods")).toContain("PUT");
    for (const name of ["content-type", "if-none-match", "x-amz-checksum-sha256", "range"])
      expect(response.headers.get("access-control-allow-headers")).toContain(name);
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("may read a refusal", async () => {
    const response = await send("http://workspace.test/objects/workspace/x", {});
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await refusal(response)).toBe("400 AuthorizationQueryParametersError");
  });

  test("may use no other method", async () => {
    const response = await send("http://workspace.test/objects/workspace/x", { method: "DELETE" });
    expect(response.headers.get("allow")).toBe("GET, HEAD, PUT, OPTIONS");
    expect(await refusal(response)).toBe("405 MethodNotAllowed");
  });
});

test("earlier addresses of the Worker's endpoint work until they expire", async () => {
  const vars = {
    OBJECT_STORE: "s3",
    S3_ENDPOINT: "https://account.r2.cloudflarestorage.com",
    S3_BUCKET: "documents",
    S3_ACCESS_KEY_ID: "key-id",
    S3_SECRET_ACCESS_KEY: "secret",
  };
  const sizeBytes = bytes.byteLength;
  const expected = { contentType: "text/plain", sizeBytes, checksumSha256: await sha256Hex(bytes) };
  const { uploadUrl, requiredHeaders } = await store.signUpload(key, expected, 300);
  const headers = { ...requiredHeaders, "content-length": String(sizeBytes) };
  expect((await call("PUT", uploadUrl, { vars, headers, body: text })).status).toBe(200);
  const as = { fileName: "a.txt", contentType: "text/plain", disposition: "inline" as const };
  const { url } = await store.signDownload(key, as, 60, null);
  expect(await (await call("GET", url, { vars })).text()).toBe(text);
  const forged = url.replace(/X-Amz-Signature=.{4}/, "X-Amz-Signature=0000");
  expect(await refusal(await call("GET", forged, { vars }))).toBe("403 SignatureDoesNotMatch");
});
