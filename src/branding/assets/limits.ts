/** Largest logo or banner, bytes. */
export const LARGEST_ASSET = 5 * 1024 * 1024;
/** Longest edge of the previews, pixels. */
export const SMALL_EDGE = 256;
export const MEDIUM_EDGE = 1024;
/** JPEG quality of previews of pictures that came as JPEG. */
export const PREVIEW_QUALITY = 85;
/** Elements of an SVG, and what its references may amount to when each is drawn in its place. */
export const MOST_SVG_ELEMENTS = 20_000;
export const MOST_SVG_DRAWN = 100_000;
/** Elements of an SVG within each other: its parser looks through those around each name, and its drawing recurs. */
export const DEEPEST_SVG = 256;
