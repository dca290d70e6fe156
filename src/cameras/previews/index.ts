export { limitPreviewRequests, previewsBody, previewsSchema, timelinePreviews } from "./previews";
