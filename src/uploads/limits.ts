import { DAY, HOUR, MINUTE, SECOND } from "../platform/time";

/** Lifetime of an upload address, unless the purpose sets another lifetime. */
export const UPLOAD_URL_LIFETIME_MS = 15 * MINUTE;

/** Lifetime of a reservation. Within it, a client may repeat the transfer, or complete it late. */
export const UPLOAD_LIFETIME_MS = 24 * HOUR;

/** Time that `complete` waits for a verification that another worker runs. */
export const MAX_VERIFICATION_WAIT_MS = 10 * SECOND;

/** Time after the reservation's end at which a verification is given up, because its job was lost. */
export const VERIFICATION_GRACE_MS = HOUR;

/** Maximum duration of a transfer that began before its address expired. */
export const TRANSFER_GRACE_MS = HOUR;

/** Retention of ended uploads. A repeated `complete` finds its answer in this time. */
export const ENDED_UPLOAD_RETENTION_MS = 30 * DAY;
