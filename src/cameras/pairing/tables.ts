import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const cameraEnrollments = sqliteTable("camera_enrollments", {
  id: text().primaryKey(),
  cameraId: text("camera_id").notNull(),
  codeHash: text("code_hash").notNull(),
  createdBy: text("created_by"),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  endedAt: integer("ended_at"),
  redeemedAt: integer("redeemed_at"),
  redemptionId: text("redemption_id"),
  credentialId: text("credential_id"),
});

export const cameraCredentials = sqliteTable("camera_credentials", {
  id: text().primaryKey(),
  cameraId: text("camera_id").notNull(),
  secretHash: text("secret_hash").notNull(),
  createdAt: integer("created_at").notNull(),
  revokedAt: integer("revoked_at"),
});
