import type { Rows } from "../row";

/** Limits that are beside the code that uses them. */
export const limitsElsewhere: Readonly<Record<string, Rows>> = {
  "src/platform/db/cursor.ts": {
    DEFAULT_PAGE_SIZE: {
      page: ["Requests", "items on a page, by default", "count"],
      held: ["limits/requests.test.ts > DEFAULT_PAGE_SIZE"],
    },
    MAX_PAGE_SIZE: {
      page: ["Requests", "items on a page, at most", "count"],
      held: ["limits/requests.test.ts > MAX_PAGE_SIZE"],
    },
  },
  "src/platform/http/idempotency.ts": {
    IDEMPOTENCY_RETENTION_MS: {
      page: ["Requests", "lifetime of an `Idempotency-Key`", "time"],
      held: "lifetimes",
    },
  },
  "src/platform/http/middleware.ts": {
    MAX_JSON_BODY_BYTES: {
      page: ["Requests", "JSON body", "size"],
      held: ["limits/requests.test.ts > MAX_JSON_BODY_BYTES"],
    },
  },
  "src/platform/objects/endpoint.ts": {
    MAX_PUT_BYTES: {
      page: ["Requests", "one upload request through the Worker", "size"],
      held: ["platform/objects/endpoint.test.ts > with more bytes than the edge accepts is refused"],
      open: ["src/platform/objects/endpoint.ts"],
    },
  },
};

/** Settings that are limits, by the name of the setting. Each is a number. */
export const settingsLimits: Rows = {
  DEFAULT_STORAGE_BYTES: { held: ["limits/effects.test.ts > an organization begins with the operator's entitlements"] },
  PERSONAL_STORAGE_BYTES: {
    held: ["limits/effects.test.ts > a personal workspace is filled to its last byte"],
  },
  DEFAULT_JOBS_PER_MONTH: {
    held: ["limits/effects.test.ts > an organization begins with the operator's entitlements"],
  },
  DEFAULT_MAX_RETENTION_DAYS: {
    held: ["limits/effects.test.ts > an organization begins with the operator's entitlements"],
  },
  RECOVERY_WINDOW_DAYS: { held: ["workspace/trash.test.ts > is hidden and not counted at once, and is restored"] },
  CAPTURE_RECOVERY_HOURS: { held: "lifetimes" },
  NOTIFICATION_RETENTION_DAYS: {
    held: ["resilience/notifications/audience.test.ts > deletes all read notifications after their time"],
  },
  PRINT_BROWSERS: { unheld: "It is the operator's choice between cost and waiting time." },
  RECOGNITION_BROWSERS: { unheld: "It is the operator's choice between cost and waiting time." },
  SEARCH_TERMS_DAYS: { held: ["search/flow.test.ts > deletes terms after their retention"] },
};
