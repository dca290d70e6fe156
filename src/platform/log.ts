type Field = string | number | boolean | null | undefined;

/**
 * Writes one structured log line. Fields can contain ids, names from this code, counts and durations, but never a
 * secret, a token, a search term, a file name or an address of a person.
 */
export function log(level: "info" | "warn" | "error", event: string, fields: Record<string, Field> = {}): void {
  console[level](JSON.stringify({ level, event, ...fields }));
}

/** Removes the parameters that drizzle adds to the message of a failed statement: hashes, addresses, file names. */
const withoutParameters = ({ message }: Error): string => message.split("\nparams: ", 1)[0] ?? "";

/** The parts of an error that may be logged: its message and stack, both of limited length. */
export function describeFailure(thrown: unknown): { error: string; stack?: string } {
  if (!(thrown instanceof Error)) return { error: String(thrown).slice(0, 500) };
  const cause = thrown.cause instanceof Error ? ` (${withoutParameters(thrown.cause)})` : "";
  // The stack repeats the message in its first lines.
  const frames = thrown.stack?.split("\n").filter((line) => /^ +at /.test(line));
  return {
    error: `${withoutParameters(thrown).slice(0, 400)}${cause}`.slice(0, 500),
    stack: frames?.join("\n").slice(0, 2_000),
  };
}
