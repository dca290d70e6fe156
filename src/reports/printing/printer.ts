import puppeteer, { type Browser, type CDPSession } from "@cloudflare/puppeteer";
import { DomainError } from "../../platform/errors";
import { describeFailure, log } from "../../platform/log";
import { type PageToPrint, type Printed, type Printer, PrinterBusy, PrintFailure } from "../../platform/ports";
import { SECOND } from "../../platform/time";
import {
  CLOSE_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  MAX_DEAD_BROWSERS,
  MAX_PAGE_CHARACTERS,
  PRINT_TIMEOUT_MS,
} from "../limits";
import type { Loan } from "./browsers/pool";
import { openGuardedPage, printPage } from "./page";

type Bindings = Pick<Cloudflare.Env, "BROWSER" | "BROWSER_POOL">;

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

async function printIn(browser: Browser, page: PageToPrint, largestPage: number): Promise<Printed> {
  const guarded = await openGuardedPage(browser);
  const printed = await Promise.race([printPage(guarded.cdp, page, largestPage), crashed(guarded.cdp)]);
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
  thrown instanceof PrintFailure || thrown instanceof PrinterBusy || thrown instanceof DomainError
    ? thrown
    : new DomainError("unavailable", "The browser ended while it printed. Try again.", { cause: thrown });

/** Opens the printer over the Worker's browsers. `deadlineMs` and `largestPage` limit one page. */
export const openPrinter = (
  bindings: Bindings,
  { deadlineMs = PRINT_TIMEOUT_MS, largestPage = MAX_PAGE_CHARACTERS } = {},
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

const POOL = "pool";

const unavailable = (cause?: unknown): DomainError =>
  new DomainError("unavailable", "No browser is available for printing at the moment. Try again later.", { cause });

/** Borrows a browser that answers. A browser that has ended is returned as unusable. */
async function connect({ BROWSER, BROWSER_POOL }: Bindings): Promise<{ browser: Browser; loan: Loan }> {
  const pool = BROWSER_POOL.getByName(POOL);
  for (let dead = 0; dead < MAX_DEAD_BROWSERS; dead++) {
    const lent = await pool.take();
    if (lent.kind === "busy") throw new PrinterBusy(lent.retryAfterMs);
    if (lent.kind === "none") throw unavailable();
    const { loan } = lent;
    try {
      const connecting = puppeteer.connect(BROWSER, loan.sessionId);
      return { browser: await within(CONNECT_TIMEOUT_MS, connecting, () => new Error("no answer")), loan };
    } catch (thrown) {
      log("info", "browser.gone", { error: describeFailure(thrown).error });
      await pool.giveBack(loan, false);
    }
  }
  throw unavailable();
}

/**
 * Runs work with a browser that no other job uses meanwhile. If the work fails, the browser is closed and never used
 * again. @throws the errors of the work; PrinterBusy, DomainError unavailable.
 */
async function withBrowser<T>(bindings: Bindings, work: (browser: Browser) => Promise<T>): Promise<T> {
  const { browser, loan } = await connect(bindings);
  let usable = false;
  try {
    const result = await work(browser);
    usable = true;
    return result;
  } finally {
    if (usable) await browser.disconnect();
    else
      await within(CLOSE_TIMEOUT_MS, browser.close(), () => new Error("it does not close")).catch(() =>
        browser.disconnect(),
      );
    await bindings.BROWSER_POOL.getByName(POOL).giveBack(loan, usable);
  }
}

/** Settles like `work`, or throws the error of `late` when the time runs out first. */
async function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(late()), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
    // After a timeout the rest of the work fails when its browser closes.
    work.catch(() => {});
  }
}
