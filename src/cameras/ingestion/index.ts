export { cancelOperations, cancelTransfers, captureOperationDeletion, hasPendingOperations } from "./cancel";
export { captureUploads } from "./examine";
export { CAPTURE_PURPOSE } from "./limits";
export { isUnfinished, rejectionSchema } from "./operations";
