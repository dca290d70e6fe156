import { env } from "cloudflare:workers";

/** Failures of D1 in Cloudflare's own words, and two that nobody has seen yet. All of them pass. */
export const OUTAGES = [
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
  "Network connection lost.",
  "D1_ERROR: D1 DB reset because its code was updated.",
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
  "D1_ERROR: database is locked: SQLITE_BUSY",
  "internal error; reference = 0f3kq1v9a2s8d7f6g5h4j3k2",
  "D1_ERROR: internal error; reference = 0f3kq1v9a2s8d7f6g5h4j3k2",
  "D1_ERROR: Currently processing a long-running export.",
  "D1_ERROR: Currently processing a long-running import.",
  "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  "D1_ERROR: Failed to parse body as JSON, got: error code: 1031",
  "D1_ERROR: disk I/O error: SQLITE_IOERR",
  "D1_ERROR: the database took a coffee break",
  "A failure that no list contains.",
] as const;

/** Failures of R2, Queues and Durable Objects in Cloudflare's own words. All of them pass. */
const STORE_OUTAGES = [
  "get: We encountered an internal error. Please try again. (10001)",
  "put: Please reduce your request rate for this object. (10058)",
  "Network connection lost.",
] as const;
const QUEUE_OUTAGES = [
  "Queue sendBatch failed: Too Many Requests",
  "Queue sendBatch failed: Internal Server Error",
] as const;
const OBJECT_OUTAGES = [
  "Network connection lost.",
  "Durable Object reset because its code was updated.",
  "Durable Object is overloaded. Too many requests queued.",
  "internal error; reference = 0f3kq1v9a2s8d7f6g5h4j3k2",
] as const;

/**
 * The database with an outage: `fails` decides for each statement that is sent, with its text and its number from 1,
 * whether it fails with `message`.
 */
export function failingDatabase(
  message: string | (() => string),
  fails: (text: string, call: number) => boolean,
  database: D1Database = env.DB,
) {
  let calls = 0;
  let failures = 0;
  const ask = (text: string) => {
    calls++;
    if (!fails(text, calls)) return;
    failures++;
    throw new Error(typeof message === "string" ? message : message());
  };
  const texts = new WeakMap<D1PreparedStatement, string>();
  const wrapped = (statement: D1PreparedStatement, text: string): D1PreparedStatement => {
    texts.set(statement, text);
    return new Proxy(statement, {
      get(target, name) {
        if (name === "inner") return target;
        if (name === "bind") return (...values: unknown[]) => wrapped(target.bind(...values), text);
        const method = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...given: unknown[]) => {
          ask(text);
          return method.apply(target, given);
        };
      },
    });
  };
  const session = (constraint?: string) => {
    const real = database.withSession(constraint);
    return {
      prepare: (text: string) => wrapped(real.prepare(text), text),
      batch: async (statements: (D1PreparedStatement & { inner: D1PreparedStatement })[]) => {
        ask(statements.map(({ inner }) => texts.get(inner) ?? "").join(";\n"));
        return real.batch(statements.map(({ inner }) => inner));
      },
      getBookmark: () => real.getBookmark(),
    };
  };
  return {
    DB: { withSession: session } as unknown as D1Database,
    calls: () => calls,
    failures: () => failures,
  };
}

type Method = (...given: unknown[]) => Promise<unknown>;

/** A binding whose calls of these methods fail when `strike` throws, before they are sent or after they have worked. */
const struck = <T extends object>(binding: T, methods: RegExp, strike: () => void): T =>
  new Proxy(binding, {
    get(target, name) {
      const method = Reflect.get(target, name, target) as Method;
      if (typeof method !== "function") return method;
      if (!methods.test(String(name))) return method.bind(target);
      return async (...given: unknown[]) => {
        strike();
        const answer = await Reflect.apply(method, target, given);
        // The object store has worked, and its answer is lost.
        if (methods.test("put")) strike();
        return answer;
      };
    },
  });

/** A namespace of Durable Objects whose objects fail when `strike` throws. */
const struckObjects = <T extends object>(namespace: T, strike: () => void): T =>
  new Proxy(namespace, {
    get(target, name) {
      const method = Reflect.get(target, name, target) as (...given: unknown[]) => object;
      if (typeof method !== "function") return method;
      if (name !== "get" && name !== "getByName") return method.bind(target);
      return (...given: unknown[]) => struck(method.apply(target, given), /^[a-z]\w*$/, strike);
    },
  });

/**
 * The bindings in a storm: each call fails with this probability, in one of Cloudflare's texts. The same seed gives the same storm
 * to the same calls.
 * @param share 0 to 1
 */
export function stormyBindings(seed: number, share: number) {
  let state = seed >>> 0;
  let failures = 0;
  // mulberry32
  const random = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const textOf = (texts: readonly string[]): string => texts[Math.floor(random() * texts.length)] ?? "";
  const strike = (texts: readonly string[]) => () => {
    if (random() >= share) return;
    failures++;
    throw new Error(textOf(texts));
  };
  const database = failingDatabase(
    () => textOf(OUTAGES),
    () => random() < share,
  );
  const queue = (name: "LIVE_JOBS" | "JOBS" | "EXTRACTION_JOBS" | "VERIFICATION_JOBS" | "PRINTING_JOBS") =>
    struck(env[name], /^sendBatch$/, strike(QUEUE_OUTAGES));
  return {
    bindings: {
      DB: database.DB,
      BUCKET: struck(env.BUCKET, /^(?:head|get|put|delete|list)$/, strike(STORE_OUTAGES)),
      LIVE_JOBS: queue("LIVE_JOBS"),
      JOBS: queue("JOBS"),
      EXTRACTION_JOBS: queue("EXTRACTION_JOBS"),
      VERIFICATION_JOBS: queue("VERIFICATION_JOBS"),
      PRINTING_JOBS: queue("PRINTING_JOBS"),
      HUB_SHARD: struckObjects(env.HUB_SHARD, strike(OBJECT_OUTAGES)),
      HUB_LOCATION: struckObjects(env.HUB_LOCATION, strike(OBJECT_OUTAGES)),
      REPORT_ROOM: struckObjects(env.REPORT_ROOM, strike(OBJECT_OUTAGES)),
    },
    failures: () => failures + database.failures(),
  };
}
