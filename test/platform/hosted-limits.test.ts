import { env } from "cloudflare:workers";
import { expect, onTestFinished, test } from "vitest";
import {
  MAX_ATTACHMENT_BYTES,
  MAX_BATCH_BYTES,
  MAX_BOUND_PARAMETERS,
  MAX_FUNCTION_ARGUMENTS,
  MAX_KEY_BYTES,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGES_PER_BATCH,
  MAX_METADATA_BYTES,
  MAX_PATTERN_BYTES,
  MAX_PBKDF2_ITERATIONS,
  MAX_QUERIES_PER_INVOCATION,
  MAX_STATEMENT_BYTES,
  MAX_VALUE_BYTES,
  MIN_PART_BYTES,
} from "../support/hosted/limits";

/*
 * The bindings of the tests refuse what Cloudflare refuses, and accept what it accepts. The local runtime refuses some of it itself,
 * and `test/support/hosted/enforce.ts` the rest: each limit has a test, so that a later runtime cannot lose one unnoticed.
 */

const run = (statement: string, ...values: unknown[]) =>
  env.DB.prepare(statement)
    .bind(...values)
    .all();
const times = <T>(n: number, value: T): T[] => Array.from({ length: n }, () => value);

interface Limit {
  name: string;
  /** Does something of this size with a binding. */
  use: (size: number) => Promise<unknown>;
  most: number;
  refusal: RegExp;
}

const commented = (bytes: number) => `SELECT 1 /*${"x".repeat(bytes - "SELECT 1 /**/".length)}*/`;
const bytesOfMessage = (bytes: number) => "x".repeat(bytes - 2);
/** A message of a job that no row has: its consumer drops it. */
const nobody = { jobId: "018f0000-0000-7000-8000-000000000000" };

const DATABASE: readonly Limit[] = [
  {
    name: "bound parameters of a statement",
    use: (n) => run(`SELECT ${times(n, "?").join(", ")}`, ...times(n, 1)),
    most: MAX_BOUND_PARAMETERS,
    refusal: /too many SQL variables/,
  },
  {
    name: "bytes of a statement",
    use: (bytes) => run(commented(bytes)),
    most: MAX_STATEMENT_BYTES,
    refusal: /statement too long/,
  },
  {
    name: "bytes of a LIKE pattern",
    use: (bytes) => run("SELECT 'a' LIKE ?", "é".repeat(bytes / 2) + "x".repeat(bytes % 2)),
    most: MAX_PATTERN_BYTES,
    refusal: /pattern too complex/,
  },
  {
    name: "bytes of a GLOB pattern",
    use: (bytes) => run("SELECT 'a' GLOB ?", "x".repeat(bytes)),
    most: MAX_PATTERN_BYTES,
    refusal: /pattern too complex/,
  },
  {
    name: "arguments of a function",
    // A nested call has its own arguments.
    use: (n) => run(`SELECT coalesce(${times(n - 1, "NULL").join(", ")}, max(1, 2))`),
    most: MAX_FUNCTION_ARGUMENTS,
    refusal: /too many arguments/,
  },
  {
    name: "bytes of a text",
    use: (bytes) => run("SELECT length(?)", "é".repeat(bytes / 2) + "x".repeat(bytes % 2)),
    most: MAX_VALUE_BYTES,
    refusal: /string or blob too big/,
  },
  {
    name: "bytes of a blob",
    use: (bytes) => run("SELECT length(?)", new Uint8Array(bytes)),
    most: MAX_VALUE_BYTES,
    refusal: /string or blob too big/,
  },
  {
    name: "bytes of a new row",
    use: async (bytes) => {
      const half = "x".repeat(bytes / 2);
      const insert = "INSERT INTO guards (name, passed) VALUES (?, ?)";
      // The row is refused by its size before, or by its types after the size is accepted.
      await run(insert, half, half + "x".repeat(bytes % 2)).catch((thrown: Error) => {
        if (/too big/.test(thrown.message)) throw thrown;
      });
    },
    most: MAX_VALUE_BYTES,
    refusal: /string or blob too big/,
  },
  {
    name: "bytes of a text that a statement makes",
    use: (bytes) => run("SELECT hex(zeroblob(?)) || substr('x', 1, ?) AS made", Math.floor(bytes / 2), bytes % 2),
    most: MAX_VALUE_BYTES,
    refusal: /string or blob too big/,
  },
  {
    name: "queries of an invocation",
    use: async (n) => {
      const one = env.DB.withSession("first-primary");
      const ask = () => one.prepare("SELECT 1");
      await one.batch(times(n - 2, 0).map(ask));
      await ask().first();
      await ask().raw();
    },
    most: MAX_QUERIES_PER_INVOCATION,
    refusal: /too many API requests by single worker invocation/,
  },
];

const QUEUES: readonly Limit[] = [
  {
    name: "bytes of a message",
    use: async (bytes) => {
      await env.JOBS.send(bytesOfMessage(bytes));
      await env.JOBS.sendBatch([{ body: bytesOfMessage(bytes) }]);
    },
    most: MAX_MESSAGE_BYTES,
    refusal: /exceeds limit of 128000/,
  },
  {
    name: "messages of a batch",
    use: (n) => env.JOBS.sendBatch(times(n, { body: nobody })),
    most: MAX_MESSAGES_PER_BATCH,
    refusal: /message count of 101 exceeds limit/,
  },
  {
    name: "bytes of a batch",
    use: (bytes) => {
      const [first, second] = [100_000, bytes - 200_000];
      return env.JOBS.sendBatch([first, first, second].map((size) => ({ body: bytesOfMessage(size) })));
    },
    most: MAX_BATCH_BYTES,
    refusal: /batch size of 256001 bytes exceeds limit/,
  },
];

const OTHERS: readonly Limit[] = [
  {
    name: "bytes of a key of an object",
    use: async (bytes) => {
      const key = "k".repeat(bytes);
      onTestFinished(() => env.BUCKET.delete(key).catch(() => undefined));
      await env.BUCKET.put(key, "x");
    },
    most: MAX_KEY_BYTES,
    refusal: /\(10020\)/,
  },
  {
    name: "bytes of the metadata of an object",
    use: (bytes) => env.BUCKET.put("hosted-limits", "x", { customMetadata: { name: "x".repeat(bytes - 4) } }),
    most: MAX_METADATA_BYTES,
    refusal: /\(10012\)/,
  },
  {
    name: "bytes of the attachment of a WebSocket",
    use: async (bytes) => {
      const [socket] = Object.values(new WebSocketPair());
      // A serialized text has some bytes before it.
      socket?.serializeAttachment("x".repeat(bytes - 5));
    },
    most: MAX_ATTACHMENT_BYTES,
    refusal: /cannot be larger than 16384 bytes/,
  },
  {
    name: "iterations of PBKDF2",
    use: async (iterations) => {
      const key = await crypto.subtle.importKey("raw", new Uint8Array(8), "PBKDF2", false, ["deriveBits"]);
      const given = { name: "PBKDF2", hash: "SHA-256", salt: new Uint8Array(8), iterations };
      await crypto.subtle.deriveBits(given, key, 128);
    },
    most: MAX_PBKDF2_ITERATIONS,
    refusal: /above 100000 are not supported/,
  },
];

test.each([...DATABASE, ...QUEUES, ...OTHERS])(
  "the largest number of $name is accepted, one more is refused",
  async (limit) => {
    await limit.use(limit.most);
    await expect(limit.use(limit.most + 1).then(() => "accepted")).rejects.toThrow(limit.refusal);
  },
);

const upload = async (...sizes: number[]) => {
  const began = await env.BUCKET.createMultipartUpload("hosted-limits-parts");
  onTestFinished(() => env.BUCKET.delete("hosted-limits-parts"));
  const parts = [];
  for (const [n, size] of sizes.entries()) parts.push(await began.uploadPart(n + 1, new Uint8Array(size)));
  return (await began.complete(parts)).size;
};

test("parts of an object have at least 5 MiB and one size, but for the last", async () => {
  expect(await upload(MIN_PART_BYTES, MIN_PART_BYTES, 1)).toBe(2 * MIN_PART_BYTES + 1);
  await expect(upload(MIN_PART_BYTES - 1, 1)).rejects.toThrow("(10011)");
  await expect(upload(MIN_PART_BYTES, MIN_PART_BYTES + 1, 1)).rejects.toThrow("(10048)");
  await expect(upload(MIN_PART_BYTES, MIN_PART_BYTES + 1)).rejects.toThrow("(10048)");
});

test("a test's own questions are not counted as one invocation", async () => {
  for (let round = 0; round < 3; round++) await env.DB.batch(times(500, 0).map(() => env.DB.prepare("SELECT 1")));
});
