import { HOUR, MINUTE, SECOND } from "../../platform/time";
import { UPLOAD_LIFETIME } from "../../uploads";

/** Largest image, bytes. */
export const MAX_CAPTURE_BYTES = 8 * 1024 * 1024;
/** Largest image, pixels: the verification's own limit, told to devices. */
export const MAX_CAPTURE_PIXELS = 24_000_000;
/** How long an address to put an image to lives. */
export const CAPTURE_URL_LIFETIME = 5 * MINUTE;
/** How long an operation lives, from its admission: as long as any upload. */
export const OPERATION_LIFETIME = UPLOAD_LIFETIME;
/** Operations of a camera that may be unfinished at a time; what waits for our operator does not count. */
export const MAX_UNFINISHED_OPERATIONS = 2;
/** Operations of a camera that are listed; more than two are unfinished only where some wait for our operator. */
export const MAX_LISTED_OPERATIONS = 100;
/** New operations a camera may begin in any minute. */
export const ADMISSIONS_PER_MINUTE = 4;
/** Requests a device credential may send a minute, for each instance of the service. */
export const REQUESTS_PER_MINUTE = 30;
/** How far ahead of our clock a capture time may lie. */
export const CLOCK_TOLERANCE = 5 * MINUTE;
/** When a refused device does best to ask again while an operation of its is being verified, seconds. */
export const VERDICT_RETRY_SECONDS = 15;
/** When to look at an operation in verification again, seconds. */
export const POLL_SECONDS = 2;
/** A camera's rejections are told of at most once in this time. */
export const REJECTION_NOTICE_INTERVAL = HOUR;

export const ADMISSION_WINDOW = 60 * SECOND;

/** What the uploads of captures are told apart by. */
export const CAPTURE_PURPOSE = "capture";
