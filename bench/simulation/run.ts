import { readFileSync } from "node:fs";
import { table, writeSection } from "../support/results.ts";

/*
 * A year of a large service, day by day, from the measured rows of bench/RESULTS.md: how full its databases become, how busy the
 * busiest one is, and what it costs. Nothing runs: what a camera and an idle database do in a day is what `npm run bench:cost`
 * has counted.
 */

const ORGANIZATIONS = 5_000;
const CAMERAS = 100_000;
const DATABASES = 60;
const DAYS = 365;
/** Organizations come during these first days. */
const ARRIVAL_DAYS = 270;
/** Every database is this large at most, bytes: `MAX_DATABASE_BYTES`. */
const MAX_BYTES = 10_000_000_000;
/** `choosePlace`: sizes that differ by less count as the same, and a fuller database takes no new organization. */
const [STEP_BYTES, FULL] = [0.01 * MAX_BYTES, 0.9];
/** A camera sends a frame every 20 minutes. */
const FRAMES_A_DAY = 72;
/** The retention of images, days, with the share of organizations that choose it. */
const RETENTIONS = [
  [30, 0.6],
  [90, 0.3],
  [365, 0.1],
] as const;
/** Sections of documents, of 2,000 characters, that an organization adds in a day for each of its cameras. */
const SECTIONS_A_DAY = 2;
/** The rate of the busiest hour, as a multiple of the mean. */
const PEAK = 2;
/** Storage of D1, dollars for a gigabyte and a month. */
const GIGABYTE_MONTH = 0.75;

const results = readFileSync("bench/RESULTS.md", "utf8");
const numberIn = (cell: string | undefined): number => Number((cell ?? "").replace(/[$,]/g, ""));

/** The cells of a row of a table. */
const cellsOf = (line: string): string[] =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

/** A row of "Cost" that was measured now, by the names of its columns. @throws if there is no such row */
function measured(unit: string): { roundTrips: number; price: number } {
  const lines = results.split("\n");
  const at = lines.findIndex((line) => line.startsWith(`| ${unit} | now |`));
  const head = lines.slice(0, at).findLast((line) => line.startsWith("| unit |"));
  if (at === -1 || head === undefined) throw new Error(`bench/RESULTS.md has no row "${unit}": run npm run bench:cost`);
  const [names, cells] = [cellsOf(head), cellsOf(lines[at] ?? "")];
  const numberOf = (name: string): number => numberIn(cells[names.indexOf(name)]);
  return { roundTrips: numberOf("round trips"), price: numberOf("price") };
}

const bytesOfImage = numberIn(/^\| bytes of an image \|.*\| ([\d,]+) \|$/m.exec(results)?.[1]);
const [, sections, megabytes] = /with ([\d,]+) sections of text in a\s+database of (\d+) MB/.exec(results) ?? [];
const bytesOfSection = (numberIn(megabytes) * 1e6) / numberIn(sections);
const idle = measured("idle day");
const camera = measured("day of a camera, a frame every 20 minutes");
// The measured day of a camera has the sweeper of the service too.
const ofCamera = { roundTrips: camera.roundTrips - idle.roundTrips, price: camera.price - idle.price };
if (!(ofCamera.roundTrips > 0 && ofCamera.price > 0))
  throw new Error("a day with a camera costs no more than an idle day: run npm run bench:cost");

/** Random numbers in [0, 1), the same in each run (mulberry32). */
let seed = 5_000;
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

interface Organization {
  cameras: number;
  retention: number;
  from: number;
}

function chosenRetention(chosen: number): number {
  let below = 0;
  for (const [retention, share] of RETENTIONS) {
    below += share;
    if (chosen < below) return retention;
  }
  return RETENTIONS[0][0];
}

/** Organizations whose cameras follow a power law: the largest one has hundreds, most have a few. */
function organizations(): Organization[] {
  const weights = Array.from({ length: ORGANIZATIONS }, (_, n) => 1 / (n + 10) ** 0.8);
  const sum = weights.reduce((all, one) => all + one, 0);
  return weights.map((weight) => {
    const retention = chosenRetention(random());
    const cameras = Math.max(1, Math.round((weight / sum) * CAMERAS));
    return { cameras, retention, from: Math.floor(random() * ARRIVAL_DAYS) };
  });
}

/** The bytes of an organization on a day. */
function bytesOf({ cameras, retention, from }: Organization, day: number): number {
  const age = Math.max(0, day - from);
  const images = cameras * FRAMES_A_DAY * Math.min(age, retention) * bytesOfImage;
  return images + cameras * SECTIONS_A_DAY * age * bytesOfSection;
}

interface Day {
  largest: number;
  smallest: number;
  busiest: number;
  mean: number;
  over: number;
}

const all = organizations();
const databases = Array.from({ length: DATABASES }, () => ({ bytes: 0, here: [] as Organization[] }));
const days: Day[] = [];
let dollars = { work: 0, storage: 0 };
for (let day = 0; day <= DAYS; day++) {
  for (const one of databases) one.bytes = one.here.reduce((sum, organization) => sum + bytesOf(organization, day), 0);
  const step = ({ bytes }: { bytes: number }) => Math.floor(bytes / STEP_BYTES);
  for (const organization of all.filter(({ from }) => from === day)) {
    const [best] = databases
      .filter(({ bytes }) => bytes < FULL * MAX_BYTES)
      .sort((a, b) => step(a) - step(b) || a.here.length - b.here.length);
    if (best === undefined) throw new Error(`no database has room on day ${day}`);
    best.here.push(organization);
  }
  const rates = databases.map(({ here }) => {
    const cameras = here.reduce((sum, organization) => sum + organization.cameras, 0);
    return (cameras * ofCamera.roundTrips + idle.roundTrips) / 86_400;
  });
  const sizes = databases.map(({ bytes }) => bytes);
  days.push({
    largest: Math.max(...sizes),
    smallest: Math.min(...sizes),
    busiest: Math.max(...rates),
    mean: rates.reduce((sum, one) => sum + one, 0) / DATABASES,
    over: sizes.filter((bytes) => bytes >= 0.6 * MAX_BYTES).length,
  });
  const running = all.filter(({ from }) => from <= day).reduce((sum, { cameras }) => sum + cameras, 0);
  dollars = {
    work: dollars.work + running * ofCamera.price + DATABASES * idle.price,
    storage: dollars.storage + (sizes.reduce((sum, one) => sum + one, 0) / 1e9) * (GIGABYTE_MONTH / 30),
  };
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;
const money = (value: number): string => `$${Math.round(value).toLocaleString("en-US")}`;
const count = all.reduce((sum, { cameras }) => sum + cameras, 0).toLocaleString("en-US");
const largest = Math.max(...all.map(({ cameras }) => cameras));
writeSection(
  "Simulation of many databases",
  `\`npm run bench:simulation\`: ${ORGANIZATIONS.toLocaleString("en-US")} organizations with ${count} cameras come to ${DATABASES} databases during ${ARRIVAL_DAYS} days, placed as the service places them.
The largest one has ${largest.toLocaleString("en-US")} cameras. A camera sends ${FRAMES_A_DAY} frames a day; images are kept for ${RETENTIONS.map(([kept, share]) => `${kept} days (${share * 100} %)`).join(", ")}; for each camera ${SECTIONS_A_DAY} sections of
documents are added a day, which stay. Nothing runs: a day of a camera (${ofCamera.roundTrips.toLocaleString("en-US")} round trips, $${ofCamera.price.toFixed(5)}), an idle day of a database
(${idle.roundTrips.toLocaleString("en-US")}) and the ${bytesOfImage} bytes of an image are those that "Cost" above has measured, and ${Math.round(bytesOfSection).toLocaleString("en-US")} bytes of a section those of "Backups". Nobody moves an organization.

${table(
  [
    "day",
    "largest database",
    "smallest",
    "databases over 60 %",
    "busiest, round trips a second",
    "mean",
    "busiest in its peak hour",
  ],
  [30, 90, 180, 270, 365].map((day) => {
    const { largest: most, smallest, over, busiest, mean } = days[day] as Day;
    return [
      String(day),
      gigabytes(most),
      gigabytes(smallest),
      String(over),
      busiest.toFixed(1),
      mean.toFixed(1),
      (busiest * PEAK).toFixed(0),
    ];
  }),
)}

The year costs ${money(dollars.work)} for rows, objects, queues and Durable Objects, and ${money(dollars.storage)} for the storage of D1. Storage of R2, requests and CPU time are not part of it.`,
);
