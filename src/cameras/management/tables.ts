import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const cameraCleanups = sqliteTable("camera_cleanups", {
  id: text().primaryKey(),
  organizationId: text("organization_id").notNull(),
  locationId: text("location_id").notNull(),
  locationName: text("location_name").notNull(),
  cameraId: text("camera_id").notNull(),
  cameraName: text("camera_name").notNull(),
  retired: integer({ mode: "boolean" }).notNull(),
  requestedAt: integer("requested_at").notNull(),
  capturesRemoved: integer("captures_removed").notNull().default(0),
  bytesRemoved: integer("bytes_removed").notNull().default(0),
  finishedAt: integer("finished_at"),
});
