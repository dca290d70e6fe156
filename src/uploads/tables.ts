import { integer, text } from "drizzle-orm/sqlite-core";
import { workspaceTable } from "../platform/db/sides";

export const storageUsage = workspaceTable("storage_usage", {
  tenantId: text("tenant_id").primaryKey(),
  usedBytes: integer("used_bytes").notNull().default(0),
  reservedBytes: integer("reserved_bytes").notNull().default(0),
});

export const locationStorage = workspaceTable("location_storage", {
  locationId: text("location_id").primaryKey(),
  tenantId: text("tenant_id").notNull(),
  usedBytes: integer("used_bytes").notNull().default(0),
  imageBytes: integer("image_bytes").notNull().default(0),
  documentBytes: integer("document_bytes").notNull().default(0),
  olderBytes: integer("older_bytes").notNull().default(0),
  trashBytes: integer("trash_bytes").notNull().default(0),
  counted: integer({ mode: "boolean" }).notNull(),
});

export const storedObjects = workspaceTable("stored_objects", {
  key: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  locationId: text("location_id"),
  chargedBytes: integer("charged_bytes").notNull(),
  inTrash: integer("in_trash", { mode: "boolean" }).notNull().default(false),
  createdAt: integer("created_at").notNull(),
  purgeAfter: integer("purge_after"),
});

export const UPLOAD_STATUSES = ["pending", "verifying", "completed", "rejected", "expired"] as const;

export const uploads = workspaceTable("uploads", {
  id: text().primaryKey(),
  purpose: text().notNull(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  locationId: text("location_id"),
  targetId: text("target_id").notNull(),
  subject: text("subject", { mode: "json" }).$type<unknown>().notNull(),
  stagingKey: text("staging_key").notNull(),
  partBytes: integer("part_bytes"),
  contentType: text("content_type").notNull(),
  sizeBytes: integer("size_bytes").notNull(),
  checksumSha256: text("checksum_sha256").notNull(),
  status: text({ enum: UPLOAD_STATUSES }).notNull(),
  rejectionCode: text("rejection_code"),
  rejectionDetail: text("rejection_detail"),
  verifyJobId: text("verify_job_id"),
  createdBy: text("created_by"),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  urlExpiresAt: integer("url_expires_at").notNull(),
  finishedAt: integer("finished_at"),
  cleanedAt: integer("cleaned_at"),
  forgetAfter: integer("forget_after"),
});
