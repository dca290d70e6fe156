import { z } from "@hono/zod-openapi";
import { and, asc, eq, getTableColumns, gt, isNull, sql } from "drizzle-orm";
import { auditStatement, type Level, READ, requireLevel, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import type { WorkspaceDatabase } from "../../platform/db/database";
import { notFound } from "../../platform/errors";
import { textSchema } from "../../platform/http/fields";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { orNull } from "../../platform/http/router";
import { idSchema, newIdIn } from "../../platform/ids";
import { toUtc } from "../../platform/time";
import { editableFields, idKey, metadataSchema, nameSchema, organizationIdSchema } from "../fields";
import { fewerThan, limitReached, MAX_ANNOTATIONS } from "../limits";
import { locationExists, locationPath, locationUnchanged, queueAssetIndex, requireLocation } from "../spatial";
import { annotations, locations } from "../tables";

type AnnotationRow = typeof annotations.$inferSelect;

const degrees = z.strictObject({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  altitude: z.number().optional(),
});
const ownFrame = z.strictObject({ x: z.number(), y: z.number(), z: z.number().optional() });

const positionSchema = z.union([degrees, ownFrame]).openapi("Position");

/** Fields of an annotation that a client writes. */
export const annotationFields = {
  kind: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "must have 1 to 64 letters, digits, dots, hyphens and underscores")
    .openapi({ example: "defect" }),
  title: nameSchema,
  body: textSchema(20_000),
  position: orNull(positionSchema),
  metadata: metadataSchema,
};

export const annotationSchema = z
  .object({
    id: idSchema,
    organizationId: organizationIdSchema,
    clusterId: idSchema,
    locationId: idSchema,
    ...annotationFields,
    ...editableFields,
  })
  .openapi("Annotation");

export const presentAnnotation = (row: AnnotationRow): z.infer<typeof annotationSchema> => ({
  id: row.id,
  organizationId: row.organizationId,
  clusterId: row.clusterId,
  locationId: row.locationId,
  kind: row.kind,
  title: row.title,
  body: row.body,
  position: row.position,
  metadata: row.metadata,
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  updatedAtUtc: toUtc(row.updatedAt),
});

/**
 * Reads an annotation that the caller may use at this level of LocationBundles. A caller without Read of
 * LocationBundles gets 404, even if the location is visible. @throws DomainError 401, 403, 404.
 */
export async function requireAnnotation(context: Context, annotationId: string, level: Level): Promise<AnnotationRow> {
  requireUser(context);
  const [row] = await context.workspace
    .select(getTableColumns(annotations))
    .from(annotations)
    .innerJoin(locations, eq(locations.id, annotations.locationId))
    .where(and(eq(annotations.id, annotationId), isNull(locations.deletedAt)));
  if (row === undefined) throw notFound();
  const place = locationPath({ ...row, id: row.locationId });
  requireLevel(context, place, "LocationBundles", "LocationBundles", level);
  return row;
}

interface NewAnnotation {
  kind: string;
  title: string;
  body?: string | undefined;
  position?: AnnotationRow["position"] | undefined;
  metadata?: Record<string, unknown> | undefined;
}

/** Adds an annotation to a location. @throws DomainError 401, 403, 404. */
export async function createAnnotation(context: Context, locationId: string, given: NewAnnotation) {
  const location = await requireLocation(context, locationId, "LocationBundles", WRITE);
  const row: AnnotationRow = {
    id: newIdIn(location.tenantId),
    tenantId: location.tenantId,
    organizationId: location.organizationId,
    clusterId: location.clusterId,
    locationId,
    kind: given.kind,
    title: given.title,
    body: given.body ?? "",
    position: given.position ?? null,
    metadata: given.metadata ?? {},
    revision: 1,
    createdBy: requireUser(context).userId,
    createdAt: context.now,
    updatedAt: context.now,
  };
  const others = sql`SELECT 1 FROM ${annotations} WHERE ${annotations.locationId} = ${locationId}`;
  const change = beginChange(context, location.tenantId)
    .guard(locationUnchanged(location), notFound())
    .guard(fewerThan(MAX_ANNOTATIONS, others), limitReached("This location", MAX_ANNOTATIONS))
    .add(context.workspace.insert(annotations).values(row));
  change.announce(
    {
      type: "state-updated",
      locationId: row.locationId,
      subject: "annotation",
      subjectId: row.id,
      action: "created",
      revision: 1,
    },
    row.tenantId,
  );
  queueAssetIndex(change, "annotation", row);
  await change.commit();
  return presentAnnotation(row);
}

/** Selects one page of a location's annotations. */
const selectAnnotations = (workspace: WorkspaceDatabase, locationId: string, after: string | null, limit: number) =>
  workspace
    .select()
    .from(annotations)
    .where(and(eq(annotations.locationId, locationId), gt(annotations.id, after ?? "")))
    .orderBy(asc(annotations.id))
    .limit(limit);

/** Lists a location's annotations, ordered by id. @throws DomainError 401, 403, 404. */
export async function listAnnotations(context: Context, locationId: string, { limit, cursor }: PageQuery) {
  await requireLocation(context, locationId, "LocationBundles", READ);
  const [after] = readCursor(cursor, idKey) ?? [null];
  const rows = await selectAnnotations(context.workspace, locationId, after, limit + 1);
  return toPage(rows, limit, (row) => [row.id], presentAnnotation);
}

/** Changes an annotation. @throws DomainError 401, 403, 404, 409, 412. */
export async function updateAnnotation(
  context: Context,
  annotationId: string,
  given: Partial<NewAnnotation>,
  precondition: Precondition,
) {
  const row = await requireAnnotation(context, annotationId, WRITE);
  checkPrecondition(precondition, row.revision);
  const written = {
    kind: given.kind ?? row.kind,
    title: given.title ?? row.title,
    body: given.body ?? row.body,
    position: given.position === undefined ? row.position : given.position,
    metadata: given.metadata ?? row.metadata,
    revision: row.revision + 1,
    updatedAt: context.now,
  };
  const next: AnnotationRow = { ...row, ...written };
  const change = beginChange(context, row.tenantId)
    .guard(locationExists(row.locationId), notFound())
    .add(
      context.workspace
        .update(annotations)
        .set(written)
        .where(and(eq(annotations.id, row.id), eq(annotations.revision, row.revision))),
    )
    .guardChanged(staleRevision());
  change.announce(
    {
      type: "state-updated",
      locationId: row.locationId,
      subject: "annotation",
      subjectId: row.id,
      action: "updated",
      revision: next.revision,
    },
    row.tenantId,
  );
  queueAssetIndex(change, "annotation", row);
  if (given.position !== undefined)
    change.announce(
      {
        type: "position-changed",
        locationId: row.locationId,
        annotationId: row.id,
        position: next.position,
        revision: next.revision,
      },
      row.tenantId,
    );
  await change.commit();
  return presentAnnotation(next);
}

/** Deletes an annotation. @throws DomainError 401, 403, 404, 409, 412. */
export async function deleteAnnotation(
  context: Context,
  annotationId: string,
  precondition: Precondition,
): Promise<void> {
  const row = await requireAnnotation(context, annotationId, WRITE);
  checkPrecondition(precondition, row.revision);
  const change = beginChange(context, row.tenantId)
    .guard(sql`EXISTS (SELECT 1 FROM ${annotations} WHERE ${annotations.id} = ${row.id})`, notFound())
    .add(
      context.workspace
        .delete(annotations)
        .where(and(eq(annotations.id, row.id), eq(annotations.revision, row.revision))),
    )
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId: row.organizationId,
        action: "annotation.deleted",
        subjectType: "annotation",
        subjectId: row.id,
        details: { locationId: row.locationId, title: row.title },
      }),
    );
  change.announce(
    {
      type: "state-updated",
      locationId: row.locationId,
      subject: "annotation",
      subjectId: row.id,
      action: "deleted",
      revision: row.revision,
    },
    row.tenantId,
  );
  queueAssetIndex(change, "annotation", row);
  await change.commit();
}
