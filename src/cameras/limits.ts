import type { RateLimit } from "../platform/http/rate-limit";
import { CAPTURE_LIMITS } from "../platform/jpeg";
import { DAY, HOUR, MINUTE, SECOND } from "../platform/time";
import { TRANSFER_GRACE_MS, UPLOAD_LIFETIME_MS, VERIFICATION_GRACE_MS } from "../uploads";

/* Cameras and their settings */

/** Cameras at one location, including retired cameras. */
export const MAX_CAMERAS_PER_LOCATION = 500;
/** Pixels of the largest picture that a camera may be set to: verification decodes no larger one. */
export const MAX_PICTURE_PIXELS = CAPTURE_LIMITS.maxPixels;
/** Limits of an edge of a picture, pixels. */
export const MIN_PICTURE_EDGE = 16;
export const MAX_PICTURE_EDGE = 20_000;
export const MAX_INTERVAL_MINUTES = 24 * 60;
/**
 * Maximum that a setting accepts. The entitlement of every organization is lower. It bounds the times that are
 * computed from it.
 */
export const MAX_RETENTION_DAYS = 36_500;
/** Cameras that one slice of a location's deletion retires: each takes about five statements. */
export const RETIREMENTS_PER_SLICE = 25;

/* Pairing */

/** Milliseconds in which a pairing code can be redeemed, once. */
export const PAIRING_CODE_LIFETIME_MS = 15 * MINUTE;
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

/* Uploads of devices */

/** Largest image, bytes. */
export const MAX_CAPTURE_BYTES = 8 * 1024 * 1024;
/** Lifetime of an upload address. */
export const CAPTURE_URL_LIFETIME_MS = 5 * MINUTE;
/** Lifetime of an operation from its admission: the same as of any upload. */
export const OPERATION_LIFETIME_MS = UPLOAD_LIFETIME_MS;
/** Time after the end of an operation in which an address or a slow worker may still write its objects. */
export const LEFTOVER_GRACE_MS = CAPTURE_URL_LIFETIME_MS + TRANSFER_GRACE_MS;
/** Time after an operation's lifetime at which a verification is given up. */
export const GIVEN_UP_AFTER_MS = OPERATION_LIFETIME_MS + VERIFICATION_GRACE_MS;
/** Time after the transfer of bytes at which no operation needs them any more: a verification may take an hour. */
export const STAGING_RETENTION_MS = GIVEN_UP_AFTER_MS + HOUR;
/** Unfinished operations that a camera may have at a time. Held operations do not count. */
export const MAX_UNFINISHED_OPERATIONS = 2;
/** Unfinished operations in a list. There are more than two only when some are held for the operator. */
export const MAX_LISTED_OPERATIONS = 100;
/** New operations that a camera may begin in any minute. */
export const ADMISSIONS_PER_MINUTE = 4;
export const ADMISSION_WINDOW_MS = MINUTE;
/** Requests that a device credential may send in a minute, for each instance of the service. */
export const DEVICE_REQUESTS_PER_MINUTE = 30;
/** Maximum time between a capture time in the future and the service's clock. */
export const CLOCK_TOLERANCE_MS = 5 * MINUTE;
/** Seconds after which a refused device should retry while one of its operations is in verification. */
export const VERDICT_RETRY_SECONDS = 15;
/** Seconds after which a device should poll an operation in verification again. */
export const POLL_SECONDS = 2;
/** Rejections of one camera cause at most one notification in this time. */
export const REJECTION_NOTICE_INTERVAL_MS = HOUR;

/* Health */

/** Intervals inside the capture window without an accepted image after which a camera is silent. */
export const INTERVALS_UNTIL_SILENT = 3;
/** A heartbeat that reports nothing new is stored when the stored one is this old: about 180 rows a day. */
export const HEARTBEAT_RESOLUTION_MS = 8 * MINUTE;
/**
 * A device is offline when the stored heartbeat is this old: then nothing came for at least 15 minutes.
 */
export const HEARTBEAT_TIMEOUT_MS = 15 * MINUTE + HEARTBEAT_RESOLUTION_MS;
/** Running device programs that are remembered to find two that share a credential. */
export const MAX_REMEMBERED_INSTANCES = 4;
/** If an instance reports, then another instance, and then the first again within this time, the two share a credential. */
export const SHARED_IDENTITY_MEMORY_MS = 15 * MINUTE + HEARTBEAT_RESOLUTION_MS;
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

/* Archive */

/** Lifetime of an image's address. Access is checked once, when the address is made. */
export const IMAGE_ADDRESS_LIFETIME_MS = 5 * MINUTE;
/** Points of time in one statement. Each costs three index seeks. */
export const MAX_SEEK_POINTS = 1_000;
/** Images on a page of the history. */
export const DEFAULT_HISTORY_PAGE_SIZE = 50;
export const MAX_HISTORY_PAGE_SIZE = 200;
/** Frames that one call can choose. */
export const MAX_FRAMES = 1_000;
/** Days of one day strip. */
export const MAX_STRIP_DAYS = 366;
/**
 * Time for which an instance caches a timeline, and number of timelines that it caches. Each is at most about 10 KB.
 */
export const TIMELINE_CACHE_LIFETIME_MS = 30 * SECOND;
export const MAX_CACHED_TIMELINES = 500;
/** Gaps in a timeline: the largest ones. */
export const MAX_TIMELINE_GAPS = 128;

/* Archive */

/** Capture times of one response: about 200 KB of JSON. */
export const MAX_CAPTURE_TIMES = 20_000;

/* Previews */

/** Times, or cameras, of one request. */
export const MAX_PREVIEWS = 32;
/** Bytes of one preview before base64. */
export const MAX_PREVIEW_BYTES = 3_072;
/** Objects that are read at the same time: an isolate has six connections. */
export const MAX_CONCURRENT_PREVIEW_READS = 6;
/** Requests from one network, for each instance. People and holders of a share link count together. */
export const PREVIEW_REQUESTS_PER_NETWORK: RateLimit = { limit: 120, windowMs: MINUTE };

/* Exports */

/**
 * Images of one export. A download reads each image from the bucket: wrangler.toml allows one request that many
 * subrequests, and the pages of the manifest in addition.
 */
export const MAX_EXPORT_IMAGES = 200_000;
/** The service gives up a preparation that takes longer. */
export const MAX_EXPORT_PREPARATION_MS = 2 * DAY;
/** Lifetime of a download address. Access is checked again on every request that uses it. */
export const EXPORT_ADDRESS_LIFETIME_MS = 6 * HOUR;
/** An ended export is kept for this time, so that a client that asks for it learns that it has expired. */
export const ENDED_EXPORT_RETENTION = 7 * DAY;
/** Exports that one slice of the job deletes, with their manifests. */
export const EXPORTS_DELETED_PER_SLICE = 20;
/** Images of one page of a manifest: about 200 KB in the database, and the most that a download holds in memory. */
export const MANIFEST_IMAGES_PER_PAGE = 1_000;
/** Pages that one slice of the job writes. */
export const MANIFEST_PAGES_PER_SLICE = 4;
/** A ready export can be downloaded for this time at most. It ends earlier when its first image expires. */
export const EXPORT_RETENTION = 7 * DAY;
/** Characters of the ticket in a download address. */
export const MAX_TICKET_LENGTH = 2_000;

/* Share links */

/** Characters of the passcode of a link. */
export const MIN_PASSCODE_LENGTH = 6;
export const MAX_PASSCODE_LENGTH = 64;
/** Milliseconds in which a pass opens the link whose passcode was entered. */
export const SHARE_PASS_LIFETIME_MS = 12 * HOUR;
/** Passcodes tried at one link: from one network, and from all. */
export const PASSCODE_TRIES_PER_NETWORK: RateLimit = { limit: 10, windowMs: 15 * MINUTE };
export const PASSCODE_TRIES_PER_LINK: RateLimit = { limit: 100, windowMs: HOUR };

/** Cameras that one link may show. */
export const MAX_CAMERAS_PER_LINK = 100;
/** Links of one location that are neither revoked nor expired. */
export const MAX_ACTIVE_LINKS = 100;
/** Ended links in a list, newest first. */
export const MAX_LISTED_ENDED_LINKS = 50;
/** Ended links are kept for this time, so that people see what was shared. */
export const ENDED_LINK_RETENTION = 180 * DAY;
/** Links of each kind that one slice of the job deletes. */
export const LINKS_DELETED_PER_SLICE = 200;
/** Frames of one request with a share link. Each picture needs a separate request. */
export const MAX_SHARED_FRAMES = 200;
/** Requests on share links from one network, for each instance. */
export const SHARED_REQUESTS_PER_NETWORK: RateLimit = { limit: 600, windowMs: MINUTE };

/* Retention */

/** Cameras that one slice of the expiry checks, and images that it removes. */
export const EXPIRED_CAMERAS_PER_SLICE = 50;
export const EXPIRED_IMAGES_PER_SLICE = 200;
/** Milliseconds in which the download address of a rejected image can be used. */
export const REJECTED_URL_LIFETIME_MS = 5 * MINUTE;
/** Retention of a rejected image, for inspection. */
export const REJECTED_RETENTION = 90 * DAY;
/** Retention of the row of an expired or cancelled operation. */
export const ENDED_OPERATION_RETENTION = 30 * DAY;
/** Frames with due work that one slice of the clean-up handles. */
export const FRAMES_CLEANED_PER_SLICE = 200;
