import { HOUR, MINUTE, SECOND } from "../../platform/time";
import { UPLOAD_LIFETIME_MS } from "../../uploads";

/** Largest image, bytes. */
export const MAX_CAPTURE_BYTES = 8 * 1024 * 1024;
/** Lifetime of an upload address. */
export const CAPTURE_URL_LIFETIME = 5 * MINUTE;
/** Lifetime of an operation from its admission: the same as of any upload. */
export const OPERATION_LIFETIME = UPLOAD_LIFETIME_MS;
/** Unfinished operations that a camera may have at a time. Held operations do not count. */
export const MAX_UNFINISHED_OPERATIONS = 2;
/** Unfinished operations in a list. There are more than two only when some are held for the operator. */
export const MAX_LISTED_OPERATIONS = 100;
/** New operations that a camera may begin in any minute. */
export const ADMISSIONS_PER_MINUTE = 4;
/** Requests that a device credential may send in a minute, for each instance of the service. */
export const REQUESTS_PER_MINUTE = 30;
/** Maximum time between a capture time in the future and the service's clock. */
export const CLOCK_TOLERANCE = 5 * MINUTE;
/** Seconds after which a refused device should retry while one of its operations is in verification. */
export const VERDICT_RETRY_SECONDS = 15;
/** Seconds after which a device should poll an operation in verification again. */
export const POLL_SECONDS = 2;
/** Rejections of one camera cause at most one notification in this time. */
export const REJECTION_NOTICE_INTERVAL = HOUR;

export const ADMISSION_WINDOW = 60 * SECOND;

/** Name of the upload purpose of captures. */
export const CAPTURE_PURPOSE = "capture";
