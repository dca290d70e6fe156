/** The messages of a thrown thing and its causes: drizzle wraps what D1 says. */
function messages(thrown: unknown): string {
  const found: string[] = [];
  for (let at: unknown = thrown; at instanceof Error && found.length < 5; at = at.cause) found.push(at.message);
  return found.join("\n");
}

/** The name given to the guard that stopped a batch, or null when something else did. */
export const failedGuard = (thrown: unknown): string | null => /app:([a-z0-9-]+)/.exec(messages(thrown))?.[1] ?? null;

/** Whether a unique index refused a row; `column` narrows it, written `table.column`. */
export const isUniqueViolation = (thrown: unknown, column?: string): boolean =>
  new RegExp(`UNIQUE constraint failed: [^:]*${column === undefined ? "" : column.replace(".", "\\.")}`).test(
    messages(thrown),
  );

/** Whether a foreign key refused a row: its parent is gone, or a child is still there. */
export const isForeignKeyViolation = (thrown: unknown): boolean =>
  messages(thrown).includes("FOREIGN KEY constraint failed");
