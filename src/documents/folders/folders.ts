import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import { holds, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { cursorOf, pageQuery, readCursor } from "../../platform/db/cursor";
import { isUniqueViolation } from "../../platform/db/failures";
import { DomainError, notFound } from "../../platform/errors";
import { newIdIn } from "../../platform/ids";
import { fewerThan, findLocation, limitReached, locationExists, locationPath, requireLocation } from "../../workspace";
import { pathSchema } from "../document";
import { readable, requireVisible } from "../library";
import { MAX_FOLDERS } from "../limits";
import { documentNotDeleted, documentPublished, documents, folders } from "../tables";

/*
 * A folder of a location exists while a person's folder or the path of a document has its path. With a slash at its end, a
 * path is just before the paths of everything below it. So a tree is one range of an index, and its end is the same path
 * with the character after the slash, which is "0".
 */

/** The path of a folder. The root is no folder. */
export const folderPathSchema = pathSchema.refine((path) => path !== "", "name a folder");

/** The path of a row with a slash at its end, as the indexes have it. */
export const treeKey = (row: string): SQL => sql.raw(`${row}.path || '/'`);

/** Condition: the row is in the folder or below it. */
export const inTree = (row: string, path: string): SQL =>
  sql`(${treeKey(row)} >= ${`${path}/`} AND ${treeKey(row)} < ${`${path}0`})`;

/** Condition: the row is a folder that is not deleted. */
const folderNotDeleted = (row: string): SQL => sql.raw(`${row}.deleted_at IS NULL`);

/** Condition: a folder with this path exists in the location, or something below it. */
export const folderExists = (locationId: string, path: string): SQL => sql`(EXISTS (
    SELECT 1 FROM ${folders} AS f WHERE f.location_id = ${locationId} AND ${folderNotDeleted("f")} AND ${inTree("f", path)})
  OR EXISTS (
    SELECT 1 FROM ${documents} AS d WHERE d.location_id = ${locationId} AND ${documentNotDeleted("d")} AND ${inTree("d", path)}))`;

export const folderTaken = (): DomainError =>
  new DomainError("already-exists", "A folder with this path exists. Choose another name.");

export const folderQuery = pageQuery.extend({
  path: pathSchema.default("").openapi({ description: "Lists the folders of this folder." }),
});

export const folderSchema = z
  .object({
    path: z.string().openapi({ example: "plans/2026" }),
    name: z.string().openapi({ description: "The last segment of the path.", example: "2026" }),
  })
  .openapi("Folder");

const presentFolder = (path: string): z.infer<typeof folderSchema> => ({
  path,
  name: path.slice(path.lastIndexOf("/") + 1),
});

/** The first segment of `key` after the prefix. */
const segmentOf = (key: SQL, prefix: string): SQL => {
  const rest = sql`substr(${key}, length(${prefix}) + 1)`;
  return sql`substr(${rest}, 1, instr(${rest}, '/') - 1)`;
};

/**
 * The names of the folders in a folder, from a key on. Each step looks up the first key after the tree of the last
 * folder. So the cost depends on the folders of the page, and not on their documents.
 */
export function walk(locationId: string, path: string, prefix: string, from: string, limit: number): SQL {
  const first = (start: SQL): SQL => {
    const range = (row: string) =>
      sql`${treeKey(row)} >= ${start}${path === "" ? sql.empty() : sql` AND ${treeKey(row)} < ${`${path}0`}`}`;
    return sql`(SELECT min(k) FROM (
      SELECT (SELECT ${treeKey("d")} FROM ${documents} AS d WHERE d.location_id = ${locationId} AND ${documentPublished("d")}
        AND ${range("d")} ORDER BY ${treeKey("d")} LIMIT 1) AS k
      UNION ALL
      SELECT (SELECT ${treeKey("f")} FROM ${folders} AS f WHERE f.location_id = ${locationId} AND ${folderNotDeleted("f")}
        AND ${range("f")} ORDER BY ${treeKey("f")} LIMIT 1)))`;
  };
  // The documents of the folder itself have a segment without a name: one more step.
  return sql`WITH RECURSIVE walk (k, n) AS (
      SELECT ${first(sql`${from}`)}, 1
      UNION ALL
      SELECT ${first(sql`${prefix} || ${segmentOf(sql.raw("walk.k"), prefix)} || '0'`)}, n + 1 FROM walk
      WHERE walk.k IS NOT NULL AND n <= ${limit}
    )
    SELECT ${segmentOf(sql.raw("walk.k"), prefix)} AS "name" FROM walk WHERE k IS NOT NULL`;
}

/** The same for the documents that a guest may read, which are as many as their grants. */
const ofReadable = (base: SQL, prefix: string, from: string, limit: number): SQL => sql`
  SELECT DISTINCT ${segmentOf(treeKey("c"), prefix)} AS "name" FROM ${documents} AS c
  WHERE ${base} AND ${documentPublished("c")} AND ${treeKey("c")} >= ${from}
    AND substr(${treeKey("c")}, 1, length(${prefix})) = ${prefix} AND ${segmentOf(treeKey("c"), prefix)} <> ''
  ORDER BY ${segmentOf(treeKey("c"), prefix)} || '/' LIMIT ${limit}`;

/**
 * Lists the folders in a folder of a location: of people, and of the documents that the caller may read.
 * @throws DomainError not-found if neither the location nor a document in it is visible; invalid-cursor.
 */
export async function listFolders(context: Context, locationId: string, query: z.output<typeof folderQuery>) {
  const caller = requireUser(context);
  const location = await findLocation(context, locationId);
  if (location === null) throw notFound();
  await requireVisible(context, caller, location);
  const [after] = readCursor(query.cursor, z.tuple([z.string()])) ?? [null];
  const { path, limit } = query;
  const prefix = path === "" ? "" : `${path}/`;
  const from = after === null ? prefix : `${prefix}${after}0`;
  const found = await context.workspace.all<{ name: string }>(
    holds(caller, "Documents", locationPath(location))
      ? walk(locationId, path, prefix, from, limit + 1)
      : ofReadable(readable(caller, location), prefix, from, limit + 1),
  );
  const names = found.flatMap(({ name }) => (name === "" ? [] : [name]));
  const shown = names.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map((name) => presentFolder(prefix + name)),
    nextCursor: names.length > limit && last !== undefined ? cursorOf([last]) : null,
  };
}

/**
 * Makes a folder, which exists without documents too. The folders above it exist with it.
 * @throws DomainError 401, 403, 404, 409 (it exists), 422 (the location has too many folders).
 */
export async function createFolder(context: Context, locationId: string, path: string) {
  const { userId } = requireUser(context);
  const { tenantId } = await requireLocation(context, locationId, "Documents", WRITE);
  const { workspace, now } = context;
  const id = newIdIn(tenantId);
  const others = sql`SELECT 1 FROM ${folders} AS f WHERE f.location_id = ${locationId} AND ${folderNotDeleted("f")}`;
  const change = beginChange(context, tenantId)
    .guard(locationExists(locationId), notFound())
    .guard(sql`NOT ${folderExists(locationId, path)}`, folderTaken())
    .guard(fewerThan(MAX_FOLDERS, others), limitReached("This location", MAX_FOLDERS))
    .add(workspace.insert(folders).values({ id, tenantId, locationId, path, createdBy: userId, createdAt: now }))
    .announce(
      { type: "state-updated", subject: "folder", subjectId: id, locationId, action: "created", revision: null },
      tenantId,
    );
  try {
    await change.commit();
  } catch (thrown) {
    throw isUniqueViolation(thrown) ? folderTaken() : thrown;
  }
  return presentFolder(path);
}
