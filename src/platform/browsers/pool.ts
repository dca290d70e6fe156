import { DurableObject } from "cloudflare:workers";
import puppeteer from "@cloudflare/puppeteer";
import { z } from "@hono/zod-openapi";
import { DomainError } from "../errors";
import { newId } from "../ids";
import { describeFailure, type LogOrigin, log, withOrigin } from "../log";
import { BrowsersBusy } from "../ports";
import { SECOND } from "../time";
import {
  BROWSER_KEEP_ALIVE_MS,
  BROWSER_LEASE_MS,
  CLOSE_TIMEOUT_MS,
  LAUNCH_RETRY_DELAY_MS,
  MAX_BROWSER_IDLE_MS,
  MAX_BROWSER_USES,
  MAX_BROWSER_WAIT_MS,
} from "./limits";

/** A browser on loan: its borrower uses it until returning it. */
export interface Loan {
  sessionId: string;
  loan: string;
}

/** The answer to a request for a browser: a loan, the time to try again after, or no browser available. */
type Lent = { kind: "loan"; loan: Loan } | { kind: "busy"; retryAfterMs: number } | { kind: "none" };

/** Time after which a job tries again when every browser is in use. */
const BUSY_RETRY_DELAY_MS = 2 * SECOND;
/** Time after which closing a browser is tried again. */
const CLOSE_RETRY_DELAY_MS = 10 * SECOND;
/** The loan id of a browser that is being closed. */
const CLOSING = "closing";

/**
 * The object that manages the open browsers: it starts them, lends each to one job at a time, and closes browsers that
 * are idle, worn, or on loan to a dead job. Its storage lists every browser that it started. If the storage is lost,
 * idle browsers run until their own timeout.
 */
export class BrowserPool extends DurableObject<Cloudflare.Env> {
  #launching = 0;
  /** Requests that wait for a browser, in order of arrival. */
  readonly #line: (() => void)[] = [];

  get #sessions(): Session[] {
    return [...this.ctx.storage.kv.list({ prefix: "session:" })].map(([, value]) => sessionSchema.parse(value));
  }

  #keep(session: Session): void {
    this.ctx.storage.kv.put(`session:${session.id}`, session);
  }

  /** Lends a browser: a free one, a new one while fewer than `most` are open, or the next one that is returned. */
  take(most: number, origin?: LogOrigin): Promise<Lent> {
    return withOrigin(origin, () => this.#take(most));
  }

  async #take(most: number): Promise<Lent> {
    const until = Date.now() + MAX_BROWSER_WAIT_MS;
    for (;;) {
      const free = freeSession(this.#sessions);
      if (free !== undefined) return this.#lend(free);
      if (this.#sessions.length + this.#launching < most) return this.#launch();
      if (!(await this.#turn(until))) return { kind: "busy", retryAfterMs: BUSY_RETRY_DELAY_MS };
    }
  }

  async #launch(): Promise<Lent> {
    this.#launching += 1;
    try {
      const id = await launchBrowser(this.env.BROWSER);
      log("info", "browser.started");
      return await this.#lend({ id, loan: null, since: Date.now(), uses: 0 });
    } catch (thrown) {
      this.#next();
      if (thrown instanceof BrowsersBusy) return { kind: "busy", retryAfterMs: thrown.retryAfterMs };
      log("error", "browser.not-started", describeFailure(thrown instanceof Error ? (thrown.cause ?? thrown) : thrown));
      return { kind: "none" };
    } finally {
      this.#launching -= 1;
    }
  }

  async #lend(session: Session): Promise<Lent> {
    const loan = newId();
    this.#keep({ ...session, loan, since: Date.now(), uses: session.uses + 1 });
    await this.#watch();
    return { kind: "loan", loan: { sessionId: session.id, loan } };
  }

  /** Waits until a browser may be free; returns false when that takes too long. */
  #turn(until: number): Promise<boolean> {
    return new Promise((settle) => {
      const called = () => {
        clearTimeout(timer);
        settle(true);
      };
      const timer = setTimeout(() => {
        this.#line.splice(this.#line.indexOf(called), 1);
        settle(false);
      }, until - Date.now());
      this.#line.push(called);
    });
  }

  #next(): void {
    this.#line.shift()?.();
  }

  /**
   * Takes a browser back. An unusable or worn browser is closed and never lent again. Does nothing when the loan has
   * expired.
   */
  giveBack(loan: Loan, usable: boolean, origin?: LogOrigin): Promise<void> {
    return withOrigin(origin, () => this.#takeBack(loan, usable));
  }

  async #takeBack({ sessionId, loan }: Loan, usable: boolean): Promise<void> {
    const session = this.#sessions.find(({ id }) => id === sessionId);
    if (session?.loan !== loan) return;
    if (usable && !isWorn(session)) this.#keep({ ...session, loan: null, since: Date.now() });
    else await this.#close(session);
    this.#next();
    await this.#watch();
  }

  async #close(session: Session): Promise<void> {
    // No job can borrow it meanwhile. If it cannot be closed, the alarm tries again.
    this.#keep({ ...session, loan: CLOSING, since: Date.now() - BROWSER_LEASE_MS + CLOSE_RETRY_DELAY_MS });
    try {
      await closeBrowser(this.env.BROWSER, session.id);
      this.ctx.storage.kv.delete(`session:${session.id}`);
      log("info", "browser.closed", { uses: session.uses });
    } catch (thrown) {
      log("warn", "browser.not-closed", describeFailure(thrown));
    }
  }

  /** Closes browsers that are idle, worn, or on loan for too long. */
  override alarm(): Promise<void> {
    return withOrigin(undefined, () => this.#look());
  }

  async #look(): Promise<void> {
    const now = Date.now();
    await Promise.all(this.#sessions.filter((session) => endOf(session) <= now).map((session) => this.#close(session)));
    this.#next();
    await this.#watch();
  }

  async #watch(): Promise<void> {
    const ends = this.#sessions.map(endOf);
    if (ends.length > 0) await this.ctx.storage.setAlarm(Math.min(...ends));
  }
}

type Binding = Pick<Cloudflare.Env, "BROWSER">["BROWSER"];

/**
 * Starts a browser without any network access, and returns its session's id.
 * @throws BrowsersBusy when the plan allows no more browsers now, DomainError unavailable when none can start.
 */
async function launchBrowser(binding: Binding): Promise<string> {
  try {
    const { sessionId } = await puppeteer.acquire(binding, {
      keep_alive: BROWSER_KEEP_ALIVE_MS,
      guardrails: { allowedDomains: [] },
    });
    return sessionId;
  } catch (cause) {
    if (cause instanceof Error && /\bcode: 429\b/.test(cause.message)) throw new BrowsersBusy(LAUNCH_RETRY_DELAY_MS);
    throw new DomainError("unavailable", "No browser could be started. Try again later.", { cause });
  }
}

/** Closes a browser immediately; succeeds if it is already gone. @throws when the service does not confirm it. */
async function closeBrowser(binding: Binding, sessionId: string): Promise<void> {
  const address = `https://browser.internal/v1/devtools/browser/${encodeURIComponent(sessionId)}`;
  const limit = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
  const { status } = await binding.fetch(address, { method: "DELETE", signal: limit });
  if (status >= 500) throw new Error(`closing a browser answered ${status}`);
}

/** An open browser, as the pool stores it. */
const sessionSchema = z.strictObject({
  id: z.string(),
  /** Id of its current loan; null while it is free. */
  loan: z.string().nullable(),
  /** Time at which it was lent or returned, milliseconds since the epoch. */
  since: z.int(),
  uses: z.int(),
});
type Session = z.infer<typeof sessionSchema>;

/** The free browser that was used last, so that the others can become idle and close. */
const freeSession = (sessions: readonly Session[]): Session | undefined =>
  sessions.filter(({ loan }) => loan === null).sort((a, b) => b.since - a.since)[0];

/** Whether the browser has reached its number of uses. */
const isWorn = ({ uses }: Session): boolean => uses >= MAX_BROWSER_USES;

/** End of the browser's idle time or loan, milliseconds since the epoch. */
const endOf = ({ loan, since }: Session): number => since + (loan === null ? MAX_BROWSER_IDLE_MS : BROWSER_LEASE_MS);
