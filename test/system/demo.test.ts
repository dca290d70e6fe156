import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { CAMERAS } from "../../scripts/seed/harbour/cameras.mjs";
import { signInLink } from "../../scripts/seed/sign-in-link.mjs";
import { freePort } from "../../scripts/service/options.mjs";
import { nodeForTools, ROOT } from "../../scripts/setup/project.mjs";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { openBrowser, openTab } from "./support/browser";
import { sees, textOf, visibleText } from "./support/console";

/*
 * The demo of `npm start` in a new folder: its output, its pages, and whether its past has the form that the service
 * writes.
 */

/**
 * Maximum time from the printed address to the wall of cameras with its pictures, and maximum number of openings in
 * the test.
 */
const WALL_BUDGET_MS = 2_000;
const MAX_OPENINGS = 8;

/** A word of each document that no other document has. */
const WORDS = {
  "Harbour inspection 2026.pdf": "parapet",
  "Findings of the divers.docx": "anodes",
  "Inspection for the website.html": "visitors",
  "Lighthouse keys.eml": "Skagerrak",
  "Storm procedures.md": "sluice",
  "Vessels and tonnage.xlsx": "passengers",
  "Vessels.csv": "Guillemot",
  "Plans for the marina.pptx": "dredging",
};
const searched = z.object({ results: z.array(z.looseObject({ title: z.string() })) });

const stateDir = mkdtempSync(join(tmpdir(), "demo-"));
let browser: Browser;
let page: Page;
let started: Started;
const complaints: string[] = [];

interface Started {
  url: string;
  said: () => string;
  /** Stops it as Ctrl-C does. */
  stop: () => Promise<void>;
}

/** Starts the service like `npm start`. */
async function start(): Promise<Started> {
  const port = await freePort();
  const child = spawn(nodeForTools(), ["scripts/start.mjs"], {
    cwd: ROOT,
    env: { ...process.env, PORT: String(port), STATE_DIR: stateDir },
  });
  const ended = once(child, "exit");
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const stop = async () => {
    child.kill("SIGINT");
    await ended;
  };
  return { url: `http://127.0.0.1:${port}`, said: () => said, stop };
}

const link = () => /^Cameras +(\S+)$/m.exec(started.said())?.[1] ?? "";

beforeAll(async () => {
  started = await start();
  browser = await openBrowser();
  page = await openTab(browser);
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url ?? ""}`);
  });
  await page.setViewport({ width: 1440, height: 900 });
});
afterAll(async () => {
  await browser?.close();
  await started?.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

/** Reads rows of a database below the state folder, while no other process has it open or the service runs. */
function rowsOf<T extends z.ZodType>(schema: T, folder: string, sql: string): z.infer<T>[] {
  const inside = join(stateDir, "v3", folder);
  const file = readdirSync(inside).find((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite") ?? "";
  const database = new DatabaseSync(join(inside, file), { readOnly: true });
  try {
    return z.array(schema).parse(database.prepare(sql).all());
  } finally {
    database.close();
  }
}

test("the printed address signs in and shows every camera with its picture and its gaps", async () => {
  await eventually(() => expect(link()).toContain("#enter="), LONG_PATIENCE);
  await page.goto(link());
  await eventually(
    async () => expect(await page.$$eval(".wall .cam img", (images) => images.length)).toBe(CAMERAS.length),
    LONG_PATIENCE,
  );
  const names = await page.$$eval(".wall .name b", (all) => all.map((one) => one.textContent));
  expect([...names].sort()).toEqual(CAMERAS.map(({ settings }) => settings.name).sort());
  // The wall shows the causes of the cameras that are silent now.
  expect(await page.$$eval(".wall .cam.silent", (all) => all.length)).toBe(2);
  await page.waitForSelector(".last24 .hatch.offline");
  await page.waitForSelector(".last24 .hatch.camera-fault");
  // The token of the address is not in the history.
  expect(page.url()).toBe(`${started.url}/console/cameras`);
});

test("the address signs in once, even within a minute, and its session stays", async () => {
  const context = await browser.createBrowserContext();
  const second = await context.newPage();
  await second.goto(link());
  await second.waitForSelector("[name=password]", { timeout: LONG_PATIENCE });
  await context.close();
  await page.reload();
  await page.waitForSelector(".wall .cam img");
});

test("no other user of the machine can read the state", () => {
  // The running service removes files meanwhile.
  const modeOf = (name: string) => lstatSync(join(stateDir, name), { throwIfNoEntry: false })?.mode ?? 0;
  const open = readdirSync(stateDir, { recursive: true, encoding: "utf8" }).filter(
    (name) => (modeOf(name) & 0o077) !== 0,
  );
  expect(open).toEqual([]);
});

test("the documents are found, and each report opens", async () => {
  await eventually(() => expect(started.said()).toMatch(/^Try /m), LONG_PATIENCE);
  const token = /^Token +(\S+)$/m.exec(started.said())?.[1] ?? "";
  const read = async (path: string): Promise<unknown> =>
    (await fetch(`${started.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).json();
  await page.goto(`${started.url}/console/search?q=sapphire+lens`);
  await page.waitForSelector("#hits .hit");
  for (const [fileName, term] of Object.entries(WORDS)) {
    const body = JSON.stringify({ term });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    await eventually(async () => {
      const response = await fetch(`${started.url}/v1/search`, { method: "POST", headers, body });
      const { results } = searched.parse(await response.json());
      expect(results).toContainEqual(
        expect.objectContaining({ title: fileName, snippet: expect.stringMatching(/\w/) }),
      );
    }, LONG_PATIENCE);
  }
  const { items } = z
    .object({ items: z.array(z.looseObject({ id: z.string(), title: z.string() })) })
    .parse(await read("/v1/reports?limit=100"));
  expect(items).toHaveLength(3);
  for (const { id, title } of items) {
    await page.goto(`${started.url}/console/reports/${id}`);
    await sees(page, title);
    expect(await visibleText(page)).not.toContain("could not");
  }
});

test("a gap of the archive names its cause", async () => {
  await page.goto(`${started.url}/console/cameras`);
  await page.waitForSelector(".wall .cam");
  await page.click("::-p-text(Crane east)");
  await page.waitForSelector(".stage .picture");
  await page.click('.archive-head button[title="Gaps"]');
  await eventually(async () => {
    const gaps = await textOf(page, ".gaps");
    for (const cause of ["No heartbeat", "Paused", "Camera fault"]) expect(gaps).toContain(cause);
  }, LONG_PATIENCE);
  const errors = started.said().match(/^.*"level":"error".*$/gm);
  expect(
    complaints.filter((text) => !text.includes("401")),
    String(errors),
  ).toEqual([]);
});

test("a second start builds and migrates nothing, and shows the wall again", async () => {
  await eventually(
    () =>
      expect(rowsOf(z.object({ n: z.int() }), D1, "SELECT count(*) AS n FROM camera_captures")[0]?.n).toBeGreaterThan(
        300,
      ),
    LONG_PATIENCE,
  );
  expect(started.said()).toContain("Migrating");
  await started.stop();
  started = await start();
  await eventually(() => expect(link()).toContain("#enter="), LONG_PATIENCE);
  expect(started.said()).not.toMatch(/Building|Migrating|Creating|Uploading/);
  await page.goto(link());
  await page.waitForSelector(".wall .cam img");
});

/** Milliseconds from opening an address in a browser without a cache until the wall shows every picture. */
async function timeToWall(address: string): Promise<number> {
  const context = await browser.createBrowserContext();
  const fresh = await context.newPage();
  fresh.setDefaultTimeout(LONG_PATIENCE);
  await fresh.setViewport({ width: 1440, height: 900 });
  await fresh.goto(address, { waitUntil: "domcontentloaded" });
  const time = await fresh.waitForFunction(WALL_IS_SHOWN, { polling: "raf" });
  const ms = z.number().parse(await time.jsonValue());
  await context.close();
  return ms;
}
/** The time since the page was opened when all pictures can be seen, else false. Runs in the page. */
const WALL_IS_SHOWN = `(() => {
  const images = [...document.querySelectorAll(".wall .cam img")];
  const isShown = (image) => image.complete && image.naturalWidth > 0;
  return images.length === ${CAMERAS.length} && images.every(isShown) && performance.now();
})()`;

test("the wall shows all its pictures within two seconds after its address is opened", async () => {
  await eventually(() => expect(started.said()).toMatch(/^Try /m), LONG_PATIENCE);
  const [, email = "", password = ""] = /^Sign in +(\S+) with the password (.+)$/m.exec(started.said()) ?? [];
  const stopping = new AbortController();
  const times: number[] = [];
  // Other work on the machine makes the times longer: with three tasks for each processor, three times as long.
  const budget = () => WALL_BUDGET_MS * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
  while (times.length < MAX_OPENINGS && !times.some((time) => time <= budget()))
    times.push(await timeToWall(await signInLink({ url: started.url, email, password, stopping: stopping.signal })));
  stopping.abort();
  console.info(`From the address to the wall: ${times.map((time) => Math.round(time)).join(", ")} ms.`);
  expect(Math.min(...times)).toBeLessThanOrEqual(budget());
  await started.stop();
});

const D1 = "d1/miniflare-D1DatabaseObject";
const R2 = "r2/miniflare-R2BucketObject";

test("every object of the database is in the store with its bytes, and the quotas are their sums", () => {
  const object = z.object({ key: z.string(), blob_id: z.string(), size: z.int() });
  const stored = new Map(rowsOf(object, R2, "SELECT key, blob_id, size FROM _mf_objects").map((row) => [row.key, row]));
  const kept = rowsOf(
    z.object({ key: z.string(), charged_bytes: z.int() }),
    D1,
    `SELECT key, charged_bytes FROM stored_objects UNION ALL SELECT 'captures/' || organization_id || '/' || camera_id || '/'
       || operation_id || '/' || form.value, size_bytes * (form.key = 0)
     FROM camera_captures CROSS JOIN json_each('["original.jpg","thumbnail.jpg"]') AS form`,
  );
  expect(kept.length).toBeGreaterThan(300);
  const blobs = join(stateDir, "v3/r2/document-workspace/blobs");
  const keys = new Set(kept.map(({ key }) => key));
  const missing = [...keys].filter((key) => !existsSync(join(blobs, stored.get(key)?.blob_id ?? "missing")));
  expect(missing).toEqual([]);
  const wrong = kept.filter(({ key, charged_bytes }) => charged_bytes > 0 && stored.get(key)?.size !== charged_bytes);
  expect(wrong).toEqual([]);
  const usage = `SELECT tenant_id, used_bytes,
    (SELECT sum(charged_bytes) FROM stored_objects WHERE stored_objects.tenant_id = storage_usage.tenant_id)
      + (SELECT sum(charged_bytes) FROM camera_frames) AS sum
    FROM storage_usage WHERE used_bytes > 0`;
  const quotas = rowsOf(z.object({ tenant_id: z.string(), used_bytes: z.int(), sum: z.int() }), D1, usage);
  expect(quotas).toHaveLength(1);
  for (const { used_bytes, sum } of quotas) expect(used_bytes).toBe(sum);
});
