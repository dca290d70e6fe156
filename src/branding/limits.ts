import { HOUR, MINUTE } from "../platform/time";

/** Maximum size of a logo or banner, bytes. */
export const MAX_ASSET_BYTES = 5 * 1024 * 1024;
/** Longest edge of the previews, pixels. */
export const SMALL_EDGE_PIXELS = 256;
export const MEDIUM_EDGE_PIXELS = 1024;
/** JPEG quality of the previews of JPEG files. */
export const PREVIEW_QUALITY = 85;
/** Maximum number of elements in an SVG, and of drawn elements when every reference is followed. */
export const MAX_SVG_ELEMENTS = 20_000;
export const MAX_DRAWN_SVG_ELEMENTS = 100_000;
/** Maximum number of characters of an SVG's stylesheets × its elements: each element looks for itself in each rule. */
export const MAX_SVG_STYLE_WORK = 20_000_000;
/**
 * Maximum number of halves of layers in an SVG when every reference is followed. A layer is drawn apart and put over the picture, for
 * opacity, a mask, a clipping path or a blend mode; a gradient or a pattern costs half as much. Each costs time by the area of the picture.
 */
export const MAX_SVG_LAYERS = 1_024;
/** Maximum nesting of elements in an SVG: the parser searches all outer elements for each name, and drawing is recursive. */
export const MAX_SVG_DEPTH = 256;

export const LINK_LIFETIME_MS = 5 * MINUTE;

/** Time in which a change must refer to written previews. After it they are deleted. */
export const PENDING_PREVIEW_LIFETIME_MS = HOUR;

/** Maximum size of a file that is inlined unchanged, bytes. For a larger file, the medium preview is inlined. */
export const MAX_INLINE_ASSET_BYTES = 512 * 1024;
