import { integer, text } from "drizzle-orm/sqlite-core";
import { directoryTable } from "../platform/db/sides";

/** The nightly backups of this installation. Their files are in the backup bucket. */
export const backups = directoryTable("backups", {
  /** The time at which it began, which names its files. */
  stamp: text().primaryKey(),
  startedAt: integer("started_at").notNull(),
  /** When the job last worked on it. */
  workedAt: integer("worked_at").notNull(),
  completedAt: integer("completed_at"),
  workspaces: integer().notNull(),
  rows: integer().notNull(),
  objects: integer().notNull(),
  /** Objects that rows name and the bucket did not have. */
  missing: integer().notNull(),
});
