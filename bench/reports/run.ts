import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { localSecrets } from "../../scripts/secrets.mjs";
import { migrate } from "../../scripts/service/migrate.mjs";
import { freePort } from "../../scripts/service/options.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { peakMemory, restingMemory } from "../requests/measure.ts";
import { machine, table, writeSection } from "../support/results.ts";
import { Browsers } from "./browsers.ts";
import { longBody, photo, variant } from "./content.ts";
import { Heap } from "./heap.ts";
import { PlainScript } from "./plain.ts";
import { Site } from "./site.ts";

/* `npm run bench:reports`: measures the running service over its API. Linux only. */

const WARM = 5;
const PHOTOS = 24;
const QUEUED = 50;
const PREVIEWS = 40;
/** Chapters of a report of about 150 pages, and the most that page numbers may cost: a multiple of the report without them. */
const [CHAPTERS, MAX_NUMBERED] = [76, 1.6];
/**
 * The limits. Times are multiples of the time that the plain script needs for the same page in the same run, because another machine
 * has other times; its first print includes the start of its browser, as the first report does. Sizes are megabytes (10⁶ bytes).
 */
const LIMITS = { cold: 4, warm: 4, photos: 25, photosAgain: 6, preview: 0.15, pdfMb: 12, isolateMb: 64 };

const load = loadavg()[0]?.toFixed(1) ?? "?";
const stateDir = mkdtempSync(join(tmpdir(), "bench-reports-"));
const browsers = await Browsers.link(stateDir);
await migrate(stateDir);
const [port, inspectorPort] = [await freePort(), await freePort()];
const service = await serve({
  port,
  inspectorPort,
  stateDir,
  secretsFile: localSecrets(stateDir),
  vars: { REGISTRATION: "open" },
  environment: { XDG_CACHE_HOME: browsers.cacheHome },
});

const rows: string[][] = [];
const missed: string[] = [];
const within = (what: string, value: number, limit: number) => {
  if (value > limit) missed.push(`${what}: ${value.toFixed(2)} > ${limit}`);
};
/** Holds a time to its multiple of a plain time. @returns the limit as a cell of the table */
const withinTimes = (
  what: Exclude<keyof typeof LIMITS, "pdfMb" | "isolateMb">,
  ms: number,
  plainMs: number,
): string => {
  within(`${what}, as a multiple of the plain script`, ms / plainMs, LIMITS[what]);
  return `${(ms / plainMs).toFixed(2)} × plain, ≤ ${LIMITS[what]} ×`;
};
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
/** The root of the page tree has the number of all pages. */
const pagesOf = (pdf: Uint8Array): number =>
  Math.max(
    ...[
      ...Buffer.from(pdf)
        .toString("latin1")
        .matchAll(/\/Count (\d+)/g),
    ].map(([, count]) => Number(count)),
  );

async function repeat(times: number, work: (turn: number) => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  for (let turn = 0; turn < times; turn++) all.push(await work(turn));
  return all;
}

const body = longBody();

async function measureText(site: Site, heap: Heap): Promise<void> {
  const report = await site.report("Twenty pages", { body });
  const plain = new PlainScript();
  const html = await site.preview(report);
  const [plainFirst = 0, ...plainNext] = await repeat(WARM + 1, () => plain.print(html));
  await plain.end();

  const first = await site.print(report);
  const next = await heap.peakOf(() =>
    repeat(WARM, async (turn) => (await site.print(await site.report(`Again ${turn}`, { body }))).ms),
  );
  const pages = pagesOf(await site.pdfOf(first.job));
  const warm = median(next.result);
  rows.push(
    [
      `${pages} pages, first after the start`,
      seconds(first.ms),
      seconds(plainFirst),
      withinTimes("cold", first.ms, plainFirst),
      "",
    ],
    [
      `${pages} pages, median of the next ${WARM}`,
      seconds(warm),
      seconds(median(plainNext)),
      withinTimes("warm", warm, median(plainNext)),
      `${next.peakMb.toFixed(0)} MB`,
    ],
  );
  const previews = await repeat(PREVIEWS, async () => {
    const began = performance.now();
    await site.preview(report);
    return performance.now() - began;
  });
  rows.push([
    "preview of these pages, median",
    `${median(previews).toFixed(0)} ms`,
    "",
    withinTimes("preview", median(previews), median(plainNext)),
    "",
  ]);
}

/** A long report with page numbers in its contents, beside the same without them: these need a second pass. */
async function measureContents(site: Site, heap: Heap): Promise<void> {
  const long = longBody(CHAPTERS);
  const ask = async (turn: number, key: "bench" | "bench-without-numbers") =>
    heap.peakOf(async () => site.print(await site.report(`Contents ${turn}`, { body: long }, key)));
  const times: { numbered: number; plain: number }[] = [];
  const peaks = { numbered: 0, plain: 0 };
  let pages = 0;
  for (let turn = 0; turn < WARM; turn++) {
    const plain = await ask(turn, "bench-without-numbers");
    const numbered = await ask(turn, "bench");
    times.push({ numbered: numbered.result.ms, plain: plain.result.ms });
    peaks.numbered = Math.max(peaks.numbered, numbered.peakMb);
    peaks.plain = Math.max(peaks.plain, plain.peakMb);
    pages = pagesOf(await site.pdfOf(numbered.result.job));
  }
  const [numbered, plain] = [median(times.map((one) => one.numbered)), median(times.map((one) => one.plain))];
  within("page numbers, as a multiple of one pass", numbered / plain, MAX_NUMBERED);
  rows.push(
    [`${pages} pages, contents without page numbers`, seconds(plain), "", "", `${peaks.plain.toFixed(0)} MB`],
    [
      `${pages} pages, contents with page numbers`,
      seconds(numbered),
      "",
      `${(numbered / plain).toFixed(2)} × without, ≤ ${MAX_NUMBERED} ×`,
      `${peaks.numbered.toFixed(0)} MB`,
    ],
  );
}

async function measurePhotos(site: Site, heap: Heap): Promise<void> {
  const jpeg = photo();
  for (let number = 0; number < PHOTOS; number++) await site.upload(`photo ${number}.jpg`, variant(jpeg, number));
  const photos = Array.from({ length: PHOTOS }, (_, number) => ({
    documentPath: `photos/photo ${number}.jpg`,
    caption: `Photo ${number}`,
  }));
  const album = { body: "# Photos", photos };
  const ask = async (title: string) => {
    const report = await site.report(title, album);
    const resting = restingMemory();
    const { result, peakMb } = await heap.peakOf(() => site.print(report));
    return { ...result, report, peakMb, processMb: peakMemory() - resting };
  };
  const made = await ask("Photos");
  const kept = await ask("Photos again");
  const plain = new PlainScript();
  const html = await site.preview(kept.report);
  const [, plainNext = 0] = await repeat(2, () => plain.print(html));
  await plain.end();
  const pdf = await site.pdfOf(kept.job);
  within("PDF", pdf.length / 1e6, LIMITS.pdfMb);
  within("isolate", Math.max(made.peakMb, kept.peakMb), LIMITS.isolateMb);
  const memory = ({ peakMb, processMb }: typeof made) =>
    `${peakMb.toFixed(0)} MB (≤ ${LIMITS.isolateMb}); process ${processMb.toFixed(0)} MB`;
  rows.push(
    [
      `${PHOTOS} photos of ${megabytes(jpeg.length)} and 12 megapixels, never shown before`,
      seconds(made.ms),
      "",
      withinTimes("photos", made.ms, plainNext),
      memory(made),
    ],
    [
      `the same photos again; PDF of ${megabytes(pdf.length)} (≤ ${LIMITS.pdfMb} MB), ${pagesOf(pdf)} pages`,
      seconds(kept.ms),
      seconds(plainNext),
      withinTimes("photosAgain", kept.ms, plainNext),
      memory(kept),
    ],
  );
}

async function measureQueue(site: Site): Promise<void> {
  const reports = await Promise.all(Array.from({ length: QUEUED }, (_, n) => site.report(`Queued ${n}`, { body })));
  const began = performance.now();
  const asked = await Promise.all(reports.map((id) => site.ask(id)));
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, browsers.living);
  }, 200);
  const jobs = await Promise.all(asked.map((id) => site.ended(id, 500)));
  clearInterval(watch);
  const took = performance.now() - began;
  const made = new Set(jobs.map(({ documentId }) => documentId)).size;
  if (made !== QUEUED) missed.push(`${QUEUED - made} reports are lost`);
  rows.push([
    `${QUEUED} reports of that text asked for at once: ${made} made, ${(QUEUED / (took / 1_000)).toFixed(2)} a second, ${most} browsers`,
    seconds(took),
    "",
    "none lost",
    "",
  ]);
}

try {
  const site = await Site.open(service.url);
  const heap = await Heap.open(inspectorPort);
  await measureText(site, heap);
  await measureContents(site, heap);
  await measurePhotos(site, heap);
  heap.close();
  await measureQueue(site);
} finally {
  await service.stop();
}
// The watcher of each browser checks every second.
await wait(2_500);
if (browsers.living > 0) missed.push(`${browsers.living} browsers are left`);
rows.push([
  `browsers left when the service has stopped, of ${browsers.started.length} started`,
  `${browsers.living}`,
  "",
  "0",
  "",
]);
rmSync(stateDir, { recursive: true, force: true });

const section = `${machine()}, load average ${load} before. Over the API of \`wrangler dev\`: from the request to the job's end, polled every 20 ms, so with queue,
database, rendering and storing in the library. Beside it a plain puppeteer script that prints the same HTML in the same browser, with no measure against
anything; its first includes its browser's start. Memory is what the service's isolate has in use (objects and buffers, garbage included, read every 10 ms
through its inspector) over what it has before; the process holds local database, bucket and browser relay besides.

${table(["what", "this service", "plain puppeteer", "limit", "memory at the peak"], rows)}`;
writeSection("PDF reports", section);
console.log(section);
if (missed.length > 0) console.error(`over the limit: ${missed.join("; ")}`);
process.exit(missed.length > 0 ? 1 : 0);
