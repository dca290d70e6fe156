import puppeteer from "@cloudflare/puppeteer";
import { PrintFailure } from "../../../../src/platform/ports";
import { openPrinter } from "../../../../src/reports";

export { BrowserPool } from "../../../../src/platform/browsers/pool";

/** Pages that are open at once in the browser without protection. */
const LANES = 4;
/**
 * Maximum time, milliseconds. Without protection, a page can keep its printing, its closing and the closing of the
 * browser from ending.
 */
const [PAGE_PATIENCE, PATIENCE] = [2_000, 120_000];

const within = (limitMs: number, work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work.catch(() => {}), scheduler.wait(limitMs)]);

/** The same pages in the same browser without any protection of the printer. */
async function printUnguarded(env: Cloudflare.Env, pages: string[]): Promise<void> {
  const browser = await puppeteer.launch(env.BROWSER);
  const left = [...pages];
  const lane = async () => {
    for (let html = left.shift(); html !== undefined; html = left.shift()) {
      const page = await browser.newPage();
      page.setDefaultTimeout(5_000);
      // Some of these pages navigate away, and some never end loading.
      await page.setContent(html, { waitUntil: "load", timeout: 1_000 }).catch(() => {});
      await within(PAGE_PATIENCE, page.pdf());
      await within(PAGE_PATIENCE, page.close());
    }
  };
  await within(PATIENCE, Promise.all(Array.from({ length: LANES }, lane)));
  await within(PAGE_PATIENCE, browser.close());
}

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/readyz") return new Response("ready");
    const html = await request.text();
    if (pathname === "/unguarded") {
      await printUnguarded(env, JSON.parse(html) as string[]);
      return new Response("done");
    }
    const deadlineMs = Number(searchParams.get("deadline") ?? 40_000);
    try {
      const json = searchParams.get("data");
      const data = json === null ? {} : { data: { fileName: "report.json", description: "Prüfbericht", json } };
      const page = { html: [html], title: "Report", language: "en", madeAt: 0, ...data };
      return new Response((await openPrinter(env, { deadlineMs }).print(async () => page)).pdf);
    } catch (thrown) {
      if (thrown instanceof PrintFailure) return new Response(thrown.code, { status: 422 });
      throw thrown;
    }
  },
} satisfies ExportedHandler<Cloudflare.Env>;
