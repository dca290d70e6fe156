import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { presign, type Signing, signingOf, verifySigned } from "../../../src/platform/objects/sigv4";
import { contentDisposition, openObjectStore } from "../../../src/platform/objects/store";
import { parseSettings } from "../../../src/platform/settings";
import fc from "../../support/properties";
import { referenceQuery } from "./reference";

const signing: Signing = {
  endpoint: "https://account.r2.cloudflarestorage.com",
  bucket: "documents",
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};
const NOW = Date.parse("2026-11-20T09:30:00Z");

test("the reference signs AWS's own published example", () => {
  const query = referenceQuery({
    method: "GET",
    host: "examplebucket.s3.amazonaws.com",
    path: "/test.txt",
    query: {},
    headers: {},
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    region: "us-east-1",
    date: "20130524T000000Z",
    expires: 86_400,
  });
  expect(query["X-Amz-Signature"]).toBe("aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
});

describe("a signed address", () => {
  const name = fc.string({ unit: "binary", minLength: 1, maxLength: 40 }).filter((s) => s.isWellFormed());
  const segment = name.filter((s) => !s.includes("/") && s !== "." && s !== "..");
  const header = fc.stringMatching(/^[\x21-\x7e]{1,40}$/);

  test("equals the signature of an independent signer for any key, header and query", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(segment, { minLength: 1, maxLength: 4 }),
        header,
        name,
        fc.constantFrom("GET" as const, "PUT" as const),
        async (segments, contentType, disposition, method) => {
          const key = segments.join("/");
          const headers = { "content-type": contentType, "content-length": "12" };
          const query = { "response-content-disposition": disposition };
          const url = new URL(await presign(signing, { method, key, headers, query }, 300, NOW));
          const wanted = referenceQuery({
            method,
            host: "account.r2.cloudflarestorage.com",
            path: `/documents/${key}`,
            query,
            headers,
            region: "auto",
            date: "20261120T093000Z",
            expires: 300,
            ...signing,
          });
          expect(Object.fromEntries(url.searchParams)).toEqual(wanted);
          expect(url.search).not.toContain("+");
          const verdict = await verifySigned(signing, new Request(url, { method, headers }), NOW);
          expect(verdict).toMatchObject({ ok: true, key });
        },
      ),
      { numRuns: 300 },
    );
  });

  const signed = (over: Partial<Parameters<typeof presign>[1]> = {}) =>
    presign(
      signing,
      {
        method: "PUT",
        key: "a/b c.txt",
        headers: { "content-type": "text/plain", "x-amz-checksum-sha256": "abc" },
        ...over,
      },
      300,
      NOW,
    );
  const sent = { "content-type": "text/plain", "x-amz-checksum-sha256": "abc" };
  const verdictOf = async (url: string | URL, headers: Record<string, string> = sent, at = NOW, method = "PUT") => {
    const verdict = await verifySigned(signing, new Request(url, { method, headers }), at);
    return verdict.ok ? "ok" : verdict.refusal;
  };

  test("is valid until its end and not a second longer", async () => {
    const url = await signed();
    expect(await verdictOf(url, sent, NOW + 300_000)).toBe("ok");
    expect(await verdictOf(url, sent, NOW + 300_001)).toBe("AccessDenied");
    expect(await verdictOf(url, sent, NOW - 900_001)).toBe("RequestTimeTooSkewed");
  });

  test("is invalid after a change of any part", async () => {
    const url = await signed({ query: { "response-content-type": "text/plain" } });
    for (const [name, value] of new URL(url).searchParams) {
      const edited = new URL(url);
      edited.searchParams.set(name, value.endsWith("0") ? `${value.slice(0, -1)}1` : `${value.slice(0, -1)}0`);
      expect(await verdictOf(edited), `changed ${name}`).not.toBe("ok");
      const without = new URL(url);
      without.searchParams.delete(name);
      expect(await verdictOf(without), `without ${name}`).not.toBe("ok");
      expect(await verdictOf(`${url}&${name}=x`), `doubled ${name}`).toBe("AuthorizationQueryParametersError");
    }
    expect(await verdictOf(`${url}&more=1`)).toBe("SignatureDoesNotMatch");
    expect(await verdictOf(url.replace("b%20c", "b%20d"))).toBe("SignatureDoesNotMatch");
    expect(await verdictOf(url.replace("/documents/", "/others/"))).toBe("SignatureDoesNotMatch");
    for (const method of ["GET", "HEAD", "DELETE", "POST"])
      expect(await verdictOf(url, sent, NOW, method)).toBe("SignatureDoesNotMatch");
    for (const name of Object.keys(sent)) {
      expect(await verdictOf(url, { ...sent, [name]: "other" })).toBe("SignatureDoesNotMatch");
      const { [name]: _, ...rest } = sent as Record<string, string>;
      expect(await verdictOf(url, rest)).toBe("SignatureDoesNotMatch");
    }
  });

  test("is not accepted from another key or with another secret", async () => {
    const other = { ...signing, accessKeyId: "somebody" };
    const url = await presign(other, { method: "GET", key: "a" }, 60, NOW);
    expect(await verdictOf(url, {}, NOW, "GET")).toBe("InvalidAccessKeyId");
    const forged = await presign({ ...signing, secretAccessKey: "guess" }, { method: "GET", key: "a" }, 60, NOW);
    expect(await verdictOf(forged, {}, NOW, "GET")).toBe("SignatureDoesNotMatch");
  });

  test("with empty or invalid fields is refused without an exception", async () => {
    const plain = "https://account.r2.cloudflarestorage.com/documents/a";
    for (const query of ["", "?X-Amz-Algorithm=AWS4-HMAC-SHA256", "?X-Amz-Date=%00", "?X-Amz-Signature="])
      expect(await verdictOf(plain + query)).toBe("AuthorizationQueryParametersError");
    const odd = new URL(await signed());
    odd.searchParams.set("X-Amz-SignedHeaders", "host;content type\n");
    expect(await verdictOf(odd)).toBe("SignatureDoesNotMatch");
    odd.searchParams.set("X-Amz-Expires", "99999999");
    expect(await verdictOf(odd)).toBe("AuthorizationQueryParametersError");
  });
});

describe("with R2's S3 endpoint", () => {
  const settings = parseSettings({
    ...env,
    OBJECT_STORE: "s3",
    S3_ENDPOINT: "https://account.r2.cloudflarestorage.com/",
    S3_BUCKET: "documents",
    S3_ACCESS_KEY_ID: "key-id",
    S3_SECRET_ACCESS_KEY: "secret",
  });
  const store = openObjectStore({ bucket: env.BUCKET, binding: null, s3: {} }, settings);

  test("an upload is signed with its type, digest, length and the condition to be the first", async () => {
    const expected = { contentType: "text/plain", sizeBytes: 5, checksumSha256: "ab".repeat(32) };
    const { uploadUrl, requiredHeaders } = await store.signUpload("staging/x", expected, 900);
    expect(uploadUrl).toMatch(/^https:\/\/account\.r2\.cloudflarestorage\.com\/documents\/staging\/x\?/);
    expect(new URL(uploadUrl).searchParams.get("X-Amz-SignedHeaders")).toBe(
      "content-length;content-type;host;if-none-match;x-amz-checksum-sha256",
    );
    expect(requiredHeaders).toEqual({
      "content-type": "text/plain",
      "if-none-match": "*",
      "x-amz-checksum-sha256": btoa(String.fromCharCode(...Array<number>(32).fill(0xab))),
    });
    const all = { ...requiredHeaders, "content-length": "5" };
    const verdict = await verifySigned(
      signingOf(settings),
      new Request(uploadUrl, { method: "PUT", headers: all }),
      Date.now(),
    );
    expect(verdict).toMatchObject({ ok: true, key: "staging/x" });
  });

  test("a download is signed with its type and file name", async () => {
    const { url } = await store.signDownload(
      "a",
      { fileName: "Übersicht.pdf", contentType: "application/pdf", disposition: "attachment" },
      60,
      null,
    );
    expect(new URL(url).searchParams.get("response-content-type")).toBe("application/pdf");
    expect(new URL(url).searchParams.get("response-content-disposition")).toBe(
      "attachment; filename=\"_bersicht.pdf\"; filename*=UTF-8''%C3%9Cbersicht.pdf",
    );
  });
});

test.each([
  ["plain name.txt", 'attachment; filename="plain name.txt"'],
  ['a"b\\c%20.txt', "attachment; filename=\"a_b_c_20.txt\"; filename*=UTF-8''a_b_c%2520.txt"],
  ["図.png", "attachment; filename=\"_.png\"; filename*=UTF-8''%E5%9B%B3.png"],
  ["a\r\nset-cookie: x", 'attachment; filename="a__set-cookie_ x"'],
])("the file name %j gives a valid header", (name, header) => {
  expect(contentDisposition("attachment", name)).toBe(header);
});
