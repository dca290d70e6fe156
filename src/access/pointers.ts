import { sql } from "drizzle-orm";
import type { Context } from "../platform/context";
import { beginChange, beginDirectoryChange, type Change } from "../platform/db/change";
import { rowsOf, type Statement } from "../platform/db/database";
import { residenceOf } from "../platform/db/residence";
import { DomainError } from "../platform/errors";
import { complete, continueLater, type JobHandler } from "../platform/jobs/handlers";
import { grants, memberships, pointers, pruned } from "./tables";

/*
 * Pointers say in which workspaces a person may have a membership or a grant, so that a request asks only their databases. They
 * are in the directory, and memberships and grants are not, so no batch writes both. A pointer may be without its membership,
 * but never a membership without its pointer:
 *
 *   add     directory: write the pointer, which gets a new version
 *           workspace: guard that no version as late is pruned; insert. Refused? Begin again.
 *   prune   directory: read the version of the pointer
 *           workspace: guard that nothing is held; note the version as pruned
 *           directory: delete the pointer of that version
 *
 * With one database nobody reads pointers, and none is written.
 */

const keepsPointers = ({ databases }: Pick<Context, "databases">): boolean => databases.names.length > 1;

/** The statements that write the pointer of a person to a workspace. None with one database. */
export const writePointer = (
  context: Pick<Context, "databases">,
  userId: string,
  workspaceId: string,
): Statement<"directory">[] =>
  keepsPointers(context)
    ? [sql`INSERT OR REPLACE INTO ${pointers} (user_id, workspace_id) VALUES (${userId}, ${workspaceId})`]
    : [];

const notedAs = (userId: string, workspaceId: string) =>
  sql`(SELECT ${pruned.version} FROM ${pruned} WHERE ${pruned.workspaceId} = ${workspaceId} AND ${pruned.userId} = ${userId})`;

/** The refusal of a change whose pointer was removed after it was written. It leaves the service only after many tries. */
const outdated = () =>
  new DomainError("unavailable", "The access of this person changes now. Send the request again.", { retryAfter: 1 });

/** Tries of a change whose pointer somebody removes meanwhile. */
const MAX_TRIES = 5;

/**
 * Makes a change that can give a person a membership or a grant in a workspace. The pointer is written first, and `requirePointer`
 * adds the guard that it is still there. @param make composes and commits the change; it runs again if the guard refuses
 */
export async function withPointer<T>(
  context: Context,
  userId: string,
  workspaceId: string,
  make: (requirePointer: (change: Change) => Change) => Promise<T>,
): Promise<T> {
  if (!keepsPointers(context)) return make((change) => change);
  for (let tries = 1, after = 0; ; tries++) {
    const version = await replacePointer(context, userId, workspaceId, after);
    const refusal = outdated();
    try {
      return await make((change) => change.guard(isLater(version, userId, workspaceId), refusal));
    } catch (thrown) {
      if (thrown !== refusal || tries === MAX_TRIES) throw thrown;
    }
    // A restored directory can count versions again that the workspace has noted as pruned.
    after = await readNoted(context, userId, workspaceId);
  }
}

/**
 * Writes the pointer for the change of a job, which commits with the job. If the guard refuses it, the job runs again.
 * @returns the change, with the guard
 */
export async function afterPointer(
  context: Context,
  change: Change,
  userId: string,
  workspaceId: string,
): Promise<Change> {
  if (!keepsPointers(context)) return change;
  const after = await readNoted(context, userId, workspaceId);
  const version = await replacePointer(context, userId, workspaceId, after);
  return change.guard(isLater(version, userId, workspaceId), outdated());
}

/** Condition: `pruned` notes neither this version of the pointer nor a later version. */
const isLater = (version: number, userId: string, workspaceId: string) =>
  sql`coalesce(${notedAs(userId, workspaceId)}, 0) < ${version}`;

async function readNoted({ workspace }: Context, userId: string, workspaceId: string): Promise<number> {
  const [noted] = await workspace.all<{ version: number | null }>(
    sql`SELECT ${notedAs(userId, workspaceId)} AS version`,
  );
  return noted?.version ?? 0;
}

/** Writes a pointer, with a version after `after`. @returns the version */
async function replacePointer(context: Context, userId: string, workspaceId: string, after: number): Promise<number> {
  const next = sql`max(${after} + 1, coalesce((SELECT max(${pointers.version}) FROM ${pointers}), 0) + 1)`;
  const [written] = await beginDirectoryChange({ ...context, idempotency: null })
    .add(
      sql`INSERT OR REPLACE INTO ${pointers} (version, user_id, workspace_id)
        VALUES (${after === 0 ? sql`NULL` : next}, ${userId}, ${workspaceId}) RETURNING version`,
    )
    .commit();
  const [row] = rowsOf<{ version: number }>(written);
  if (row === undefined) throw new Error("a pointer was not written");
  return row.version;
}

/** Queues the look whether a person still holds anything in a workspace, with the change that took something away. */
export function pruneAfter(
  context: Pick<Context, "databases">,
  change: Change,
  userId: string,
  workspaceId: string,
): Change {
  if (keepsPointers(context)) change.job("prune-pointer", { userId, workspaceId }, { tenantId: workspaceId });
  return change;
}

/** Queues the removal of all pointers to a workspace, with the change that deletes it. */
export function pruneAllAfter(context: Pick<Context, "databases">, change: Change, workspaceId: string): Change {
  if (keepsPointers(context)) change.job("prune-workspace", { workspaceId });
  return change;
}

/** Condition: the person has no membership and no grant in the workspace. */
const holdsNothing = (userId: string, workspaceId: string) =>
  sql`NOT EXISTS (SELECT 1 FROM ${memberships} WHERE ${memberships.organizationId} = ${workspaceId} AND ${memberships.userId} = ${userId})
    AND NOT EXISTS (SELECT 1 FROM ${grants} WHERE ${grants.userId} = ${userId} AND ${grants.tenantId} = ${workspaceId})`;

/** The three batches that remove the pointer of a person who holds nothing in a workspace. Each can be the last one. */
export async function* prunePointer(
  context: Context,
  userId: string,
  workspaceId: string,
): AsyncGenerator<"read" | "noted" | "removed"> {
  const { directory } = context;
  const which = sql`${pointers.userId} = ${userId} AND ${pointers.workspaceId} = ${workspaceId}`;
  const [pointer] = await directory.select({ version: pointers.version }).from(pointers).where(which);
  if (pointer === undefined) return;
  const { version } = pointer;
  yield "read";
  const held = new DomainError("conflict", "The person holds something here.");
  try {
    await beginChange({ ...context, idempotency: null }, workspaceId)
      .guard(holdsNothing(userId, workspaceId), held)
      .add(
        sql`INSERT INTO ${pruned} (workspace_id, user_id, version) VALUES (${workspaceId}, ${userId}, ${version})
          ON CONFLICT DO UPDATE SET version = max(version, excluded.version)`,
      )
      .commit();
  } catch (thrown) {
    if (thrown === held) return;
    throw thrown;
  }
  yield "noted";
  await beginDirectoryChange({ ...context, idempotency: null })
    .add(sql`DELETE FROM ${pointers} WHERE ${pointers.version} = ${version}`)
    .commit();
  yield "removed";
}

/** Removes the pointer of a person who holds nothing in a workspace any more. */
export const prunePointerJob: JobHandler<"prune-pointer"> = {
  async run(context, { payload: { userId, workspaceId } }) {
    for await (const _ of prunePointer(context, userId, workspaceId));
    return complete();
  },
};

/** Pointers that one slice of a job removes. */
const PRUNED_AT_ONCE = 500;

/** Removes the pointers to a deleted workspace. Nothing can be added to it, so no version has to be noted. */
export const pruneWorkspace: JobHandler<"prune-workspace"> = {
  async run(context, { payload: { workspaceId } }) {
    if ((await residenceOf(context, workspaceId)) !== null) return complete();
    const [removed] = await beginDirectoryChange(context)
      .add(
        sql`DELETE FROM ${pointers} WHERE version IN
          (SELECT version FROM ${pointers} WHERE workspace_id = ${workspaceId} LIMIT ${PRUNED_AT_ONCE})`,
      )
      .commit();
    return (removed?.meta.changes ?? 0) > 0 ? continueLater(null) : complete();
  },
};
