import { integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { workspaceTable } from "../../platform/db/sides";
import type { MemberTuple } from "./manifest";

export const EXPORT_STATUSES = ["queued", "preparing", "ready", "failed", "expired"] as const;

export const cameraExports = workspaceTable("camera_exports", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id").notNull(),
  cameraId: text("camera_id").notNull(),
  locationId: text("location_id").notNull(),
  userId: text("user_id").notNull(),
  fromAt: integer("from_at"),
  toAt: integer("to_at"),
  retainedAfter: integer("retained_after").notNull(),
  status: text({ enum: EXPORT_STATUSES }).notNull(),
  expectedCount: integer("expected_count").notNull(),
  imageCount: integer("image_count").notNull().default(0),
  totalBytes: integer("total_bytes"),
  firstCapturedAt: integer("first_captured_at"),
  lastCapturedAt: integer("last_captured_at"),
  evidenceCrc32: integer("evidence_crc32").notNull().default(0),
  evidenceSha256: text("evidence_sha256"),
  checksumsCrc32: integer("checksums_crc32").notNull().default(0),
  errorCode: text("error_code"),
  errorDetail: text("error_detail"),
  createdAt: integer("created_at").notNull(),
  readyAt: integer("ready_at"),
  expiresAt: integer("expires_at").notNull(),
});

export const cameraExportPages = workspaceTable(
  "camera_export_pages",
  {
    exportId: text("export_id").notNull(),
    page: integer().notNull(),
    imageCount: integer("image_count").notNull(),
    imageBytes: integer("image_bytes").notNull(),
    evidenceBytes: integer("evidence_bytes").notNull(),
    farCount: integer("far_count").notNull(),
    members: text({ mode: "json" }).$type<MemberTuple[]>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.exportId, t.page] })],
);
