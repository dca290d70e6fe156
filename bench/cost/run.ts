import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { startVitest } from "vitest/node";
import { machine, table, writeSection } from "../support/results.ts";
import { type Bill, BROWSER_HOUR, PRICES_OF, priceOf } from "./prices.ts";
import { databaseSizes } from "./size.ts";

/*
 * Measures what units of work cost, by the counters of D1, R2, the queues and the Durable Objects, and multiplies them by the
 * prices of prices.ts: over one database, and over a directory with SEVERAL workspace databases. `--before` keeps the result as the
 * figures to compare with. Then it builds two databases with CAPTURES images, and measures their sizes.
 */

const CAPTURES = 1_000_000;
const SEVERAL = 3;

const BEFORE = "bench/cost/before.json";

interface Unit {
  bill: Bill;
  roundTrips: number;
  reconnects?: number;
}
type Units = Record<string, Unit>;

const read = (file: string): Units => JSON.parse(readFileSync(file, "utf8"));
const write = (file: string, units: Units): void => writeFileSync(file, `${JSON.stringify(units, null, 2)}\n`);

/** Runs the units in this process, over the databases of DATABASE_COUNT. @throws if one of them failed */
async function runUnits(): Promise<Units> {
  const vitest = await startVitest("test", [], { config: "bench/cost/vitest.config.mts", watch: false });
  const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
  const units = Object.fromEntries(tests.map((test) => [test.name, test.meta() as unknown as Unit]));
  const failed = tests.filter((test) => test.result().state !== "passed").map((test) => test.name);
  await vitest.close();
  if (tests.length === 0 || failed.length > 0) throw new Error(`units failed: ${failed.join(", ") || "all"}`);
  return units;
}

/** Runs the units in a process of their own: the configuration is read once in a process. */
function unitsOver(databases: number): Units {
  mkdirSync(".build", { recursive: true });
  const file = `.build/cost-${databases}.json`;
  const env = { ...process.env, DATABASE_COUNT: String(databases) };
  const { status } = spawnSync(process.execPath, ["bench/cost/run.ts", "--units", file], { env, stdio: "inherit" });
  if (status !== 0) throw new Error(`the units failed over ${databases} databases`);
  return read(file);
}

const [option, unitsFile] = process.argv.slice(2);
if (option === "--units" && unitsFile !== undefined) {
  write(unitsFile, await runUnits());
  process.exit(0);
}

const units = unitsOver(1);
const overSeveral = unitsOver(SEVERAL);

if (option === "--before") write(BEFORE, units);
const before: Units = existsSync(BEFORE) ? read(BEFORE) : {};

const number = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 1 : 0 });
const dollars = (value: number): string => (Number.isNaN(value) ? "" : `$${value.toPrecision(3)}`);
const row = (name: string, when: string, { bill, roundTrips, reconnects }: Unit): string[] => [
  name,
  when,
  number(bill.rowsWritten),
  number(bill.rowsRead),
  number(roundTrips),
  number(bill.classA),
  number(bill.classB),
  number(3 * bill.messages),
  number(bill.objectRequests),
  number(bill.objectRowsWritten),
  number(bill.objectSeconds),
  bill.logLines === undefined ? "" : number(bill.logLines),
  reconnects === undefined ? "" : number(reconnects),
  dollars(priceOf(bill)),
];

/** Prices of a month, from the price of each unit, US dollars. */
function months(of: Units): [string, number][] {
  const price = (start: string): number => {
    const found = Object.entries(of).find(([name]) => name.startsWith(start))?.[1];
    return found === undefined ? Number.NaN : priceOf(found.bill);
  };
  const camera = (frames: number) => 30 * price("heartbeat day") + frames * price("frame, whole life");
  const day = (every: string) => 30 * price(`day of a camera, a frame every ${every}`);
  return [
    ["camera, a frame every 20 minutes", camera(2_160)],
    ["camera, a frame every minute", camera(43_200)],
    ["camera, a frame every 20 minutes, from a measured day", day("20 minutes")],
    ["camera, a frame every minute, from a measured day", day("minute")],
    ["1,000 live people", 30_000 * price("day of a live person")],
    ["a location with an event a minute and a listener", 43_200 * price("live event with one listener")],
    [
      "a location with an event a minute and a program that asks each minute",
      43_200 * (price("live event with a program") + price("a program asks")),
    ],
    ["idle service", 30 * price("idle day")],
    ["1,000 printed reports, 3 seconds of a browser each", (1_000 * 3 * BROWSER_HOUR) / 3_600],
    ["1,000 reports a month, each alone: 3 seconds and 45 idle ones", (1_000 * 48 * BROWSER_HOUR) / 3_600],
    ["1,000 scanned pages, 4 seconds of a browser each", (1_000 * 4 * BROWSER_HOUR) / 3_600],
  ];
}

const [then, now, several] = [months(before), months(units), months(overSeveral)];
const sizes = databaseSizes(CAPTURES);
const megabytes = (bytes: number): string => `${number(bytes / 1e6)} MB`;
writeSection(
  "Cost",
  `${machine()}. \`npm run bench:cost\`: the units run in workerd, and the counters of D1, R2, the queues and the Durable Objects say what is
billed. Prices of ${PRICES_OF} beyond the included amounts, in bench/cost/prices.ts. Storage, requests of the Worker, its CPU time and the line that
Cloudflare itself logs for each invocation are not part of it. Round trips are those to D1 without authentication. A queue operation is a write, a read or a deletion of a message. Seconds
of objects are the time in which they run, on this machine. A measured day of a
camera contains the sweeper of the whole service, which an idle day costs alone. "${SEVERAL} databases" is the same service with a directory
and ${SEVERAL} workspace databases: each database has a sweeper, and the directory is asked for credentials and places.

${table(
  [
    "unit",
    "",
    "D1 rows written",
    "rows read",
    "round trips",
    "R2 class A",
    "class B",
    "queue operations",
    "object requests",
    "object rows written",
    "object seconds",
    "log lines",
    "reconnects",
    "price",
  ],
  Object.entries(units).flatMap(([name, unit]) => {
    const earlier = before[name];
    const several = overSeveral[name];
    return [
      ...(earlier === undefined ? [] : [row(name, "before", earlier)]),
      row(name, "now", unit),
      ...(several === undefined ? [] : [row(name, `${SEVERAL} databases`, several)]),
    ];
  }),
)}

${table(
  ["a month of", "before", "now", `${SEVERAL} databases`],
  now.map(([name, price], n) => [
    name,
    ...[then[n]?.[1], price, several[n]?.[1]].map((one) => dollars(one ?? Number.NaN)),
  ]),
)}

The data that D1 keeps of an image from two days after its publication on, in pages of SQLite. Before is the schema of 2026-11-27.

${table(
  ["", "before", "now"],
  [
    ["bytes of an image", number(sizes.before / CAPTURES), number(sizes.now / CAPTURES)],
    [`database with ${number(CAPTURES)} captures`, megabytes(sizes.before), megabytes(sizes.now)],
  ],
)}`,
);
process.exit(0);
