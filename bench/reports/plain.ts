import { type Browser, launch } from "puppeteer-core";
import { findBrowser } from "../../scripts/setup/browser.mjs";

/** What a plain script does: the same page in the same browser, with no measure against anything. */
export class PlainScript {
  #browser: Browser | undefined;

  /** Prints a page, milliseconds; the first one includes the start of the browser. */
  async print(html: string): Promise<number> {
    const began = performance.now();
    this.#browser ??= await launch({ executablePath: (await findBrowser()) ?? "", args: ["--no-sandbox"] });
    const page = await this.#browser.newPage();
    await page.setContent(html, { waitUntil: "load" });
    await page.pdf({ preferCSSPageSize: true, printBackground: true, tagged: true, outline: true });
    await page.close();
    return performance.now() - began;
  }

  async end(): Promise<void> {
    await this.#browser?.close();
  }
}
