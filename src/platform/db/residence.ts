import { eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { DomainError } from "../errors";
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

type Residence = (typeof residents.$inferSelect)["state"];

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
export const DATABASE_CLOCK = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

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

/** The statement that adds a workspace to this database. One that is known here keeps its state. */
export const insertResident = (workspace: WorkspaceDatabase, workspaceId: string) =>
  workspace.insert(residents).values({ workspaceId, state: "here" }).onConflictDoNothing();

/** The statement for a workspace that is deleted. */
export const removeResident = (workspaceId: string): SQL =>
  sql`DELETE FROM ${residents} WHERE ${residents.workspaceId} = ${workspaceId}`;
