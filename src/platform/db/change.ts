import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../context";
import { DomainError } from "../errors";
import type { WorkspaceEvent } from "../events";
import { newId } from "../ids";
import { JOB_KINDS, type JobKind, type JobLane, type JobPayload } from "../jobs/kinds";
import { admission, admittedBy, type JobToSend, sendJobs, sentNow, standsInLine } from "../jobs/queues";
import { jobs } from "../jobs/tables";
import { rowsOf, runBatch, type Statement } from "./database";
import { failedGuard } from "./failures";

export interface JobOptions {
  tenantId?: string | null;
  /** An id of the caller's choosing, which can be queued once; a new one otherwise. */
  id?: string;
  delayMs?: number;
  /** While a job with this key waits, another is not queued beside it. */
  dedupeKey?: string;
  progressTotal?: number;
  requestedBy?: string | null;
}

/** The claim on the request's `Idempotency-Key` ran out and a repeat of the request holds it now. */
const requestTakenOver = (): DomainError =>
  new DomainError("request-in-progress", "A repeat of this request is being carried out. Send it again later.", {
    retryAfter: 2,
  });

/** Ends a repeat at the change that its first request made: the caller may still ask for it. */
export const carriedOut = new DomainError("request-in-progress", "This request was carried out before.");

type ChangeContext = Pick<Context, "db" | "queues" | "now" | "requestId" | "idempotency">;

/**
 * One atomic change: statements, the jobs they cause and the audit row, in one D1 batch. All of it
 * happens or none; the queues hear of the jobs after the commit.
 */
export class Change {
  readonly #statements: Statement[] = [];
  readonly #refusals = new Map<string, DomainError>();
  readonly #admissions: number[] = [];
  readonly #jobs: { toSend: JobToSend; statement: number }[] = [];

  constructor(private readonly context: ChangeContext) {}

  add(...statements: Statement[]): this {
    this.#statements.push(...statements);
    return this;
  }

  /** Undoes the whole change with `refusal` unless `condition` holds at this point of the batch. */
  guard(condition: SQL, refusal: DomainError): this {
    const name = `guard-${this.#refusals.size}`;
    this.#refusals.set(name, refusal);
    return this.add(sql`INSERT INTO guards (failure) SELECT ${`app:${name}`} WHERE NOT coalesce((${condition}), 0)`);
  }

  /** Undoes the whole change with `refusal` unless the statement just before it changed a row. */
  guardChanged(refusal: DomainError): this {
    return this.guard(sql`changes() > 0`, refusal);
  }

  /**
   * Queues a job with this change and returns its id. Where a job with the same `dedupeKey` waits
   * already, that one does the work, and there is none with this id.
   */
  job<K extends JobKind>(kind: K, payload: JobPayload<K>, options: JobOptions = {}): string {
    const { db, now, requestId } = this.context;
    const id = options.id ?? newId();
    const delayMs = options.delayMs ?? 0;
    const { lane } = JOB_KINDS[kind];
    const tenantId = options.tenantId ?? null;
    const waits = delayMs === 0 && standsInLine(tenantId, lane);
    const row = {
      id,
      kind,
      lane,
      payload,
      status: "queued" as const,
      tenantId,
      dedupeKey: options.dedupeKey ?? null,
      progressTotal: options.progressTotal ?? 0,
      requestedBy: options.requestedBy ?? null,
      requestId,
      runAt: now + delayMs,
      sentAt: waits ? sentNow(tenantId, lane, now) : now + delayMs,
      createdAt: now,
    };
    this.#jobs.push({ toSend: { id, kind, delayMs }, statement: this.#statements.length });
    this.add(db.insert(jobs).values(row).onConflictDoNothing().returning({ sentAt: jobs.sentAt }));
    return id;
  }

  /** Lets the next jobs of a workspace into a queue, as many as there is room for at this point of the batch. */
  admit(tenantId: string, lane: JobLane): this {
    this.#admissions.push(this.#statements.length);
    return this.add(admission(tenantId, lane, Date.now()));
  }

  /** Tells of what happens with this change: to the inboxes and live views of those who may see it. */
  announce(event: WorkspaceEvent, tenantId: string | null = null): this {
    this.job("announce", { event }, { tenantId });
    return this;
  }

  /**
   * Commits the batch, then tells the queues.
   * @throws DomainError the refusal of the guard that did not hold; `carriedOut` in a repeat that is only checked.
   * @returns one D1 result a statement.
   */
  async commit(): Promise<readonly D1Result[]> {
    const { db, idempotency, queues } = this.context;
    if (idempotency?.kind === "checked") throw carriedOut;
    if (idempotency?.kind === "composed") return [];
    if (idempotency !== null) this.add(idempotency.committed(db)).guardChanged(requestTakenOver());
    let results: readonly D1Result[];
    try {
      results = await runBatch(db, this.#statements);
    } catch (thrown) {
      throw this.#refusals.get(failedGuard(thrown) ?? "") ?? thrown;
    }
    const queued = this.#jobs.filter(({ statement }) => {
      const [row] = rowsOf<{ sent_at: number | null }>(results[statement]);
      return row !== undefined && row.sent_at !== null;
    });
    await sendJobs(queues, [
      ...queued.map(({ toSend }) => toSend),
      ...this.#admissions.flatMap((statement) => admittedBy(results[statement])),
    ]);
    return results;
  }
}

/** Begins a change in this context. */
export const beginChange = (context: ChangeContext): Change => new Change(context);
