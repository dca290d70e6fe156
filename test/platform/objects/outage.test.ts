import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { randomHex } from "../../../src/platform/crypto/bytes";
import { asDomainError } from "../../../src/platform/http/problem";
import { openObjectStore } from "../../../src/platform/objects/store";
import { settingsOf } from "../../../src/platform/settings";

/** The messages of R2 during a short outage. */
const OUTAGES = [
  "get: We encountered an internal error. Please try again. (10001)",
  "get: Service is temporarily unavailable. (10043)",
  "get: Unspecified error (0)",
];
const bytes = new TextEncoder().encode("The lantern turns once in nine seconds.");

/** The bucket with an outage: its first `times` calls are not answered. */
function failing(message: string, times: number) {
  const asked: string[] = [];
  const bucket = new Proxy(env.BUCKET, {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return async (...given: unknown[]) => {
        asked.push(String(name));
        if (asked.length <= times) throw new Error(message);
        return method.apply(target, given);
      };
    },
  });
  return { asked, store: openObjectStore({ bucket, binding: null, s3: {} }, settingsOf(env)) };
}

let key: string;
beforeEach(async () => {
  key = `test/${randomHex(8)}`;
  await env.BUCKET.put(key, bytes);
});

describe("while the object store does not answer", () => {
  test.each(OUTAGES)("a read, a list and a deletion are tried once more: %s", async (message) => {
    const read = await failing(message, 1).store.read(key);
    expect(await new Response(read?.body).bytes()).toEqual(bytes);
    expect(await failing(message, 1).store.head(key)).toMatchObject({ sizeBytes: bytes.length });
    expect((await failing(message, 1).store.list(key)).objects).toMatchObject([{ key }]);
    await failing(message, 1).store.remove([key]);
    expect(await env.BUCKET.head(key)).toBeNull();
  });

  test.each(OUTAGES)("the caller is told to repeat the request after the second try: %s", async (message) => {
    const { store, asked } = failing(message, Number.POSITIVE_INFINITY);
    const thrown = await store.read(key).catch((error: unknown) => error);
    expect(asDomainError(thrown)).toMatchObject({ code: "unavailable", extras: { retryAfter: 2 } });
    expect(asked).toEqual(["get", "get"]);
  });

  test("a write is not repeated, because its stream is used up", async () => {
    const { store, asked } = failing("put: We encountered an internal error. Please try again. (10001)", 1);
    await expect(store.write(key, bytes, { contentType: "text/plain", sizeBytes: bytes.length })).rejects.toThrow();
    expect(asked).toEqual(["put"]);
  });

  test("another error is thrown at once", async () => {
    const { store, asked } = failing("get: The specified bucket name is not valid. (10005)", 1);
    await expect(store.read(key)).rejects.toThrow("10005");
    expect(asked).toEqual(["get"]);
  });
});
