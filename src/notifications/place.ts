import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Context } from "../platform/context";
import { literal } from "../platform/db/statements";
import { clusters, locations } from "../workspace/tables";
import { notificationClock, notificationEvents, notifications } from "./tables";

/*
 * A notification is in the database of the workspace that it is about, for each of its recipients. So a person's inbox is in
 * several databases, and no number is allocated across them.
 */

/** The place of an event, and a person who gets it. */
interface Subject {
  organizationId: SQLWrapper | string | null;
  locationId: SQLWrapper | string | null;
  clusterId: SQLWrapper | string | null;
  userId: SQLWrapper | string;
}

/**
 * SQL: the workspace that an event is about. Without an organization it is the personal workspace that has its place. Only the owner
 * of a personal workspace gets an event about the whole of it.
 */
export const workspaceOf = ({ organizationId, locationId, clusterId, userId }: Subject): SQL =>
  sql`coalesce(${organizationId}, (SELECT ${locations.tenantId} FROM ${locations} WHERE ${locations.id} = ${locationId}),
    (SELECT ${clusters.tenantId} FROM ${clusters} WHERE ${clusters.id} = ${clusterId}), ${userId})`;

/** The same for a notification that is joined with its event. */
export const workspaceOfRow = workspaceOf({
  organizationId: notificationEvents.organizationId,
  locationId: notificationEvents.locationId,
  clusterId: notificationEvents.clusterId,
  userId: notifications.userId,
});

/** Each database gives only numbers with its own rest of a division by this number, which is above the number of databases. */
const REST = 128;

/**
 * The statement that moves the clock of this database to its next number: the time, milliseconds since the epoch, or more in a busy
 * millisecond. With several databases, no two of them give the same number, so that a notification keeps its number in a move.
 */
export function advanceClock({ databases: { names }, database, now }: Pick<Context, "databases" | "database" | "now">) {
  const next = sql`max(${notificationClock.seq} + 1, ${now})`;
  // Literals, because D1 binds a number as a real, which a division would not round.
  const [own, rest] = [literal(names.indexOf(database)), literal(REST)];
  const whole = sql`CAST(${next} AS INTEGER)`;
  const seq = names.length === 1 ? next : sql`(${whole} - ${own} + ${literal(REST - 1)}) / ${rest} * ${rest} + ${own}`;
  return sql`UPDATE ${notificationClock} SET seq = ${seq} WHERE one = 1`;
}
