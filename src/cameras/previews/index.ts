export { takePreviewBatch } from "./limits";
export { previewsBody, previewsSchema, timelinePreviews } from "./timeline-previews";
