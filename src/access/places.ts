import { sql } from "drizzle-orm";
import { type Context, inDatabase } from "../platform/context";
import { type DirectoryDatabase, rowsOf, runBatch } from "../platform/db/database";
import { reusable } from "../platform/db/statements";
import { pointers, workspaces } from "./tables";

/** Reads the names of the databases in which a person may have something. The personal workspace counts. */
export const readPlaces = reusable<"userId">(
  () => sql`SELECT ${workspaces.database} AS name FROM ${pointers}
      JOIN ${workspaces} ON ${workspaces.id} = ${pointers.workspaceId} WHERE ${pointers.userId} = ${sql.placeholder("userId")}
    UNION SELECT ${workspaces.database} AS name FROM ${workspaces} WHERE ${workspaces.id} = ${sql.placeholder("userId")}`,
);

/** The names in the result of `readPlaces`. */
export const placesIn = (result: D1Result | undefined): string[] =>
  rowsOf<{ name: string }>(result).map(({ name }) => name);

/** The contexts of all databases in which a person may have something. With one database it is that one, without a question. */
export async function contextsOf(context: Context, userId: string): Promise<Context[]> {
  const { names } = context.databases;
  const theirs = names.length === 1 ? names : await placesOf(context.directory, userId);
  return theirs.map((name) => inDatabase(context, name));
}

async function placesOf(directory: DirectoryDatabase, userId: string): Promise<string[]> {
  const [found] = await runBatch(directory, [readPlaces({ userId })]);
  return placesIn(found);
}
