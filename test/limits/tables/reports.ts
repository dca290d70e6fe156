import { DIVIDES_WORK, type LimitTable } from "../row.ts";

export const reportsLimits: LimitTable<typeof import("../../../src/reports/limits")> = {
  DRAFT_LIMITS: {
    fields: {
      maxBytes: {
        page: "size | Reports and branding | JSON of a draft",
        held: ["bounds", "effects > edits are counted down to the size and the keys of a draft"],
      },
      maxDepth: { page: "count | Reports and branding | depth of a draft", held: "bounds" },
      maxKeys: {
        page: "count | Reports and branding | keys of a draft",
        held: ["bounds", "effects > edits are counted down to the size and the keys of a draft"],
      },
      maxKeyLength: { page: "count | Reports and branding | characters of a key", held: "bounds" },
    },
  },
  SKELETON_LIMITS: { fields: { maxBytes: { held: "inputs" } } },
  MAX_REPORT_BODY_BYTES: { page: "size | Requests | JSON body of a report", held: "requests" },
  MAX_REPORTS: { page: "count | Reports and branding | reports of a location", held: "capacity" },
  MAX_TEMPLATES: { page: "count | Reports and branding | templates of an organization or user", held: "capacity" },
  MAX_TEMPLATE_REVISIONS: {
    page: "count | Reports and branding | earlier revisions of a template; the oldest are removed first",
    held: "reports/template-history.test.ts > keeps the newest revisions, up to a number and a size",
  },
  MAX_TEMPLATE_HISTORY_BYTES: {
    page: "size | Reports and branding | earlier revisions of a template, together",
    held: "reports/template-history.test.ts > keeps the newest revisions, up to a number and a size",
  },
  MAX_TEMPLATE_CHARACTERS: {
    page: "characters | Reports and branding | layout, stylesheet and skeleton of a template, each",
    held: "inputs",
  },
  MAX_PARTIALS: { page: "count | Reports and branding | partials of an organization", held: "capacity" },
  MAX_PARTIAL_CHARACTERS: { page: "characters | Reports and branding | source of a partial", held: "inputs" },
  MAX_PARTIAL_DEPTH: {
    page: "count | Reports and branding | partials within partials",
    held: "reports/partials.test.ts > a partial within itself, or within too many others, shows nothing and is named",
  },
  MAX_TAG_CHARACTERS: { page: "count | Reports and branding | characters of a tag", held: "bounds" },
  MAX_SECTION_DEPTH: {
    page: "count | Reports and branding | depth of sections",
    held: "reports/templating.test.ts > can have sections up to the maximum depth",
  },
  MAX_RENDERING_STEPS: { page: "count | Reports and branding | steps of rendering a page", held: "bounds" },
  MAX_RENDERED_CHARACTERS: { page: "characters | Reports and branding | page without pictures", held: "bounds" },
  PREVIEWS_PER_USER: { page: "rate | Reports and branding | previews of a user, in each instance", held: "rates" },
  MAX_IMAGES: { page: "count | Reports and branding | pictures of a page", held: ["bounds", "reports"] },
  MAX_TEMPLATE_WARNINGS: {
    page: "count | Reports and branding | warnings of the values of a page",
    held: "reports/template-formats.test.ts > names each bad value once, up to the most warnings of a page",
  },
  MAX_INPUT_BYTES: { held: "reports" },
  MAX_WAITING_PDFS: {
    page: "count | Reports and branding | PDFs that wait in an organization or personal workspace",
    held: "capacity",
  },
  MAX_PAGE_CHARACTERS: {
    page: "characters | Reports and branding | page with pictures, for printing",
    held: "reports",
  },
  MAX_FONT_BYTES: { page: "size | Reports and branding | fonts that the service adds to a page", held: "bounds" },
  MAX_PDF_BYTES: { page: "size | Reports and branding | size of a PDF", held: "bounds" },
  PRINT_TIMEOUT_MS: { page: "time | Reports and branding | time to print", held: "reports" },
  SINGLE_IMAGE_EDGE: {
    page: "count | Reports and branding | longest edge of a picture, pixels",
    held: [
      "reports",
      "reports/pages.test.ts > may be frames of a camera there: the nearest to a moment, or some of a period, with their real times",
    ],
  },
  GALLERY_IMAGE_EDGE: {
    page: "count | Reports and branding | longest edge of a picture in a gallery, pixels",
    held: "reports/pages.test.ts > are scaled once and stored: upright, 1,600 px alone, and in a gallery the medium preview of the upload",
  },
  IMAGE_QUALITY: { unheld: "It is a choice between size and quality." },
  MAX_IMAGE_BYTES: { page: "size | Reports and branding | pictures of a page, scaled, together", held: "bounds" },
  ROOM_TOKEN_LIFETIME_MS: {
    page: "time | Reports and branding | lifetime of a token for a room",
    held: "effects > a token for a room is valid for its lifetime, at most",
  },
  MAX_ROOM_CONNECTIONS: { page: "count | Reports and branding | connections of a room", held: "reports" },
  ROOM_RECHECK_INTERVAL_MS: { held: "reports" },
  ROOM_CHECK_INTERVAL_MS: { held: "reports" },
  MAX_ROOM_MESSAGE_BYTES: { page: "size | Reports and branding | one message to a room", held: "bounds" },
  EDIT_ANNOUNCE_INTERVAL_MS: { held: "reports" },
  MAX_ROOM_HISTORY_BYTES: { page: "size | Reports and branding | history of a room", held: "bounds" },
  MAX_PRESENCE_BYTES: { held: "bounds" },
  MAX_CLIENT_IDS_PER_CONNECTION: { held: "bounds" },
  MAX_ROOMS_PER_ACCESS_CHECK: DIVIDES_WORK,
  MAX_UPDATE_CHUNK_BYTES: { held: "bounds" },
  MAX_UPDATE_ROWS: { held: "bounds" },
  BASE_RETENTION: {
    page: "time | Reports and branding | age of a revision that a change is merged from",
    held: "lifetimes",
  },
  MAX_DELTA_BYTES: {
    page: "size | Reports and branding | one change after which earlier revisions can be merged from",
    held: "bounds",
  },
  MAX_REVISIONS_SINCE_BASE: {
    page: "count | Reports and branding | revisions since the base of a merged change",
    held: "bounds",
  },
  MAX_EDITS_IN_STRETCH: {
    page: "count | Reports and branding | merging: changed words or items between two that occur once; with more, all between them count as one change",
    held: "bounds",
  },
  MAX_MERGE_STEPS: {
    page: "count | Reports and branding | merging: steps of comparing words and items that occur several times; after them, what is left counts as one change",
    held: "reports",
  },
  MAX_FRAME_WISHES: { held: "reports" },
  MAX_CAPTION_CHARACTERS: { held: "shown" },
  MAX_FRAMES_PER_VALUE: { held: "bounds" },
  MAX_BODY_IMAGE_WIDTH: { held: "bounds" },
  DEFAULT_LIST_IMAGES: { held: "shown" },
  MAX_PATH_CHARACTERS: { held: ["bounds", "inputs"] },
};
