import {
  MAX_BATCH_BYTES,
  MAX_FUNCTION_ARGUMENTS,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGES_PER_BATCH,
  MAX_VALUE_BYTES,
} from "./limits";

/* Judges what the service gives to D1 and Queues, and what D1 answers. The errors have Cloudflare's own words. */

const encoder = new TextEncoder();

/** Bytes of a value of SQLite, at least exact from half of the largest size on; 0 for numbers and null. */
function sizeOf(value: unknown): number {
  if (typeof value === "string")
    return value.length * 6 <= MAX_VALUE_BYTES ? value.length : encoder.encode(value).length;
  // The binding makes a list of the bytes of a blob.
  if (Array.isArray(value)) return value.length;
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? value.byteLength : 0;
}

const tooBig = (): Error => new Error("D1_ERROR: string or blob too big: SQLITE_TOOBIG");

/** An INSERT of one row: the row has all its parameters. */
const ONE_ROW = /^\s*insert\b[^;]*\bvalues\s*\([^()]*\)\s*(?:on conflict|returning|$)/i;

export function requireValues(statement: string, values: readonly unknown[]): void {
  let all = 0;
  for (const value of values) {
    const size = sizeOf(value);
    if (size > MAX_VALUE_BYTES) throw tooBig();
    all += size;
  }
  if (all > MAX_VALUE_BYTES && ONE_ROW.test(statement)) throw tooBig();
}

/** Judges what SQLite made itself, such as a list of all rows as JSON. */
export function requireResults(rows: readonly unknown[] | undefined): void {
  for (const row of rows ?? [])
    for (const value of Object.values(row ?? {})) if (sizeOf(value) > MAX_VALUE_BYTES) throw tooBig();
}

/** The functions of SQLite that take any number of arguments. */
const VARIADIC =
  /\b(?:json_(?:object|array|insert|set|replace|remove|extract)|coalesce|max|min|char|printf|format|concat|concat_ws|iif)\s*\(/gi;

/** Whether a call in a statement has more arguments than D1 takes. */
function hasWideCall(statement: string): boolean {
  const bare = statement.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, "x");
  for (const { index, 0: name } of bare.matchAll(VARIADIC)) {
    let [depth, commas] = [1, 0];
    for (let at = index + name.length; depth > 0 && at < bare.length; at++) {
      if (bare[at] === "(") depth++;
      else if (bare[at] === ")") depth--;
      else if (bare[at] === "," && depth === 1) commas++;
    }
    if (commas >= MAX_FUNCTION_ARGUMENTS) return true;
  }
  return false;
}

/** Statements without a wide call. Each text is read once. */
const narrow = new Set<string>();
const MAX_KEPT = 5_000;

export function requireStatement(statement: string): void {
  if (narrow.has(statement)) return;
  if (hasWideCall(statement)) throw new Error("D1_ERROR: too many arguments on function: SQLITE_ERROR");
  if (narrow.size < MAX_KEPT) narrow.add(statement);
}

/** Bytes of the body of a message, which is sent as JSON. */
const bodySize = (body: unknown): number =>
  body instanceof ArrayBuffer || ArrayBuffer.isView(body)
    ? body.byteLength
    : encoder.encode(JSON.stringify(body) ?? "").length;

/** @returns the bytes of the message. @throws if it is too large */
export function requireMessage(body: unknown): number {
  const size = bodySize(body);
  if (size > MAX_MESSAGE_BYTES)
    throw new Error(`Queue send failed: message length of ${size} bytes exceeds limit of ${MAX_MESSAGE_BYTES}`);
  return size;
}

/** @throws if the messages of one `sendBatch` are too many or too large together */
export function requireMessages(bodies: readonly unknown[]): void {
  if (bodies.length > MAX_MESSAGES_PER_BATCH)
    throw new Error(
      `Queue sendBatch failed: batch message count of ${bodies.length} exceeds limit of ${MAX_MESSAGES_PER_BATCH}`,
    );
  let all = 0;
  for (const body of bodies) all += requireMessage(body);
  if (all > MAX_BATCH_BYTES)
    throw new Error(`Queue sendBatch failed: batch size of ${all} bytes exceeds limit of ${MAX_BATCH_BYTES}`);
}
