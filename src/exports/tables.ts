import { integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { workspaceTable } from "../platform/db/sides";
import { LANGUAGES } from "../platform/languages/languages";

/** `lost`: a file of it does not exist any more. An export also expires. */
export const WORKSPACE_EXPORT_STATUSES = ["queued", "preparing", "ready", "failed", "cancelled", "lost"] as const;

export const workspaceExports = workspaceTable("workspace_exports", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  userId: text("user_id").notNull(),
  language: text({ enum: LANGUAGES }),
  hasImages: integer("has_images", { mode: "boolean" }).notNull(),
  cameraIds: text("camera_ids", { mode: "json" }).$type<string[]>(),
  fromAt: integer("from_at"),
  toAt: integer("to_at"),
  status: text({ enum: WORKSPACE_EXPORT_STATUSES }).notNull(),
  expectedFiles: integer("expected_files").notNull(),
  expectedBytes: integer("expected_bytes").notNull(),
  done: integer().notNull().default(0),
  fileCount: integer("file_count"),
  totalBytes: integer("total_bytes"),
  errorCode: text("error_code"),
  errorDetail: text("error_detail"),
  createdAt: integer("created_at").notNull(),
  readyAt: integer("ready_at"),
  expiresAt: integer("expires_at").notNull(),
});

export const workspaceExportPages = workspaceTable(
  "workspace_export_pages",
  {
    exportId: text("export_id").notNull(),
    page: integer().notNull(),
    objectKey: text("object_key").notNull(),
    objectBytes: integer("object_bytes").notNull(),
    members: integer().notNull(),
    contentBytes: integer("content_bytes").notNull(),
    directoryBytes: integer("directory_bytes").notNull(),
  },
  (t) => [primaryKey({ columns: [t.exportId, t.page] })],
);

export type WorkspaceExportRow = typeof workspaceExports.$inferSelect;
