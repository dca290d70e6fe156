import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Refusal, ROOT } from "../setup/project.mjs";

/*
 * Repeats of calls of the account that it did not answer. Each call that is repeated here can run twice: it reads, or writes the same
 * again.
 */

/** @type {(ms: number) => Promise<unknown>} */
const sleep = (ms) => pause(ms);

const MAX_TRIES = 5;
const FIRST_PAUSE_MS = 2_000;
/** The longest pause that an answer can ask for, milliseconds. */
const MAX_PAUSE_MS = 120_000;

/** A call that was not answered. `retryAfterMs` is the pause that the answer asked for. */
export class Unanswered extends Error {
  constructor(message, retryAfterMs = null) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * The pause of a Retry-After header (RFC 9110, 10.2.3): seconds or a date.
 * @param {string | null} header
 * @returns {number | null} milliseconds; null without a valid one
 */
export function retryAfterOf(header, now = Date.now()) {
  if (header === null) return null;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/**
 * Runs a call, and again after a pause if it was not answered: a longer one each time, and at least the one that the answer asked for.
 * @param {string} what the part of the account, for the message
 * @param {() => Promise<T>} call
 * @param {(thrown: unknown) => boolean} mayRepeat
 * @param {(ms: number) => Promise<unknown>} wait
 * @template T
 * @throws Refusal after the last try
 */
export async function patiently(what, call, mayRepeat, wait = sleep) {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (thrown) {
      if (thrown instanceof Refusal || !mayRepeat(thrown)) throw thrown;
      const asked = thrown instanceof Unanswered ? (thrown.retryAfterMs ?? 0) : 0;
      if (tries === MAX_TRIES || asked > MAX_PAUSE_MS) throw new Refusal(`${what} did not answer: ${thrown.message}`);
      await wait(Math.max(FIRST_PAUSE_MS * 2 ** (tries - 1), asked));
    }
  }
}

/** Codes of R2 for calls that are wrong in themselves, as the service reads them. */
const PERMANENT = new Set(
  JSON.parse(readFileSync(join(ROOT, "src/platform/permanent-store-codes.json"), "utf8")).map(String),
);
const isOutage = (thrown) => !PERMANENT.has(/\((\d{5,6})\)/.exec(String(thrown?.message))?.[1] ?? "");

/** Calls of a bucket and of an upload in parts that can run twice. The end of an upload cannot: the restore runs again. */
const REPEATABLE = new Set(["head", "get", "put", "list", "delete", "createMultipartUpload", "uploadPart"]);

/**
 * A bucket whose calls are repeated while R2 does not answer.
 * @template {object} B
 * @param {B} bucket
 * @param {string} name of the bucket, for messages
 * @returns {B}
 */
export const patientBucket = (bucket, name, wait = sleep) =>
  new Proxy(bucket, {
    get(target, method) {
      const real = Reflect.get(target, method, target);
      if (typeof real !== "function") return real;
      if (!REPEATABLE.has(method)) return real.bind(target);
      return async (...given) => {
        const answer = await patiently(`The bucket ${name}`, () => real.apply(target, given), isOutage, wait);
        return method === "createMultipartUpload" ? patientBucket(answer, name, wait) : answer;
      };
    },
  });

/** Reads the bytes of a part of an object: again from the beginning, if the answer ends early. */
export const bytesOf = (bucket, key, range, wait = sleep) =>
  patiently(
    key,
    async () => {
      const found = await bucket.get(key, { range });
      if (found === null) throw new Refusal(`${key} was deleted while it was read.`);
      const bytes = new Uint8Array(await found.arrayBuffer());
      if (bytes.length !== range.length) throw new Unanswered(`${bytes.length} of ${range.length} bytes arrived`);
      return bytes;
    },
    isOutage,
    wait,
  );
