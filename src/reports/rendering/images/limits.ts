/** Longest edge of a picture on its own and of one in a gallery, pixels. */
export const SINGLE_EDGE = 1600;
export const GALLERY_EDGE = 1000;
/** JPEG quality of both. */
export const IMAGE_QUALITY = 80;
/** Pictures of one page together, bytes, each counted as often as it stands there: the page holds them as base64. */
export const MOST_IMAGE_BYTES = 16 * 1024 * 1024;
