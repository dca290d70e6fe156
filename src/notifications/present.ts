import { z } from "@hono/zod-openapi";
import { idSchema } from "../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../platform/time";
import type { notifications } from "./tables";
import { NOTIFICATION_TYPES, ORIGIN_TYPES, SEVERITIES } from "./types";

export type NotificationRow = typeof notifications.$inferSelect;

const originSchema = z
  .object({
    type: z.enum(ORIGIN_TYPES),
    id: idSchema,
    url: z.string().openapi({ description: "Relative path of the console: a navigation hint, not an access grant." }),
    organizationId: idSchema.nullable(),
    locationId: idSchema.nullable(),
    documentId: idSchema.nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .openapi("NotificationOrigin");

export const notificationSchema = z
  .object({
    id: idSchema,
    seq: z
      .int()
      .openapi({ description: "Grows with each notification of this user; send the largest one known as `sinceSeq`." }),
    type: z.enum(NOTIFICATION_TYPES),
    severity: z.enum(SEVERITIES),
    title: z.string(),
    body: z.string(),
    createdAtUtc: utcSchema,
    readAtUtc: utcSchema.nullable(),
    isRead: z.boolean(),
    origin: originSchema.nullable(),
  })
  .openapi("NotificationDto");
export type NotificationDto = z.infer<typeof notificationSchema>;

/** Paths of the console, by what they lead to. */
function urlOf(row: NotificationRow): string {
  const { originType, originId, locationId } = row;
  const at = locationId === null ? "" : `/locations/${locationId}`;
  switch (originType) {
    case "spatial-document":
      return `${at}/documents/${originId}`;
    case "location":
      return `/locations/${originId}`;
    case "cluster":
      return `/clusters/${originId}`;
    case "annotation":
      return `${at}/annotations/${originId}`;
    case "report":
      return `${at}/reports/${originId}`;
    case "camera":
      return `${at}/cameras/${originId}`;
    case "organization":
      return `/organizations/${originId}`;
    case null:
      return "/";
  }
}

/** A notification as the wire shows it. */
export function presentNotification(row: NotificationRow): NotificationDto {
  const { originType, originId } = row;
  return {
    id: row.id,
    seq: row.seq,
    type: row.type,
    severity: row.severity,
    title: row.title,
    body: row.body,
    createdAtUtc: toUtc(row.createdAt),
    readAtUtc: toUtcOrNull(row.readAt),
    isRead: row.readAt !== null,
    origin:
      originType === null || originId === null
        ? null
        : {
            type: originType,
            id: originId,
            url: urlOf(row),
            organizationId: row.organizationId,
            locationId: row.locationId,
            documentId: row.documentId,
            data: row.originData,
          },
  };
}
