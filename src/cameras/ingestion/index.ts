export { cancelOperations, cancelTransfers, captureOperationDeletion, hasPendingOperations } from "./cancel";
export { captureUploads } from "./examine";
export { CAPTURE_PURPOSE, isUnfinished, rejectionSchema } from "./operations";
