import { DAY, HOUR, MINUTE, SECOND } from "../platform/time";

/** How long an upload address works, unless the purpose sets another time. */
export const UPLOAD_URL_LIFETIME_MS = 15 * MINUTE;

/** How long a reservation lasts. Within it, a client may repeat the transfer, or complete it late. */
export const UPLOAD_LIFETIME_MS = 24 * HOUR;

/** How long `complete` waits for a verification that another worker runs. */
export const MAX_VERIFICATION_WAIT_MS = 10 * SECOND;

/** How long after the reservation's end a verification is given up: its job was lost. */
export const VERIFICATION_GRACE_MS = HOUR;

/** How long a transfer can go on that began before its address expired. */
export const TRANSFER_GRACE_MS = HOUR;

/** How long ended uploads are kept, so that a repeated `complete` finds its answer. A purpose may set another time. */
export const ENDED_UPLOAD_RETENTION_MS = 30 * DAY;
