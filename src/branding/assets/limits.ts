/** Largest logo or banner, bytes. */
export const MAX_ASSET_BYTES = 5 * 1024 * 1024;
/** Longest edge of the previews, pixels. */
export const SMALL_EDGE_PIXELS = 256;
export const MEDIUM_EDGE_PIXELS = 1024;
/** JPEG quality of previews of pictures that came as JPEG. */
export const PREVIEW_QUALITY = 85;
/** Elements of an SVG, and what its references may amount to when each is drawn in its place. */
export const MAX_SVG_ELEMENTS = 20_000;
export const MAX_DRAWN_SVG_ELEMENTS = 100_000;
/** Elements of an SVG within each other: its parser looks through those around each name, and its drawing recurs. */
export const MAX_SVG_DEPTH = 256;
