import { z } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Carried } from "../../platform/db/carry/declare";

/*
 * The inbox has numbers from the clock of its database: of an event, and of a notification of a person. An event of another database
 * can have the same number by chance. Then the row that comes gets the next free number before it, so that it overwrites nothing.
 */

/** New numbers of events, by their former ones, and how many notifications have got another one. */
export const numbersSchema = z.strictObject({ events: z.record(z.string(), z.int()), notifications: z.int() });
export type Numbers = z.infer<typeof numbersSchema>;

export const hasOtherNumbers = ({ events, notifications }: Numbers): boolean =>
  notifications > 0 || Object.keys(events).length > 0;

type Values = (string | number | null)[];

/** The tables whose rows can get other numbers. */
export const NUMBERED: ReadonlySet<string> = new Set(["notification_events", "notifications"]);

const placeOf = ({ columns, id }: Carried, name: string): number => {
  const at = columns.findIndex((column) => column.name === name);
  if (at === -1) throw new Error(`${id} has no column ${name}`);
  return at;
};

/** The least distance before a number that is free in the target, and in the source, whose other rows still come. */
async function freeBefore(number: number, isTaken: (candidate: number) => Promise<boolean>): Promise<number> {
  for (let candidate = number - 1; ; candidate--) if (!(await isTaken(candidate))) return candidate;
}

const exists = async ({ workspace }: Context, where: ReturnType<typeof sql>): Promise<boolean> =>
  (await workspace.all(sql`SELECT 1 FROM ${where} LIMIT 1`)).length > 0;

/**
 * Gives rows of the inbox numbers that are free in the target. Repeated, it gives the same ones: an event is known by its id, and a
 * notification by its person and event.
 */
export async function renumber(
  source: Context,
  target: Context,
  table: Carried,
  lines: readonly string[],
  numbers: Numbers,
): Promise<{ lines: string[]; numbers: Numbers }> {
  const rows = lines.map((line) => JSON.parse(line) as Values);
  return table.name === "notification_events"
    ? renumberEvents(source, target, table, rows, numbers)
    : renumberNotifications(source, target, table, rows, numbers);
}

async function renumberEvents(source: Context, target: Context, table: Carried, rows: Values[], numbers: Numbers) {
  const [no, eventId] = [placeOf(table, "no"), placeOf(table, "event_id")];
  const named = JSON.stringify(rows.map((row) => [row[no], row[eventId]]));
  const found = await target.workspace.all<{ no: number; eventId: string }>(
    sql`SELECT no, event_id AS "eventId" FROM notification_events WHERE no IN (SELECT value ->> 0 FROM json_each(${named}))
      UNION SELECT no, event_id FROM notification_events WHERE event_id IN (SELECT value ->> 1 FROM json_each(${named}))`,
  );
  const byId = new Map(found.map((event) => [event.eventId, event.no]));
  const byNo = new Map(found.map((event) => [event.no, event.eventId]));
  const events = { ...numbers.events };
  for (const row of rows) {
    const [own, id] = [row[no] as number, row[eventId] as string];
    const known = byId.get(id);
    if (known === undefined && !byNo.has(own)) continue;
    const isTaken = async (candidate: number) =>
      byNo.has(candidate) ||
      (await exists(target, sql`notification_events WHERE no = ${candidate}`)) ||
      exists(source, sql`notification_events WHERE no = ${candidate}`);
    const next = known ?? (await freeBefore(own, isTaken));
    byNo.set(next, id);
    if (next === own) continue;
    row[no] = next;
    events[own] = next;
  }
  return { lines: rows.map((row) => JSON.stringify(row)), numbers: { ...numbers, events } };
}

async function renumberNotifications(
  source: Context,
  target: Context,
  table: Carried,
  rows: Values[],
  numbers: Numbers,
) {
  const [user, seq, event] = [placeOf(table, "user_id"), placeOf(table, "seq"), placeOf(table, "event_no")];
  for (const row of rows) row[event] = numbers.events[String(row[event])] ?? (row[event] as number);
  const named = JSON.stringify(rows.map((row) => [row[user], row[seq]]));
  const found = await target.workspace.all<{ userId: string; seq: number; eventNo: number }>(
    sql`SELECT n.user_id AS "userId", n.seq AS "seq", n.event_no AS "eventNo" FROM json_each(${named}) AS j
      CROSS JOIN notifications AS n ON n.user_id = j.value ->> 0 AND n.seq = j.value ->> 1`,
  );
  const taken = new Map(found.map((one) => [`${one.userId} ${one.seq}`, one.eventNo]));
  let { notifications } = numbers;
  for (const row of rows) {
    const [userId, own, eventNo] = [row[user] as string, row[seq] as number, row[event] as number];
    const there = taken.get(`${userId} ${own}`);
    if (there === undefined || there === eventNo) continue;
    // A slice that was repeated finds the number that it gave.
    const [again] = await target.workspace.all<{ seq: number }>(
      sql`SELECT seq AS "seq" FROM notifications WHERE user_id = ${userId} AND seq < ${own} AND event_no = ${eventNo} ORDER BY seq DESC LIMIT 1`,
    );
    const isTaken = async (candidate: number) =>
      (await exists(target, sql`notifications WHERE user_id = ${userId} AND seq = ${candidate}`)) ||
      exists(source, sql`notifications WHERE user_id = ${userId} AND seq = ${candidate}`);
    row[seq] = again?.seq ?? (await freeBefore(own, isTaken));
    notifications++;
  }
  return { lines: rows.map((row) => JSON.stringify(row)), numbers: { ...numbers, notifications } };
}
