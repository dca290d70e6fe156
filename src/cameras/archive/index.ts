export {
  type Archive,
  IMAGE_TYPE,
  imageName,
  mayReadImages,
  type Range,
  requireArchive,
  signImage,
  stillVisible,
  visibleInRange,
} from "./archive";
export { evenFrames, type FrameChoice, type FramePicture, framePictures, stillShown } from "./frames";
export {
  framesQuery,
  framesSchema,
  isRange,
  NO_RANGE,
  presentSeek,
  presentTimeline,
  rangeFields,
  seekOf,
  seekQuery,
  seekSchema,
  timelineSchema,
} from "./present";
export { beyond, nearestFrames, readFrames, seek } from "./seek";
export { timelineOf } from "./timeline";
