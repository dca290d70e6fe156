import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import puppeteer from "@cloudflare/puppeteer";
import { beforeAll, expect, test, vi } from "vitest";
import { BROWSER_LEASE_MS, MAX_BROWSER_IDLE_MS } from "../../../src/platform/browsers/limits";
import { BrowserPool } from "../../../src/platform/browsers/pool";
import { BrowsersBusy, type PageToPrint, PrintFailure } from "../../../src/platform/ports";
import { openPrinter } from "../../../src/reports";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { readPdf } from "./pdf";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 300_000 });

const printer = openPrinter(env);
const pool = env.BROWSER_POOL.getByName("pool");
const page =
  (html: string, more: Partial<PageToPrint> = {}) =>
  async (): Promise<PageToPrint> => ({
    html: [html],
    title: "Quay wall",
    language: "en",
    madeAt: Date.UTC(2026, 10, 20, 9, 30),
    ...more,
  });

/** A page whose layout takes the browser minutes. */
const BOMB = "<div style='columns:2'>x<p>y</p>".repeat(60);

const print = async (compose: () => Promise<PageToPrint>) => (await printer.print(compose)).pdf;

const openBrowsers = async () => (await puppeteer.sessions(env.BROWSER)).map(({ sessionId }) => sessionId).sort();

/** Ends every browser of the runtime, as a crash does. */
async function endBrowsers(): Promise<void> {
  for (const id of await openBrowsers())
    await env.BROWSER.fetch(`https://x/v1/devtools/browser/${id}`, { method: "DELETE" });
}
// Files share a runtime, and these tests count its browsers.
beforeAll(endBrowsers);

test("a page becomes a tagged PDF with title, language, outline, links and running page numbers", async () => {
  const html = `<html lang="de"><head><title>Bericht – Kai</title><style>
    @page { size: A4 landscape; margin: 20mm; @bottom-right { content: "Seite " counter(page) " von " counter(pages) } }
    h1 { break-before: page }</style></head>
    <body><p>Deckblatt <a href="https://example.org/plan">Plan</a> <a href="javascript:alert(1)">nein</a></p>
    <h1>Erstens</h1><h2>Darin</h2><h1>Zweitens</h1>`;
  const pdf = await readPdf(await print(page(html)));
  expect(pdf).toMatchObject({ Title: "Bericht – Kai", Language: "de", tagged: true });
  expect(pdf.CreationDate).toBe("D:20261120093000+00'00'");
  expect(pdf.outline).toEqual([["Erstens", "Darin"], "Zweitens"]);
  expect(pdf.pages.map(({ width, height }) => [width, height])).toEqual(Array(3).fill([842, 595]));
  expect(pdf.pages[1]?.text).toMatch(/Seite 2 von 3/);
  expect(pdf.pages[0]?.links).toEqual(["https://example.org/plan"]);
});

test("a page without its own settings is A4, and has the given title and language", async () => {
  const pdf = await readPdf(await print(page("<p>Words.")));
  expect(pdf).toMatchObject({ Title: "Quay wall", Language: "en" });
  expect(pdf.pages.map(({ width, height }) => [width, height])).toEqual([[595, 842]]);
});

test("equal pages give equal bytes, even in another browser", async () => {
  const html = "<h1>Tide gauge</h1><table><tr><td>4.1 m<td>4.3 m</table>";
  const first = await print(page(html));
  const again = await Promise.all([1, 2, 3].map(() => print(page(html))));
  expect(again.every((bytes) => Buffer.compare(bytes, first) === 0)).toBe(true);
  expect(Buffer.compare(await print(page(html, { madeAt: 0 })), first)).not.toBe(0);
  expect((await openBrowsers()).length).toBeLessThanOrEqual(3);
});

test("names of elements cause no errors, and split text arrives complete", async () => {
  const names = ["documentElement", "createTreeWalker", "fonts", "adoptNode", "createElement", "pieces", "styleSheets"];
  const traps = names.map((name) => `<img name="${name}"><form name="${name}" id="${name}"></form>`).join("");
  const inForm = `<form><input name="attributes"><input name="remove"><input name="getAttributeNames" onfocus="x()"></form>`;
  const cut = ["<p>before \ud83d", "\ude00 after</p>", `<!-- ${"–".repeat(600_000)} --><p>the end</p>`];
  const pdf = await readPdf(await print(page("", { html: [traps, inForm, ...cut] })));
  expect(pdf.pages[0]?.text).toMatch(/before 😀? ?.*after/u);
  expect(pdf.pages.at(-1)?.text).toContain("the end");
});

test("an endless layout stops at the deadline, and the next page is printed", async () => {
  await expect(openPrinter(env, { deadlineMs: 2_000 }).print(page(BOMB))).rejects.toMatchObject({
    code: "print-deadline",
  });
  expect((await print(page("<p>Next."))).length).toBeGreaterThan(1_000);
});

test("a page that is too large is refused before it is laid out", async () => {
  const html = ["<p>x", "<p>y".repeat(1_000_000)];
  const refused = openPrinter(env, { largestPage: 2 * 1024 * 1024 }).print(page("", { html }));
  await expect(refused).rejects.toBeInstanceOf(PrintFailure);
  await expect(refused).rejects.toMatchObject({ code: "print-too-large" });
});

test("browsers that ended by themselves are replaced", async () => {
  await print(page("<p>One."));
  await endBrowsers();
  expect(await openBrowsers()).toEqual([]);
  // A browser can answer once more while it ends. Its job is repeated, and then has another browser.
  await eventually(async () => expect((await print(page("<p>Two."))).length).toBeGreaterThan(1_000), LONG_PATIENCE);
});

test("idle browsers and browsers of dead jobs are closed", async () => {
  await print(page("<p>One."));
  const lent = await pool.take(3);
  expect(lent.kind).toBe("loan");
  expect(await openBrowsers()).not.toEqual([]);
  await runInDurableObject(pool, (_, { storage }) => {
    for (const [key, session] of storage.kv.list<{ since: number }>({ prefix: "session:" }))
      storage.kv.put(key, { ...session, since: session.since - Math.max(BROWSER_LEASE_MS, MAX_BROWSER_IDLE_MS) });
  });
  await runDurableObjectAlarm(pool);
  expect(await openBrowsers()).toEqual([]);
  // A browser that the dead job returns late is not lent again.
  if (lent.kind === "loan") await pool.giveBack(lent.loan, true);
  expect(await runInDurableObject(pool, (_, { storage }) => [...storage.kv.list()])).toEqual([]);
});

test("BrowsersBusy means that no more browsers can start now, and unavailable means that there is none", async () => {
  const answering = (status: number) => ({ fetch: async () => new Response("no", { status }) });
  const poolOver = (status: number) =>
    runInDurableObject(env.BROWSER_POOL.getByName(`over ${status}`), (_, state) =>
      new BrowserPool(state, { ...env, BROWSER: answering(status) as never }).take(3),
    );
  expect(await poolOver(429)).toMatchObject({ kind: "busy", retryAfterMs: 20_000 });
  expect(await poolOver(500)).toEqual({ kind: "none" });
  const bindings = {
    BROWSER: env.BROWSER,
    BROWSER_POOL: { getByName: () => ({ take: () => poolOver(429) }) } as never,
  };
  await expect(openPrinter(bindings).print(page("<p>"))).rejects.toBeInstanceOf(BrowsersBusy);
});
