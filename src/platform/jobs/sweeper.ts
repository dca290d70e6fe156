import { DurableObject } from "cloudflare:workers";
import { describeFailure, log } from "../log";
import { SECOND } from "../time";
import type { SweepResult } from "./sweep";

/** Time between sweeps while jobs are waiting, and while none are. */
const BUSY_INTERVAL = 5 * SECOND;
const IDLE_INTERVAL = 30 * SECOND;

/**
 * One object whose alarm sweeps the jobs table, so that lost messages and dead workers are found
 * within seconds, also where no cron fires. It holds no truth: losing it loses nothing.
 */
export abstract class SweeperObject<Env> extends DurableObject<Env> {
  /** One sweep; given by the Worker, which knows the handlers. */
  protected abstract sweep(): Promise<SweepResult>;

  /** Makes sure that an alarm is set. */
  async wake(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now());
  }

  override async alarm(): Promise<void> {
    let next = BUSY_INTERVAL;
    try {
      next = (await this.sweep()).pending ? BUSY_INTERVAL : IDLE_INTERVAL;
    } catch (thrown) {
      log("error", "jobs.sweep-failed", { ...describeFailure(thrown) });
    }
    await this.ctx.storage.setAlarm(Date.now() + next);
  }
}
