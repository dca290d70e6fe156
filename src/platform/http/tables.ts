import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const idempotencyKeys = sqliteTable("idempotency_keys", {
  /** SHA-256 of the caller and the key. */
  id: text().primaryKey(),
  requestHash: text("request_hash").notNull(),
  status: text({ enum: ["claimed", "committed", "answered"] }).notNull(),
  claimToken: text("claim_token").notNull(),
  claimedUntil: integer("claimed_until").notNull(),
  answer: text(),
  createdAt: integer("created_at").notNull(),
});

export const rateWindows = sqliteTable("rate_windows", {
  bucket: text().primaryKey(),
  startedAt: integer("started_at").notNull(),
  count: integer().notNull(),
});
