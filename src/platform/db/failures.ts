/**
 * The messages of an error and its causes. Drizzle's own message is left out: it repeats the values of the statement.
 */
export function messagesOf(thrown: unknown): string {
  const found: string[] = [];
  for (let at: unknown = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (!at.message.startsWith("Failed query: ")) found.push(at.message);
  return found.join("\n");
}

/** The name of the guard that stopped a batch, or null if something else stopped it. */
export const failedGuard = (thrown: unknown): string | null => /app:([a-z0-9-]+)/.exec(messagesOf(thrown))?.[1] ?? null;

/** Whether a unique index refused a row; `column` narrows it, written `table.column`. */
export const isUniqueViolation = (thrown: unknown, column?: string): boolean =>
  new RegExp(`UNIQUE constraint failed: [^:]*${column === undefined ? "" : column.replace(".", "\\.")}`).test(
    messagesOf(thrown),
  );
