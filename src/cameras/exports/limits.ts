import { DAY, HOUR } from "../../platform/time";

/**
 * Images of one export. A download reads each from the bucket: wrangler.toml allows a request so many
 * subrequests, and the pages of the manifest beside them.
 */
export const MOST_IMAGES = 200_000;
/** Images of one page of a manifest: about 200 KB in the database, and the most that a download holds at once. */
export const PAGE_IMAGES = 1_000;
/** Pages one slice of the preparation writes. */
export const PAGES_A_SLICE = 4;
/** How long an export that is ready may be downloaded, at most; it ends sooner with its first image. */
export const KEPT_FOR = 7 * DAY;
/** How long an export's address lives; access is asked again on every request that uses it. */
export const ADDRESS_LIFETIME = 6 * HOUR;
/** Parts that are opened ahead of the one being sent: headers and images in turn, so at most three of six connections. */
export const READ_AHEAD = 5;
