type Field = string | number | boolean | null | undefined;

/**
 * One structured log line. Fields carry ids, names of ours, counts and durations: never a secret,
 * a token, a search term, a file name or an address of a person.
 */
export function log(level: "info" | "warn" | "error", event: string, fields: Record<string, Field> = {}): void {
  console[level](JSON.stringify({ level, event, ...fields }));
}

/** drizzle writes a failed statement's parameters behind it: hashes, addresses, names of files. */
const withoutParameters = ({ message }: Error): string => message.split("\nparams: ", 1)[0] ?? "";

/** What of a thrown thing may be logged: its message and where it was thrown, both bounded. */
export function describeFailure(thrown: unknown): { error: string; stack?: string } {
  if (!(thrown instanceof Error)) return { error: String(thrown).slice(0, 500) };
  const cause = thrown.cause instanceof Error ? ` (${withoutParameters(thrown.cause)})` : "";
  // A stack begins with the message once more.
  const frames = thrown.stack?.split("\n").filter((line) => /^ +at /.test(line));
  return {
    error: `${withoutParameters(thrown).slice(0, 400)}${cause}`.slice(0, 500),
    stack: frames?.join("\n").slice(0, 2_000),
  };
}
