import { DurableObject } from "cloudflare:workers";
import puppeteer from "@cloudflare/puppeteer";
import { z } from "@hono/zod-openapi";
import { DomainError } from "../../../platform/errors";
import { newId } from "../../../platform/ids";
import { describeFailure, log } from "../../../platform/log";
import { PrinterBusy } from "../../../platform/ports";
import { settingsOf } from "../../../platform/settings";
import { SECOND } from "../../../platform/time";
import {
  BROWSER_KEEP_ALIVE_MS,
  BROWSER_LEASE_MS,
  CLOSE_TIMEOUT_MS,
  LAUNCH_RETRY_DELAY_MS,
  MAX_BROWSER_IDLE_MS,
  MAX_BROWSER_USES,
  MAX_BROWSER_WAIT_MS,
} from "../../limits";

/** A browser to use until it is given back. */
export interface Loan {
  sessionId: string;
  loan: string;
}

/** What is said instead of a loan: try again after this time, or there is no browser to be had. */
type Lent = { kind: "loan"; loan: Loan } | { kind: "busy"; retryAfterMs: number } | { kind: "none" };

/** Time after which a job that found every browser taken tries again. */
const BUSY_PAUSE = 2 * SECOND;
/** Time after which a browser that could not be closed is tried again. */
const CLOSE_AGAIN = 10 * SECOND;
/** The loan of a browser that is being closed. */
const CLOSING = "closing";

/**
 * The one object that knows which browsers are open: it starts them, lends each to one job at a time, and
 * closes those that nobody needs, that are worn, or whose job died. Its storage names every browser that it
 * started, so that none is forgotten; losing it costs idle browsers until their own time-out.
 */
export class BrowserPool extends DurableObject<Cloudflare.Env> {
  #launching = 0;
  /** Who waits for a browser, first come first served. */
  readonly #line: (() => void)[] = [];

  get #sessions(): Session[] {
    return [...this.ctx.storage.kv.list({ prefix: "session:" })].map(([, value]) => sessionSchema.parse(value));
  }

  #keep(session: Session): void {
    this.ctx.storage.kv.put(`session:${session.id}`, session);
  }

  /** Lends a browser: one that is free, a new one, or the next that is given back. */
  async take(): Promise<Lent> {
    const until = Date.now() + MAX_BROWSER_WAIT_MS;
    for (;;) {
      const free = freeSession(this.#sessions);
      if (free !== undefined) return this.#lend(free);
      if (this.#sessions.length + this.#launching < settingsOf(this.env).PRINT_BROWSERS) return this.#launch();
      if (!(await this.#turn(until))) return { kind: "busy", retryAfterMs: BUSY_PAUSE };
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
      if (thrown instanceof PrinterBusy) return { kind: "busy", retryAfterMs: thrown.retryAfterMs };
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

  /** Waits in line until a browser may be free; false when that took too long. */
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
   * Takes a browser back. One that went wrong or is worn is closed and never lent again; for one whose
   * loan had run out this comes too late, and changes nothing.
   */
  async giveBack({ sessionId, loan }: Loan, usable: boolean): Promise<void> {
    const session = this.#sessions.find(({ id }) => id === sessionId);
    if (session?.loan !== loan) return;
    if (usable && !isWorn(session)) this.#keep({ ...session, loan: null, since: Date.now() });
    else await this.#close(session);
    this.#next();
    await this.#watch();
  }

  async #close(session: Session): Promise<void> {
    // Nobody else takes it meanwhile; when it cannot be closed, the alarm tries again.
    this.#keep({ ...session, loan: CLOSING, since: Date.now() - BROWSER_LEASE_MS + CLOSE_AGAIN });
    try {
      await closeBrowser(this.env.BROWSER, session.id);
      this.ctx.storage.kv.delete(`session:${session.id}`);
      log("info", "browser.closed", { uses: session.uses });
    } catch (thrown) {
      log("warn", "browser.not-closed", describeFailure(thrown));
    }
  }

  /** Closes what nobody needs any more. */
  override async alarm(): Promise<void> {
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
 * Starts a browser that may reach no host at all, and returns its session's id.
 * @throws PrinterBusy when the plan allows no more now, DomainError unavailable when there is none.
 */
async function launchBrowser(binding: Binding): Promise<string> {
  try {
    const { sessionId } = await puppeteer.acquire(binding, {
      keep_alive: BROWSER_KEEP_ALIVE_MS,
      guardrails: { allowedDomains: [] },
    });
    return sessionId;
  } catch (cause) {
    if (cause instanceof Error && /\bcode: 429\b/.test(cause.message)) throw new PrinterBusy(LAUNCH_RETRY_DELAY_MS);
    throw new DomainError("unavailable", "No browser could be started to print with.", { cause });
  }
}

/** Ends a browser whatever it is doing; one that is gone already is fine. @throws when that cannot be told. */
async function closeBrowser(binding: Binding, sessionId: string): Promise<void> {
  const address = `https://browser.internal/v1/devtools/browser/${encodeURIComponent(sessionId)}`;
  const limit = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
  const { status } = await binding.fetch(address, { method: "DELETE", signal: limit });
  if (status >= 500) throw new Error(`closing a browser answered ${status}`);
}

/** A browser that is open, as the pool remembers it. */
const sessionSchema = z.strictObject({
  id: z.string(),
  /** Names the one loan it is out on; null while it is free. */
  loan: z.string().nullable(),
  /** When it was lent or given back, milliseconds since the epoch. */
  since: z.int(),
  uses: z.int(),
});
type Session = z.infer<typeof sessionSchema>;

/** The free browser that was used last: the others may then close. */
const freeSession = (sessions: readonly Session[]): Session | undefined =>
  sessions.filter(({ loan }) => loan === null).sort((a, b) => b.since - a.since)[0];

/** Whether the browser has printed as much as one browser should. */
const isWorn = ({ uses }: Session): boolean => uses >= MAX_BROWSER_USES;

/** When the pool has to look at the browser again: nobody used it, or who has it is dead. */
const endOf = ({ loan, since }: Session): number => since + (loan === null ? MAX_BROWSER_IDLE_MS : BROWSER_LEASE_MS);
