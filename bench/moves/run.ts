import { startVitest } from "vitest/node";
import { machine, table, writeSection } from "../support/results.ts";

/** The wait between the switch and the first change, seconds: `ROUTES_END_MS` of the mover. */
const WAIT_SECONDS = 6;
/** The longest time for which such a move may close an organization, seconds. */
const LONGEST_SECONDS = 120;

const vitest = await startVitest("test", [], { config: "bench/moves/vitest.config.mts", watch: false });
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
const { compared, seconds, slices, rows } = Object.assign({}, ...tests.map((test) => test.meta()));
const isMeasured =
  tests.every((test) => test.result().state === "passed") && seconds !== undefined && rows !== undefined;
if (isMeasured) {
  const closed =
    (seconds["rows, sums and index"] ?? 0) + (seconds["opening, without the wait for routes"] ?? 0) + WAIT_SECONDS;
  writeSection(
    "Moves",
    `${machine()}. An organization with ${rows.captures.toLocaleString("en-US")} images of four cameras and ${rows.passages.toLocaleString("en-US")} passages of 150 words moves
from one local D1 database to another, in workerd, ${slices} slices. Closed to changes for ${closed.toFixed(0)} s, with the ${WAIT_SECONDS} s in which
routes end; at most ${LONGEST_SECONDS} s are wanted. Between two local buckets, ${Math.round(compared).toLocaleString("en-US")} objects are compared in a second.

${table(
  ["step", "time"],
  Object.entries(seconds as Record<string, number>).map(([step, time]) => [step, `${time.toFixed(1)} s`]),
)}`,
  );
}
await vitest.close();
process.exit(isMeasured ? 0 : 1);
