export { cancelOperations, hasPendingOperations } from "./cancel";
export { CAPTURE_PURPOSE } from "./limits";
export { rejectionSchema } from "./operation";
export { operationPart } from "./part";
export { captureUploads } from "./purpose";
