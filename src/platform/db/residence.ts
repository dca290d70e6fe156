import { eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { DomainError } from "../errors";
import type { Asked, Source } from "./carry/statements";
import type { Composed, WorkspaceDatabase } from "./database";
import { inSet, reusable } from "./statements";
import { residents } from "./tables";

/*
 * A change of a workspace happens in the database that has the workspace. A workspace that moves to another database, or whose
 * rows are read as of one moment, is closed to changes for a short time: a guard in each batch refuses them, and their callers
 * repeat them.
 */

/** Says that a change concerns no workspace. test/architecture/residence.test.ts lists these changes with their reasons. */
export const NO_WORKSPACE = Symbol("no workspace");

export type Residence = (typeof residents.$inferSelect)["state"];

/** The workspaces that a change concerns: organizations, and people as the owners of their personal workspaces. */
export type Workspaces = string | readonly string[] | typeof NO_WORKSPACE;

/** Pause before the repeat of a change whose workspace is closed, seconds: about the time for which changes are refused. */
const MOVE_RETRY_SECONDS = 2;

/** The refusal of a change whose workspace is not in this database, because it moves. */
export const workspaceMoves = (): DomainError =>
  new DomainError("workspace-moving", "The workspace is being moved or backed up. Send the request again.", {
    retryAfter: MOVE_RETRY_SECONDS,
  });

export const isMoving = (thrown: unknown): thrown is DomainError =>
  thrown instanceof DomainError && thrown.code === "workspace-moving";

/** The name of the guard. */
export const RESIDENCE = "residence";

/** The clock of the database, milliseconds since the epoch: readers of a workspace can be outside of the service. */
const DATABASE_CLOCK = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/** The state of a resident for its changes: one that is closed for a moment counts as `leaving`. */
const stateNow = sql`iif(${residents.closedUntil} > ${sql.raw(DATABASE_CLOCK)}, 'leaving', ${residents.state})`;

const failure = sql.raw(`'app:${RESIDENCE}'`);
const oneIsHere = reusable<"workspace">(
  () => sql`INSERT INTO guards (failure) SELECT ${failure}
    WHERE (SELECT ${stateNow} FROM ${residents} WHERE ${residents.workspaceId} = ${sql.placeholder("workspace")}) IS NOT 'here'`,
);
const allAreHere = reusable<"workspaces">(
  () => sql`INSERT INTO guards (failure) SELECT ${failure} WHERE EXISTS (
    SELECT 1 FROM json_each(${sql.placeholder("workspaces")}) AS concerned WHERE NOT ${isHere(sql`concerned.value`)})`,
);

/** Guards that require these workspaces in this database: one statement, which looks each of them up. None without workspaces. */
export function residenceGuards(workspaces: readonly string[]): Composed[] {
  const [first, ...others] = workspaces;
  if (first === undefined) return [];
  return [
    others.length === 0 ? oneIsHere({ workspace: first }) : allAreHere({ workspaces: JSON.stringify(workspaces) }),
  ];
}

/** Condition: the workspace is in this database, and open to changes. `id` is a column or a placeholder. */
export const isHere = (id: SQLWrapper): SQL =>
  sql`EXISTS (SELECT 1 FROM ${residents} WHERE ${residents.workspaceId} = ${id} AND ${stateNow} = 'here')`;

/** Condition: this database has the workspace, or had it before it moved away. A deleted workspace is not known. */
export const isKnown = (id: SQLWrapper): SQL =>
  sql`EXISTS (SELECT 1 FROM ${residents} WHERE ${residents.workspaceId} = ${id})`;

/**
 * Condition: no move and no backup holds the workspace. It is also true for a deleted workspace and for NULL: work of the whole service, and
 * work that is left of a deleted workspace.
 */
export const isUnmoved = (id: SQLWrapper): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${residents} WHERE ${residents.workspaceId} = ${id} AND ${stateNow} <> 'here')`;

/** The same for a set of workspaces. */
export const areUnmoved = (ids: readonly string[]): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${residents} WHERE ${inSet(residents.workspaceId, ids)} AND ${stateNow} <> 'here')`;

/** The state of a workspace in this database; null if the database does not know it. */
export async function residenceOf(
  { workspace }: { workspace: WorkspaceDatabase },
  id: string,
): Promise<Residence | null> {
  const [row] = await workspace.select().from(residents).where(eq(residents.workspaceId, id));
  return row?.state ?? null;
}

/** The worker of a move, as the guard of its changes: the workspaces are in this state, and no other worker has taken over. */
export interface Mover {
  move: string;
  token: string;
  state: Residence;
  workspaces: readonly string[];
}

/** The name of the guard of a move. */
export const MOVER = "mover";

/** The refusal of a change of a move whose worker was replaced. The job is put off: not an error of its own. */
export const moverReplaced = (): DomainError =>
  new DomainError("workspace-moving", "Another worker has taken the move over.", { retryAfter: MOVE_RETRY_SECONDS });

/** Condition: the workspaces are as the move expects them, held by this worker. */
export const isHeldBy = ({ move, token, state, workspaces }: Mover): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(workspaces)}) AS moved WHERE NOT EXISTS (SELECT 1 FROM ${residents}
    WHERE ${residents.workspaceId} = moved.value AND ${residents.state} = ${state} AND ${residents.move} = ${move}
      AND ${residents.mover} = ${token}))`;

/** The guard of each change of a move, in place of the guards of its workspaces. */
export const moverGuard = (mover: Mover): Composed =>
  sql`INSERT INTO guards (failure) SELECT ${sql.raw(`'app:${MOVER}'`)} WHERE NOT ${isHeldBy(mover)}`;

/** Those of these workspaces that this database has, or gets. */
export async function notGone(
  { workspace }: { workspace: WorkspaceDatabase },
  ids: readonly string[],
): Promise<string[]> {
  const rows = await workspace.select().from(residents).where(inSet(residents.workspaceId, ids));
  return rows.flatMap(({ workspaceId, state }) => (state === "gone" ? [] : [workspaceId]));
}

/** The statement that adds a workspace to this database. One that is known here keeps its state. */
export const insertResident = (workspace: WorkspaceDatabase, workspaceId: string) =>
  workspace.insert(residents).values({ workspaceId, state: "here" }).onConflictDoNothing();

/** The statement for a workspace that is deleted. */
export const removeResident = (workspaceId: string): SQL =>
  sql`DELETE FROM ${residents} WHERE ${residents.workspaceId} = ${workspaceId}`;

/** The statement for a workspace whose rows begin to arrive: nobody can change it. */
export const beginArrival = (workspaceId: string): Asked => ({
  sql: "INSERT INTO residents (workspace_id, state) VALUES (?1, 'coming') ON CONFLICT DO NOTHING",
  params: [workspaceId],
});

/** The statement for a workspace whose rows are all here. */
export const endArrival = (workspaceId: string): Asked => ({
  sql: "UPDATE residents SET state = 'here' WHERE workspace_id = ?1 AND state = 'coming'",
  params: [workspaceId],
});

/** A fence that nobody renews ends after this time, milliseconds. A reader renews it with each batch. */
export const FENCE_MS = 10_000;
/** Pause before the next try while another reader has a fence, milliseconds, and the tries. */
const TAKEN_MS = 1_000;
const MAX_TRIES = 60;

/** The fence ended before everything was read. */
export class FenceLost extends Error {}

/**
 * Refuses changes of one workspace while its rows are read as of one moment. Each batch renews the fence, so the batches of
 * `source` have seen one state of the workspace if none of them throws FenceLost.
 */
export class Fence {
  /** The end that this reader has set. Nobody else sets the same one, unless in the same millisecond. */
  #until = 0;

  constructor(
    readonly all: Source,
    readonly workspace: string,
  ) {}

  /** Closes the workspace. @returns false if this database does not have it, so that there is nothing to close */
  async close(): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      const [closed, known] = await this.all.batch([
        {
          sql: `UPDATE residents SET closed_until = ${DATABASE_CLOCK} + ${FENCE_MS} WHERE workspace_id = ?1 AND state = 'here'
            AND coalesce(closed_until, 0) <= ${DATABASE_CLOCK} RETURNING closed_until AS until`,
          params: [this.workspace],
        },
        { sql: "SELECT 1 FROM residents WHERE workspace_id = ?1 AND state = 'here'", params: [this.workspace] },
      ]);
      if (this.#took(closed)) return true;
      if (known?.length === 0) return false;
      if (tries === MAX_TRIES) throw new FenceLost(`Another reader keeps ${this.workspace} closed.`);
      await new Promise((done) => setTimeout(done, TAKEN_MS));
    }
  }

  /** The database behind the fence. Its batches throw FenceLost if changes were possible since the last one. */
  readonly source: Source = {
    batch: async (statements) => {
      const renewal: Asked = {
        sql: `UPDATE residents SET closed_until = max(?2 + 1, ${DATABASE_CLOCK} + ${FENCE_MS}) WHERE workspace_id = ?1
          AND closed_until = CAST(?2 AS INTEGER) AND closed_until > ${DATABASE_CLOCK} RETURNING closed_until AS until`,
        params: [this.workspace, this.#until],
      };
      const [renewed, ...results] = await this.all.batch([renewal, ...statements]);
      if (!this.#took(renewed)) throw new FenceLost(`${this.workspace} was open to changes while it was read.`);
      return results;
    },
  };

  /** Opens the workspace again, if it is still this reader that closed it. */
  async open(): Promise<void> {
    await this.all.batch([
      {
        sql: "UPDATE residents SET closed_until = NULL WHERE workspace_id = ?1 AND closed_until = CAST(?2 AS INTEGER)",
        params: [this.workspace, this.#until],
      },
    ]);
  }

  #took(rows: readonly unknown[] | undefined): boolean {
    const [row] = (rows ?? []) as { until: number }[];
    if (row !== undefined) this.#until = row.until;
    return row !== undefined;
  }
}
