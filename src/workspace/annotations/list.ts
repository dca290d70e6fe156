import { and, asc, eq, gt } from "drizzle-orm";
import { READ } from "../../access";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import type { Database } from "../../platform/db/database";
import { idKey } from "../fields";
import { requireLocation } from "../places";
import { annotations } from "../tables";
import { presentAnnotation } from "./present";

/** The statement behind the list of a location's annotations. */
export const selectAnnotations = (db: Database, locationId: string, after: string | null, limit: number) =>
  db
    .select()
    .from(annotations)
    .where(and(eq(annotations.locationId, locationId), gt(annotations.id, after ?? "")))
    .orderBy(asc(annotations.id))
    .limit(limit);

/** A location's annotations, in order of id. @throws DomainError 401, 403, 404. */
export async function listAnnotations(context: Context, locationId: string, { limit, cursor }: PageQuery) {
  await requireLocation(context, locationId, "LocationBundles", READ);
  const [after] = readCursor(cursor, idKey) ?? [null];
  const rows = await selectAnnotations(context.db, locationId, after, limit + 1);
  return toPage(rows, limit, (row) => [row.id], presentAnnotation);
}
