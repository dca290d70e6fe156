import type { FreeJsonLimits } from "../platform/http/fields";
import { MINUTE, SECOND } from "../platform/time";

/** Limits of a draft's JSON. Its keys and depth limit the work of rendering and merging. */
export const DRAFT_LIMITS = {
  maxBytes: 1_000_000,
  maxDepth: 32,
  maxKeys: 50_000,
  maxKeyLength: 200,
} satisfies FreeJsonLimits;
/** Limits of a template's skeleton: the first draft of a report. */
export const SKELETON_LIMITS: FreeJsonLimits = { ...DRAFT_LIMITS, maxBytes: 128 * 1024 };
/** Largest request body of the report routes, bytes: the JSON of a draft may contain spaces and escapes. */
export const MAX_REPORT_BODY_BYTES = 2 * 1024 * 1024;

/** Reports of one location, and templates of one organization or user. */
export const MAX_REPORTS = 10_000;
export const MAX_TEMPLATES = 500;

/** Largest layout and largest stylesheet of a template, characters each. */
export const MAX_TEMPLATE_CHARACTERS = 128 * 1024;
/** Longest tag from `{{` to `}}`, characters: mustache scans a tag in quadratic time. */
export const MAX_TAG_CHARACTERS = 1_000;
/** Depth of nested sections. */
export const MAX_SECTION_DEPTH = 16;
/** Steps of rendering: tags, texts and repetitions of sections. */
export const MAX_RENDERING_STEPS = 200_000;
/** Largest page without pictures, characters. */
export const MAX_RENDERED_CHARACTERS = 4 * 1024 * 1024;
/** Pictures in one report. */
export const MAX_IMAGES = 300;

/** Largest page for printing: characters of its HTML, pictures included. */
export const MAX_PAGE_CHARACTERS = 48 * 1024 * 1024;
/** Largest PDF, bytes: memory holds it once. */
export const MAX_PDF_BYTES = 32 * 1024 * 1024;
/** Time to print one page, from an open browser to the last byte of the PDF. */
export const PRINT_TIMEOUT_MS = 40 * SECOND;
/** How many browsers that have ended one job tries before it gives up. */
export const MAX_DEAD_BROWSERS = 10;
/** Time for an open browser to answer. */
export const CONNECT_TIMEOUT_MS = 10 * SECOND;
/** Time for a browser to close. */
export const CLOSE_TIMEOUT_MS = 3 * SECOND;

/** Pages after which a browser is replaced, to limit memory leaks. */
export const MAX_BROWSER_USES = 50;
/** A browser is closed after it was idle for this long, because idle time costs the same as work. */
export const MAX_BROWSER_IDLE_MS = 45 * SECOND;
/** The browser service's own idle timeout: longer than ours, so that ours applies first. */
export const BROWSER_KEEP_ALIVE_MS = 2 * MINUTE;
/** A worker that has not returned its browser after this time counts as dead. The time includes scaling pictures. */
export const BROWSER_LEASE_MS = PRINT_TIMEOUT_MS + 3 * MINUTE;
/** How long a job waits in the queue for a browser before it tries again later. */
export const MAX_BROWSER_WAIT_MS = 20 * SECOND;
/** Pause after the browser service refused to start another browser. */
export const LAUNCH_RETRY_DELAY_MS = 20 * SECOND;

/** Longest edge of a single picture and of a picture in a gallery, pixels. */
export const SINGLE_IMAGE_EDGE = 1600;
export const GALLERY_IMAGE_EDGE = 1000;
/** JPEG quality of scaled pictures. */
export const IMAGE_QUALITY = 80;
/** Total size of the pictures of one page, bytes. Each use counts, because the page contains each as base64. */
export const MAX_IMAGE_BYTES = 16 * 1024 * 1024;
