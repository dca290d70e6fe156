import { DAY, HOUR, MINUTE, SECOND } from "../platform/time";

/** Lifetime of an upload address, unless the purpose sets another lifetime. */
export const UPLOAD_URL_LIFETIME_MS = 15 * MINUTE;

/**
 * Size of each part of an upload in parts except its last one, bytes. A lost connection costs at most this much of each part
 * that was being sent.
 */
export const UPLOAD_PART_BYTES = 8 * 1024 * 1024;

/** Maximum number of parts whose addresses one request signs. */
export const MAX_SIGNED_PARTS = 20;

/**
 * Maximum size of a file that is verified within the request that completes its upload, bytes. The queue verifies a larger
 * one, because a client can leave while it is copied.
 */
export const MAX_IMMEDIATE_VERIFICATION_BYTES = 100 * 1024 * 1024;

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
