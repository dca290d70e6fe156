import { eq } from "drizzle-orm";
import { notificationId } from "../../src/notifications/identity";
import { notificationEvents, notifications } from "../../src/notifications/tables";
import { newIdIn } from "../../src/platform/ids";
import { testDatabase } from "./statements";

/** A number above the service's clock. */
let numbers = 2 ** 47;

/** Writes a notification into the inbox of a user directly. @returns its id. */
export async function mintNotification(
  userId: string,
  event: Partial<typeof notificationEvents.$inferInsert> = {},
  state: Pick<typeof notifications.$inferInsert, "readAt" | "archivedAt"> = {},
): Promise<string> {
  const seq = ++numbers;
  const row = {
    no: seq,
    eventId: newIdIn(userId),
    type: "membership-given" as const,
    severity: "info" as const,
    title: "You are a member now",
    body: "",
    originData: {},
    createdAt: Date.now(),
    pageAfter: "",
    pageSeq: seq,
    recipients: 1,
  };
  await testDatabase()
    .insert(notificationEvents)
    .values({ ...row, ...event });
  await testDatabase()
    .insert(notifications)
    .values({ userId, seq, eventNo: seq, ...state });
  return notificationId({ seq, eventNo: seq });
}

/** The events in the inbox of a user, oldest first. */
export async function notificationsOf(userId: string): Promise<(typeof notificationEvents.$inferSelect)[]> {
  const rows = await testDatabase()
    .select({ event: notificationEvents })
    .from(notifications)
    .innerJoin(notificationEvents, eq(notificationEvents.no, notifications.eventNo))
    .where(eq(notifications.userId, userId))
    .orderBy(notifications.seq);
  return rows.map(({ event }) => event);
}
