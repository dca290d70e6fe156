import { SECOND } from "../time";

/**
 * The messages of an error and its causes. Drizzle's own message is left out: it repeats the values of the statement.
 */
function messages(thrown: unknown): string {
  const found: string[] = [];
  for (let at: unknown = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (!at.message.startsWith("Failed query: ")) found.push(at.message);
  return found.join("\n");
}

/** The name of the guard that stopped a batch, or null if something else stopped it. */
export const failedGuard = (thrown: unknown): string | null => /app:([a-z0-9-]+)/.exec(messages(thrown))?.[1] ?? null;

/** Whether a unique index refused a row; `column` narrows it, written `table.column`. */
export const isUniqueViolation = (thrown: unknown, column?: string): boolean =>
  new RegExp(`UNIQUE constraint failed: [^:]*${column === undefined ? "" : column.replace(".", "\\.")}`).test(
    messages(thrown),
  );

/** Whether a foreign key refused a row: its parent does not exist, or a child still exists. */
export const isForeignKeyViolation = (thrown: unknown): boolean =>
  messages(thrown).includes("FOREIGN KEY constraint failed");

/** Messages of D1, Durable Objects and R2 while they are unavailable for a short time. */
const OUTAGE = new RegExp(
  [
    "overloaded",
    "too many requests queued",
    "requests queued for too long",
    "network connection lost",
    "reset because its code was updated",
    "caused object to be reset",
    "limit and was reset",
    "cannot resolve D1 DB",
    "internal error in D1",
    "internal error while starting up D1",
    // Local development: another process, such as the seed of the demo, writes to the file of the database.
    "database is locked",
    // R2: internal error, unavailable, and an error without a code.
    String.raw`\((?:10001|10043)\)$`,
    String.raw`Unspecified error \(0\)$`,
  ].join("|"),
  "im",
);

/** Whether the database or the object store was unavailable: the same call can succeed a moment later. */
export const isOutage = (thrown: unknown): boolean => OUTAGE.test(messages(thrown));

/** Longest pause before the second try of a read, milliseconds; the pause is random, at least half of it. */
const MAX_RETRY_DELAY_MS = 0.2 * SECOND;

/** Runs `call`, and once more if it is safe to repeat and the database or the object store did not answer. */
export async function retryOnce<T>(isSafe: () => boolean, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    if (!isOutage(thrown) || !isSafe()) throw thrown;
  }
  await new Promise((resolve) => setTimeout(resolve, MAX_RETRY_DELAY_MS * (0.5 + Math.random() / 2)));
  return call();
}
