import type { Browser, CDPSession } from "@cloudflare/puppeteer";
import { DomainError } from "../../platform/errors";
import { type PageToPrint, type Printed, type Printer, PrinterBusy, PrintFailure } from "../../platform/printer";
import { SECOND } from "../../platform/time";
import { withBrowser } from "./browsers/borrow";
import { within } from "./browsers/deadline";
import { LARGEST_PAGE, PRINT_DEADLINE } from "./limits";
import { openGuardedPage } from "./page/guarded";
import { printPage } from "./page/print";

type Bindings = Pick<Cloudflare.Env, "BROWSER" | "BROWSER_POOL">;

const crashed = (cdp: CDPSession): Promise<never> =>
  new Promise((_, fail) => {
    cdp.on("Inspector.targetCrashed", () =>
      fail(
        new PrintFailure(
          "print-crashed",
          "The browser gave up on the page: it takes too much memory. Use fewer or smaller pictures and simpler styles.",
        ),
      ),
    );
  });

async function printIn(browser: Browser, page: PageToPrint, largestPage: number): Promise<Printed> {
  const guarded = await openGuardedPage(browser);
  const printed = await Promise.race([printPage(guarded.cdp, page, largestPage), crashed(guarded.cdp)]);
  await guarded.close();
  return printed;
}

type Composed = { page: PageToPrint } | { thrown: unknown };

/** What composing throws is no fault of the browser, which is given back as it was. */
const settled = (compose: () => Promise<PageToPrint>): Promise<Composed> =>
  compose().then(
    (page) => ({ page }),
    (thrown: unknown) => ({ thrown }),
  );

/** What went wrong with a browser, in the printer's own words. */
const ofPrinter = (thrown: unknown): unknown =>
  thrown instanceof PrintFailure || thrown instanceof PrinterBusy || thrown instanceof DomainError
    ? thrown
    : new DomainError("unavailable", "The browser ended while it printed.", { cause: thrown });

/** The printer over the Worker's browsers; `limits` are what one page may take. */
export const openPrinter = (
  bindings: Bindings,
  { deadlineMs = PRINT_DEADLINE, largestPage = LARGEST_PAGE } = {},
): Printer => ({
  async print(compose) {
    const late = () =>
      new PrintFailure(
        "print-deadline",
        `The report could not be laid out within ${deadlineMs / SECOND} s. Simplify its styles and tables, or split it.`,
      );
    const printed = await withBrowser(bindings, async (browser) => {
      const composed = await settled(compose);
      if ("thrown" in composed) return composed;
      return within(deadlineMs, printIn(browser, composed.page, largestPage), late);
    }).catch((thrown) => {
      throw ofPrinter(thrown);
    });
    if ("thrown" in printed) throw printed.thrown;
    return printed;
  },
});
