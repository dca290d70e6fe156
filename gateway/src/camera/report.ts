import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../clock";
import type { Disk } from "../disk";
import type { Configuration } from "../service/answers";
import { Problem, type Service, Unanswered } from "../service/client";
import { fullJitter, type Waiting } from "../service/waiting";
import type { Spool } from "../spool/spool";
import type { Condition, Health } from "./health";
import type { Configured, Papers } from "./identity";

/** Time between two heartbeats. */
const REPORT_MS = 60_000;
/** Maximum time between two attempts while the service does not answer. */
const MAX_SILENCE_MS = 60_000;

/** Faults that are over when they are reported. Each one waits for a report in which it is the most serious. */
const REPORTED_ONCE: ReadonlySet<Condition> = new Set(["frames-thinned", "captures-refused", "local-file-damaged"]);

export interface ReportWork {
  service: Service;
  papers: Papers;
  spool: Spool;
  clock: Clock;
  disk: Disk;
  health: Health;
  waiting: Waiting;
  lastShotAt: () => number | null;
  say: (line: string) => void;
}

const utcOf = (at: number | null | undefined): string | null => (at == null ? null : new Date(at).toISOString());

/** Fetches the configuration, stores it, applies it, and acknowledges it with the next heartbeat. */
export class Report {
  #configured: Configured | null;
  /** Time of the service's last answer, by the monotonic clock. */
  answeredAt: number | null = null;

  constructor(private readonly work: ReportWork) {
    this.#configured = work.papers.configured();
    this.#apply();
  }

  get configuration(): Configuration | null {
    return this.#configured?.configuration ?? null;
  }

  #apply(): void {
    const requests = this.configuration?.limits.requestsPerMinute;
    if (requests !== undefined) this.work.service.budget.limit(requests);
  }

  async #fetch(): Promise<void> {
    const { service, papers, say } = this.work;
    const fetched = await service.configuration(this.#configured?.etag ?? null);
    if (fetched === null) return;
    const { value: configuration, etag } = fetched;
    const isNew = configuration.revision !== this.configuration?.revision;
    try {
      papers.setConfigured({ etag, configuration });
    } catch {
      // The disk is full. The configuration is applied, and fetched again after a restart.
    }
    this.#configured = { etag, configuration };
    this.#apply();
    if (isNew) say(`works by revision ${configuration.revision}, assignment ${configuration.assignmentGeneration}`);
  }

  /** Resolves the capture times of images after the time became known. */
  resolveTimes(): void {
    const { spool, clock, health } = this.work;
    for (const frame of [...spool.unresolved]) {
      const takenAt = clock.resolve(spool.readingOf(frame));
      if (takenAt !== null) spool.resolve(frame, takenAt);
    }
    if (clock.now() === null) health.raise("clock-unsynchronized", "The time is not known yet.");
    else health.clear("clock-unsynchronized");
  }

  async #send(): Promise<void> {
    const { service, spool, disk, health, lastShotAt } = this.work;
    const revision = this.configuration?.revision;
    if (revision === undefined) return;
    const errorCode = health.gravest;
    const answer = await service.heartbeat({
      appliedRevision: revision,
      lastCaptureAtUtc: utcOf(lastShotAt()),
      queueCount: spool.count,
      queueBytes: spool.bytes,
      freeBytes: disk.free,
      oldestPendingAtUtc: utcOf(spool.oldest?.at),
      errorCode,
    });
    if (errorCode !== null && REPORTED_ONCE.has(errorCode)) health.clear(errorCode);
    if (answer.revision !== revision) await this.#fetch();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { waiting, say } = this.work;
    for (let failures = 0; ; ) {
      try {
        // Coordinates change without a revision, so the configuration is requested each time, with its ETag.
        await this.#fetch();
        this.resolveTimes();
        await this.#send();
        failures = 0;
        this.answeredAt = performance.now();
        // The connection works again, so waits that began during the outage end now.
        waiting.wake();
        await wait(REPORT_MS, undefined, { signal });
      } catch (thrown) {
        if (signal.aborted || (thrown instanceof Problem && thrown.status === 401)) throw thrown;
        if (!(thrown instanceof Problem) && !(thrown instanceof Unanswered)) throw thrown;
        if (failures++ === 0)
          say(`report: ${thrown instanceof Unanswered ? `${thrown.reason}: ` : ""}${thrown.message}`);
        this.resolveTimes();
        const asked = thrown instanceof Unanswered ? thrown.retryAfterMs : 0;
        await wait(asked + Math.min(MAX_SILENCE_MS, fullJitter(failures)), undefined, { signal });
      }
    }
  }
}
