import { and, eq, inArray, isNotNull, notInArray, sql } from "drizzle-orm";
import type { Context } from "../platform/context";
import { beginDirectoryChange, type Change } from "../platform/db/change";
import { moverReplaced } from "../platform/db/residence";
import { inSet } from "../platform/db/statements";
import { DomainError } from "../platform/errors";
import { jobs } from "../platform/jobs/tables";
import { moves, workspaces } from "./tables";

/*
 * What the directory knows of the moves of workspaces. Its row of a workspace is the truth: `switchMove` changes it, and decides a
 * move. Before that a move can be undone, afterwards it is finished.
 */

export type Move = typeof moves.$inferSelect;

/** A move has ended in these states. */
const ENDED = ["finished", "undone"] as const;

/** The workspaces of a number in one database. They move together. */
export async function workspacesOf(
  { directory }: Pick<Context, "directory">,
  number: number,
  database: string,
): Promise<string[]> {
  const rows = await directory
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.number, number), eq(workspaces.database, database)));
  return rows.map(({ id }) => id);
}

/** Where a workspace is. Undefined for one that the directory does not know. */
export async function placeOf({ directory }: Pick<Context, "directory">, id: string) {
  const [row] = await directory.select().from(workspaces).where(eq(workspaces.id, id));
  return row;
}

/** The latest move of the workspaces of a number. */
export async function latestMove({ directory }: Pick<Context, "directory">, number: number): Promise<Move | undefined> {
  const [row] = await directory.select().from(moves).where(eq(moves.number, number));
  return row;
}

/** How much of a move is copied, in rows and passages. */
export interface MoveProgress {
  done: number;
  total: number;
}

/** The moves of some workspaces that are closed to changes, by their ids. With one database nothing moves, and nobody asks. */
export async function movesUnderWay(
  { directory, databases }: Pick<Context, "directory" | "databases">,
  ids: readonly string[],
): Promise<Map<string, MoveProgress>> {
  if (databases.names.length === 1 || ids.length === 0) return new Map();
  const rows = await directory
    .select({ id: workspaces.id, done: jobs.progressDone, total: jobs.progressTotal })
    .from(workspaces)
    .innerJoin(moves, eq(moves.number, workspaces.number))
    .leftJoin(jobs, eq(jobs.id, moves.id))
    .where(and(inSet(workspaces.id, ids), inArray(moves.state, ["copying", "switched"]), isNotNull(moves.closedAt)));
  return new Map(rows.map(({ id, done, total }) => [id, { done: done ?? 0, total: total ?? 0 }]));
}

/** The change that begins a move and queues its job. It is refused while another move of these workspaces is under way. */
export function beginMove(
  context: Context,
  move: Pick<Move, "number" | "id" | "workspaceId" | "source" | "target" | "requestedBy">,
): Change<"directory"> {
  const { directory, now } = context;
  const row = { ...move, token: "", state: "copying" as const, createdAt: now };
  const none = { closedAt: null, switchedAt: null, openedAt: null, finishedAt: null, reason: null };
  const change = beginDirectoryChange(context)
    .add(
      directory
        .insert(moves)
        .values(row)
        .onConflictDoUpdate({
          target: moves.number,
          set: { ...row, ...none },
          setWhere: inArray(moves.state, [...ENDED]),
        }),
    )
    .guardChanged(new DomainError("conflict", "A move of this organization is under way."))
    .guard(
      sql`EXISTS (SELECT 1 FROM ${workspaces} WHERE ${workspaces.id} = ${move.workspaceId} AND ${workspaces.database} = ${move.source})`,
      new DomainError("conflict", "The organization has moved in the meantime."),
    );
  const { id, number, requestedBy } = move;
  change.job("move-workspace", { number, moveId: id }, { id, requestedBy });
  return change;
}

/** Makes a worker the only one of a move. @returns the move; null if it has ended */
export async function takeMove(context: Context, id: string, token: string): Promise<Move | null> {
  const { directory } = context;
  const ended = new DomainError("conflict", "The move has ended.");
  try {
    await beginDirectoryChange({ ...context, idempotency: null })
      .add(
        directory
          .update(moves)
          .set({ token })
          .where(and(eq(moves.id, id), notInArray(moves.state, [...ENDED]))),
      )
      .guardChanged(ended)
      .commit();
  } catch (thrown) {
    if (thrown === ended) return null;
    throw thrown;
  }
  const [row] = await directory.select().from(moves).where(eq(moves.id, id));
  if (row?.token !== token) throw moverReplaced();
  return row;
}

/** Whether this worker still has the move, in this state. @throws DomainError workspace-moving otherwise */
export async function requireMove(
  { directory }: Pick<Context, "directory">,
  { id, token, state }: Move,
): Promise<void> {
  const [row] = await directory
    .select({ id: moves.id })
    .from(moves)
    .where(and(eq(moves.id, id), eq(moves.token, token), eq(moves.state, state)));
  if (row === undefined) throw moverReplaced();
}

/** Writes the next state of a move, if this worker still has it. @throws DomainError workspace-moving otherwise */
export async function turnMove(
  context: Context,
  move: Move,
  next: Partial<Omit<Move, "id" | "number" | "token">>,
): Promise<Move> {
  await beginDirectoryChange({ ...context, idempotency: null })
    .add(
      context.directory
        .update(moves)
        .set(next)
        .where(and(eq(moves.id, move.id), eq(moves.token, move.token), eq(moves.state, move.state))),
    )
    .guardChanged(moverReplaced())
    .commit();
  return { ...move, ...next };
}

/** The refusal of a switch whose workspaces are not those that were copied. */
export const othersCame = new DomainError("conflict", "A new workspace has the number of the one that moves.");

/**
 * The decision: from now on the target has the workspaces. It is one batch, and only this worker can write it.
 * @param count the number of workspaces that were copied
 * @throws DomainError workspace-moving if another worker has the move; `othersCame`
 */
export async function switchMove(context: Context, move: Move, count: number): Promise<Move> {
  const next = { state: "switched" as const, switchedAt: Date.now() };
  const { directory } = context;
  const ours = sql`${workspaces.number} = ${move.number} AND ${workspaces.database} = ${move.source}`;
  await beginDirectoryChange({ ...context, idempotency: null })
    .add(
      directory
        .update(moves)
        .set(next)
        .where(and(eq(moves.id, move.id), eq(moves.token, move.token), eq(moves.state, "copying"))),
    )
    .guardChanged(moverReplaced())
    .guard(sql`(SELECT count(*) FROM ${workspaces} WHERE ${ours}) = ${count}`, othersCame)
    .add(sql`UPDATE ${workspaces} SET database = ${move.target} WHERE ${ours}`)
    .commit();
  return { ...move, ...next };
}

/** The change that asks the mover to undo a move. @throws DomainError conflict, at its commit, if the move has switched or ended */
export const askToUndo = (context: Context, id: string, reason: string): Change<"directory"> =>
  beginDirectoryChange(context)
    .add(
      context.directory
        .update(moves)
        .set({ state: "undoing", reason })
        .where(and(eq(moves.id, id), eq(moves.state, "copying"))),
    )
    .guardChanged(
      new DomainError("conflict", "The organization does not move now, or it has switched already. Then move it back."),
    );
