import { integer, text } from "drizzle-orm/sqlite-core";
import { directoryTable } from "../db/sides";

export const idempotencyKeys = directoryTable("idempotency_keys", {
  /** SHA-256 of the caller and the key. */
  id: text().primaryKey(),
  requestHash: text("request_hash").notNull(),
  status: text({ enum: ["claimed", "committed", "answered"] }).notNull(),
  claimToken: text("claim_token").notNull(),
  claimedUntil: integer("claimed_until").notNull(),
  answer: text(),
  createdAt: integer("created_at").notNull(),
});

export const rateWindows = directoryTable("rate_windows", {
  bucket: text().primaryKey(),
  startedAt: integer("started_at").notNull(),
  count: integer().notNull(),
});
