export {
  type Archive,
  captureDownloads,
  filterVisible,
  IMAGE_TYPE,
  imageName,
  mayReadImages,
  type Range,
  requireArchive,
  signImage,
  visibleInRange,
} from "./archive";
export { type ChosenCapture, evenCaptures, filterReadable, readChosenCaptures } from "./frames";
export { lastDayOf } from "./last-day";
export {
  gapSchema,
  isRange,
  presentGap,
  presentTimeline,
  RANGE_ERROR,
  rangeFields,
  seekOf,
  seekQuery,
  sharedSeekSchema,
  sharedTimelineSchema,
} from "./present";
export { isBeyond, nearestCaptures, readCaptures, seek } from "./seek";
export { timelineOf } from "./timeline";
export { rangeQuery, readTimes, timesSchema } from "./times";
