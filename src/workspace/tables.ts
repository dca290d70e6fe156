import { integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { CapabilityMap } from "../platform/capabilities";

const json = <T>(name: string) => text(name, { mode: "json" }).$type<T>();

export const invitations = sqliteTable("invitations", {
  id: text().primaryKey(),
  organizationId: text("organization_id").notNull(),
  email: text().notNull(),
  role: text({ enum: ["owner", "admin", "member", "guest"] }).notNull(),
  overrides: json<CapabilityMap>("overrides").notNull(),
  secretHash: text("secret_hash").notNull(),
  invitedBy: text("invited_by").notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  usedAt: integer("used_at"),
  mailedHash: text("mailed_hash"),
});

export const clusters = sqliteTable("clusters", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  name: text().notNull(),
  description: text().notNull().default(""),
  metadata: json<Record<string, unknown>>("metadata").notNull(),
  revision: integer().notNull().default(1),
  createdBy: text("created_by"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  deletedAt: integer("deleted_at"),
});

export const locations = sqliteTable("locations", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  clusterId: text("cluster_id").notNull(),
  name: text().notNull(),
  description: text().notNull().default(""),
  address: text(),
  latitude: real(),
  longitude: real(),
  metadata: json<Record<string, unknown>>("metadata").notNull(),
  revision: integer().notNull().default(1),
  createdBy: text("created_by"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  deletedAt: integer("deleted_at"),
  deletedWith: text("deleted_with"),
});

export const TRASH_KINDS = ["document", "location", "cluster"] as const;
export type TrashKind = (typeof TRASH_KINDS)[number];

export const trash = sqliteTable("trash", {
  id: text().primaryKey(),
  kind: text({ enum: TRASH_KINDS }).notNull(),
  resourceId: text("resource_id").notNull(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  clusterId: text("cluster_id").notNull(),
  locationId: text("location_id"),
  documentId: text("document_id"),
  name: text().notNull(),
  deletedAt: integer("deleted_at").notNull(),
  purgeAt: integer("purge_at").notNull(),
});

/** Where an annotation points: WGS 84 degrees and metres, or a point in its location's own frame. */
export type Position =
  | { latitude: number; longitude: number; altitude?: number | undefined }
  | { x: number; y: number; z?: number | undefined };

export const annotations = sqliteTable("annotations", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  clusterId: text("cluster_id").notNull(),
  locationId: text("location_id").notNull(),
  kind: text().notNull(),
  title: text().notNull(),
  body: text().notNull().default(""),
  position: json<Position>("position"),
  metadata: json<Record<string, unknown>>("metadata").notNull(),
  revision: integer().notNull().default(1),
  createdBy: text("created_by"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const jobUsage = sqliteTable(
  "job_usage",
  {
    tenantId: text("tenant_id").notNull(),
    month: text().notNull(),
    jobs: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.month] })],
);

export const storageUsage = sqliteTable("storage_usage", {
  tenantId: text("tenant_id").primaryKey(),
  usedBytes: integer("used_bytes").notNull().default(0),
  reservedBytes: integer("reserved_bytes").notNull().default(0),
});

export const locationStorage = sqliteTable("location_storage", {
  locationId: text("location_id").primaryKey(),
  tenantId: text("tenant_id").notNull(),
  usedBytes: integer("used_bytes").notNull().default(0),
  counted: integer({ mode: "boolean" }).notNull(),
});

export const storedObjects = sqliteTable("stored_objects", {
  key: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  locationId: text("location_id"),
  chargedBytes: integer("charged_bytes").notNull(),
  inTrash: integer("in_trash", { mode: "boolean" }).notNull().default(false),
  createdAt: integer("created_at").notNull(),
  purgeAfter: integer("purge_after"),
});

export const UPLOAD_STATUSES = ["pending", "verifying", "completed", "rejected", "expired"] as const;

export const uploads = sqliteTable("uploads", {
  id: text().primaryKey(),
  purpose: text().notNull(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  targetId: text("target_id").notNull(),
  subject: json<unknown>("subject").notNull(),
  stagingKey: text("staging_key").notNull(),
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
