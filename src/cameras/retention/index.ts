export { expireCaptures } from "./retention";
export { rejectedDownloads } from "./upload-review";
