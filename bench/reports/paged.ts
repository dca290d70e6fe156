import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import jpeg from "jpeg-js";
import { localSecrets } from "../../scripts/secrets.mjs";
import { migrate } from "../../scripts/service/migrate.mjs";
import { freePort } from "../../scripts/service/options.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { conform } from "../../src/reports/printing/standard";
import { machine, table, writeSection } from "../support/results.ts";
import { Browsers } from "./browsers.ts";
import { longBody } from "./content.ts";
import { PagedScript } from "./paged-script.ts";
import { type Memory, peakOf } from "./processes.ts";
import { type Reading, read } from "./reading.ts";
import { Site } from "./site.ts";

/* `npm run bench:paged`: a long report with page numbers, by the printer of the service and by Paged.js. Linux only. */

const [CHAPTERS, TURNS] = [68, 5];
/** The most that the numbers may cost the service: a multiple of the report without them. */
const MAX_NUMBERED = 1.6;

const load = loadavg()[0]?.toFixed(1) ?? "?";
const folder = mkdtempSync(join(tmpdir(), "bench-paged-"));
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** The HTML of the report, from the service: contents, tables, lists, figures with numbers and running heads. */
async function htmlOfReport(): Promise<string> {
  const stateDir = join(folder, "service");
  await migrate(stateDir);
  const service = await serve({
    port: await freePort(),
    stateDir,
    secretsFile: localSecrets(stateDir),
    vars: { REGISTRATION: "open" },
  });
  try {
    const site = await Site.open(service.url);
    const [width, height] = [320, 200];
    const data = Uint8Array.from({ length: width * height * 4 }, (_, at) => ((at >> 2) % width) / 2 + 60);
    await site.upload("fender.jpg", Uint8Array.from(jpeg.encode({ data, width, height }, 60).data));
    const figure = `<div id="fender-$1">\n\n![Fender of berth $1](photos/fender.jpg){width=40%}\n\n</div>\n\nSee figure <a class="report-number" href="#fender-$1"></a>.`;
    const chapters = longBody(CHAPTERS).replace(/^# Chapter (\d+)$/gm, `$&\n\n${figure}`);
    const body = `<div data-number-figures="Figure #: "></div>\n\n${chapters}`;
    return await site.preview(await site.report("Long", { body }));
  } finally {
    await service.stop();
  }
}

interface Measured {
  ms: number;
  peak: Memory;
  pdf: Uint8Array<ArrayBuffer>;
}

/** Prints in one of the browsers. The memory is what its processes have more than before. */
async function measure(browsers: () => readonly number[], print: () => Promise<Uint8Array>): Promise<Measured> {
  const { peak: resting } = await peakOf(browsers, async () => {});
  const began = performance.now();
  const { result, peak } = await peakOf(browsers, async () => {
    const pdf = await print();
    return { pdf, ms: performance.now() - began };
  });
  return {
    ms: result.ms,
    pdf: Uint8Array.from(result.pdf),
    peak: { privateMb: peak.privateMb - resting.privateMb, shareMb: peak.shareMb - resting.shareMb },
  };
}

const html = await htmlOfReport();
const withoutNumbers = html.replace("</head>", "<style>.report-contents a::after { content: none }</style></head>");

const browsers = await Browsers.link(folder);
const printer = await serve({
  port: await freePort(),
  stateDir: join(folder, "printer"),
  secretsFile: localSecrets(folder),
  config: "test/system/support/printing/wrangler.toml",
  environment: { XDG_CACHE_HOME: browsers.cacheHome },
});
const script = await PagedScript.open();
const WAYS = ["plain", "paged", "one pass", "service"] as const;
type Way = (typeof WAYS)[number];

async function printedBy(way: Way): Promise<Measured> {
  if (way === "plain")
    return measure(
      () => [script.pid],
      () => script.plain(withoutNumbers),
    );
  if (way === "paged")
    return measure(
      () => [script.pid],
      () => script.paged(html),
    );
  return measure(
    () => browsers.started.map(Number),
    async () => {
      const body = way === "service" ? html : withoutNumbers;
      const answer = await fetch(`${printer.url}/guarded`, { method: "POST", body, headers: { connection: "close" } });
      if (!answer.ok) throw new Error(`the printer answered ${answer.status}`);
      return new Uint8Array(await answer.arrayBuffer());
    },
  );
}

const measured: Record<Way, Measured[]> = { plain: [], paged: [], "one pass": [], service: [] };
let inGuardedPage: string;
try {
  // Both browsers start here.
  for (const way of WAYS) await printedBy(way);
  for (let turn = 0; turn < TURNS; turn++) for (const way of WAYS) measured[way].push(await printedBy(way));
  inGuardedPage = await script.withoutScripts(html);
} finally {
  await script.end();
  await printer.stop();
}

function readingOf(name: string, pdf: Uint8Array | undefined): Reading {
  const file = join(folder, `${name}.pdf`);
  writeFileSync(file, pdf ?? new Uint8Array());
  return read(file);
}

const kept = process.env.KEEP;
const [service, paged] = [readingOf("service", measured.service[0]?.pdf), readingOf("paged", measured.paged[0]?.pdf)];
/** The time that the browser wrote into its PDF. The service sets that time itself. */
const madeAt = (pdf: Uint8Array): number => {
  const date = /\/CreationDate \(D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(Buffer.from(pdf).toString("latin1"));
  const [year = 0, month = 1, ...rest] = (date ?? []).slice(1).map(Number);
  return Date.UTC(year, month - 1, ...rest);
};
const ofPaged = Uint8Array.from(measured.paged[0]?.pdf ?? []);
const completed = await conform(ofPaged, { title: "Long", language: "en", madeAt: madeAt(ofPaged) });
const pagedCompleted = readingOf("paged-completed", completed.pdf);
if (kept !== undefined)
  for (const name of ["service", "paged", "paged-completed"])
    writeFileSync(join(kept, `${name}.pdf`), readFileSync(join(folder, `${name}.pdf`)));
rmSync(folder, { recursive: true, force: true });

const seconds = (way: Way): number => median(measured[way].map(({ ms }) => ms)) / 1_000;
const most = (way: Way, field: keyof Memory): number => median(measured[way].map(({ peak }) => peak[field]));
const times = (value: number, base: number): string => `${(value / base).toFixed(2)} ×`;
const elements = ({ elements: all }: Reading, type: string): number => all.get(type) ?? 0;
const structure = (reading: Reading): string =>
  ["Table", "L", "P", "H1", "H2", "Caption"].map((type) => `${elements(reading, type)} ${type}`).join(", ");
const failures = ({ failed }: Reading): string => (failed.length === 0 ? "none" : failed.join(", "));
/** The words of the warnings without the place in quotes, each once. */
const warned = [...new Set(completed.warnings.map(({ code, detail }) => `${code}: ${detail}`))];

const costs = WAYS.map((way) => {
  const base = way === "plain" || way === "paged" ? "plain" : "one pass";
  const names: Record<Way, string> = {
    plain: "plain puppeteer, no numbers",
    paged: "Paged.js, then printed",
    "one pass": "the service, no numbers: one pass",
    service: "the service, with numbers: two passes",
  };
  return [
    names[way],
    `${seconds(way).toFixed(2)} s`,
    way === base ? "" : times(seconds(way), seconds(base)),
    `${most(way, "privateMb").toFixed(0)} MB`,
    `${most(way, "shareMb").toFixed(0)} MB`,
    way === base ? "" : times(most(way, "privateMb"), most(base, "privateMb")),
  ];
});
const both = (what: string, of: (reading: Reading) => string): string[] => [what, of(service), of(paged)];
const results = [
  both("pages", ({ pages }) => String(pages)),
  both(
    "numbers of the contents that are the page of the heading",
    ({ entries, wrong }) => `${entries - wrong.length} of ${entries}`,
  ),
  both(`figures with the right number, of ${CHAPTERS}`, ({ captions }) => String(captions)),
  both(`references with the number of the figure, of ${CHAPTERS}`, ({ references }) => String(references)),
  both("pages that go on with a table and repeat its head", ({ repeated, continued }) => `${repeated} of ${continued}`),
  both("entries of the outline", ({ outline }) => String(outline)),
  both("elements of the structure", structure),
  [
    "conditions of PDF/UA-1 and clauses of PDF/A-3b that it fails",
    failures(service),
    `${failures(paged)}; after the service has completed it: ${failures(pagedCompleted)}, warnings: ${warned.length === 0 ? "none" : warned.join(" ")}`,
  ],
  ["in a page in which scripts are off", "works", inGuardedPage.split("\n")[0] ?? ""],
];

const section = `${machine()}, load average ${load} before. The HTML of one report with contents, ${CHAPTERS} figures, tables, lists and running heads, from the service; the same browser.
Median of ${TURNS} turns, in each of which all four ways print one after another; both browsers run before. The service also fits the page to its paper and makes it PDF/A-3b and PDF/UA-1,
so its time is compared with its own time without numbers. Memory is the most that all processes of the browser have over what they have before, read every 50 ms, and of that the median: private, and with their share of what they have together (Pss).
Paged.js ${JSON.parse(readFileSync("node_modules/pagedjs/package.json", "utf8")).version} gets other rules: without selectors that it does not read, and with counters for the figures. poppler and qpdf read the PDFs.

${table(["way", "time", "time over no numbers", "private memory", "Pss", "private memory over no numbers"], costs)}

${table(["what", "the service", "Paged.js"], results)}`;
writeSection("PDF reports: page numbers, compared with Paged.js", section);
console.log(section);
for (const reading of [service, paged]) if (reading.wrong.length > 0) console.error(reading.wrong.slice(0, 9));
const missed = [
  ...service.wrong,
  ...service.failed,
  ...(service.entries === 2 * CHAPTERS ? [] : [`${service.entries} entries`]),
  ...(seconds("service") / seconds("one pass") > MAX_NUMBERED ? ["the numbers take too long"] : []),
];
if (missed.length > 0) console.error(`over the limit: ${missed.join("; ")}`);
process.exit(missed.length > 0 ? 1 : 0);
