import type { LimitTable } from "../row";

export const camerasLimits: LimitTable<typeof import("../../../src/cameras/limits")> = {
  MAX_CAMERAS_PER_LOCATION: {
    page: ["Cameras", "cameras of a location, including retired cameras", "count"],
    held: "capacity",
  },
  MAX_PICTURE_PIXELS: {
    page: ["Cameras", "pixels of an image", "count"],
    coarse: true,
    held: ["inputs", "limits/effects.test.ts > a device is told the limits that hold for it"],
  },
  MIN_PICTURE_EDGE: { held: "inputs" },
  MAX_PICTURE_EDGE: { held: "inputs" },
  MAX_INTERVAL_MINUTES: { page: ["Cameras", "longest capture interval, minutes", "count"], held: "inputs" },
  MAX_RETENTION_DAYS: { held: "inputs" },
  RETIREMENTS_PER_SLICE: { unheld: "It divides work into slices and changes no result." },
  PAIRING_CODE_LIFETIME_MS: {
    page: ["Cameras", "lifetime of a pairing code, which works once", "time"],
    held: "lifetimes",
  },
  ENDED_CODE_RETENTION: { held: "lifetimes" },
  REVOKED_CREDENTIAL_RETENTION: { held: "lifetimes" },
  REDEMPTIONS_PER_NETWORK: { page: ["Cameras", "pairing attempts from one network", "rate"], held: "rates" },
  REDEMPTIONS_PER_CAMERA: { page: ["Cameras", "pairing attempts at one camera", "rate"], held: "rates" },
  ENROLLMENTS_PER_CAMERA: { page: ["Cameras", "pairing codes of a camera", "rate"], held: "rates" },
  MAX_CAPTURE_BYTES: {
    page: ["Cameras", "size of an image", "size"],
    held: ["inputs", "limits/effects.test.ts > a device is told the limits that hold for it"],
  },
  CAPTURE_URL_LIFETIME_MS: {
    page: ["Cameras", "lifetime of an upload address for an image", "time"],
    held: ["lifetimes", "limits/effects.test.ts > a device is told the limits that hold for it"],
  },
  OPERATION_LIFETIME_MS: {
    page: ["Cameras", "lifetime of an unfinished upload of an image", "time"],
    held: ["lifetimes", "limits/effects.test.ts > a device is told the limits that hold for it"],
  },
  LEFTOVER_GRACE_MS: { held: "lifetimes" },
  GIVEN_UP_AFTER_MS: { held: "lifetimes" },
  STAGING_RETENTION_MS: {
    held: ["cameras/staging.test.ts > staged bytes are deleted when no operation can need them"],
  },
  MAX_UNFINISHED_OPERATIONS: {
    page: ["Cameras", "unfinished uploads of a camera", "count"],
    held: [
      "cameras/ingestion.test.ts > admits two images of a camera at a time",
      "limits/effects.test.ts > a device is told the limits that hold for it",
    ],
  },
  MAX_LISTED_OPERATIONS: { held: "shown" },
  ADMISSIONS_PER_MINUTE: {
    page: ["Cameras", "new uploads of a camera in 1 minute", "count"],
    held: [
      "cameras/ingestion.test.ts > admits four new images a minute",
      "limits/effects.test.ts > a device is told the limits that hold for it",
    ],
  },
  ADMISSION_WINDOW_MS: { held: "lifetimes" },
  DEVICE_REQUESTS_PER_MINUTE: {
    page: ["Cameras", "requests of a device in 1 minute, in each instance", "count"],
    held: [
      "cameras/ingestion.test.ts > accepts thirty requests a minute",
      "limits/effects.test.ts > a device is told the limits that hold for it",
    ],
  },
  CLOCK_TOLERANCE_MS: {
    page: ["Cameras", "capture time ahead of the service's clock", "time"],
    held: [
      "cameras/ingestion.test.ts > checks the capture time exactly",
      "limits/effects.test.ts > a device is told the limits that hold for it",
    ],
  },
  VERDICT_RETRY_SECONDS: {
    held: ["limits/effects.test.ts > a camera whose images are in verification waits for a verdict"],
  },
  POLL_SECONDS: {
    held: ["limits/effects.test.ts > a device polls an image in verification after the seconds of the answer"],
  },
  REJECTION_NOTICE_INTERVAL_MS: {
    held: "lifetimes",
  },
  INTERVALS_UNTIL_SILENT: {
    held: ["lifetimes", "cameras/timeline.test.ts"],
    open: true,
  },
  HEARTBEAT_RESOLUTION_MS: {
    held: ["cameras/heartbeat.test.ts > without news is stored every few minutes, and a new error at once"],
  },
  HEARTBEAT_TIMEOUT_MS: {
    held: "lifetimes",
  },
  MAX_REMEMBERED_INSTANCES: { held: "shown" },
  SHARED_IDENTITY_MEMORY_MS: { held: "lifetimes" },
  SCHEDULE_HORIZON_MS: { held: ["cameras/health-decisions.test.ts"], open: true },
  RECOVERY_GROUPING_MS: { held: ["cameras/health.test.ts"], open: true },
  SILENCE_GROUPING_MS: { held: "lifetimes" },
  MAX_NAMED_CAMERAS: { held: ["cameras/health.test.ts"], open: true },
  HEALTH_CHECKS_PER_SLICE: { unheld: "It divides work into slices and changes no result." },
  MAX_CONDITIONS_PER_KIND: { held: "shown" },
  MAX_WINDOW_CAUSE_MS: { held: "bounds" },
  IMAGE_ADDRESS_LIFETIME_MS: {
    page: ["Cameras", "lifetime of a download address of an image", "time"],
    held: "lifetimes",
  },
  MAX_SEEK_POINTS: { unheld: "It divides many moments into statements and changes no result." },
  DEFAULT_HISTORY_PAGE_SIZE: {
    page: ["Cameras", "images on a page of the history, by default", "count"],
    held: "shown",
  },
  MAX_HISTORY_PAGE_SIZE: { page: ["Cameras", "images on a page of the history, at most", "count"], held: "inputs" },
  MAX_FRAMES: {
    page: ["Cameras", "frames of one call", "count"],
    held: ["inputs", "limits/effects.test.ts > a program that asks for more frames than one call chooses fails"],
  },
  MAX_STRIP_DAYS: { page: ["Cameras", "days of one day strip", "count"], held: "inputs" },
  TIMELINE_CACHE_LIFETIME_MS: { held: "lifetimes" },
  MAX_CACHED_TIMELINES: { unheld: "It bounds the memory of an instance and changes no answer." },
  MAX_TIMELINE_GAPS: { held: "shown" },
  MAX_CAPTURE_TIMES: {
    page: ["Cameras", "capture times of one call", "count"],
    held: ["cameras/archive.test.ts"],
    open: true,
  },
  MAX_PREVIEWS: { page: ["Cameras", "previews of one call", "count"], held: "inputs" },
  MAX_PREVIEW_BYTES: {
    held: ["platform/jpeg/pictures.test.ts > never take more than 3,072 bytes"],
    open: ["src/cameras/previews/previews.ts"],
  },
  MAX_CONCURRENT_PREVIEW_READS: { unheld: "It divides reads and changes no answer." },
  PREVIEW_REQUESTS_PER_NETWORK: {
    page: ["Cameras", "preview calls from one network, in each instance", "rate"],
    held: "rates",
  },
  MAX_EXPORT_IMAGES: {
    page: ["Camera exports and share links", "images of an export", "count"],
    held: ["cameras/exports.test.ts"],
    open: true,
  },
  MAX_EXPORT_PREPARATION_MS: { held: ["cameras/exports.test.ts"], open: true },
  EXPORT_ADDRESS_LIFETIME_MS: {
    page: ["Camera exports and share links", "lifetime of a download address of an export", "time"],
    held: ["cameras/exports.test.ts"],
    open: true,
  },
  ENDED_EXPORT_RETENTION: {
    held: "lifetimes",
  },
  EXPORTS_DELETED_PER_SLICE: { unheld: "It divides work into slices and changes no result." },
  MANIFEST_IMAGES_PER_PAGE: { unheld: "It divides work into slices and changes no result." },
  MANIFEST_PAGES_PER_SLICE: { unheld: "It divides work into slices and changes no result." },
  EXPORT_RETENTION: {
    page: ["Camera exports and share links", "lifetime of an export, unless one of its images ends earlier", "time"],
    held: ["cameras/exports.test.ts"],
    open: true,
  },
  MAX_TICKET_LENGTH: { held: "bounds" },
  MIN_PASSCODE_LENGTH: {
    page: ["Camera exports and share links", "characters of a link's passcode, at least", "count"],
    held: "inputs",
  },
  MAX_PASSCODE_LENGTH: {
    page: ["Camera exports and share links", "characters of a link's passcode, at most", "count"],
    held: "inputs",
  },
  SHARE_PASS_LIFETIME_MS: {
    page: ["Camera exports and share links", "time for which a pass opens a link with a passcode", "time"],
    held: "lifetimes",
  },
  PASSCODE_TRIES_PER_NETWORK: {
    page: ["Camera exports and share links", "passcodes tried at one link from one network", "rate"],
    held: "rates",
  },
  PASSCODE_TRIES_PER_LINK: {
    page: ["Camera exports and share links", "passcodes tried at one link", "rate"],
    held: "rates",
  },
  MAX_CAMERAS_PER_LINK: { page: ["Camera exports and share links", "cameras of a link", "count"], held: "inputs" },
  MAX_ACTIVE_LINKS: {
    page: ["Camera exports and share links", "links in use of a location", "count"],
    held: "capacity",
  },
  MAX_LISTED_ENDED_LINKS: { held: "shown" },
  ENDED_LINK_RETENTION: {
    page: ["Camera exports and share links", "time until an ended link is deleted", "time"],
    held: "lifetimes",
  },
  LINKS_DELETED_PER_SLICE: { unheld: "It divides work into slices and changes no result." },
  MAX_SHARED_FRAMES: { page: ["Camera exports and share links", "frames of a shared film", "count"], held: "inputs" },
  SHARED_REQUESTS_PER_NETWORK: {
    page: ["Camera exports and share links", "requests on links from one network, in each instance", "rate"],
    held: "rates",
  },
  EXPIRED_CAMERAS_PER_SLICE: { unheld: "It divides work into slices and changes no result." },
  EXPIRED_IMAGES_PER_SLICE: { unheld: "It divides work into slices and changes no result." },
  REJECTED_URL_LIFETIME_MS: { held: "lifetimes" },
  REJECTED_RETENTION: {
    page: ["Cameras", "retention of a rejected image", "time"],
    held: ["cameras/verification.test.ts > rejected images are kept for 90 days"],
  },
  ENDED_OPERATION_RETENTION: { held: "lifetimes" },
  FRAMES_CLEANED_PER_SLICE: { unheld: "It divides work into slices and changes no result." },
};
