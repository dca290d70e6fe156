/** Longest edge of each derivative, pixels. */
export const SMALL_EDGE = 256;
export const MEDIUM_EDGE = 1024;
/** JPEG quality of both. */
export const DERIVATIVE_QUALITY = 85;
/** Media type of derivatives; transparent pixels are shown on white. */
export const DERIVATIVE_TYPE = "image/jpeg";

/** What is made within the request that completes the upload: a few tens of milliseconds, 20 MB at most. */
export const AT_ONCE_PIXELS = 1_000_000;
export const AT_ONCE_BYTES = 1024 * 1024;
