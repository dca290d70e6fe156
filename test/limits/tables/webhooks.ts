import { BOUNDS_WORK, DIVIDES_WORK, type LimitTable } from "../row.ts";

export const webhooksLimits: LimitTable<typeof import("../../../src/webhooks/limits")> = {
  MAX_WEBHOOKS_PER_ORGANIZATION: { page: "count | Webhooks | webhooks of an organization", held: "capacity" },
  MAX_WEBHOOK_NAME_LENGTH: { page: "count | Webhooks | characters of the name of a webhook", held: "inputs" },
  WEBHOOK_REQUESTS_PER_MINUTE: { page: "rate | Webhooks | tests and repeats of one organization", held: "rates" },
  FORMER_SECRET_MS: {
    page: "time | Webhooks | the former secret signs too",
    held: "webhooks/sending.test.ts > is rotated: both sign for a day",
  },
  RETRY_DELAYS_MS: {
    values: ["of the schedule", "of another schedule"],
    held: "webhooks/sending.test.ts > is tried again after growing pauses",
  },
  MAX_RETRY_AFTER_MS: {
    page: "time | Webhooks | longest pause that an answer asks for",
    held: "webhooks/sending.test.ts > MAX_RETRY_AFTER_MS",
  },
  MAX_REQUESTS_AT_ONCE: {
    page: "count | Webhooks | requests to one address at the same time",
    held: "webhooks/sending.test.ts > MAX_REQUESTS_AT_ONCE",
  },
  MIN_PAUSE_MS: { held: "webhooks/sending.test.ts > pauses grow from MIN_PAUSE_MS to MAX_PAUSE_MS" },
  MAX_PAUSE_MS: {
    page: "time | Webhooks | longest pause of an address that fails",
    held: "webhooks/sending.test.ts > pauses grow from MIN_PAUSE_MS to MAX_PAUSE_MS",
  },
  DEAD_AFTER_MS: {
    page: "time | Webhooks | failures until a webhook is switched off",
    held: "webhooks/sending.test.ts > that stays dead switches the webhook off",
  },
  MAX_PENDING_DELIVERIES: {
    page: "count | Webhooks | deliveries of a webhook that wait",
    held: "webhooks/sending.test.ts > whose deliveries pile up switches the webhook off",
  },
  DELIVERY_RETENTION: {
    page: "time | Webhooks | retention of deliveries",
    held: "webhooks/sending.test.ts > is deleted after its retention",
  },
  CLAIM_MS: { unheld: "A claim that ends early or late sends a delivery again, with the same id." },
  SENDING_MS: DIVIDES_WORK,
  MAX_LISTED_ATTEMPTS: { held: "webhooks/sending.test.ts > lists the last tries" },
  MAX_KEPT_ANSWER_LENGTH: { held: "webhooks/sending.test.ts > reads a few kilobytes of a long answer" },
  WOKEN_PER_SLICE: DIVIDES_WORK,
  DELIVERIES_DELETED_PER_SLICE: BOUNDS_WORK,
};
