import type { CDPSession } from "@cloudflare/puppeteer";
import { type BrowserBindings, withBrowser, within } from "../../platform/browsers/borrow";
import type { WalledPage } from "../../platform/browsers/page";
import { DomainError } from "../../platform/errors";
import { BrowsersBusy, type PageToPrint, type Printed, type Printer, PrintFailure } from "../../platform/ports";
import { SECOND } from "../../platform/time";
import { MAX_PAGE_CHARACTERS, PRINT_TIMEOUT_MS } from "../limits";
import { openGuardedPage, printPage } from "./page/page";

/** The browsers, and the static files with the fonts of printed pages. */
type Bindings = BrowserBindings & Partial<Pick<Cloudflare.Env, "ASSETS">>;

const crashed = (cdp: CDPSession): Promise<never> =>
  new Promise((_, fail) => {
    cdp.on("Inspector.targetCrashed", () =>
      fail(
        new PrintFailure(
          "print-crashed",
          "The browser crashed: the page takes too much memory. Use fewer or smaller pictures and simpler styles.",
        ),
      ),
    );
  });

async function printIn(
  guarded: WalledPage,
  page: PageToPrint,
  largestPage: number,
  assets: Bindings["ASSETS"],
): Promise<Printed> {
  const printed = await Promise.race([printPage(guarded.cdp, page, largestPage, assets), crashed(guarded.cdp)]);
  await guarded.close();
  return printed;
}

type Composed = { page: PageToPrint } | { thrown: unknown };

/** Catches errors of `compose`: they are not the browser's fault, so the browser is returned as usable. */
const settled = (compose: () => Promise<PageToPrint>): Promise<Composed> =>
  compose().then(
    (page) => ({ page }),
    (thrown: unknown) => ({ thrown }),
  );

/** Turns a browser's error into an error of the printer. */
const ofPrinter = (thrown: unknown): unknown =>
  thrown instanceof PrintFailure || thrown instanceof BrowsersBusy || thrown instanceof DomainError
    ? thrown
    : new DomainError("unavailable", "The browser ended while it printed. Try again.", { cause: thrown });

const POOL = "pool";

/** Opens the printer over at most `browsers` of the Worker's browsers. `deadlineMs` and `largestPage` limit one page. */
export const openPrinter = (
  bindings: Bindings,
  { browsers = 3, deadlineMs = PRINT_TIMEOUT_MS, largestPage = MAX_PAGE_CHARACTERS } = {},
): Printer => ({
  async print(compose) {
    const late = () =>
      new PrintFailure(
        "print-deadline",
        `The report could not be laid out within ${deadlineMs / SECOND} s. Simplify its styles and tables, or split it.`,
      );
    const printed = await withBrowser(bindings, { pool: POOL, most: browsers }, async (browser) => {
      // The page opens while its text is composed.
      const opening = openGuardedPage(browser);
      opening.catch(() => {});
      const composed = await settled(compose);
      const guarded = await within(deadlineMs, opening, late);
      if ("page" in composed)
        return within(deadlineMs, printIn(guarded, composed.page, largestPage, bindings.ASSETS), late);
      await guarded.close();
      return composed;
    }).catch((thrown) => {
      throw ofPrinter(thrown);
    });
    if ("thrown" in printed) throw printed.thrown;
    return printed;
  },
});
