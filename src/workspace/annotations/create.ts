import { sql } from "drizzle-orm";
import { requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { queueAssetIndex } from "../indexing";
import { locationStands } from "../living";
import { requireLocation } from "../places";
import { fewerThan, MOST_ANNOTATIONS, noRoom } from "../room";
import { annotations } from "../tables";
import { type AnnotationRow, presentAnnotation } from "./present";

export interface NewAnnotation {
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
    id: newId(),
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
  const change = beginChange(context)
    .guard(locationStands(location), notFound())
    .guard(fewerThan(MOST_ANNOTATIONS, others), noRoom("This location", MOST_ANNOTATIONS))
    .add(context.db.insert(annotations).values(row));
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
