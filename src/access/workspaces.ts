import type { Context } from "../platform/context";
import { beginDirectoryChange } from "../platform/db/change";
import { numberOf } from "../platform/ids";
import { workspaces } from "./tables";

/**
 * The statement that assigns a workspace to the database of this context. It changes nothing for an assigned workspace.
 */
export const insertWorkspace = ({ directory, database }: Pick<Context, "directory" | "database">, id: string) =>
  directory
    .insert(workspaces)
    .values({ id, number: numberOf(id), database })
    .onConflictDoNothing();

/**
 * Assigns a new organization to the database of this context, before the change that creates it there. If that change is
 * refused, the row stays and names a workspace that does not exist.
 */
export async function assignWorkspace(context: Context, id: string): Promise<void> {
  // A repeat of the request assigns nothing: the first one did.
  if (context.idempotency !== null && context.idempotency.kind !== "first") return;
  await beginDirectoryChange({ ...context, idempotency: null })
    .add(insertWorkspace(context, id))
    .commit();
}
