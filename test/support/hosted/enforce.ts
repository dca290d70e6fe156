import { requireMessage, requireMessages, requireResults, requireStatement, requireValues } from "./judge";
import { MAX_PBKDF2_ITERATIONS, MAX_QUERIES_PER_INVOCATION } from "./limits";

/*
 * The limits of the hosted service that the local runtime does not know, over the classes of the bindings: every request, job and
 * Durable Object of this isolate meets them. `npm test` has them always, and `npm start` with HOSTED_LIMITS=1.
 */

type Method = (...given: unknown[]) => unknown;

/** Puts a function around a method of a class of the runtime. */
function around(
  prototype: object,
  name: string,
  wrapper: (self: object, real: Method, given: unknown[]) => unknown,
): void {
  const methods = prototype as Record<string, Method>;
  const real = methods[name];
  if (real === undefined) throw new Error(`the runtime has no ${name} any more: look at it again`);
  methods[name] = function (this: object, ...given) {
    return wrapper(this, (...passed) => real.apply(this, passed), given);
  };
}

/** A prepared statement of the runtime. */
interface Prepared {
  statement: string;
  params?: unknown[];
  dbSession: object;
}

function judge({ statement, params = [] }: Prepared): void {
  requireStatement(statement);
  requireValues(statement, params);
}

/**
 * The queries of each session that the service opened. It opens one for each request, batch of a queue, alarm and event of a Durable
 * Object. A session of a test's own questions has no entry.
 */
const queries = new WeakMap<object, number>();

function countQueries(session: object, added: number): void {
  const before = queries.get(session);
  if (before === undefined) return;
  if (before + added > MAX_QUERIES_PER_INVOCATION)
    throw new Error("D1_ERROR: too many API requests by single worker invocation: SQLITE_ERROR");
  queries.set(session, before + added);
}

function enforceDatabase(database: D1Database): void {
  around(Object.getPrototypeOf(database), "withSession", (_, real, given) => {
    const session = real(...given) as object;
    queries.set(session, 0);
    return session;
  });
  around(Object.getPrototypeOf(database.withSession()), "batch", async (session, real, given) => {
    const statements = given[0] as Prepared[];
    countQueries(session, statements.length);
    for (const prepared of statements) judge(prepared);
    const results = (await real(...given)) as D1Result[];
    for (const { results: rows } of results) requireResults(rows);
    return results;
  });
  const statement = Object.getPrototypeOf(database.prepare("SELECT 1")) as object;
  for (const name of ["all", "run", "first", "raw"])
    around(statement, name, async (self, real, given) => {
      const prepared = self as Prepared;
      countQueries(prepared.dbSession, 1);
      judge(prepared);
      const answer = await real(...given);
      if (name === "first") requireResults([answer]);
      else requireResults(Array.isArray(answer) ? answer : (answer as D1Result).results);
      return answer;
    });
}

function enforceQueue(queue: Queue): void {
  const prototype = Object.getPrototypeOf(queue) as object;
  around(prototype, "send", async (_, real, given) => {
    requireMessage(given[0]);
    return real(...given);
  });
  around(prototype, "sendBatch", async (_, real, given) => {
    const messages = [...(given[0] as Iterable<MessageSendRequest>)];
    requireMessages(messages.map(({ body }) => body));
    return real(messages, ...given.slice(1));
  });
}

/** The sizes of the parts of each multipart upload, by number. */
const parts = new WeakMap<object, Map<number, number>>();

const partSize = (value: unknown): number =>
  typeof value === "string" ? new TextEncoder().encode(value).length : ((value as ArrayBufferView).byteLength ?? 0);

/** The runtime judges the least size of a part. R2 also wants equal parts. */
function enforceBucket(bucket: R2Bucket): void {
  const prototype = Object.getPrototypeOf(bucket.resumeMultipartUpload("key", "upload")) as object;
  around(prototype, "uploadPart", (upload, real, given) => {
    const sizes = parts.get(upload) ?? new Map<number, number>();
    sizes.set(given[0] as number, partSize(given[1]));
    parts.set(upload, sizes);
    return real(...given);
  });
  around(prototype, "complete", async (upload, real, given) => {
    const sizes = parts.get(upload) ?? new Map<number, number>();
    const numbers = (given[0] as R2UploadedPart[]).map(({ partNumber }) => partNumber).sort((a, b) => a - b);
    const last = numbers.pop() ?? 0;
    const [first = 0, ...others] = numbers.map((number) => sizes.get(number) ?? 0);
    if (others.some((size) => size !== first) || (numbers.length > 0 && (sizes.get(last) ?? 0) > first))
      throw new Error("completeMultipartUpload: All non-trailing parts must have the same length. (10048)");
    return real(...given);
  });
}

function enforceCrypto(): void {
  for (const name of ["deriveBits", "deriveKey"])
    around(Object.getPrototypeOf(crypto.subtle), name, async (_, real, given) => {
      const { name: algorithm, iterations = 0 } = given[0] as { name?: string; iterations?: number };
      if (algorithm?.toUpperCase() === "PBKDF2" && iterations > MAX_PBKDF2_ITERATIONS)
        throw new DOMException(
          `Pbkdf2 failed: iteration counts above ${MAX_PBKDF2_ITERATIONS} are not supported (requested ${iterations}).`,
          "NotSupportedError",
        );
      return real(...given);
    });
}

/** The isolate has the limits. Each file of tests loads this module again, so the isolate itself keeps it. */
const isolate = globalThis as { hasHostedLimits?: boolean };

/** Enforces the limits in this isolate, once. */
export function enforceHostedLimits({ DB, BUCKET, JOBS }: Pick<Cloudflare.Env, "DB" | "BUCKET" | "JOBS">): void {
  if (isolate.hasHostedLimits === true) return;
  isolate.hasHostedLimits = true;
  enforceDatabase(DB);
  enforceQueue(JOBS);
  enforceBucket(BUCKET);
  enforceCrypto();
}
