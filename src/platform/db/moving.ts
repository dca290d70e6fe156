import { type SQL, sql } from "drizzle-orm";
import type { Residence } from "./residence";
import { inSet } from "./statements";
import { residents } from "./tables";

/*
 * The statements of a move on the states of its workspaces:
 *
 *              copying          switched    opened     undoing
 *   source     here, leaving    leaving     gone       here
 *   target     coming           coming      here       coming, gone
 *
 * Each of them changes only rows that this move holds, so a worker that comes too late changes nothing.
 */

/** The worker of a move. */
interface Worker {
  id: string;
  token: string;
}

const named = (ids: readonly string[]): SQL => inSet(sql`workspace_id`, ids);
const oneOf = (states: readonly Residence[]): SQL => inSet(sql`state`, states);

/** Gives workspaces of the source to a worker, before and after they are closed. */
export const holdSource = ({ id, token }: Worker, ids: readonly string[]): SQL =>
  sql`UPDATE ${residents} SET move = ${id}, mover = ${token} WHERE ${named(ids)}
    AND (state = 'here' OR state = 'leaving' AND move = ${id})`;

/** Gives workspaces of the target to a worker. They are coming from now on. */
export const holdTarget = ({ id, token }: Worker, ids: readonly string[]): SQL =>
  sql`INSERT INTO ${residents} (workspace_id, state, move, mover) SELECT value, 'coming', ${id}, ${token}
    FROM json_each(${JSON.stringify(ids)}) WHERE true
    ON CONFLICT (workspace_id) DO UPDATE SET state = 'coming', move = excluded.move, mover = excluded.mover
    WHERE state IN ('gone', 'coming')`;

/** Gives workspaces that the move holds in this state to another worker. */
export const holdAgain = ({ id, token }: Worker, state: Residence, ids: readonly string[]): SQL =>
  sql`UPDATE ${residents} SET mover = ${token} WHERE ${named(ids)} AND move = ${id} AND state = ${state}`;

/** Turns workspaces from one of these states to another one. The move holds them on. */
export const turn = (
  { id }: Pick<Worker, "id">,
  ids: readonly string[],
  from: readonly Residence[],
  to: Residence,
): SQL => sql`UPDATE ${residents} SET state = ${to} WHERE ${named(ids)} AND move = ${id} AND ${oneOf(from)}`;

/** The same, and the move holds them no more. */
export const release = (
  { id }: Pick<Worker, "id">,
  ids: readonly string[],
  from: readonly Residence[],
  to: Residence,
): SQL =>
  sql`UPDATE ${residents} SET state = ${to}, move = NULL, mover = NULL WHERE ${named(ids)} AND move = ${id} AND ${oneOf(from)}`;
