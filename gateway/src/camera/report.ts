import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../clock";
import type { Disk } from "../disk";
import type { Configuration } from "../service/answers";
import { Problem, type Service, Unanswered } from "../service/client";
import { fullJitter, type Waiting } from "../service/waiting";
import { intentOfFrame, type Spool } from "../spool/spool";
import type { Condition, Health } from "./health";
import type { History } from "./history";
import type { Configured, Papers } from "./identity";

/** Time between two heartbeats. */
const REPORT_MS = 60_000;
/** Time for which an answer of the service confirms the configuration. */
const CONFIRMED_MS = 3 * REPORT_MS;
/** Maximum time between two attempts while the service does not answer. */
const MAX_SILENCE_MS = 60_000;

/** Faults that are over when they are reported. Each one waits for a report in which it is the most serious. */
const REPORTED_ONCE: ReadonlySet<Condition> = new Set(["frames-thinned", "captures-refused", "local-file-damaged"]);

export interface ReportWork {
  service: Service;
  papers: Papers;
  history: History;
  spool: Spool;
  clock: Clock;
  disk: Disk;
  health: Health;
  waiting: Waiting;
  instanceId: string;
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

  /** Whether the service confirmed the configuration in the last minutes. */
  get isConfirmed(): boolean {
    return this.answeredAt !== null && performance.now() - this.answeredAt < CONFIRMED_MS;
  }

  #apply(): void {
    const requests = this.configuration?.limits.requestsPerMinute;
    if (requests !== undefined) this.work.service.budget.limit(requests);
  }

  async #fetch(): Promise<void> {
    const { service, papers, history, say } = this.work;
    const fetched = await service.configuration(this.#configured?.etag ?? null);
    if (fetched === null) {
      if (this.configuration !== null) history.follow(this.configuration, true);
      return;
    }
    const { value: configuration, etag } = fetched;
    const isNew = configuration.revision !== this.configuration?.revision;
    try {
      papers.setConfigured({ etag, configuration });
    } catch {
      // The disk is full. The configuration is applied, and fetched again after a restart.
    }
    this.#configured = { etag, configuration };
    this.#apply();
    history.follow(configuration, true);
    if (isNew) say(`works by revision ${configuration.revision}, assignment ${configuration.assignmentGeneration}`);
  }

  /** Resolves the capture times of images after the time became known. */
  resolveTimes(): void {
    const { spool, clock, health, history } = this.work;
    for (const frame of [...spool.unresolved]) {
      const reading = spool.readingOf(frame);
      const takenAt = clock.resolve(reading);
      if (takenAt === null) continue;
      const resolved = history.resolved(intentOfFrame(frame).assignmentGeneration, reading, takenAt);
      spool.resolve(frame, resolved.takenAt, resolved.assignmentGeneration);
    }
    if (clock.now() === null) health.raise("clock-unsynchronized", "The time is not known yet.");
    else health.clear("clock-unsynchronized");
  }

  async #send(): Promise<void> {
    const { service, spool, disk, health, instanceId, lastShotAt } = this.work;
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
      // Older services, which do not say when an assignment began, refuse it.
      ...(this.configuration?.assignmentStartedAtUtc != null && { instanceId }),
    });
    if (answer.isIdentityShared)
      health.raise("identity-shared", "Another device reports with the credential of this camera.");
    else health.clear("identity-shared");
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
