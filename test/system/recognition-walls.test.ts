import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { localSecrets } from "../../scripts/secrets.mjs";
import { freePort } from "../../scripts/service/options.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { buildWeb } from "../../scripts/setup/web.mjs";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { paper, SCANNED, scanOf } from "../support/scans";
import { openBrowser, openTab } from "./support/browser";
import { LoggedBrowsers } from "./support/printing/logged-browsers";

vi.setConfig({ testTimeout: 900_000, hookTimeout: 300_000 });

let browsers: LoggedBrowsers;
let service: Awaited<ReturnType<typeof serve>>;
let picture: Uint8Array;

/** The recognizer of the service, in a separate Worker, with browsers that record all their network traffic. */
const start = async () =>
  serve({
    port: await freePort(),
    stateDir: browsers.folder,
    secretsFile: localSecrets(browsers.folder),
    config: "test/system/support/recognition/wrangler.toml",
    environment: { XDG_CACHE_HOME: browsers.cacheHome },
  });

beforeAll(async () => {
  await buildWeb();
  const browser = await openBrowser();
  const page = await openTab(browser);
  await page.setViewport({ width: 700, height: 360, deviceScaleFactor: 2 });
  await page.setContent(paper(SCANNED.english));
  picture = await page.screenshot({ type: "png" });
  await browser.close();
  browsers = await LoggedBrowsers.link();
  service = await start();
});

afterAll(async () => {
  await service?.stop();
  browsers?.remove();
});

const answerSchema = z.object({
  refused: z.string().nullable(),
  pages: z.array(z.object({ page: z.int(), outcome: z.string(), text: z.string() })),
});

interface Asked {
  pages?: readonly number[];
  script?: string;
  deadline?: number;
  type?: "photo";
}

async function recognize(document: Uint8Array, { pages = [1], script = "", deadline, type }: Asked = {}) {
  const query = new URLSearchParams({ pages: pages.join(), script });
  if (deadline !== undefined) query.set("deadline", String(deadline));
  if (type !== undefined) query.set("type", type);
  const response = await fetch(`${service.url}/recognize?${query}`, {
    method: "POST",
    body: Uint8Array.from(document),
  });
  expect(response.status).toBe(200);
  return answerSchema.parse(await response.json());
}

const outcomesOf = ({ pages }: z.infer<typeof answerSchema>) => pages.map(({ page, outcome }) => [page, outcome]);

/** A script with an endless loop on one page. */
const spinOn = (page: number) =>
  `const own = recognition.read; recognition.read = (number, ...given) => { if (number === ${page}) for (;;); return own(number, ...given); };`;

test("a page that does not end is ended from outside, and the others are read", async () => {
  const scan = await scanOf([picture, picture, picture]);
  const script = spinOn(2);
  const first = await recognize(scan, { pages: [1, 2, 3], script, deadline: 60_000 });
  // A page that is not the first of its slice is tried once more in the next slice.
  expect(outcomesOf(first)).toEqual([[1, "recognized"]]);
  expect(outcomesOf(await recognize(scan, { pages: [2, 3], script, deadline: 1_000 }))).toEqual([[2, "deadline"]]);
  const last = await recognize(scan, { pages: [3], script });
  expect(outcomesOf(last)).toEqual([[3, "recognized"]]);
  expect(last.pages[0]?.text).toEqual(first.pages[0]?.text);
});

/** Process ids of the pages of a browser, and the CPU seconds of a process. */
const pagesOfBrowser = (pid: number): number[] => {
  const children = execFileSync("ps", ["-eo", "pid,ppid,args"], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  const rows = children.split("\n").flatMap((row) => {
    const [, child, parent, args = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? [];
    return child === undefined ? [] : [{ pid: Number(child), parent: Number(parent), args }];
  });
  const below = (of: number): typeof rows =>
    rows.filter(({ parent }) => parent === of).flatMap((row) => [row, ...below(row.pid)]);
  return below(pid).flatMap((row) => (row.args.includes("--type=renderer") ? [row.pid] : []));
};
const cpuSecondsOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

test("a page whose process is killed counts as crashed, and the others are read", async () => {
  const scan = await scanOf([picture, picture]);
  const asked = recognize(scan, { pages: [1, 2], script: spinOn(1), deadline: 600_000 });
  await eventually(async () => {
    const busy = browsers.living.flatMap(pagesOfBrowser).filter((pid) => cpuSecondsOf(pid) > 5);
    expect(busy.length).toBeGreaterThan(0);
    for (const pid of busy) process.kill(pid, "SIGKILL");
  }, LONG_PATIENCE);
  expect(outcomesOf(await asked)).toEqual([[1, "crashed"]]);
  expect(outcomesOf(await recognize(scan, { pages: [2] }))).toEqual([[2, "recognized"]]);
});
