import { readFileSync } from "node:fs";
import { type Browser, launch, type Page } from "puppeteer-core";
import { findBrowser } from "../../scripts/setup/browser.mjs";

const POLYFILL = readFileSync("node_modules/pagedjs/dist/paged.polyfill.min.js", "utf8");

/**
 * The rules of the service's stylesheets as Paged.js reads them. It splits the selector of each rule with a break at its commas, and
 * ends with an error if a comma is in brackets.
 */
const readable = (html: string): string =>
  html
    .replace(/:where\(([^()]*,[^()]*)\)(::after)?\{/g, (_, list: string, part = "") =>
      list
        .split(",")
        .map((one) => one + part)
        .join(",")
        .concat("{"),
    )
    .replace(/^body:not\(:has\(.*$/m, "");

/** The numbers of figures, which the printer of the service writes, in the words of CSS for paged media. */
const NUMBERS = `<style>
.report-body { counter-reset: figure }
[id^=fender] { counter-increment: figure }
[id^=fender] figcaption::before { content: "Figure " counter(figure) ": " }
a.report-number::after { content: target-counter(attr(href), figure) }
</style></head>`;

const PDF = { preferCSSPageSize: true, printBackground: true, tagged: true, outline: true, timeout: 0 };

/** A script that lays a page out with Paged.js and prints it, or only prints it, in a browser without protection. */
export class PagedScript {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async open(): Promise<PagedScript> {
    const executablePath = (await findBrowser()) ?? "";
    return new PagedScript(await launch({ executablePath, args: ["--no-sandbox"], protocolTimeout: 0 }));
  }

  /** The process id of the browser. */
  get pid(): number {
    return this.#browser.process()?.pid ?? 0;
  }

  /** Prints the page as it is. */
  plain = (html: string): Promise<Uint8Array> =>
    this.#inPage(async (page) => {
      await page.setContent(html, { waitUntil: "load" });
      return page.pdf(PDF);
    });

  /** Prints the page after Paged.js has made its pages. */
  paged = (html: string): Promise<Uint8Array> =>
    this.#inPage(async (page) => {
      await this.#layOut(page, html);
      return page.pdf(PDF);
    });

  /** What Paged.js says in a page in which scripts are off, as the printer of the service has them. */
  withoutScripts = (html: string): Promise<string> =>
    this.#inPage(async (page) => {
      await page.setJavaScriptEnabled(false);
      return this.#layOut(page, html).then(
        () => "works",
        (thrown: unknown) => String(thrown),
      );
    });

  async #layOut(page: Page, html: string): Promise<void> {
    await page.setContent(readable(html).replace("</head>", NUMBERS), { waitUntil: "load" });
    await page.evaluate("window.PagedConfig = { auto: false }");
    await page.evaluate(`${POLYFILL};0`);
    await page.evaluate("window.PagedPolyfill.preview().then(() => 0)");
  }

  async #inPage<T>(work: (page: Page) => Promise<T>): Promise<T> {
    const page = await this.#browser.newPage();
    try {
      return await work(page);
    } finally {
      await page.close();
    }
  }

  async end(): Promise<void> {
    await this.#browser.close();
  }
}
