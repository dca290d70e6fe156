import { integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { directoryTable } from "../platform/db/sides";

/** The size of each database by day, and the levels of which administrators were told. */
export const databaseSizes = directoryTable(
  "database_sizes",
  {
    database: text().notNull(),
    /** Days since the epoch. */
    day: integer().notNull(),
    bytes: integer().notNull(),
    /** Percent of the largest size; 0 on a day without a message. */
    told: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.database] })],
);
