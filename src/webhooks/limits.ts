import type { RateLimit } from "../platform/http/rate-limit";
import { DAY, HOUR, MINUTE, SECOND } from "../platform/time";

/** Webhooks of one organization. */
export const MAX_WEBHOOKS_PER_ORGANIZATION = 20;
/** Characters of the name of a webhook. */
export const MAX_WEBHOOK_NAME_LENGTH = 100;
/** Tests and repeats of one organization: each makes the service send a request. */
export const WEBHOOK_REQUESTS_PER_MINUTE: RateLimit = { limit: 30, windowMs: MINUTE };
/** Time for which the former secret signs too after a rotation. */
export const FORMER_SECRET_MS = DAY;
/** Pauses before the next tries of a delivery (the schedule that Standard Webhooks suggests): three days in all. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** Longest pause that `Retry-After` of an answer asks for. */
export const MAX_RETRY_AFTER_MS = DAY;
/** Requests to one address at the same time. An address that fails gets one at a time. */
export const MAX_REQUESTS_AT_ONCE = 5;
/** Pause of an address after its first failure. It doubles with each further one. */
export const MIN_PAUSE_MS = 5 * SECOND;
export const MAX_PAUSE_MS = 5 * MINUTE;
/** A webhook whose address fails for this time without a success is switched off. */
export const DEAD_AFTER_MS = 3 * DAY;
/** Deliveries of one webhook that wait. With more of them it is switched off. */
export const MAX_PENDING_DELIVERIES = 10_000;
/** Retention of deliveries. */
export const DELIVERY_RETENTION = 30 * DAY;
/** Time after which a claimed delivery whose result nobody wrote is due again. */
export const CLAIM_MS = MINUTE;
/** Time after which a slice of the job begins no further requests. */
export const SENDING_MS = 15 * SECOND;
/** Tries that a delivery lists. */
export const MAX_LISTED_ATTEMPTS = 20;
/** Characters of the body of an answer that are kept. */
export const MAX_KEPT_ANSWER_LENGTH = 2_000;
/** Webhooks that one slice of the wake-up queues, and deliveries that one slice of the clean-up deletes. */
export const WOKEN_PER_SLICE = 50;
export const DELIVERIES_DELETED_PER_SLICE = 500;
