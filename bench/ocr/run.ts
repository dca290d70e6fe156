import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "puppeteer-core";
import { z } from "zod";
import { localSecrets } from "../../scripts/secrets.mjs";
import { freePort } from "../../scripts/service/options.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { findBrowser, linkBrowser } from "../../scripts/setup/browser.mjs";
import { buildWeb } from "../../scripts/setup/web.mjs";
import { machine, table, writeSection } from "../support/results.ts";
import { found, KINDS, type Language, pdfOfScans, scanned } from "./pages.ts";
import { cpuSecondsOf, peakAbove, runtimeBelow } from "./processes.ts";

const LANGUAGES: readonly Language[] = ["en", "de"];
/** The goals: words that are found on clean, skewed and noisy pages, CPU seconds of a page, and memory of the Worker, MB. */
const [MIN_FOUND, MAX_SECONDS, MAX_MB] = [0.95, 5, 64];
/** Pages of the document whose memory is measured: one slice. */
const SLICE = 8;

const folder = mkdtempSync(join(tmpdir(), "ocr-bench-"));
const marker = `--net-log-marker=${folder}`;
await buildWeb();
await linkBrowser({ cacheHome: join(folder, "cache"), args: [marker] });

const executablePath = await findBrowser();
if (executablePath === null) throw new Error("no browser: set CHROME_PATH to one");
const browser = await launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
const scans = [];
for (const kind of KINDS)
  for (const language of LANGUAGES) scans.push({ kind, language, ...(await scanned(page, language, kind)) });
await browser.close();

/** Documents by name. */
const files = new Map<string, Uint8Array>();
for (const { kind, language, jpeg } of scans) files.set(`${kind} ${language}`, await pdfOfScans([jpeg]));
const clean = scans[0]?.jpeg;
if (clean === undefined) throw new Error("no page was made");
files.set("slice", await pdfOfScans(Array(SLICE).fill(clean)));

const server = createServer((request, response) => {
  const bytes = files.get(decodeURIComponent(request.url?.slice(1) ?? ""));
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
  response.end(bytes?.subarray(Number(range?.[1]), Number(range?.[2]) + 1));
});
await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
const service = await serve({
  port: await freePort(),
  stateDir: folder,
  secretsFile: localSecrets(folder),
  config: "bench/ocr/wrangler.toml",
  environment: { XDG_CACHE_HOME: join(folder, "cache") },
});

const answer = z.array(
  z.object({ page: z.int(), outcome: z.string(), words: z.array(z.string()), confidence: z.number() }),
);

async function recognize(name: string, count: number) {
  const { port } = server.address() as AddressInfo;
  const size = files.get(name)?.length ?? 0;
  const query = new URLSearchParams({
    files: `http://127.0.0.1:${port}`,
    name: encodeURIComponent(name),
    size: String(size),
    from: "1",
    count: String(count),
  });
  const response = await fetch(`${service.url}/recognize?${query}`);
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
  return answer.parse(await response.json());
}

/** The words that Debian's program finds in a picture; null without the program. */
function native(jpeg: Uint8Array): { words: string[]; seconds: number } | null {
  const file = join(folder, "page.jpg");
  writeFileSync(file, jpeg);
  const began = cpuOfChildren();
  try {
    const environment = { ...process.env, OMP_THREAD_LIMIT: "1" };
    const arguments_ = [file, "-", "-l", "deu+eng", "--dpi", "300"];
    const text = execFileSync("tesseract", arguments_, { env: environment, stdio: ["ignore", "pipe", "ignore"] });
    return { words: [text.toString()], seconds: cpuOfChildren() - began };
  } catch {
    return null;
  }
}

/** CPU seconds of the ended children of this process. */
function cpuOfChildren(): number {
  const fields = readFileSync("/proc/self/stat", "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

try {
  // The browser and the Worker are loaded.
  await recognize("clean, 300 dpi en", 1);
  const rows = [];
  const misses: string[] = [];
  for (const { kind, language, words, jpeg } of scans) {
    const before = cpuSecondsOf(marker);
    const [read] = await recognize(`${kind} ${language}`, 1);
    const seconds = cpuSecondsOf(marker) - before;
    const share = found(words, read?.words ?? []);
    const beside = native(jpeg);
    const percent = (value: number) => `${(value * 100).toFixed(1)} %`;
    rows.push([
      `${kind}, ${language}`,
      String(words.length),
      percent(share),
      String(Math.round(read?.confidence ?? 0)),
      seconds.toFixed(1),
      beside === null ? "–" : percent(found(words, beside.words)),
      beside === null ? "–" : beside.seconds.toFixed(1),
    ]);
    console.log(rows.at(-1)?.join("  "));
    if (kind !== "table" && share < MIN_FOUND) misses.push(`${kind}, ${language}: ${percent(share)} of the words`);
  }
  const before = cpuSecondsOf(marker);
  const { result, peakMb } = await peakAbove(runtimeBelow(), () => recognize("slice", SLICE));
  const secondsPerPage = (cpuSecondsOf(marker) - before) / result.length;
  if (secondsPerPage > MAX_SECONDS) misses.push(`${secondsPerPage.toFixed(1)} CPU seconds a page`);
  if (peakMb > MAX_MB) misses.push(`${Math.round(peakMb)} MB`);
  const head = ["page", "words", "found", "confidence", "CPU s with a new engine", "Debian's tesseract", "its CPU s"];
  const sums = `A slice of ${result.length} pages: ${secondsPerPage.toFixed(1)} CPU seconds of the browser for each page, and the runtime of the Worker grows by at most ${Math.round(peakMb)} MB.`;
  const notes =
    "Pages are rendered from known text, drawn as pictures (JPEG) into a PDF and read by the service's recognizer (`deu+eng`). A word counts as found if it is in the result, as often as it is on the page. " +
    "A page alone also pays for the start of the engine. Debian's program reads the same pictures, with one thread. It has no cleaning and no straightening.";
  writeSection("Text recognition of scans", `${machine()}.\n\n${notes}\n\n${table(head, rows)}\n\n${sums}`);
  console.log(sums);
  for (const miss of misses) console.error(`Goal missed: ${miss}`);
  process.exitCode = misses.length > 0 ? 1 : 0;
} finally {
  await service.stop();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
