import { z } from "zod";
import { machine, table, writeSection } from "../support/results.ts";
import { type Cost, MeasuredWorker } from "../support/workerd.ts";
import { makeFiles, serveFiles } from "./files.ts";

/** The library that is compared, by file. */
const BESIDE: Readonly<Record<string, string>> = {
  "report-300-pages.pdf": "unpdf",
  "report-300-pages-aes-256.pdf": "unpdf",
  "report-300-pages-rc4-128.pdf": "unpdf",
  "book.docx": "mammoth",
  "log.xlsx": "xlsx",
};
/** Loopback ports of the measured Worker and of the files it reads. */
const [WORKER_PORT, FILES_PORT] = [8833, 8832];
/**
 * Limits of a PDF with 300 pages, as multiples of what the library beside it takes in the same run. Most of the memory is garbage
 * that V8 has not collected: after a collection, 300 pages leave 3 MB more than one page does.
 */
const MAX_MEMORY_TIMES = 1;
const MAX_CPU_TIMES = 2.5;

type Call = (path: string) => Promise<string>;

const sliceAnswer = z.object({
  end: z.looseObject({ kind: z.string(), status: z.string().optional(), state: z.unknown().optional() }),
  passages: z.int(),
  characters: z.int(),
});

const files = await makeFiles();
const server = await serveFiles(files, FILES_PORT);

/**
 * Runs `work` in a new process. Returns its cost above the loaded Worker, and above one that has read `small` with the
 * same reader.
 */
async function measured<T>(work: (call: Call) => Promise<T>, warmUp: (call: Call) => Promise<unknown>) {
  const worker = await MeasuredWorker.start("bench/extract/worker.ts", WORKER_PORT);
  try {
    const warm = await worker.measure(warmUp);
    const { result, cost } = await worker.measure(work);
    return { result, cost, fromCold: warm.heldMb + cost.peakMb };
  } finally {
    await worker.stop();
  }
}

/** One request for each slice, like a queue that delivers one job in a batch. */
async function runOurs(name: string, size: number, call: Call) {
  let [state, slices, passages, characters] = [null as unknown, 0, 0, 0];
  for (;;) {
    const query = new URLSearchParams({ files: server.url, name, size: String(size) });
    if (state !== null) query.set("state", JSON.stringify(state));
    const answer = sliceAnswer.parse(JSON.parse(await call(`/ours?${query}`)));
    slices++;
    passages += answer.passages;
    characters += answer.characters;
    if (answer.end.kind === "end") return { slices, passages, characters, status: answer.end.status };
    state = answer.end.state;
  }
}

const show = ({ cost, fromCold }: { cost: Cost; fromCold: number }) => [
  `${cost.peakMb.toFixed(0)} MB`,
  `${fromCold.toFixed(0)} MB`,
  `${cost.cpuSeconds.toFixed(2)} s`,
];
const rows: string[][] = [];
let failed = false;
for (const [name, bytes] of files) {
  if (name.startsWith("small.")) continue;
  const small = `small${name.slice(name.lastIndexOf("."))}`;
  const mine = await measured(
    (call) => runOurs(name, bytes.length, call),
    (call) => runOurs(small, files.get(small)?.length ?? 0, call),
  );
  const { slices, passages, status } = mine.result;
  const size = `${(bytes.length / 1e6).toFixed(1)} MB`;
  rows.push([name, size, `this service (${status}, ${passages} passages, ${slices} slices)`, ...show(mine), "", ""]);
  const library = BESIDE[name];
  if (library === undefined) continue;
  const whole = (file: string) => (call: Call) =>
    call(`/${library}?${new URLSearchParams({ files: server.url, name: file })}`);
  const theirs = await measured(whole(name), whole(small));
  const { cost } = theirs;
  if (name.endsWith(".pdf"))
    failed ||=
      mine.cost.cpuSeconds > MAX_CPU_TIMES * cost.cpuSeconds || mine.cost.peakMb > MAX_MEMORY_TIMES * cost.peakMb;
  if (Number(theirs.result) < mine.result.characters / 3) throw new Error(`${library} did not read ${name}`);
  const ratio = (a: number, b: number) => `${(a / b).toFixed(1)} ×`;
  rows.push([
    name,
    size,
    `${library}, whole file`,
    ...show(theirs),
    ratio(cost.peakMb, mine.cost.peakMb),
    ratio(cost.cpuSeconds, mine.cost.cpuSeconds),
  ]);
}
server.close();

const head = [
  "file",
  "size",
  "reader",
  "peak above idle",
  "with loading the reader",
  "CPU in total",
  "memory ratio",
  "CPU ratio",
];
const section = `${machine()}. One fresh workerd process a row, measured from outside through /proc: peak resident memory
over the same process after it has read a small file of the kind (idle) and over what it was before, garbage included;
user and system time of all its threads. Bytes come by range over HTTP; passages are made and
serialised, not written to a database. The encrypted ones open without a password, as qpdf locks them. Limits of the 300-page PDFs: ${MAX_MEMORY_TIMES} times
the memory and ${MAX_CPU_TIMES} times the CPU of the library beside it.

${table(head, rows)}`;
writeSection("Extraction", section);
console.log(section);
process.exit(failed ? 1 : 0);
