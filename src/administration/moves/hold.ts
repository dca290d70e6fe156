import { sql } from "drizzle-orm";
import { type Move, requireMove } from "../../access";
import { organizations, people } from "../../access/tables";
import { type Context, inDatabase } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { holdAgain, holdSource, holdTarget, release, turn } from "../../platform/db/moving";
import { type Mover, NO_WORKSPACE, type Residence } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { residents } from "../../platform/db/tables";
import { DomainError } from "../../platform/errors";

/** The two databases of a move. */
export interface Sides {
  source: Context;
  target: Context;
}

export const sidesOf = (context: Context, { source, target }: Move): Sides => ({
  source: inDatabase({ ...context, idempotency: null }, source),
  target: inDatabase({ ...context, idempotency: null }, target),
});

/** A context whose changes require that the workspaces are in this state, and that the worker still has the move. */
export const asMover = (
  there: Context,
  { id, token }: Move,
  state: Residence,
  workspaces: readonly string[],
): Context => {
  const mover: Mover = { move: id, token, state, workspaces };
  return { ...there, mover };
};

/** The states of workspaces in a database. */
export const statesIn = ({ workspace }: Context, ids: readonly string[]) =>
  workspace.select().from(residents).where(inSet(residents.workspaceId, ids));

/**
 * Gives both databases to this worker while it copies. It asks the directory afterwards: a worker that slept in between goes no
 * further. @throws DomainError workspace-moving if another worker has the move
 */
export async function holdBoth(
  context: Context,
  { source, target }: Sides,
  move: Move,
  ids: readonly string[],
): Promise<void> {
  await beginChange(source, NO_WORKSPACE).add(holdSource(move, ids)).commit();
  await beginChange(target, NO_WORKSPACE).add(holdTarget(move, ids)).commit();
  await requireMove(context, move);
}

/** Gives one database to this worker, where the move holds workspaces in this state. @returns their ids */
export async function holdOne(there: Context, move: Move, state: Residence, ids: readonly string[]): Promise<string[]> {
  await beginChange(there, NO_WORKSPACE)
    .add(holdAgain(move, state, ids))
    .commit();
  const held = (await statesIn(there, ids)).filter((row) => row.move === move.id && row.state === state);
  return held.map(({ workspaceId }) => workspaceId);
}

/** A workspace that is deleted, or whose removal has begun, stays where it is. */
export const isDeleted = new DomainError("conflict", "The organization is deleted, or its removal has begun.");

/** Closes workspaces to changes. Nothing that was acknowledged is missing from what is read afterwards. @throws `isDeleted` */
export async function close(source: Context, move: Move, ids: readonly string[]): Promise<void> {
  const states = await statesIn(source, ids);
  if (states.length === ids.length && states.every((row) => row.state === "leaving" && row.move === move.id)) return;
  const named = inSet(sql`json_extract(payload, '$.workspaceId')`, ids);
  await beginChange(asMover(source, move, "here", ids), NO_WORKSPACE)
    .guard(
      sql`NOT EXISTS (SELECT 1 FROM ${organizations} WHERE ${inSet(organizations.id, ids)} AND ${organizations.deletedAt} IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM ${people} WHERE ${inSet(people.id, ids)} AND ${people.deletedAt} IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM jobs WHERE kind = 'remove-workspace' AND status IN ('queued', 'running') AND ${named})`,
      isDeleted,
    )
    .add(turn(move, ids, ["here"], "leaving"))
    .commit();
}

/**
 * Opens workspaces in the target after the switch. The source ends first: whoever still asks it is refused, and never reads there what
 * is older than a change in the target.
 */
export async function openTarget({ source, target }: Sides, move: Move, ids: readonly string[]): Promise<void> {
  await beginChange(source, NO_WORKSPACE)
    .add(turn(move, ids, ["leaving"], "gone"))
    .commit();
  await beginChange(target, NO_WORKSPACE)
    .add(release(move, ids, ["coming"], "here"))
    .commit();
}

/** Opens workspaces in the source again, when a move is undone. */
export async function reopenSource(source: Context, move: Move, ids: readonly string[]): Promise<void> {
  await beginChange(source, NO_WORKSPACE)
    .add(release(move, ids, ["here", "leaving"], "here"))
    .commit();
}

/** Ends what a move holds in a database that does not have the workspaces. */
export async function endHold(there: Context, move: Move, ids: readonly string[]): Promise<void> {
  await beginChange(there, NO_WORKSPACE)
    .add(release(move, ids, ["coming", "gone"], "gone"))
    .commit();
}
