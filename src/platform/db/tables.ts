import { integer, text } from "drizzle-orm/sqlite-core";
import { workspaceTable } from "./sides";

/** The workspaces of this database. A workspace without a row is not in it. */
export const residents = workspaceTable("residents", {
  /** The id of an organization, or of the owner of a personal workspace. */
  workspaceId: text("workspace_id").primaryKey(),
  /**
   * `here`: its changes are made here. `leaving`: its rows are copied to another database, so they can be read but not changed.
   * `coming`: its rows arrive from another database. `gone`: it is in another database.
   */
  state: text({ enum: ["here", "leaving", "coming", "gone"] }).notNull(),
  /** Until when its changes are refused, milliseconds since the epoch by the clock of the database. */
  closedUntil: integer("closed_until"),
  /** The move that holds it, and the worker of the move. */
  move: text(),
  mover: text(),
});
