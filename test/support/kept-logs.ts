import { afterEach, beforeEach } from "vitest";

/*
 * Keeps the log lines of a test and prints them only if the test fails. Vitest's `silent: "passed-only"` prints the same lines, but
 * sends each line to another process first, which took a twentieth of the CPU of the tests.
 */

/** The last lines tell why a test failed. */
const MAX_KEPT_LINES = 200;

const LEVELS = ["debug", "info", "log", "warn", "error"] as const;
type Level = (typeof LEVELS)[number];

/** The functions that print. The files of a runtime share a console, so each file would keep the functions of the file before. */
const shared = console as Console & { print?: Pick<Console, Level> };
shared.print ??= {
  debug: console.debug,
  info: console.info,
  log: console.log,
  warn: console.warn,
  error: console.error,
};
const { print } = shared;

let lines: { level: Level; said: unknown[] }[] = [];

for (const level of LEVELS)
  console[level] = (...said: unknown[]) => {
    if (lines.push({ level, said }) >= 2 * MAX_KEPT_LINES) lines = lines.slice(-MAX_KEPT_LINES);
  };

beforeEach(() => {
  lines = [];
});

afterEach(({ task }) => {
  if (task.result?.state === "fail") for (const { level, said } of lines.slice(-MAX_KEPT_LINES)) print[level](...said);
});
