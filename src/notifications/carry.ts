import { carried, ownedBy } from "../platform/db/carry/declare";
import { notificationClock, notificationEvents, notificationPreferences, notifications } from "./tables";

const numbers = { event_no: "notification_events" };

/**
 * A notification belongs to the organization of its event. Without an organization, it belongs to the personal workspace of its
 * recipient. So the inbox of one person can be in several databases. Notifications of people who have left the organization are not
 * carried: nobody can see them.
 */
export const notificationsTables = [
  carried(notificationEvents, { ...ownedBy("organization_id"), numbers: { no: "notification_events" } }),
  carried(notificationEvents, {
    part: "own",
    numbers: { no: "notification_events" },
    from: (workspace) => `(SELECT DISTINCT event_no FROM notifications WHERE user_id = ${workspace}) AS found
      CROSS JOIN notification_events AS row ON row.no = found.event_no`,
    where: "row.organization_id IS NULL",
  }),
  carried(notifications, {
    part: "events",
    numbers,
    from: (workspace) => `(SELECT user_id AS person FROM memberships WHERE organization_id = ${workspace}
        UNION SELECT user_id FROM grants WHERE tenant_id = ${workspace}) AS found
      CROSS JOIN notifications AS row ON row.user_id = found.person
      CROSS JOIN notification_events AS event ON event.no = row.event_no AND event.organization_id = ${workspace}`,
  }),
  carried(notifications, {
    numbers,
    from: (
      workspace,
    ) => `(SELECT ${workspace} AS person) AS found CROSS JOIN notifications AS row ON row.user_id = found.person
      CROSS JOIN notification_events AS event ON event.no = row.event_no AND event.organization_id IS NULL`,
    // Each person had the whole inbox.
    former: { without: "notifications.events", ...ownedBy("user_id") },
  }),
  carried(notificationPreferences, ownedBy("user_id")),
];

/** The whole inbox of a person in one database, for an export of the person, and for the removal of the personal workspace. */
export const inboxOfPerson = carried(notifications, { ...ownedBy("user_id"), part: "inbox" });

export const notificationsOfService = [carried(notificationClock, {})];
