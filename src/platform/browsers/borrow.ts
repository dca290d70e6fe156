import puppeteer, { type Browser } from "@cloudflare/puppeteer";
import { DomainError } from "../errors";
import { currentOrigin, describeFailure, log } from "../log";
import { BrowsersBusy } from "../ports";
import { CLOSE_TIMEOUT_MS, CONNECT_TIMEOUT_MS, MAX_DEAD_BROWSERS } from "./limits";
import type { Loan } from "./pool";

export type BrowserBindings = Pick<Cloudflare.Env, "BROWSER" | "BROWSER_POOL">;

/** The browsers of one sort of work: the name of their pool, and how many may be open at the same time. */
export interface BrowserUse {
  pool: string;
  most: number;
}

const unavailable = (cause?: unknown): DomainError =>
  new DomainError("unavailable", "No browser is available at the moment. Try again later.", { cause });

/** Borrows a browser that answers. A browser that has ended is returned as unusable. */
async function connect(
  { BROWSER, BROWSER_POOL }: BrowserBindings,
  use: BrowserUse,
): Promise<{ browser: Browser; loan: Loan }> {
  const pool = BROWSER_POOL.getByName(use.pool);
  for (let dead = 0; dead < MAX_DEAD_BROWSERS; dead++) {
    const lent = await pool.take(use.most, currentOrigin());
    if (lent.kind === "busy") throw new BrowsersBusy(lent.retryAfterMs);
    if (lent.kind === "none") throw unavailable();
    const { loan } = lent;
    try {
      const connecting = puppeteer.connect(BROWSER, loan.sessionId);
      return { browser: await within(CONNECT_TIMEOUT_MS, connecting, () => new Error("no answer")), loan };
    } catch (thrown) {
      log("info", "browser.gone", { error: describeFailure(thrown).error });
      await pool.giveBack(loan, false, currentOrigin());
    }
  }
  throw unavailable();
}

/**
 * Runs work with a browser that no other job uses meanwhile. If the work fails, the browser is closed and never used
 * again. @throws the errors of the work; BrowsersBusy, DomainError unavailable.
 */
export async function withBrowser<T>(
  bindings: BrowserBindings,
  use: BrowserUse,
  work: (browser: Browser) => Promise<T>,
): Promise<T> {
  const { browser, loan } = await connect(bindings, use);
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
    await bindings.BROWSER_POOL.getByName(use.pool).giveBack(loan, usable, currentOrigin());
  }
}

/** Settles like `work`, or throws the error of `late` when the time runs out first. */
export async function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
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
