import { messagesOf } from "./db/failures";
import { DomainError } from "./errors";
import { describeFailure, log } from "./log";
import permanentCodes from "./permanent-store-codes.json";
import { SECOND } from "./time";

/**
 * Failures of D1 that a repeat of the same statement meets again: SQLite's result codes, and SQLite's and D1's own words for a
 * wrong statement or value. All other failures are an outage: Cloudflare adds new texts for them without notice.
 */
const PERMANENT_IN_DATABASE = new RegExp(
  [
    String.raw`\bSQLITE_(?:ERROR|CONSTRAINT|TOOBIG|MISMATCH|MISUSE|AUTH|RANGE|READONLY)`,
    String.raw`\bapp:[a-z0-9-]+`,
    "^D1_(?:TYPE_ERROR|COLUMN_NOTFOUND|EXEC_ERROR)",
    "constraint failed",
    "datatype mismatch",
    "syntax error",
    "incomplete input",
    "no such (?:table|column|function|index|view|module)",
    "has no column named",
    "ambiguous column name",
    "too many (?:SQL variables|terms|columns|arguments)",
    "wrong number of (?:parameter bindings|arguments)",
    "string or blob too big",
    "statement too long",
    "pattern too complex",
    "malformed JSON",
    "not authorized",
  ].join("|"),
  "im",
);

/** D1 refuses a write because the database has its largest size. */
const DATABASE_FULL = /exceeded maximum DB size|database or disk is full|SQLITE_FULL/i;

/** Codes of R2 for requests that are wrong in themselves (developers.cloudflare.com/r2/api/error-codes). */
const PERMANENT_IN_STORE = new Set(permanentCodes.map(String));

/** The start of the message of an `Outage`. It is all that another isolate sees of the error. */
const OUTAGE_PREFIX = "outage of the ";

/** A part of the service that a call of a binding needs. */
export type Part = "database" | "object store" | "durable object";

/** A part of the service did not answer: the same call can succeed a moment later. */
class Outage extends Error {
  constructor(part: Part, cause: unknown) {
    super(`${OUTAGE_PREFIX}${part}: ${messagesOf(cause).slice(0, 400)}`, { cause });
    this.name = "Outage";
  }
}

/** Whether a part of the service was unavailable: the same call can succeed a moment later. */
export function isOutage(thrown: unknown): boolean {
  for (let at: unknown = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at.message.startsWith(OUTAGE_PREFIX)) return true;
  return false;
}

/** Whether an error comes from the code of this service, and not from the part that it called. */
const isOwn = (thrown: unknown): boolean =>
  thrown instanceof DomainError || thrown instanceof TypeError || thrown instanceof RangeError;

const isPermanent: Readonly<Record<Part, (thrown: unknown) => boolean>> = {
  database: (thrown) => PERMANENT_IN_DATABASE.test(messagesOf(thrown)),
  "object store": (thrown) => PERMANENT_IN_STORE.has(/\((\d{5,6})\)$/m.exec(messagesOf(thrown))?.[1] ?? ""),
  // The object's own code threw an error with `remote`, unless it was restarted or is overloaded meanwhile.
  "durable object": (thrown) =>
    thrown instanceof Error &&
    "remote" in thrown &&
    thrown.remote === true &&
    !("retryable" in thrown && thrown.retryable),
};

/** The refusal of a write while the database has no room. */
function databaseFull(cause: unknown): DomainError {
  log("error", "database.full", describeFailure(cause));
  return new DomainError(
    "storage-full",
    "The database of this service has no room. Its operator is told. Send the request again later.",
    { retryAfter: FULL_RETRY_SECONDS, cause },
  );
}

/** `Retry-After` while the database has no room. */
const FULL_RETRY_SECONDS = 300;

/**
 * Runs a call of a binding.
 * @throws Outage for every failure that is not known to be permanent; DomainError storage-full if the database has no room;
 * permanent failures unchanged
 */
export async function reach<T>(part: Part, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    if (isOwn(thrown) || isOutage(thrown)) throw thrown;
    if (part === "database" && DATABASE_FULL.test(messagesOf(thrown))) throw databaseFull(thrown);
    throw isPermanent[part](thrown) ? thrown : new Outage(part, thrown);
  }
}

/** Longest pause before the second try of a read, milliseconds; the pause is random, at least half of it. */
const MAX_RETRY_DELAY_MS = 0.2 * SECOND;

/** Runs `call` like `reach`, and once more if it is safe to repeat and the part did not answer. */
export async function retryOnce<T>(part: Part, isSafe: () => boolean, call: () => Promise<T>): Promise<T> {
  try {
    return await reach(part, call);
  } catch (thrown) {
    if (!isOutage(thrown) || !isSafe()) throw thrown;
  }
  await new Promise((resolve) => setTimeout(resolve, MAX_RETRY_DELAY_MS * (0.5 + Math.random() / 2)));
  return reach(part, call);
}
