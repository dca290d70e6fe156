import { type Browser, launch, type Page } from "puppeteer-core";
import { findBrowser } from "../../../scripts/setup/browser.mjs";
import { LONG_PATIENCE } from "../../support/patience";

/** A browser for tests. @param args more arguments of its command line */
export async function openBrowser(...args: string[]): Promise<Browser> {
  const executablePath = await findBrowser();
  if (executablePath === null) throw new Error("no browser: set CHROME_PATH to one");
  return launch({
    executablePath,
    headless: true,
    timeout: LONG_PATIENCE,
    args: ["--no-sandbox", "--disable-gpu", ...args],
  });
}

/** A page that has the timeout of the tests. @param browser or a profile of it */
export async function openTab(browser: Pick<Browser, "newPage">): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(LONG_PATIENCE);
  return page;
}
