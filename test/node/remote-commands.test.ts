import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { R2Bucket } from "@cloudflare/workers-types";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { withBucket, withBuckets } from "../../scripts/backup/bucket.mjs";
import { inBucket, piecesOf, putBytes } from "../../scripts/backup/bytes.mjs";
import { openFile } from "../../scripts/backup/local.mjs";
import { patientBucket, retryAfterOf } from "../../scripts/backup/patience.mjs";
import { overHttp } from "../../scripts/backup/remote.mjs";
import { presentIn } from "../../scripts/backup/restore.mjs";
import { readDeployment } from "../../scripts/service/deployment.mjs";

/*
 * What backup and restore do with `--remote`: the same calls over Cloudflare's HTTP API, and over the bindings of R2. The tests have no
 * account: a local server with recorded answers takes the place of the API, and local buckets of Cloudflare's runtime take the place of R2.
 * A bucket that fails has R2's own messages.
 */

const stateDir = mkdtempSync(join(tmpdir(), "remote-commands-"));
afterAll(() => rmSync(stateDir, { recursive: true, force: true }));
const target = { stateDir, remote: false };

async function serve(answer: (...given: Parameters<RequestListener>) => Promise<void>): Promise<string> {
  const server = createServer((...given) => void answer(...given));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/raw`;
}

/** An API that gives these answers before it works: statuses with their Retry-After. */
async function apiAfter(failures: [status: number, retryAfter: string | null][]) {
  const asked: { authorization: string | undefined; body: string }[] = [];
  const address = await serve(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    asked.push({ authorization: request.headers.authorization, body });
    const failure = failures[asked.length - 1];
    if (failure !== undefined) {
      const [status, after] = failure;
      response.writeHead(status, after === null ? {} : { "retry-after": after }).end("{}");
      return;
    }
    const result = [{ results: { columns: ["n"], rows: [[1], [2]] }, success: true, meta: {} }];
    response.end(JSON.stringify({ success: true, errors: [], messages: [], result }));
  });
  const waits: number[] = [];
  return { asked, waits, database: overHttp(address, "a token", async (ms: number) => void waits.push(ms)) };
}

const ASKED = [{ sql: "SELECT ?1 AS n", params: [1] }];

describe("a batch over the HTTP API of D1", () => {
  test("is sent again after 429 and 5xx, not before the time of Retry-After", async () => {
    const { asked, waits, database } = await apiAfter([
      [429, "7"],
      [503, null],
      [500, "1"],
    ]);
    expect(await database.batch(ASKED)).toEqual([[{ n: 1 }, { n: 2 }]]);
    expect(waits).toEqual([7_000, 4_000, 8_000]);
    expect(new Set(asked.map(({ body }) => body)).size).toBe(1);
    expect(asked[0]).toEqual({
      authorization: "Bearer a token",
      body: JSON.stringify({ batch: [{ sql: "SELECT ?1 AS n", params: ["1"] }] }),
    });
  });

  test("is given up after five tries, and at once if the pause would be long", async () => {
    const busy = await apiAfter(Array.from({ length: 9 }, () => [503, null] as [number, null]));
    await expect(busy.database.batch(ASKED)).rejects.toThrow("D1 did not answer: 503");
    expect(busy.asked).toHaveLength(5);
    const tomorrow = await apiAfter([[429, "86400"]]);
    await expect(tomorrow.database.batch(ASKED)).rejects.toThrow("D1 did not answer: 429");
    expect(tomorrow.asked).toHaveLength(1);
  });

  test("is not sent again when D1 refuses it", async () => {
    let times = 0;
    const address = await serve(async (_, response) => {
      times++;
      response.statusCode = 400;
      response.end(JSON.stringify({ success: false, errors: [{ code: 7500, message: "no such table: nowhere" }] }));
    });
    await expect(overHttp(address, "").batch(ASKED)).rejects.toThrow("no such table: nowhere");
    expect(times).toBe(1);
  });
});

test("Retry-After has seconds or a date", () => {
  const now = Date.parse("2026-11-30T12:00:00Z");
  expect(retryAfterOf("3", now)).toBe(3_000);
  expect(retryAfterOf("Mon, 30 Nov 2026 12:00:09 GMT", now)).toBe(9_000);
  expect(retryAfterOf("Mon, 30 Nov 2026 11:00:00 GMT", now)).toBe(0);
  expect(retryAfterOf("soon", now)).toBeNull();
  expect(retryAfterOf(null, now)).toBeNull();
});

/** A bucket of which each call fails once in these words before it works. */
function failingOnce<T extends object>(of: T, message: string, failed = new Set<string>()): T {
  return new Proxy(of, {
    get(on, name) {
      const method = Reflect.get(on, name, on) as unknown;
      if (typeof method !== "function") return method;
      return async (...given: unknown[]) => {
        const call = `${String(name)} ${JSON.stringify(given.filter((value) => typeof value !== "object"))}`;
        if (!["complete", "abort"].includes(String(name)) && !failed.has(call)) {
          failed.add(call);
          throw new Error(message);
        }
        const answer = (await Reflect.apply(method, on, given)) as object;
        return name === "createMultipartUpload" ? failingOnce(answer, message, failed) : answer;
      };
    },
  });
}

describe("a bucket", () => {
  const LARGE = 20 * 1024 * 1024;

  test.each([
    "put: We encountered an internal error. Please try again. (10001)",
    "put: Please reduce your request rate for this object. (10058)",
    "Network connection lost.",
  ])("that does not answer each call at first gets and gives everything, in pieces: %s", async (message) => {
    await withBucket(target, async (real) => {
      const waits: number[] = [];
      const wait = async (ms: number) => void waits.push(ms);
      const bucket: R2Bucket = patientBucket(failingOnce(real, message), "backups", wait);
      const bytes = randomBytes(LARGE);
      let largest = 0;
      const source = {
        name: "large",
        size: LARGE,
        read: async (offset: number, length: number) => {
          largest = Math.max(largest, length);
          return new Uint8Array(bytes.subarray(offset, offset + length));
        },
      };
      await putBytes(bucket, "large", source, undefined);
      await putBytes(bucket, "small", { ...source, size: 9 }, undefined);
      expect((await bucket.head("large"))?.size).toBe(LARGE);
      const pieces: Uint8Array[] = [];
      for await (const piece of piecesOf(inBucket(bucket, "large", LARGE), undefined)) pieces.push(piece);
      expect(Buffer.compare(Buffer.concat(pieces), bytes)).toBe(0);
      expect(pieces.length).toBeGreaterThan(2);
      expect(largest).toBeLessThan(LARGE / 2);
      expect((await bucket.list({ prefix: "" })).objects.map(({ key }) => key).sort()).toEqual(["large", "small"]);
      await bucket.delete(["large", "small"]);
      expect((await real.list()).objects).toEqual([]);
      expect(waits.length).toBeGreaterThan(6);
    });
  });

  test("that refuses a call is not asked again, and one that never answers is named", async () => {
    let calls = 0;
    const always = (message: string) =>
      ({
        put: async () => {
          calls++;
          throw new Error(message);
        },
      }) as unknown as R2Bucket;
    const put = (message: string) => patientBucket(always(message), "backups", async () => {}).put("key", "x");
    await expect(put("put: Your metadata headers exceed the maximum. (10012)")).rejects.toThrow("10012");
    expect(calls).toBe(1);
    await expect(put("Network connection lost.")).rejects.toThrow("The bucket backups did not answer");
    expect(calls).toBe(6);
  });
});

test("a restore asks before it writes to a bucket that has objects, and names the bucket", async () => {
  const schema = readdirSync("migrations")
    .sort()
    .map((name) => readFileSync(join("migrations", name), "utf8"));
  const directory = await openFile(join(stateDir, "empty.sqlite"), { schema });
  const opened = {
    directory,
    directoryName: "first",
    workspaces: new Map([["first", directory]]),
    open: [],
    close() {},
  };
  const { bucket_name: name } = readDeployment().bucket;
  try {
    await withBuckets(target, async (bucketOf) => {
      expect(await presentIn(opened, target, bucketOf)).toBeNull();
      await bucketOf("first").put("something", "x");
      expect(await presentIn(opened, target, bucketOf)).toBe(`There are objects in the bucket ${name}.`);
    });
    await directory.batch([
      {
        sql: "INSERT INTO users (id, email, display_name, created_at) VALUES ('u', 'u@people.test', 'U', 0)",
        params: [],
      },
    ]);
    await withBuckets(target, async (bucketOf) => {
      expect(await presentIn(opened, target, bucketOf)).toContain("There are accounts in");
    });
  } finally {
    directory.close();
  }
});
