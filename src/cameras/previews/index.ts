export {
  latestBody,
  latestOfTime,
  limitPreviewRequests,
  previewsBody,
  previewsSchema,
  sharedLatestSchema,
  timelinePreviews,
} from "./previews";
