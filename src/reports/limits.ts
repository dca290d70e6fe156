import type { FreeJsonLimits } from "../platform/http/fields";
import type { RateLimit } from "../platform/http/rate-limit";
import { DAY, MINUTE, SECOND } from "../platform/time";

/* Drafts and templates */

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

/** Earlier revisions that a template keeps, and their total size, bytes. The oldest are removed first. */
export const MAX_TEMPLATE_REVISIONS = 50;
export const MAX_TEMPLATE_HISTORY_BYTES = 4 * 1024 * 1024;

/** Largest layout and largest stylesheet of a template, characters each. */
export const MAX_TEMPLATE_CHARACTERS = 128 * 1024;

/** Partials of one organization. */
export const MAX_PARTIALS = 100;
/** Largest source of a partial, characters. */
export const MAX_PARTIAL_CHARACTERS = 64 * 1024;
/** Partials within partials. */
export const MAX_PARTIAL_DEPTH = 4;

/* Rendering */

/** Longest tag from `{{` to `}}`, characters: mustache scans a tag in quadratic time. */
export const MAX_TAG_CHARACTERS = 1_000;
/** Depth of nested sections. */
export const MAX_SECTION_DEPTH = 16;
/** Steps of rendering: tags, texts and repetitions of sections. */
export const MAX_RENDERING_STEPS = 200_000;
/** Largest page without pictures, characters. */
export const MAX_RENDERED_CHARACTERS = 4 * 1024 * 1024;
/** Previews of one user, of reports and templates together, for each instance. */
export const PREVIEWS_PER_USER: RateLimit = { limit: 120, windowMs: MINUTE };
/** Pictures in one report. */
export const MAX_IMAGES = 300;

/** Warnings of the values of one page. */
export const MAX_TEMPLATE_WARNINGS = 20;

/* Printing */

/** Largest input that a job stores, bytes of JSON: a database row holds two million. */
export const MAX_INPUT_BYTES = 1_900_000;
/** PDFs that may wait at the same time in an organization or a personal workspace. */
export const MAX_WAITING_PDFS = 200;
/** Largest page for printing: characters of its HTML, including pictures. */
export const MAX_PAGE_CHARACTERS = 48 * 1024 * 1024;
/** Fonts that are added to one page, bytes: enough for a text in Chinese, Japanese or Korean. */
export const MAX_FONT_BYTES = 6 * 1024 * 1024;
/** Largest PDF, bytes: memory holds it once. */
export const MAX_PDF_BYTES = 32 * 1024 * 1024;
/** Time to print one page, from an open browser to the last byte of the PDF. */
export const PRINT_TIMEOUT_MS = 40 * SECOND;

/* Pictures */

/** Longest edge of a single picture and of a picture in a gallery, pixels. A gallery shows the medium previews of uploads. */
export const SINGLE_IMAGE_EDGE = 1600;
export const GALLERY_IMAGE_EDGE = 1024;
/** JPEG quality of scaled pictures. */
export const IMAGE_QUALITY = 80;
/** Total size of the pictures of one page, bytes. Each use counts, because the page contains each as base64. */
export const MAX_IMAGE_BYTES = 16 * 1024 * 1024;

/* Rooms */

/** Time for which a token admits to the room. After that the provider needs a new token. */
export const ROOM_TOKEN_LIFETIME_MS = 15 * MINUTE;
/** Connections in one room. */
export const MAX_ROOM_CONNECTIONS = 100;
/** While users edit, access is checked again after this time. */
export const ROOM_RECHECK_INTERVAL_MS = 5 * SECOND;
/** Longest time until access is checked again, independent of announced changes. */
export const ROOM_CHECK_INTERVAL_MS = 5 * MINUTE;
/** Largest message of a provider, bytes. */
export const MAX_ROOM_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Viewers of a location are notified of edits of a draft at most once in this time. */
export const EDIT_ANNOUNCE_INTERVAL_MS = 5 * SECOND;
/** Largest history of a draft, bytes: a draft has 1 MB, and deleted text takes little space. */
export const MAX_ROOM_HISTORY_BYTES = 16 * 1024 * 1024;
/** Largest presence update, bytes: it holds a name, a cursor and a selection. */
export const MAX_PRESENCE_BYTES = 16 * 1024;
/** Client ids of the shared document that one connection may use. */
export const MAX_CLIENT_IDS_PER_CONNECTION = 8;
/** Rooms of one access check: users are in few rooms at a time. */
export const MAX_ROOMS_PER_ACCESS_CHECK = 1_000;
/** Bytes of an update in one row: a row may have 2 MB. */
export const MAX_UPDATE_CHUNK_BYTES = 1024 * 1024;
/** Rows after which the settled updates are merged into one. */
export const MAX_UPDATE_ROWS = 200;

/* Merging */

/** Time for which a revision can be the base of a write. */
export const BASE_RETENTION = DAY;
/** Largest stored delta, bytes of JSON. A revision before a larger change cannot be a base. */
export const MAX_DELTA_BYTES = 256 * 1024;
/** Revisions between a base and the current draft. */
export const MAX_REVISIONS_SINCE_BASE = 5_000;
/** Removed and added words or items of a stretch in which none occurs once. With more, the stretch counts as one change. */
export const MAX_EDITS_IN_STRETCH = 1_000;
/** Steps of all comparisons of such stretches in one merge: the longest merge of `bench:pieces` takes 0.2 seconds of CPU. */
export const MAX_MERGE_STEPS = 4_000_000;

/* Values of a template */

/** Distinct frames and periods of frames in one report. Each period needs separate statements. */
export const MAX_FRAME_WISHES = 60;
/** Characters of a caption. A longer one is cut. */
export const MAX_CAPTION_CHARACTERS = 500;
/** Frames of one value. */
export const MAX_FRAMES_PER_VALUE = 100;
/** The widest picture that a body can ask for, CSS pixels. */
export const MAX_BODY_IMAGE_WIDTH = 2_000;
/** The largest number of pictures of a list if its helper has no number. */
export const DEFAULT_LIST_IMAGES = 100;
/** Characters of a written path. */
export const MAX_PATH_CHARACTERS = 200;
