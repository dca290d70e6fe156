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

/** Maximum number of drawn elements of an SVG × their nesting: resvg writes each element with a space for each level around it. */
export const MAX_SVG_FORM_WORK = 4_000_000;
/** Longest computation for one preview of an SVG, estimated before it is drawn. A preview is made smaller to stay within it. */
export const MAX_SVG_DRAWING_MS = 400;
/** Shortest preview of an SVG, longer edge in pixels. An SVG whose preview would be shorter is refused. */
export const MIN_DRAWN_SVG_EDGE_PIXELS = 128;
/** Maximum memory of the layers of an SVG that are drawn at the same time, bytes. */
export const MAX_SVG_LAYER_BYTES = 32 * 1024 * 1024;

export const LINK_LIFETIME_MS = 5 * MINUTE;

/** Time in which a change must refer to written previews. After it they are deleted. */
export const PENDING_PREVIEW_LIFETIME_MS = HOUR;

/** Maximum size of a file that is inlined unchanged, bytes. For a larger file, the medium preview is inlined. */
export const MAX_INLINE_ASSET_BYTES = 512 * 1024;
