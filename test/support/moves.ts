import { env } from "cloudflare:workers";
import { onTestFinished } from "vitest";
import { tablesOfSide } from "./sides";
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

/**
 * Every row of the workspaces of this database, or only rows that name an id: `table: JSON`, in one order. The
 * full-text index cannot be read.
 */
export async function dumpWorkspaces(id = ""): Promise<string[]> {
  const conditions = new Map<string, string>(
    tablesOfSide("workspace").flatMap((table) => (OF_NONE.includes(table) ? [] : [[table, "1"] as const])),
  );
  conditions.set("jobs", "tenant_id IS NOT NULL").set("audit_entries", "organization_id IS NOT NULL");
  const lines: string[] = [];
  for (const [table, condition] of conditions) {
    const { results } = await env.DB.prepare(`SELECT * FROM ${table} WHERE ${condition}`).all();
    for (const row of results) lines.push(`${table}: ${JSON.stringify(row)}`);
  }
  return lines.filter((line) => line.includes(id)).sort();
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
