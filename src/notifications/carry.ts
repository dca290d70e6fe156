import { carried, ownedBy } from "../platform/db/carry/declare";
import { notificationClock, notificationEvents, notificationPreferences, notifications } from "./tables";

/** The inbox of a person is in the personal workspace. An event without an organization is with each of its recipients. */
export const notificationsTables = [
  carried(notificationEvents, ownedBy("organization_id")),
  carried(notificationEvents, {
    part: "own",
    from: (workspace) => `(SELECT DISTINCT event_no FROM notifications WHERE user_id = ${workspace}) AS found
      CROSS JOIN notification_events AS row ON row.no = found.event_no`,
    where: "row.organization_id IS NULL",
  }),
  carried(notifications, ownedBy("user_id")),
  carried(notificationPreferences, ownedBy("user_id")),
];

export const notificationsOfService = [carried(notificationClock, {})];
