import puppeteer, { type Browser } from "@cloudflare/puppeteer";
import { DomainError } from "../../../platform/errors";
import { describeFailure, log } from "../../../platform/log";
import { PrinterBusy } from "../../../platform/printer";
import { CLOSE_DEADLINE, CONNECT_DEADLINE, MOST_DEAD } from "../limits";
import { within } from "./deadline";
import type { Loan } from "./pool";

type Bindings = Pick<Cloudflare.Env, "BROWSER" | "BROWSER_POOL">;

const POOL = "pool";

const unavailable = (cause?: unknown): DomainError =>
  new DomainError("unavailable", "There is no browser to print with right now.", { cause });

/** Borrows a browser that answers: one that ended in the meantime is given back for good. */
async function connect({ BROWSER, BROWSER_POOL }: Bindings): Promise<{ browser: Browser; loan: Loan }> {
  const pool = BROWSER_POOL.getByName(POOL);
  for (let dead = 0; dead < MOST_DEAD; dead++) {
    const lent = await pool.take();
    if (lent.kind === "busy") throw new PrinterBusy(lent.retryAfterMs);
    if (lent.kind === "none") throw unavailable();
    const { loan } = lent;
    try {
      const connecting = puppeteer.connect(BROWSER, loan.sessionId);
      return { browser: await within(CONNECT_DEADLINE, connecting, () => new Error("no answer")), loan };
    } catch (thrown) {
      log("info", "browser.gone", { error: describeFailure(thrown).error });
      await pool.giveBack(loan, false);
    }
  }
  throw unavailable();
}

/**
 * Does one piece of work with a browser that nobody else uses meanwhile. A browser whose work did not end
 * well is closed and never used again.
 * @throws what the work throws; PrinterBusy, DomainError unavailable.
 */
export async function withBrowser<T>(bindings: Bindings, work: (browser: Browser) => Promise<T>): Promise<T> {
  const { browser, loan } = await connect(bindings);
  let usable = false;
  try {
    const result = await work(browser);
    usable = true;
    return result;
  } finally {
    if (usable) await browser.disconnect();
    else
      await within(CLOSE_DEADLINE, browser.close(), () => new Error("it does not close")).catch(() =>
        browser.disconnect(),
      );
    await bindings.BROWSER_POOL.getByName(POOL).giveBack(loan, usable);
  }
}
