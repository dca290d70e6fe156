import { type Browser, launch } from "puppeteer-core";
import { findBrowser } from "../../scripts/setup/browser.mjs";

/** A plain script: prints the same page in the same browser without any protection. */
export class PlainScript {
  #browser: Browser | undefined;

  /** Prints a page and returns the milliseconds. The first page includes the start of the browser. */
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
