import { z } from "@hono/zod-openapi";

const id = z.uuid();
/** The person whose act it was: told by nobody of what they did themselves. */
const actorUserId = id.nullable();

/**
 * What happened, as features announce it: a job of kind `announce`, written with the change. Events
 * carry ids; names and contents are read, and access is decided, when they are delivered.
 */
export const eventSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("document-uploaded"), documentId: id, version: z.int(), actorUserId }),
  z.strictObject({
    type: z.literal("state-updated"),
    locationId: id,
    subject: z.enum(["location", "annotation", "document", "camera", "report"]),
    subjectId: id,
    action: z.enum(["created", "updated", "deleted"]),
    revision: z.int().nullable(),
  }),
  /** The making of a report's PDF has ended, well or not: its job says how. */
  z.strictObject({ type: z.literal("report-printed"), reportId: id, jobId: id }),
  z.strictObject({
    type: z.literal("position-changed"),
    locationId: id,
    annotationId: id,
    position: z.record(z.string(), z.unknown()).nullable(),
    revision: z.int(),
  }),
  z.strictObject({ type: z.literal("membership-given"), organizationId: id, userId: id, actorUserId }),
  z.strictObject({ type: z.literal("grant-given"), grantId: id, actorUserId }),
  z.strictObject({ type: z.literal("capture-rejected"), operationId: id }),
  /** Cameras of a location that are silent for one cause; some of them are named, all are counted. */
  z.strictObject({
    type: z.literal("cameras-silent"),
    locationId: id,
    cause: z.enum(["offline", "camera-fault"]),
    cameraIds: z.array(id).min(1).max(20),
    count: z.int().min(1),
  }),
  z.strictObject({
    type: z.literal("cameras-back"),
    locationId: id,
    cameraIds: z.array(id).min(1).max(20),
    count: z.int().min(1),
  }),
  z.strictObject({
    type: z.literal("storage-level"),
    tenantId: id,
    percent: z.union([z.literal(80), z.literal(95), z.literal(100)]),
  }),
  z.strictObject({ type: z.literal("export-ready"), exportId: id }),
  /** Access of these people, or to this location, may have shrunk: live subscriptions are looked at again. */
  z.strictObject({ type: z.literal("access-changed"), userIds: z.array(id).max(500) }),
  z.strictObject({ type: z.literal("location-access-changed"), locationIds: z.array(id).max(500) }),
]);

export type WorkspaceEvent = z.infer<typeof eventSchema>;
