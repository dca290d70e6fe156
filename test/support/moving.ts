import { env } from "cloudflare:workers";
import { beginMove, placeOf as placedAt } from "../../src/access";
import { forgetRoutes } from "../../src/access/routing";
import { MOVED } from "../../src/carried";
import { jobHandlers } from "../../src/job-handlers";
import { type Context, contextIn } from "../../src/platform/context";
import type { Carried } from "../../src/platform/db/carry/declare";
import { type PageRow, pageStatement } from "../../src/platform/db/carry/statements";
import { newId } from "../../src/platform/ids";
import { runJob } from "../../src/platform/jobs/run";
import { databaseOf, severalContext } from "./databases";

/* Moves of workspaces between the two databases of `databases.ts`, without the pauses of the clock. */

const other = (name: string): string => (name === "first" ? "second" : "first");

/** Begins the move of a workspace to the other database. @returns the id of the move */
export async function beginMoveOf(workspaceId: string): Promise<{ id: string; source: string; target: string }> {
  const context = severalContext();
  const row = await placedAt(context, workspaceId);
  if (row === undefined) throw new Error(`no database has ${workspaceId}`);
  const { number, database: source } = row;
  const [id, target] = [newId(), other(source)];
  await beginMove(context, { id, number, workspaceId, source, target, requestedBy: null }).commit();
  return { id, source, target };
}

/** Ends the pauses of a move: routes are forgotten, and requests that read in the source have ended. */
async function passPauses(id: string): Promise<void> {
  forgetRoutes();
  await env.D1_DIRECTORY.batch([
    env.D1_DIRECTORY.prepare("UPDATE moves SET switched_at = 1 WHERE id = ? AND switched_at IS NOT NULL").bind(id),
    env.D1_DIRECTORY.prepare("UPDATE moves SET opened_at = 1 WHERE id = ? AND opened_at IS NOT NULL").bind(id),
    // Acts as if the lease of a killed worker had expired.
    env.D1_DIRECTORY.prepare(
      "UPDATE jobs SET run_at = 0, lease_until = iif(lease_until IS NULL, NULL, 1) WHERE id = ?",
    ).bind(id),
  ]);
}

/** Runs one slice of a move. `context` of a worker that is killed throws. */
export async function runSlice(id: string, context: Context = severalContext()): Promise<void> {
  await passPauses(id);
  const directory = contextIn(context, context.directoryName);
  if (directory === null) throw new Error("no directory");
  await runJob(directory, jobHandlers, id);
}

/** The state of a move. */
export const stateOf = (id: string): Promise<string | null> =>
  env.D1_DIRECTORY.prepare("SELECT state FROM moves WHERE id = ?").bind(id).first<string>("state");

const MAX_SLICES = 500;

/** Runs a move until it has this state. */
export async function runMove(id: string, until = "finished"): Promise<void> {
  for (let slices = 0; slices < MAX_SLICES; slices++) {
    const state = await stateOf(id);
    if (state === until) return;
    if (state === "finished" || state === "undone") break;
    await runSlice(id);
  }
  const row = await env.D1_DIRECTORY.prepare("SELECT * FROM moves WHERE id = ?").bind(id).first();
  throw new Error(`the move is not ${until}: ${JSON.stringify(row)}`);
}

/** Columns that the database chooses itself, or that differ while work is open. */
const rowsIn = async (database: D1Database, table: Carried, workspace: string): Promise<string[]> => {
  const { sql, params } = pageStatement(table, workspace, { after: null, to: null }, 1_000_000);
  const { results } = await database
    .prepare(sql)
    .bind(...params)
    .all<PageRow>();
  return results.map(({ line }) => `${table.id}: ${line}`);
};

/** Every row that moves with a workspace, as a database has it. */
export async function rowsOfWorkspace(name: string, workspace: string): Promise<string[]> {
  const lines: string[] = [];
  for (const table of MOVED) lines.push(...(await rowsIn(databaseOf(name), table, workspace)));
  return lines.sort();
}
