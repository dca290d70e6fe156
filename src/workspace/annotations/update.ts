import { and, eq } from "drizzle-orm";
import { WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { queueAssetIndex } from "../indexing";
import { locationLives } from "../living";
import { annotations } from "../tables";
import type { NewAnnotation } from "./create";
import { type AnnotationRow, presentAnnotation } from "./present";
import { requireAnnotation } from "./require";

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
  const change = beginChange(context)
    .guard(locationLives(row.locationId), notFound())
    .add(
      context.db
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
