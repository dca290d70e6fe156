import { and, eq, isNull, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { inWaves } from "../platform/concurrency";
import { type Context, inDatabase } from "../platform/context";
import { beginDirectoryChange } from "../platform/db/change";
import {
  DATABASES_AT_ONCE,
  type DirectoryDatabase,
  FIRST_DATABASE,
  MAX_DATABASE_BYTES,
  rowsOf,
  type Statement,
  sizeOf,
} from "../platform/db/database";
import { inSet, reusable } from "../platform/db/statements";
import { DomainError } from "../platform/errors";
import { numberOf } from "../platform/ids";
import { MINUTE, SECOND } from "../platform/time";
import { writePointer } from "./pointers";
import { organizations, pointers, removalOwners, removals, workspaces } from "./tables";
import { isWalked } from "./walk";

/** The share of its largest size from which a database takes no new workspace. */
const FULL = 0.9;
/** Age of a size that is measured again, milliseconds. */
const SIZE_AGE_MS = 5 * MINUTE;
/** Sizes that differ by less count as the same, bytes. */
const SIZE_STEP_BYTES = 0.01 * MAX_DATABASE_BYTES;
/** The sizes of databases as this isolate measured them, and the workspaces that it gave them since. They only choose among databases. */
const sizes = new Map<string, { bytes: number; at: number; given: number }>();

async function measure({ databases, now }: Pick<Context, "databases" | "now">, name: string) {
  const known = sizes.get(name);
  if (known !== undefined && known.at > now - SIZE_AGE_MS) return known;
  const measured = { bytes: await sizeOf(databases.open(name)), at: now, given: 0 };
  sizes.set(name, measured);
  return measured;
}

/**
 * Chooses the database of a new workspace: the open one with the most room. Among those with about the same room it is the one
 * that got the fewest new workspaces, so that many new ones do not all go to one database. With one database it is that one.
 * @param region only databases of this region
 * @throws DomainError rule-violated for an unknown region; unavailable if no database has room
 */
export async function choosePlace(context: Pick<Context, "databases" | "now">, region?: string): Promise<string> {
  const { closed, regions } = context.databases;
  const names = context.databases.names.filter((name) => region === undefined || regions.get(name) === region);
  if (names.length === 0) {
    const known = [...new Set(regions.values())].sort().join(", ");
    throw new DomainError(
      "rule-violated",
      known === "" ? "This service has no regions. Leave `region` out." : `The regions are: ${known}.`,
    );
  }
  if (context.databases.names.length === 1) return names[0] as string;
  const open = names.filter((name) => !closed.has(name));
  const measured = await inWaves(open, DATABASES_AT_ONCE, async (name) => ({
    name,
    ...(await measure(context, name)),
  }));
  const stepOf = ({ bytes }: { bytes: number }) => Math.floor(bytes / SIZE_STEP_BYTES);
  const [best] = measured
    .filter(({ bytes }) => bytes < FULL * MAX_DATABASE_BYTES)
    .sort((a, b) => stepOf(a) - stepOf(b) || a.given - b.given);
  if (best !== undefined) {
    const known = sizes.get(best.name);
    if (known !== undefined) known.given++;
    return best.name;
  }
  throw new DomainError("unavailable", "No database has room for another workspace. Ask the operator to add one.", {
    retryAfter: SIZE_AGE_MS / SECOND,
  });
}

/**
 * The statement that assigns a workspace to a database, and gives back the database. It changes nothing for an assigned
 * workspace. All workspaces with one number are in one database.
 */
export const insertWorkspace = (context: Pick<Context, "directory" | "databases">, id: string, place: string) => {
  const number = numberOf(id);
  const database =
    context.databases.names.length === 1
      ? place
      : sql<string>`coalesce((SELECT database FROM ${workspaces} WHERE number = ${number} LIMIT 1), ${place})`;
  return context.directory.insert(workspaces).values({ id, number, database }).onConflictDoNothing();
};

/**
 * Assigns a new organization to a database, before the change that creates it there, with the pointer of its owner. If that
 * change is refused, the rows stay and name a workspace that does not exist.
 * @param region the region that its creator has chosen
 * @returns the context in that database
 */
export async function assignWorkspace(
  context: Context,
  id: string,
  ownerId: string,
  region?: string,
): Promise<Context> {
  // A repeat of the request assigns nothing: the first one did.
  if (context.idempotency !== null && context.idempotency.kind !== "first") return inPlaceOf(context, id);
  await beginDirectoryChange({ ...context, idempotency: null })
    .add(insertWorkspace(context, id, await choosePlace(context, region)), ...writePointer(context, ownerId, id))
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

/** In place of a number: the first database can have anything of a person, as long as not all pointers are written. */
const ANY_NUMBER = -1;

const selectPlaces = (userId: SQLWrapper) =>
  sql`SELECT name, group_concat(number) AS numbers FROM (
    SELECT ${workspaces.database} AS name, ${workspaces.number} AS number FROM ${pointers}
      JOIN ${workspaces} ON ${workspaces.id} = ${pointers.workspaceId} WHERE ${pointers.userId} = ${userId}
    UNION SELECT ${workspaces.database} AS name, ${workspaces.number} AS number FROM ${workspaces} WHERE ${workspaces.id} = ${userId}
    UNION ALL SELECT ${sql.raw(`'${FIRST_DATABASE}'`)}, ${sql.raw(`${ANY_NUMBER}`)} WHERE NOT ${isWalked}
  ) GROUP BY name`;

/** Reads the databases in which a person may have something. The personal workspace counts. */
export const readPlaces = reusable<"userId">(() => selectPlaces(sql.placeholder("userId")));

/** A database, and the numbers of the workspaces that a person may have something in and that it has. */
interface PlaceOfPerson {
  name: string;
  /** Null while it can have any workspace that no other database is known to have. */
  numbers: ReadonlySet<number> | null;
}

/** The databases in the result of `readPlaces`. */
export const placesIn = (result: D1Result | undefined): PlaceOfPerson[] =>
  rowsOf<{ name: string; numbers: string }>(result).map(({ name, numbers }) => {
    const all = new Set(numbers.split(",").map(Number));
    return { name, numbers: all.has(ANY_NUMBER) ? null : all };
  });

/** The contexts of all databases in which a person may have something. With one database it is that one, without a question. */
export async function contextsOf(context: Context, userId: string): Promise<Context[]> {
  const { names } = context.databases;
  const theirs = names.length === 1 ? names : await placesOf(context.directory, userId);
  return theirs.map((name) => inDatabase(context, name));
}

/**
 * Counts rows of a person in their other databases, before a guard counts in the database of a change. With one database nothing is
 * asked. Two changes in two databases at the same moment can pass the maximum together.
 */
export async function countElsewhere(context: Context, userId: string, count: SQL): Promise<number> {
  if (context.databases.names.length === 1) return 0;
  const others = (await contextsOf(context, userId)).filter(({ database }) => database !== context.database);
  const counts = await inWaves(others, DATABASES_AT_ONCE, ({ workspace }) =>
    workspace.all<{ found: number }>(sql`SELECT ${count} AS found`),
  );
  return counts.flat().reduce((sum, { found }) => sum + found, 0);
}

async function placesOf(directory: DirectoryDatabase, userId: string): Promise<string[]> {
  return (await directory.all<{ name: string }>(selectPlaces(sql`${userId}`))).map(({ name }) => name);
}

/** The databases in which some people may have something, each with the people. With one database it is that one, without a question. */
export async function placesOfPeople(
  context: Pick<Context, "directory" | "databases">,
  userIds: readonly string[],
): Promise<Map<string, string[]>> {
  const [only, ...others] = context.databases.names;
  if (others.length === 0) return new Map([[only as string, [...userIds]]]);
  const rows = await context.directory.all<{ userId: string; name: string }>(
    sql`SELECT ${pointers.userId} AS "userId", ${workspaces.database} AS "name" FROM ${pointers}
        JOIN ${workspaces} ON ${workspaces.id} = ${pointers.workspaceId} WHERE ${inSet(pointers.userId, userIds)}
      UNION SELECT ${workspaces.id}, ${workspaces.database} FROM ${workspaces} WHERE ${inSet(workspaces.id, userIds)}`,
  );
  const groups = Map.groupBy(rows, ({ name }) => name);
  return new Map([...groups].map(([name, found]) => [name, found.map(({ userId }) => userId)]));
}

/**
 * The databases of some workspaces, each with the ids of those that it has. With one database it is that one, without a question.
 * Workspaces that the directory does not know are left out.
 */
export async function groupByPlace(
  context: Pick<Context, "directory" | "databases">,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const [only, ...others] = context.databases.names;
  if (others.length === 0) return new Map([[only as string, [...ids]]]);
  const rows = await context.directory
    .select({ id: workspaces.id, database: workspaces.database })
    .from(workspaces)
    .where(inSet(workspaces.id, ids));
  const groups = Map.groupBy(rows, ({ database }) => database);
  return new Map([...groups].map(([name, found]) => [name, found.map(({ id }) => id)]));
}

/** The statements that write the receipt of a removal that begins, once. @param owners the ids of those who can read it */
export const insertReceipt = (
  { directory }: Pick<Context, "directory">,
  receipt: typeof removals.$inferInsert,
  owners: readonly string[],
): Statement<"directory">[] => [
  directory.insert(removals).values(receipt).onConflictDoNothing(),
  sql`INSERT INTO ${removalOwners} (user_id, workspace_id) SELECT value, ${receipt.workspaceId}
    FROM json_each(${JSON.stringify(owners)}) WHERE true ON CONFLICT DO NOTHING`,
];

/** The statement that completes the receipt of a removed workspace. */
export const completeReceipt = ({ directory, now }: Pick<Context, "directory" | "now">, workspaceId: string) =>
  directory
    .update(removals)
    .set({ finishedAt: now })
    .where(and(eq(removals.workspaceId, workspaceId), isNull(removals.finishedAt)));

/** Condition: the recovery window of the organization has ended, and its removal has not begun. */
export const isToRemove = (now: number) => and(lte(organizations.purgeAt, now), isNull(organizations.removalAt));

/** The statement that begins the removal of organizations whose window has ended. Nothing restores them afterwards. */
export const beginRemoval = ({ workspace }: Pick<Context, "workspace">, ids: readonly string[], now: number) =>
  workspace
    .update(organizations)
    .set({ removalAt: now })
    .where(and(inSet(organizations.id, ids), isToRemove(now)));
