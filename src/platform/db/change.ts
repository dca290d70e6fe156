import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Context } from "../context";
import { DomainError } from "../errors";
import type { WorkspaceEvent } from "../events";
import { newId, newIdIn } from "../ids";
import { JOB_KINDS, type JobKind, type JobLane, type JobPayload } from "../jobs/kinds";
import { admission, admittedJobs, type JobToSend, sendJobs, sentAtOfNew, waitsForSlot } from "../jobs/queues";
import { jobs } from "../jobs/tables";
import { currentOrigin, describeFailure, log, noteWorkspace } from "../log";
import { SECOND } from "../time";
import { type Composed, type Database, rowsOf, runBatch, type Statement } from "./database";
import { failedGuard } from "./failures";
import {
  MOVER,
  moverGuard,
  moverReplaced,
  NO_WORKSPACE,
  RESIDENCE,
  residenceGuards,
  type Workspaces,
  workspaceMoves,
} from "./residence";
import type { Side } from "./sides";

interface JobOptions {
  tenantId?: string | null;
  /** The job's id, which can be queued once; a new id if it is absent. */
  id?: string;
  delayMs?: number;
  /** While a job with this key waits, no other job with it is queued. */
  dedupeKey?: string;
  progressTotal?: number;
  requestedBy?: string | null;
  /** Keeps its row after its success, because a person reads its state. */
  isKept?: boolean;
  /** SQL: the job is queued only if this is true at its position in the batch. */
  when?: SQL;
}

/** The claim on the `Idempotency-Key` expired and a repeat of the request holds it now. */
const requestTakenOver = (): DomainError =>
  new DomainError("request-in-progress", "A repeat of this request is still running. Send it again later.", {
    retryAfter: 2,
  });

/**
 * Ends a try of a change if another try of the same request has committed the change. The access check before it has
 * passed.
 */
export const alreadyCommitted = new DomainError("request-in-progress", "This request has already been completed.");

/** Time that an answer waits for the check of live connections. The job of the event checks them in any case. */
const MAX_RECHECK_WAIT_MS = 3 * SECOND;

async function recheckNow(checked: Promise<void>): Promise<void> {
  const ended = new AbortController();
  const logged = checked
    .catch((thrown: unknown) =>
      log("warn", "event.delivery-failed", { subscriber: "live-connections", ...describeFailure(thrown) }),
    )
    .finally(() => ended.abort());
  const overdue = scheduler.wait(MAX_RECHECK_WAIT_MS, { signal: ended.signal }).catch(() => undefined);
  await Promise.race([logged, overdue]);
}

/** The trace of the work that queues a job. */
const traced = (): Pick<JobToSend, "trace"> => {
  const { trace } = currentOrigin() ?? {};
  return trace === undefined ? {} : { trace };
};

/** The statement that writes the row of a job if `when` is true. */
function insertIf(row: { payload: unknown; isKept: boolean }, when: SQL): SQL {
  const columns = getTableColumns(jobs);
  const given = Object.entries({ ...row, payload: JSON.stringify(row.payload), isKept: row.isKept ? 1 : 0 });
  const names = given.map(([name]) => sql.identifier(columns[name as keyof typeof columns].name));
  const values = given.map(([, value]) => sql`${value}`);
  return sql`INSERT INTO ${jobs} (${sql.join(names, sql`, `)}) SELECT ${sql.join(values, sql`, `)} WHERE ${when}
    ON CONFLICT DO NOTHING RETURNING sent_at`;
}

type ChangeContext = Pick<
  Context,
  | "directory"
  | "directoryName"
  | "workspace"
  | "database"
  | "queues"
  | "live"
  | "now"
  | "requestId"
  | "idempotency"
  | "mover"
>;

/**
 * One atomic change of one side: its statements, jobs and audit row are one D1 batch. It happens as a whole or not at
 * all, and only in the database that has its workspaces. The jobs are sent to the queues after the commit.
 */
export class Change<S extends Side = "workspace"> {
  readonly #statements: Composed[] = [];
  readonly #refusals = new Map<string, DomainError>();
  readonly #workspaces = new Set<string>();
  readonly #admissions: number[] = [];
  readonly #jobs: { toSend: JobToSend; statement: number }[] = [];
  readonly #followers: (() => Promise<void> | void)[] = [];

  constructor(
    private readonly context: ChangeContext,
    private readonly database: Database<S>,
    readonly side: S,
    /** The name of its database. Its jobs are there. */
    readonly place: string,
  ) {}

  add(...statements: Statement<S>[]): this {
    this.#statements.push(...statements);
    return this;
  }

  /** Adds workspaces that the change concerns: it commits only if all of them are in this database. */
  concerns(this: Change, workspaces: Workspaces): Change {
    if (workspaces !== NO_WORKSPACE) for (const id of [workspaces].flat()) this.#concern(id);
    return this;
  }

  #concern(tenantId: string): void {
    noteWorkspace(tenantId);
    this.#workspaces.add(tenantId);
  }

  /** Rolls the whole change back with `refusal` unless `condition` is true at this point of the batch. */
  guard(condition: SQL, refusal: DomainError): this {
    const name = `guard-${this.#refusals.size}`;
    this.#refusals.set(name, refusal);
    return this.add(sql`INSERT INTO guards (failure) SELECT ${`app:${name}`} WHERE NOT coalesce((${condition}), 0)`);
  }

  /** Rolls the whole change back with `refusal` unless the statement before it changed a row. */
  guardChanged(refusal: DomainError): this {
    return this.guard(sql`changes() > 0`, refusal);
  }

  /**
   * Queues a job with this change and returns its id. If a job with the same `dedupeKey` already waits,
   * that job does the work, and no job has the returned id.
   */
  job<K extends JobKind>(kind: K, payload: JobPayload<K>, options: JobOptions = {}): string {
    const { now, requestId } = this.context;
    const tenantId = options.tenantId ?? null;
    const id = options.id ?? (tenantId === null ? newId() : newIdIn(tenantId));
    const delayMs = options.delayMs ?? 0;
    const { lane } = JOB_KINDS[kind];
    const waits = delayMs === 0 && waitsForSlot(tenantId, lane);
    // The row of a job belongs to its workspace.
    if (tenantId !== null && this.side === "workspace") this.#concern(tenantId);
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
      isKept: options.isKept ?? false,
      requestId,
      runAt: now + delayMs,
      sentAt: waits ? sentAtOfNew(tenantId, lane, now) : now + delayMs,
      createdAt: now,
    };
    this.#jobs.push({ toSend: { id, kind, delayMs, ...traced() }, statement: this.#statements.length });
    this.#statements.push(
      options.when === undefined
        ? this.database.insert(jobs).values(row).onConflictDoNothing().returning({ sentAt: jobs.sentAt })
        : insertIf(row, options.when),
    );
    return id;
  }

  /** Admits the next waiting jobs of a workspace to a lane's queue, up to its number of slots. */
  admit(tenantId: string, lane: JobLane): this {
    this.#admissions.push(this.#statements.length);
    return this.add(admission(tenantId, lane, Date.now()));
  }

  /**
   * Queues the delivery of an event to the inboxes and live connections of the people who may see it. If access became
   * smaller, the live connections are also checked before the commit returns: after the answer nothing arrives.
   * With `when` it is announced only if this SQL is true at its position in the batch.
   */
  announce(event: WorkspaceEvent, tenantId: string | null = null, when?: SQL): this {
    this.job("announce", { event }, { tenantId, ...(when && { when }) });
    const { live } = this.context;
    if (event.type === "access-changed") this.afterCommit(() => recheckNow(live.recheckUsers(event.userIds)));
    if (event.type === "location-access-changed")
      this.afterCommit(() => recheckNow(live.recheckLocations(event.locationIds)));
    return this;
  }

  /**
   * Runs `follow` after the commit. It is lost if the worker stops in between: for hints that readers can do without, and for
   * work that a recurring job does later. It must not fail.
   */
  afterCommit(follow: () => Promise<void> | void): this {
    this.#followers.push(follow);
    return this;
  }

  /** The guards of its place: its workspaces are here, or its move still holds them. */
  #guards(): Composed[] {
    const { mover } = this.context;
    const isOfMove = mover !== undefined && this.side === "workspace";
    return isOfMove ? [moverGuard(mover)] : residenceGuards([...this.#workspaces]);
  }

  /**
   * Commits the batch, then sends its jobs to the queues.
   * @returns one D1 result for each statement
   * @throws DomainError the refusal of the guard that failed; workspace-moving if a workspace of the change is in another database;
   *   `alreadyCommitted` in a repeat whose change is committed
   */
  async commit(): Promise<readonly D1Result[]> {
    const { idempotency } = this.context;
    if (idempotency?.kind === "checked") throw alreadyCommitted;
    if (idempotency?.kind === "composed") return [];
    if (idempotency !== null) {
      if (!(await idempotency.holdsKey())) throw requestTakenOver();
      this.#statements.push(idempotency.mark());
      this.guardChanged(alreadyCommitted);
    }
    const guards = this.#statements.length === 0 ? [] : this.#guards();
    let results: readonly D1Result[];
    try {
      results = (await runBatch(this.database, [...guards, ...this.#statements])).slice(guards.length);
    } catch (thrown) {
      const guard = failedGuard(thrown) ?? "";
      const refusal =
        guard === RESIDENCE ? workspaceMoves() : guard === MOVER ? moverReplaced() : this.#refusals.get(guard);
      if (idempotency !== null && (refusal === undefined || refusal === alreadyCommitted))
        idempotency.outcome = refusal === undefined ? "unknown" : "other-committed";
      throw refusal ?? thrown;
    }
    if (idempotency !== null) idempotency.outcome = "committed";
    const queued = this.#jobs.filter(({ statement }) => {
      const [row] = rowsOf<{ sent_at: number | null }>(results[statement]);
      return row !== undefined && row.sent_at !== null;
    });
    await sendJobs(this.context.queues, this.place, [
      ...queued.map(({ toSend }) => toSend),
      ...this.#admissions.flatMap((statement) => admittedJobs(results[statement])),
    ]);
    for (const follow of this.#followers) await follow();
    return results;
  }
}

/** A change of either side. */
export type AnyChange = Change | Change<"directory">;

/**
 * Begins a change of these workspaces. It commits only if all of them are in this database. A change of no workspace
 * passes `NO_WORKSPACE`.
 */
export const beginChange = (context: ChangeContext, workspaces: Workspaces): Change =>
  new Change(context, context.workspace, "workspace", context.database).concerns(workspaces);

/** Begins a change of the directory, which has the people and their credentials. */
export const beginDirectoryChange = (context: ChangeContext): Change<"directory"> =>
  new Change(context, context.directory, "directory", context.directoryName);

/**
 * The contexts for the changes of one request in several databases, one after the other. The last change has the mark of the
 * `Idempotency-Key`: a request that stopped between two of them counts as not carried out, and its repeat makes what is left.
 */
export const inTurn = <C extends ChangeContext>(contexts: readonly C[]): C[] =>
  contexts.map((context, n) =>
    context.idempotency?.kind === "first" && n < contexts.length - 1 ? { ...context, idempotency: null } : context,
  );
