import { AsyncLocalStorage } from "node:async_hooks";
import type { Caller, CredentialRef } from "./caller";
import { newId } from "./ids";
import { measure } from "./metrics";

type Field = string | number | boolean | null | undefined;

/** The kinds of caller in the log. `service`: a timer of the service, or a message between its parts. */
const LOGGED_CALLERS = {
  session: "person",
  external: "person",
  user: "person",
  pat: "token",
  device: "device",
  share: "share-link",
  anonymous: "anonymous",
  system: "service",
} as const satisfies Record<Caller["kind"] | CredentialRef["kind"], string>;
type LoggedCaller = (typeof LOGGED_CALLERS)[keyof typeof LOGGED_CALLERS] | "job";

/** The cause of a log line. Each line has these fields. */
export interface LogOrigin {
  /** The id of the request. A job has the id of the request that queued it. */
  requestId: string;
  /** The id of the organization, or of the owner of a personal workspace. Null where none is known. */
  workspace: string | null;
  caller: LoggedCaller;
  /** The trace id of the request's `traceparent`. It is in log lines and in messages, and no code decides by it. */
  trace?: string;
}

const origins = new AsyncLocalStorage<LogOrigin>();

/** The origin of the work that runs now. Undefined outside of requests, jobs and timers. */
export const currentOrigin = (): LogOrigin | undefined => origins.getStore();

/** Runs work whose log lines have this origin. Without one, the work is the service's own and gets an id of its own. */
export const withOrigin = <T>(origin: LogOrigin | undefined, work: () => T): T =>
  origins.run(origin === undefined ? { requestId: newId(), workspace: null, caller: "service" } : { ...origin }, work);

/** Adds the caller of a request to its log lines from here on. The caller of a job stays a job. */
export function noteCaller(kind: keyof typeof LOGGED_CALLERS): void {
  const origin = currentOrigin();
  if (origin?.caller === "anonymous") origin.caller = LOGGED_CALLERS[kind];
}

/**
 * Adds the workspace to the log lines of the work that runs now. The first workspace of a request counts. A job has the workspace
 * of its row: a job of the whole service works on many.
 */
export function noteWorkspace(tenantId: string): void {
  const origin = currentOrigin();
  if (origin !== undefined && origin.caller !== "job") origin.workspace ??= tenantId;
}

/**
 * The trace id of a `traceparent` header (W3C Trace Context); undefined if it has another form. Later versions of the form
 * can have more fields.
 */
export function traceOf(traceparent: string | undefined): string | undefined {
  const [, version, trace, parent, , more] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.{0,200})?$/.exec(traceparent ?? "") ?? [];
  if (trace === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  return /^0+$/.test(trace) || /^0+$/.test(parent ?? "") ? undefined : trace;
}

const UNKNOWN: Omit<LogOrigin, "requestId"> & { requestId: null } = {
  requestId: null,
  workspace: null,
  caller: "service",
};

/**
 * Writes one structured log line, with the origin of the work, and counts it if it is one of the measured events. Fields can contain ids, names from this code, counts and
 * durations, but never a secret, a token, a search term, a file name or an address of a person.
 */
export function log(level: "info" | "warn" | "error", event: string, fields: Record<string, Field> = {}): void {
  const line = { level, event, ...fields, ...(currentOrigin() ?? UNKNOWN) };
  console[level](JSON.stringify(line));
  measure(line);
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
