import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { NOTIFICATION_TYPES, ORIGIN_TYPES, SEVERITIES } from "../events";

export const notifications = sqliteTable("notifications", {
  id: text().primaryKey(),
  userId: text("user_id").notNull(),
  seq: integer().notNull(),
  eventId: text("event_id").notNull(),
  type: text({ enum: NOTIFICATION_TYPES }).notNull(),
  severity: text({ enum: SEVERITIES }).notNull(),
  title: text().notNull(),
  body: text().notNull(),
  originType: text("origin_type", { enum: ORIGIN_TYPES }),
  originId: text("origin_id"),
  originData: text("origin_data", { mode: "json" }).$type<Record<string, unknown>>().notNull(),
  organizationId: text("organization_id"),
  clusterId: text("cluster_id"),
  locationId: text("location_id"),
  documentId: text("document_id"),
  createdAt: integer("created_at").notNull(),
  readAt: integer("read_at"),
});

export const notificationSequences = sqliteTable("notification_sequences", {
  userId: text("user_id").primaryKey(),
  lastSeq: integer("last_seq").notNull(),
});

export const notificationPreferences = sqliteTable(
  "notification_preferences",
  {
    userId: text("user_id").notNull(),
    type: text({ enum: NOTIFICATION_TYPES }).notNull(),
    inApp: integer("in_app", { mode: "boolean" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.type] })],
);
