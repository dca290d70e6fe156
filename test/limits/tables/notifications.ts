import type { LimitTable } from "../row";

export const notificationsLimits: LimitTable<typeof import("../../../src/notifications/limits")> = {
  MAX_NOTIFICATIONS_PER_USER: {
    page: "count | Notifications and live delivery | notifications of an inbox in one database, after the daily clean-up",
    held: "resilience/notifications/audience.test.ts > deletes the oldest notifications of a full inbox",
  },
  MAX_MARKED: {
    page: "count | Notifications and live delivery | notifications that one call marks as read",
    held: "inputs",
  },
};
