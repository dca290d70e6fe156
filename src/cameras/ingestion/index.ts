export { cancelOperations, cancelTransfers, hasPendingOperations } from "./cancel";
export { CAPTURE_PURPOSE } from "./limits";
export { isUnfinished, rejectionSchema } from "./operation";
export { operationPart } from "./part";
export { captureUploads } from "./purpose";
