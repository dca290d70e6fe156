import type { RateLimit } from "../platform/http/rate-limit";
import { CAPTURE_LIMITS } from "../platform/jpeg";
import { DAY, HOUR, MINUTE } from "../platform/time";

/* Cameras and their settings */

/** Cameras at one location, retired ones included. */
export const MAX_CAMERAS_PER_LOCATION = 500;
/** Pixels of the largest picture that a camera may be set to: verification decodes no larger one. */
export const MAX_PICTURE_PIXELS = CAPTURE_LIMITS.maxPixels;
/** Limits of an edge of a picture, pixels. */
export const MIN_PICTURE_EDGE = 16;
export const MAX_PICTURE_EDGE = 20_000;
export const MAX_INTERVAL_MINUTES = 24 * 60;
/** Larger than the entitlement of any organization. It keeps the arithmetic of expiry in range. */
export const MAX_RETENTION_DAYS = 36_500;
/** Cameras that one slice of a location's deletion retires: each takes about five statements. */
export const RETIREMENTS_PER_SLICE = 25;

/* Pairing */

/** Milliseconds in which a pairing code can be redeemed, once. */
export const PAIRING_CODE_LIFETIME = 15 * MINUTE;
/** Milliseconds for which an ended code is kept, so that its refusal can say that it ended. */
export const ENDED_CODE_RETENTION = DAY;
/** Milliseconds for which a revoked credential is kept, so that its refusal can say that it was revoked. */
export const REVOKED_CREDENTIAL_RETENTION = 90 * DAY;
/** Attempts from one network: with 10,000 codes open, a guesser finds one in 1.4 million windows. */
export const REDEMPTIONS_PER_NETWORK: RateLimit = { limit: 60, windowMs: 15 * MINUTE };
/** Attempts with one camera's codes, from any network: enough for a device that retries, too few to try secrets. */
export const REDEMPTIONS_PER_CAMERA: RateLimit = { limit: 30, windowMs: 15 * MINUTE };
/** Codes made for one camera. */
export const ENROLLMENTS_PER_CAMERA: RateLimit = { limit: 30, windowMs: HOUR };

/* Health */

/** Intervals inside the capture window without an accepted image after which a camera is silent. */
export const INTERVALS_UNTIL_SILENT = 3;
/** A device is offline when nothing came from it for this time: three of its heartbeats. */
export const HEARTBEAT_TIMEOUT_MS = 15 * MINUTE;
/** The schedule is searched for open periods this far ahead. A camera without images for this long is silent. */
export const SCHEDULE_HORIZON_MS = 60 * DAY;
/** The first camera of a location that comes back waits this long, so that one notification names all of them. */
export const RECOVERY_GROUPING_MS = 10 * MINUTE;
/** Within this time no second notification is sent for cameras of a location that fall silent for the same cause. */
export const SILENCE_GROUPING_MS = HOUR;
/** Cameras that a notification names. It only counts the others. */
export const MAX_NAMED_CAMERAS = 20;
/** Cameras that one slice of the health watch checks. */
export const HEALTH_CHECKS_PER_SLICE = 100;
/** Conditions of each kind that one query reads, the earliest first. */
export const MAX_CONDITIONS_PER_KIND = 200;
/** A longer gap is not compared with the capture window day by day. */
export const MAX_WINDOW_CAUSE_MS = 62 * DAY;

/* Retention */

/** Cameras that one slice of the expiry checks, and images that it removes. */
export const EXPIRED_CAMERAS_PER_SLICE = 50;
export const EXPIRED_IMAGES_PER_SLICE = 200;
/** Milliseconds in which the download address of a rejected image can be used. */
export const REJECTED_URL_LIFETIME = 5 * MINUTE;

/* Previews */

/** Times, or cameras, of one request. */
export const MAX_PREVIEWS = 32;
/** Bytes of one preview before base64. */
export const MAX_PREVIEW_BYTES = 3_072;
/** Objects that are read at the same time: an isolate has six connections. */
export const MAX_CONCURRENT_PREVIEW_READS = 6;
/** Requests from one network, for each instance. People and holders of a share link count together. */
export const PREVIEW_REQUESTS_PER_NETWORK: RateLimit = { limit: 120, windowMs: MINUTE };

/* Share links */

/** Requests on share links from one network, for each instance. */
export const SHARED_REQUESTS_PER_NETWORK: RateLimit = { limit: 600, windowMs: MINUTE };
