import type { LimitTable } from "../row";

export const notificationsLimits: LimitTable<typeof import("../../../src/notifications/limits")> = {
  MAX_NOTIFICATIONS_PER_USER: {
    page: ["Notifications and live delivery", "notifications of an inbox, after the daily clean-up", "count"],
    held: ["resilience/notifications/audience.test.ts > deletes the oldest notifications of a full inbox"],
  },
  MAX_MARKED: {
    page: ["Notifications and live delivery", "notifications that one call marks as read", "count"],
    held: "inputs",
  },
};
