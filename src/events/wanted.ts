import { type SQL, sql } from "drizzle-orm";
import type { WorkspaceEvent } from "../platform/events";
import { wantedEvents } from "./tables";

/** An event that is announced only where somebody wants it, because it is frequent. */
export type FrequentEvent = Extract<WorkspaceEvent["type"], "capture-published">;

/** SQL: somebody in this workspace wants the event. It costs one look at the primary key. */
export const isWanted = (tenantId: string, type: FrequentEvent): SQL =>
  sql`EXISTS (SELECT 1 FROM ${wantedEvents} WHERE ${wantedEvents.tenantId} = ${tenantId} AND ${wantedEvents.type} = ${type})`;

/** The statements that note whether somebody in a workspace wants an event. @param condition SQL: somebody wants it */
export const noteWanted = (tenantId: string, type: FrequentEvent, condition: SQL): SQL[] => [
  sql`INSERT INTO ${wantedEvents} (tenant_id, type) SELECT ${tenantId}, ${type} WHERE ${condition} ON CONFLICT DO NOTHING`,
  sql`DELETE FROM ${wantedEvents} WHERE ${wantedEvents.tenantId} = ${tenantId} AND ${wantedEvents.type} = ${type}
    AND NOT ${condition}`,
];
