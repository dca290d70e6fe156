import type { Rows } from "../row";

/** Limits that are beside the code that uses them. */
export const limitsElsewhere: Readonly<Record<string, Rows>> = {
  "src/platform/db/cursor.ts": {
    DEFAULT_PAGE_SIZE: { page: "count | Requests | items on a page, by default", held: "requests" },
    MAX_PAGE_SIZE: { page: "count | Requests | items on a page, at most", held: "requests" },
  },
  "src/platform/http/idempotency.ts": {
    IDEMPOTENCY_RETENTION_MS: { page: "time | Requests | lifetime of an `Idempotency-Key`", held: "lifetimes" },
  },
  "src/platform/http/middleware.ts": {
    MAX_JSON_BODY_BYTES: { page: "size | Requests | JSON body", held: "requests" },
  },
  "src/platform/objects/endpoint.ts": {
    MAX_PUT_BYTES: {
      page: "size | Requests | one upload request through the Worker",
      held: "platform/objects/endpoint.test.ts > with more bytes than the edge accepts is refused",
    },
  },
};

/** Settings that are limits, by the name of the setting. Each is a number. */
export const settingsLimits: Rows = {
  DEFAULT_STORAGE_BYTES: { held: "effects > an organization begins with the operator's entitlements" },
  PERSONAL_STORAGE_BYTES: { held: "effects > a personal workspace is filled to its last byte" },
  DEFAULT_JOBS_PER_MONTH: { held: "effects > an organization begins with the operator's entitlements" },
  DEFAULT_MAX_RETENTION_DAYS: { held: "effects > an organization begins with the operator's entitlements" },
  RECOVERY_WINDOW_DAYS: {
    held: [
      "workspace/trash.test.ts > is hidden and not counted at once, and is restored",
      "workspace/organization-removal.test.ts > is hidden with its cameras and share links, and comes back whole",
    ],
  },
  CAPTURE_RECOVERY_HOURS: { held: "lifetimes" },
  NOTIFICATION_RETENTION_DAYS: {
    held: "resilience/notifications/audience.test.ts > deletes all read notifications after their time",
  },
  PRINT_BROWSERS: { unheld: "It is the operator's choice between cost and waiting time." },
  RECOGNITION_BROWSERS: { unheld: "It is the operator's choice between cost and waiting time." },
  BACKUP_RETENTION_DAYS: {
    held: "resilience/backups/nightly.test.ts > a backup stays for its days, and the next ones share its files",
  },
  SEARCH_TERMS_DAYS: { held: "search/flow.test.ts > deletes terms after their retention" },
};
