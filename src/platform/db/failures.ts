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

/** Messages of D1 and Durable Objects while they are unavailable for a short time. */
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
  ].join("|"),
  "i",
);

/** Whether the database was unavailable: the same statement can succeed a moment later. */
export const isOutage = (thrown: unknown): boolean => OUTAGE.test(messages(thrown));
