import { eq, type SQLWrapper, sql } from "drizzle-orm";
import { type Context, inDatabase } from "../platform/context";
import { beginDirectoryChange } from "../platform/db/change";
import { type DirectoryDatabase, rowsOf } from "../platform/db/database";
import { reusable } from "../platform/db/statements";
import { numberOf } from "../platform/ids";
import { writePointer } from "./pointers";
import { pointers, workspaces } from "./tables";

/** Chooses the database of a new workspace. With one database it is that one. */
function choosePlace({ databases: { names } }: Pick<Context, "databases">): string {
  const [random = 0] = names.length === 1 ? [] : crypto.getRandomValues(new Uint32Array(1));
  return names[random % names.length] as string;
}

/**
 * The statement that assigns a workspace to a database, and gives back the database. It changes nothing for an assigned
 * workspace. A workspace with the number of another one goes where that one is: a number names one database.
 */
export const insertWorkspace = (context: Pick<Context, "directory" | "databases">, id: string) => {
  const [number, place] = [numberOf(id), choosePlace(context)];
  const database =
    context.databases.names.length === 1
      ? place
      : sql<string>`coalesce((SELECT database FROM ${workspaces} WHERE number = ${number} LIMIT 1), ${place})`;
  return context.directory.insert(workspaces).values({ id, number, database }).onConflictDoNothing();
};

/**
 * Assigns a new organization to a database, before the change that creates it there, with the pointer of its owner. If that
 * change is refused, the rows stay and name a workspace that does not exist.
 * @returns the context in that database
 */
export async function assignWorkspace(context: Context, id: string, ownerId: string): Promise<Context> {
  // A repeat of the request assigns nothing: the first one did.
  if (context.idempotency !== null && context.idempotency.kind !== "first") return inPlaceOf(context, id);
  await beginDirectoryChange({ ...context, idempotency: null })
    .add(insertWorkspace(context, id), ...writePointer(context, ownerId, id))
    .commit();
  return inPlaceOf(context, id);
}

/** The context in the database of a workspace. @throws Error for a workspace without a database. */
async function inPlaceOf(context: Context, id: string): Promise<Context> {
  const [only, ...others] = context.databases.names;
  // The change of a repeat is refused before any statement.
  if (context.idempotency?.kind === "checked") return context;
  if (others.length === 0) return inDatabase(context, only as string);
  const [row] = await context.directory
    .select({ database: workspaces.database })
    .from(workspaces)
    .where(eq(workspaces.id, id));
  if (row === undefined) throw new Error(`no database has the workspace ${id}`);
  return inDatabase(context, row.database);
}

const selectPlaces = (userId: SQLWrapper) =>
  sql`SELECT ${workspaces.database} AS name FROM ${pointers}
      JOIN ${workspaces} ON ${workspaces.id} = ${pointers.workspaceId} WHERE ${pointers.userId} = ${userId}
    UNION SELECT ${workspaces.database} AS name FROM ${workspaces} WHERE ${workspaces.id} = ${userId}`;

/** Reads the names of the databases in which a person may have something. The personal workspace counts. */
export const readPlaces = reusable<"userId">(() => selectPlaces(sql.placeholder("userId")));

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
  return (await directory.all<{ name: string }>(selectPlaces(sql`${userId}`))).map(({ name }) => name);
}
