import type { RateLimit } from "../platform/http/rate-limit";
import { DAY, HOUR, MINUTE } from "../platform/time";

/**
 * Documents, versions and images of one export. A download reads each of them from the bucket: wrangler.toml allows one request
 * that many subrequests, and the pages of the manifest in addition.
 */
export const MAX_EXPORTED_FILES = 200_000;
/** Cameras that a request can name. */
export const MAX_NAMED_EXPORT_CAMERAS = 500;
/** The service gives up a preparation that takes longer. */
export const MAX_PREPARATION_MS = DAY;
/** A ready export can be downloaded for this time. */
export const WORKSPACE_EXPORT_LIFETIME_MS = DAY;
/** Lifetime of a download address. Access is checked again on every request that uses it, and while the bytes are sent. */
export const DOWNLOAD_ADDRESS_LIFETIME_MS = 6 * HOUR;
/** An ended export is kept for this time, so that a client that asks for it learns how it ended. */
export const ENDED_WORKSPACE_EXPORT_RETENTION = 7 * DAY;
/** Exports of one workspace that are started. */
export const EXPORTS_PER_WORKSPACE: RateLimit = { limit: 10, windowMs: DAY };
/** Time after the end of an export after which its objects are deleted: a slice of its job may still write. */
export const EXPORT_OBJECTS_GRACE_MS = 15 * MINUTE;
/** Exports that one slice of the job deletes. */
export const ENDED_EXPORTS_PER_SLICE = 20;
/** Documents and versions, and images, that one slice of the job adds. */
export const DOCUMENTS_PER_SLICE = 100;
export const IMAGES_PER_SLICE = 2_000;
/** Bytes of documents that one slice reads, to compute their CRC-32. The last document can be longer. */
export const READ_BYTES_PER_SLICE = 64 * 1024 * 1024;
/** Bytes of text that one slice writes. They are in memory. */
export const TEXT_BYTES_PER_SLICE = 4 * 1024 * 1024;
/** Bytes of one file with rows. A larger table has several files. */
export const MAX_ROWS_FILE_BYTES = 256 * 1024 * 1024;
/** Characters of a folder and of a file name in the ZIP, and of a whole path. Windows opens no path of more than 260. */
export const MAX_EXPORTED_FOLDER_LENGTH = 40;
export const MAX_EXPORTED_NAME_LENGTH = 100;
export const MAX_EXPORTED_PATH_LENGTH = 220;
/** Documents of a location whose names are listed as equal to others. If there are more, each name of the location gets an id. */
export const MAX_LISTED_NAMESAKES = 2_000;
/** Characters of the ticket in a download address. */
export const MAX_EXPORT_TICKET_LENGTH = 2_000;
