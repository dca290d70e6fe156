import { integer, text } from "drizzle-orm/sqlite-core";
import { directoryTable, eachTable } from "../db/sides";

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

/** The requests whose change is committed. The row is written in the batch of the change. */
export const committedRequests = eachTable("committed_requests", {
  /** The id of the key. */
  id: text().primaryKey(),
  /** The claim of the try that committed: the version of the code, a dot and 32 hex characters. */
  claimToken: text("claim_token").notNull(),
  /** The time of that try, milliseconds since the epoch. */
  createdAt: integer("created_at").notNull(),
  committedAt: integer("committed_at").notNull(),
});

export const rateWindows = directoryTable("rate_windows", {
  bucket: text().primaryKey(),
  startedAt: integer("started_at").notNull(),
  count: integer().notNull(),
});
