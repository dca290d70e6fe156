import { and, eq, getTableColumns, isNull } from "drizzle-orm";
import { type Level, requireLevel, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { notFound } from "../../platform/errors";
import { placeOfLocation } from "../places";
import { annotations, locations } from "../tables";
import type { AnnotationRow } from "./present";

/**
 * An annotation the caller may use at this level of LocationBundles; without Read of that it is absent,
 * also to those who see its location. @throws DomainError 401, 403, 404.
 */
export async function requireAnnotation(context: Context, annotationId: string, level: Level): Promise<AnnotationRow> {
  requireUser(context);
  const [row] = await context.db
    .select(getTableColumns(annotations))
    .from(annotations)
    .innerJoin(locations, eq(locations.id, annotations.locationId))
    .where(and(eq(annotations.id, annotationId), isNull(locations.deletedAt)));
  if (row === undefined) throw notFound();
  const place = placeOfLocation({ ...row, id: row.locationId });
  requireLevel(context, place, "LocationBundles", "LocationBundles", level);
  return row;
}
