import type { LimitTable } from "../row";

export const reportsLimits: LimitTable<typeof import("../../../src/reports/limits")> = {
  DRAFT_LIMITS: {
    fields: {
      maxBytes: {
        page: ["Reports and branding", "JSON of a draft", "size"],
        held: ["bounds", "limits/effects.test.ts > edits are counted down to the size and the keys of a draft"],
      },
      maxDepth: {
        page: ["Reports and branding", "depth of a draft", "count"],
        held: "bounds",
        open: ["src/reports/room/shape.ts"],
      },
      maxKeys: {
        page: ["Reports and branding", "keys of a draft", "count"],
        held: ["bounds", "limits/effects.test.ts > edits are counted down to the size and the keys of a draft"],
      },
      maxKeyLength: {
        page: ["Reports and branding", "characters of a key", "count"],
        held: "bounds",
        open: ["src/reports/room/shape.ts"],
      },
    },
  },
  SKELETON_LIMITS: {
    fields: {
      maxBytes: { held: "inputs" },
    },
  },
  MAX_REPORT_BODY_BYTES: {
    page: ["Requests", "JSON body of a report", "size"],
    held: ["limits/requests.test.ts > MAX_REPORT_BODY_BYTES"],
  },
  MAX_REPORTS: { page: ["Reports and branding", "reports of a location", "count"], held: "capacity" },
  MAX_TEMPLATES: { page: ["Reports and branding", "templates of an organization or user", "count"], held: "capacity" },
  MAX_TEMPLATE_CHARACTERS: {
    page: ["Reports and branding", "layout, stylesheet and skeleton of a template, each", "characters"],
    held: "inputs",
  },
  MAX_TAG_CHARACTERS: {
    page: ["Reports and branding", "characters of a tag", "count"],
    held: "bounds",
  },
  MAX_SECTION_DEPTH: {
    page: ["Reports and branding", "depth of sections", "count"],
    held: ["reports/templating.test.ts > can have sections up to the maximum depth"],
  },
  MAX_RENDERING_STEPS: {
    page: ["Reports and branding", "steps of rendering a page", "count"],
    held: "bounds",
  },
  MAX_RENDERED_CHARACTERS: {
    page: ["Reports and branding", "page without pictures", "characters"],
    held: "bounds",
  },
  PREVIEWS_PER_USER: { page: ["Reports and branding", "previews of a user, in each instance", "rate"], held: "rates" },
  MAX_IMAGES: {
    page: ["Reports and branding", "pictures of a page", "count"],
    held: "bounds",
    open: ["src/reports/rendering/page-images.ts"],
  },
  MAX_INPUT_BYTES: { held: ["browser/printing/jobs.test.ts"], open: true },
  MAX_WAITING_PDFS: {
    page: ["Reports and branding", "PDFs that wait in an organization or personal workspace", "count"],
    held: "capacity",
  },
  MAX_PAGE_CHARACTERS: {
    page: ["Reports and branding", "page with pictures, for printing", "characters"],
    held: ["browser/printing/printer.test.ts"],
    open: true,
  },
  MAX_FONT_BYTES: {
    page: ["Reports and branding", "fonts that the service adds to a page", "size"],
    held: ["browser/printing/fonts.test.ts"],
    open: true,
  },
  MAX_PDF_BYTES: {
    page: ["Reports and branding", "size of a PDF", "size"],
    held: ["browser/printing/printer.test.ts"],
    open: true,
  },
  PRINT_TIMEOUT_MS: {
    page: ["Reports and branding", "time to print", "time"],
    held: ["browser/printing/printer.test.ts"],
    open: true,
  },
  SINGLE_IMAGE_EDGE: {
    page: ["Reports and branding", "longest edge of a picture, pixels", "count"],
    held: ["reports/pages.test.ts"],
    open: true,
  },
  GALLERY_IMAGE_EDGE: {
    page: ["Reports and branding", "longest edge of a picture in a gallery, pixels", "count"],
    held: ["reports/pages.test.ts > are scaled once and stored: upright, 1,600 px alone and 1,000 px in a gallery"],
  },
  IMAGE_QUALITY: { unheld: "It is a choice between size and quality." },
  MAX_IMAGE_BYTES: {
    page: ["Reports and branding", "pictures of a page, scaled, together", "size"],
    held: ["reports/pages.test.ts"],
    open: true,
  },
  ROOM_TOKEN_LIFETIME_MS: {
    page: ["Reports and branding", "lifetime of a token for a room", "time"],
    held: ["limits/effects.test.ts > a token for a room is valid for its lifetime, at most"],
  },
  MAX_ROOM_CONNECTIONS: {
    page: ["Reports and branding", "connections of a room", "count"],
    held: ["reports/room.test.ts"],
    open: true,
  },
  ROOM_RECHECK_INTERVAL_MS: { held: ["reports/room.test.ts"], open: true },
  ROOM_CHECK_INTERVAL_MS: { held: ["reports/room.test.ts"], open: true },
  MAX_ROOM_MESSAGE_BYTES: {
    page: ["Reports and branding", "one message to a room", "size"],
    held: "bounds",
  },
  EDIT_ANNOUNCE_INTERVAL_MS: { held: ["reports/room.test.ts"], open: true },
  MAX_ROOM_HISTORY_BYTES: {
    page: ["Reports and branding", "history of a room", "size"],
    held: ["reports/room.test.ts", "reports/shape.test.ts"],
    open: true,
  },
  MAX_PRESENCE_BYTES: { held: "bounds" },
  MAX_CLIENT_IDS_PER_CONNECTION: { held: "bounds" },
  MAX_ROOMS_PER_ACCESS_CHECK: { unheld: "It divides work into slices and changes no result." },
  MAX_UPDATE_CHUNK_BYTES: { held: ["reports/shape.test.ts", "reports/room.test.ts"], open: true },
  MAX_UPDATE_ROWS: { held: ["reports/room.test.ts"], open: true },
  BASE_RETENTION: {
    page: ["Reports and branding", "age of a revision that a change is merged from", "time"],
    held: "lifetimes",
  },
  MAX_DELTA_BYTES: {
    page: ["Reports and branding", "one change after which earlier revisions can be merged from", "size"],
    held: "bounds",
  },
  MAX_REVISIONS_SINCE_BASE: {
    page: ["Reports and branding", "revisions since the base of a merged change", "count"],
    held: "bounds",
  },
  MAX_EDITS_IN_STRETCH: {
    page: [
      "Reports and branding",
      "merging: changed words or items between two that occur once; with more, all between them count as one change",
      "count",
    ],
    held: ["reports/merge-lists.test.ts", "reports/three-way.test.ts"],
    open: true,
  },
  MAX_MERGE_STEPS: {
    page: [
      "Reports and branding",
      "merging: steps of comparing words and items that occur several times; after them, what is left counts as one change",
      "count",
    ],
    held: ["reports/merge-lists.test.ts", "reports/three-way.test.ts"],
    open: true,
  },
  MAX_FRAME_WISHES: { held: ["reports/pages.test.ts"], open: true },
  MAX_CAPTION_CHARACTERS: { held: "shown" },
  MAX_FRAMES_PER_VALUE: { held: "bounds" },
  MAX_BODY_IMAGE_WIDTH: { held: "bounds" },
  DEFAULT_LIST_IMAGES: { held: "shown" },
  MAX_PATH_CHARACTERS: { held: ["bounds", "inputs"] },
};
