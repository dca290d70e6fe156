import type { FreeJsonLimits } from "../platform/http/free-json";
import { MINUTE, SECOND } from "../platform/time";

/** A draft's JSON. Keys and depth bound what rendering and merging walk through. */
export const DRAFT_LIMITS = {
  largestBytes: 1_000_000,
  deepest: 32,
  mostKeys: 50_000,
  longestKey: 200,
} satisfies FreeJsonLimits;
/** A template's skeleton: the draft that a report begins with. */
export const SKELETON_LIMITS: FreeJsonLimits = { ...DRAFT_LIMITS, largestBytes: 128 * 1024 };
/** Largest request body of the report routes, bytes: a draft may be written with spaces and escapes. */
export const MAX_REPORT_BODY_BYTES = 2 * 1024 * 1024;

/** Reports a location holds, and templates an organization or a person. */
export const MAX_REPORTS = 10_000;
export const MAX_TEMPLATES = 500;

/** Largest layout and stylesheet template, characters each. */
export const MAX_TEMPLATE_CHARACTERS = 128 * 1024;
/** Longest tag from `{{` to `}}`, characters: mustache's scanner takes quadratic time in one. */
export const MAX_TAG_CHARACTERS = 1_000;
/** Sections inside one another. */
export const MAX_SECTION_DEPTH = 16;
/** Steps of rendering: tags, texts and turns of sections. */
export const MAX_RENDERING_STEPS = 200_000;
/** Largest page without its pictures, characters. */
export const MAX_RENDERED_CHARACTERS = 4 * 1024 * 1024;
/** Pictures of one report. */
export const MAX_IMAGES = 300;

/** Largest page that is laid out: characters of its HTML, pictures included. */
export const MAX_PAGE_CHARACTERS = 48 * 1024 * 1024;
/** Largest PDF, bytes: it is held in memory once. */
export const MAX_PDF_BYTES = 32 * 1024 * 1024;
/** Time for one page, from an open browser to the PDF's last byte. */
export const PRINT_TIMEOUT_MS = 40 * SECOND;
/** Browsers that turn out to have ended, of which one job tries the next. */
export const MAX_DEAD_BROWSERS = 10;
/** Time in which an open browser answers. */
export const CONNECT_TIMEOUT_MS = 10 * SECOND;
/** Time a browser that is asked to end gets for it. */
export const CLOSE_TIMEOUT_MS = 3 * SECOND;

/** Pages after which a browser is replaced, so that what it may leak stays small. */
export const MAX_BROWSER_USES = 50;
/** A browser that nobody needed for this long is closed; idle time is paid for like work. */
export const MAX_BROWSER_IDLE_MS = 45 * SECOND;
/** The service's own end for a browser without a command: later than ours, so that ours is the rule. */
export const BROWSER_KEEP_ALIVE_MS = 2 * MINUTE;
/** A worker that has not given its browser back by then, after scaling a report's pictures, is dead. */
export const BROWSER_LEASE_MS = PRINT_TIMEOUT_MS + 3 * MINUTE;
/** Time a job waits for a browser in line before it tries again later. */
export const MAX_BROWSER_WAIT_MS = 20 * SECOND;
/** Pause after the service refused to start another browser. */
export const LAUNCH_RETRY_DELAY_MS = 20 * SECOND;

/** Longest edge of a picture on its own and of one in a gallery, pixels. */
export const SINGLE_IMAGE_EDGE = 1600;
export const GALLERY_IMAGE_EDGE = 1000;
/** JPEG quality of both. */
export const IMAGE_QUALITY = 80;
/** Pictures of one page together, bytes, each counted as often as it stands there: the page holds them as base64. */
export const MAX_IMAGE_BYTES = 16 * 1024 * 1024;
