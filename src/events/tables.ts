import { primaryKey, text } from "drizzle-orm/sqlite-core";
import { workspaceTable } from "../platform/db/sides";

/** The events that are announced only in workspaces where somebody wants them. */
export const wantedEvents = workspaceTable(
  "wanted_events",
  { tenantId: text("tenant_id").notNull(), type: text().notNull() },
  (t) => [primaryKey({ columns: [t.tenantId, t.type] })],
);
