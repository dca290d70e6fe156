import { integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { NOTIFICATION_TYPES, ORIGIN_TYPES, SEVERITIES } from "../events";
import { workspaceTable } from "../platform/db/sides";
import type { InEachLanguage } from "../platform/languages/languages";

/** The title and the body of an event in each language. */
type EventTexts = Partial<InEachLanguage<{ title: string; body: string }>>;

export const notificationEvents = workspaceTable("notification_events", {
  no: integer().primaryKey(),
  eventId: text("event_id").notNull(),
  type: text({ enum: NOTIFICATION_TYPES }).notNull(),
  severity: text({ enum: SEVERITIES }).notNull(),
  title: text().notNull(),
  body: text().notNull(),
  texts: text({ mode: "json" }).$type<EventTexts>(),
  originType: text("origin_type", { enum: ORIGIN_TYPES }),
  originId: text("origin_id"),
  originData: text("origin_data", { mode: "json" }).$type<Record<string, unknown>>().notNull(),
  organizationId: text("organization_id"),
  clusterId: text("cluster_id"),
  locationId: text("location_id"),
  documentId: text("document_id"),
  createdAt: integer("created_at").notNull(),
  pageAfter: text("page_after").notNull(),
  pageNext: text("page_next"),
  pageSeq: integer("page_seq").notNull(),
  recipients: integer().notNull(),
});

export const notifications = workspaceTable(
  "notifications",
  {
    userId: text("user_id").notNull(),
    seq: integer().notNull(),
    eventNo: integer("event_no").notNull(),
    readAt: integer("read_at"),
    archivedAt: integer("archived_at"),
  },
  (t) => [primaryKey({ columns: [t.userId, t.seq] })],
);

export const notificationClock = workspaceTable("notification_clock", {
  one: integer().primaryKey(),
  seq: integer().notNull(),
});

export const notificationPreferences = workspaceTable(
  "notification_preferences",
  {
    userId: text("user_id").notNull(),
    type: text({ enum: NOTIFICATION_TYPES }).notNull(),
    inApp: integer("in_app", { mode: "boolean" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.type] })],
);
