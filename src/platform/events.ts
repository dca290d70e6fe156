import { z } from "@hono/zod-openapi";

const id = z.uuid();
/** The user who caused the event. They get no notification of it. */
const actorUserId = id.nullable();

/**
 * An event, which a feature announces with its change by a job of kind `announce`. Events contain ids. Names and
 * contents are read, and access is checked, when an event is delivered.
 */
export const eventSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("document-uploaded"),
    documentId: id,
    version: z.int(),
    actorUserId,
    /** Of a document that came by mail: the mail itself tells of its attachments. */
    mailed: z.union([z.strictObject({ attachments: z.int() }), z.literal("attachment")]).optional(),
  }),
  z.strictObject({
    type: z.literal("state-updated"),
    locationId: id,
    subject: z.enum(["location", "annotation", "document", "folder", "camera", "report"]),
    subjectId: id,
    action: z.enum(["created", "updated", "deleted"]),
    revision: z.int().nullable(),
  }),
  /** The PDF job of a report has ended. Its row has the result. */
  z.strictObject({ type: z.literal("report-printed"), reportId: id, jobId: id }),
  z.strictObject({
    type: z.literal("position-changed"),
    locationId: id,
    annotationId: id,
    position: z.record(z.string(), z.unknown()).nullable(),
    revision: z.int(),
  }),
  z.strictObject({ type: z.literal("membership-given"), organizationId: id, userId: id, actorUserId }),
  /** The role or the overrides of a member changed, or the member left or was removed. */
  z.strictObject({
    type: z.literal("membership-changed"),
    organizationId: id,
    userId: id,
    action: z.enum(["changed", "removed"]),
    actorUserId,
  }),
  z.strictObject({ type: z.literal("grant-given"), grantId: id, actorUserId }),
  /** One person gets several documents at once. */
  z.strictObject({ type: z.literal("grants-given"), grantIds: z.array(id).min(1).max(500), actorUserId }),
  /** An image of a camera is published. It is announced only where somebody wants it, because images are frequent. */
  z.strictObject({
    type: z.literal("capture-published"),
    cameraId: id,
    locationId: id,
    captureId: id,
    capturedAt: z.int(),
  }),
  z.strictObject({ type: z.literal("capture-rejected"), cameraId: id, operationId: id }),
  /** Cameras of a location are silent for one cause. `cameraIds` has some of them, `count` is the number of all. */
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
  /** The service has switched a webhook off. */
  z.strictObject({
    type: z.literal("webhook-disabled"),
    organizationId: id,
    webhookId: id,
    reason: z.enum(["gone", "dead", "full", "subscriber-left", "secret-unreadable"]),
  }),
  z.strictObject({ type: z.literal("workspace-export-ready"), exportId: id }),
  /** An organization was deleted. Its owners at that moment are told. */
  z.strictObject({
    type: z.literal("organization-deleted"),
    organizationId: id,
    userIds: z.array(id).max(500),
    /** When its removal begins, milliseconds since the epoch; null if it has begun. */
    removedFrom: z.int().nullable(),
    actorUserId,
  }),
  /** The removal of an organization has ended. The receipt has the rest. */
  z.strictObject({ type: z.literal("organization-removed"), organizationId: id }),
  /** A database has this share of its largest size. These administrators of the service have their inboxes in the database of the job. */
  z.strictObject({
    type: z.literal("database-level"),
    database: z.string(),
    percent: z.union([z.literal(60), z.literal(80)]),
    userIds: z.array(id).max(500),
  }),
  /** The access of these users, or to these locations, may have become smaller: subscriptions are checked again. */
  z.strictObject({ type: z.literal("access-changed"), userIds: z.array(id).max(500) }),
  z.strictObject({ type: z.literal("location-access-changed"), locationIds: z.array(id).max(500) }),
]);

export type WorkspaceEvent = z.infer<typeof eventSchema>;
