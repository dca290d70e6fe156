import { env } from "cloudflare:workers";
import { onTestFinished } from "vitest";
import { tablesOfSide } from "./declared";
import { changeSessions, textOf } from "./statements";
import { sweepOnce } from "./sweeper";

/* Moves of workspaces to another database, as far as the service knows them: the state of the workspace in `residents`. */

export type Residence = "here" | "leaving" | "coming" | "gone";

/** Sets the state of a workspace. */
export const setResidence = (workspaceId: string, state: Residence): Promise<unknown> =>
  env.DB.prepare("UPDATE residents SET state = ? WHERE workspace_id = ?").bind(state, workspaceId).run();

/** Marks all workspaces of the database as leaving, until the test ends or the returned function is called. */
export async function moveAll(): Promise<() => Promise<void>> {
  await env.DB.exec("UPDATE residents SET state = 'leaving'");
  const end = async () => {
    await env.DB.exec("UPDATE residents SET state = 'here'");
    // Acts as if the leases of the postponed jobs had expired.
    await env.DB.exec(
      "UPDATE jobs SET sent_at = 0, lease_until = 0 WHERE status IN ('queued', 'running') AND sent_at > 0",
    );
    await sweepOnce();
  };
  onTestFinished(end);
  return end;
}

export const residentIds = async (): Promise<Set<string>> => {
  const { results } = await env.DB.prepare("SELECT workspace_id AS id FROM residents").all<{ id: string }>();
  return new Set(results.map(({ id }) => id));
};

/** Tables of the workspace side that belong to no workspace, or say where one is, and a view. */
const OF_NONE = ["people", "residents", "notification_clock", "camera_captures"];

/** Ends the lease of a job that was put off, as when its time has passed. */
export const expireLease = (jobId: string): Promise<unknown> =>
  env.DB.prepare("UPDATE jobs SET lease_until = 1 WHERE id = ?").bind(jobId).run();

/** The rows of a table that belong to workspaces. */
const ofWorkspaces = (table: string): string =>
  ({ jobs: "tenant_id IS NOT NULL", audit_entries: "organization_id IS NOT NULL" })[table] ?? "1";

/**
 * Keeps every row of the workspaces of this database, inside the database: it has the rows of all files of the runtime, which would
 * take seconds to read here. The full-text index cannot be read.
 * @returns a function that gives the rows which are new, gone or changed since, or only those that name an id, as `table: JSON`
 */
export async function watchWorkspaces(): Promise<(id?: string) => Promise<string[]>> {
  const tables = [...new Set([...tablesOfSide("workspace"), "jobs", "audit_entries"])].filter(
    (table) => !OF_NONE.includes(table),
  );
  const run = (statements: string[]) =>
    env.DB.batch<Record<string, unknown>>(statements.map((statement) => env.DB.prepare(statement)));
  const drop = () => run(tables.map((table) => `DROP TABLE IF EXISTS watched_${table}`));
  await drop();
  onTestFinished(() => drop().then(() => undefined));
  const rows = (table: string) => `SELECT * FROM ${table} WHERE ${ofWorkspaces(table)}`;
  await run(tables.map((table) => `CREATE TABLE watched_${table} AS ${rows(table)}`));
  return async (id = "") => {
    const changes = await run(
      tables.flatMap((table) => [
        `${rows(table)} EXCEPT SELECT * FROM watched_${table}`,
        `SELECT * FROM watched_${table} EXCEPT ${rows(table)}`,
      ]),
    );
    return changes
      .flatMap(({ results }, at) => results.map((row) => `${tables[at >> 1]}: ${JSON.stringify(row)}`))
      .filter((line) => line.includes(id))
      .sort();
  };
}

/**
 * Runs `work` just before the next batch that has the guard of a change of a workspace: after everything that the request has
 * read. Other batches of that moment wait for it too.
 */
export function beforeNextChange(work: () => Promise<unknown>): void {
  const isGuard = (one: D1PreparedStatement) => textOf(one).includes("'app:residence'");
  let done: Promise<unknown> | undefined;
  const restore = changeSessions((session) => {
    const batch = session.batch.bind(session);
    session.batch = async (statements) => {
      if (statements.some(isGuard)) {
        done ??= work();
        await done;
      }
      return batch(statements);
    };
  });
  onTestFinished(restore);
}
