import { integer, primaryKey, real, text } from "drizzle-orm/sqlite-core";
import type { CapabilityMap } from "../platform/capabilities";
import { workspaceTable } from "../platform/db/sides";

const json = <T>(name: string) => text(name, { mode: "json" }).$type<T>();

export const invitations = workspaceTable("invitations", {
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
  registrationId: text("registration_id"),
  mailedHash: text("mailed_hash"),
  target: text({ enum: ["cluster", "location", "document"] }),
  targetId: text("target_id"),
  capabilities: json<CapabilityMap>("capabilities"),
  grantExpiresAt: integer("grant_expires_at"),
});

export const clusters = workspaceTable("clusters", {
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

export const locations = workspaceTable("locations", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  clusterId: text("cluster_id").notNull(),
  name: text().notNull(),
  description: text().notNull().default(""),
  address: text(),
  latitude: real(),
  longitude: real(),
  timeZone: text("time_zone"),
  metadata: json<Record<string, unknown>>("metadata").notNull(),
  revision: integer().notNull().default(1),
  createdBy: text("created_by"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  deletedAt: integer("deleted_at"),
  deletedWith: text("deleted_with"),
});

/** The kinds of `trash`, and the kinds of `trash_entries`. */
export const TREE_KINDS = ["document", "location", "cluster"] as const;
export const ENTRY_KINDS = ["report", "report-template"] as const;
export const TRASH_KINDS = [...TREE_KINDS, ...ENTRY_KINDS] as const;
export type TreeKind = (typeof TREE_KINDS)[number];
export type EntryKind = (typeof ENTRY_KINDS)[number];
export type TrashKind = (typeof TRASH_KINDS)[number];

/** Deleted documents, locations and clusters. */
export const trash = workspaceTable("trash", {
  id: text().primaryKey(),
  kind: text({ enum: TREE_KINDS }).notNull(),
  resourceId: text("resource_id").notNull(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  clusterId: text("cluster_id").notNull(),
  locationId: text("location_id"),
  documentId: text("document_id"),
  name: text().notNull(),
  deletedBy: text("deleted_by"),
  deletedAt: integer("deleted_at").notNull(),
  purgeAt: integer("purge_at").notNull(),
});

/** Deleted resources of the other kinds. */
export const trashEntries = workspaceTable("trash_entries", {
  id: text().primaryKey(),
  kind: text({ enum: ENTRY_KINDS }).notNull(),
  resourceId: text("resource_id").notNull(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  clusterId: text("cluster_id"),
  locationId: text("location_id"),
  name: text().notNull(),
  deletedBy: text("deleted_by"),
  deletedAt: integer("deleted_at").notNull(),
  purgeAt: integer("purge_at").notNull(),
});

/** The position of an annotation: WGS 84 degrees and metres, or a point in its location's coordinate system. */
export type Position =
  | { latitude: number; longitude: number; altitude?: number | undefined }
  | { x: number; y: number; z?: number | undefined };

export const annotations = workspaceTable("annotations", {
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

export const jobUsage = workspaceTable(
  "job_usage",
  {
    tenantId: text("tenant_id").notNull(),
    month: text().notNull(),
    jobs: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.month] })],
);
