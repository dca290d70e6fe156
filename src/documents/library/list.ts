import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, gte, lt, or, type SQL, sql } from "drizzle-orm";
import { holds, READ, requireUser, scopeOf, type UserCaller } from "../../access";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { inSet } from "../../platform/db/sets";
import { notFound } from "../../platform/errors";
import { findLocation, type LocationRow, locationPath } from "../../workspace";
import { selectDocuments } from "../find";
import { presentDocument } from "../present";
import { documents } from "../tables";

/** Sort key of a library: within a location it is unique. */
const nameKey = z.tuple([z.string(), z.string()]);

/** A folder and everything below it, as a range of the index: "/" sorts just before "0". */
const within = (path: string): SQL | undefined =>
  path === ""
    ? undefined
    : or(eq(documents.path, path), and(gte(documents.path, `${path}/`), lt(documents.path, `${path}0`)));

/**
 * Which documents of the location the caller may read: all, when its level there says so; otherwise
 * those that a grant names. The cost follows the page or the grants, not the location.
 */
function readable(caller: UserCaller, location: LocationRow): SQL | undefined {
  const here = eq(documents.locationId, location.id);
  if (holds(caller, "Documents", locationPath(location))) return here;
  // The unary plus keeps the planner at the few granted ids.
  return and(
    inSet(documents.id, scopeOf(caller.facts, "Documents", "document").documents),
    sql`+${documents.locationId} = ${location.id}`,
  );
}

/**
 * The documents of a location that the caller may read, by path and name; below `path` when it is
 * given. @throws DomainError 404 when neither the location nor any document in it is visible.
 */
export async function listDocuments(context: Context, locationId: string, query: PageQuery & { path: string }) {
  const caller = requireUser(context);
  const location = await findLocation(context, locationId);
  if (location === null) throw notFound();
  const after = readCursor(query.cursor, nameKey);
  const where = readable(caller, location);
  const place = locationPath(location);
  const sees = holds(caller, "LocationView", place, READ) || holds(caller, "Documents", place, READ);
  if (!sees && (await selectDocuments(context.db, where).limit(1)).length === 0) throw notFound();
  const later =
    after === null
      ? undefined
      : or(gt(documents.path, after[0]), and(eq(documents.path, after[0]), gt(documents.fileName, after[1])));
  const rows = await selectDocuments(context.db, and(where, within(query.path), later))
    .orderBy(asc(documents.path), asc(documents.fileName))
    .limit(query.limit + 1);
  return toPage(rows, query.limit, ({ document }) => [document.path, document.fileName], presentDocument);
}
