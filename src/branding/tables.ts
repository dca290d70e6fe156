import { integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { workspaceTable } from "../platform/db/sides";

export const organizationBranding = workspaceTable("organization_branding", {
  organizationId: text("organization_id").primaryKey(),
  brandName: text("brand_name"),
  slogan: text(),
  primaryColor: text("primary_color"),
  secondaryColor: text("secondary_color"),
  accentColor: text("accent_color"),
  shownOnShareLinks: integer("shown_on_share_links", { mode: "boolean" }).notNull().default(false),
  revision: integer().notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const SLOTS = ["logo", "banner"] as const;

export const brandingAssets = workspaceTable(
  "branding_assets",
  {
    organizationId: text("organization_id").notNull(),
    slot: text({ enum: SLOTS }).notNull(),
    objectKey: text("object_key").notNull(),
    fileName: text("file_name").notNull(),
    contentType: text("content_type").notNull(),
    sizeBytes: integer("size_bytes").notNull(),
    checksumSha256: text("checksum_sha256").notNull(),
    width: integer().notNull(),
    height: integer().notNull(),
    smallKey: text("small_key").notNull(),
    mediumKey: text("medium_key").notNull(),
    previewType: text("preview_type").notNull(),
    uploadedBy: text("uploaded_by"),
    uploadedAt: integer("uploaded_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.slot] })],
);
